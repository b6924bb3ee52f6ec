// SPDX-License-Identifier: Apache-2.0
// NVIDIA's math libraries for tasks on CUDA devices. Each worker has a handle of each library,
// which uses the worker's stream. Taken are the libraries that the program is linked with, else
// those of the system.
#include <dlfcn.h>
#include <starpu.h>
#include <starpu_cublas_v2.h>
#include <starpu_cuda.h>

#include <string>

#include "runtime/core/device_worker.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

struct Library {
  const char* name;
  const char* files[3];
  const char *create, *destroy;
  const char* set_stream;  // nullptr: the stream is passed with each call
};
constexpr Library kLibraries[kMathLibraries] = {
    {"cuBLAS",
     {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
     "cublasCreate_v2",
     "cublasDestroy_v2",
     "cublasSetStream_v2"},
    {"cuBLASLt",
     {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"},
     "cublasLtCreate",
     "cublasLtDestroy",
     nullptr},
    {"cuSPARSE",
     {"libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"},
     "cusparseCreate",
     "cusparseDestroy",
     "cusparseSetStream"},
    {"cuSOLVER",
     {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"},
     "cusolverDnCreate",
     "cusolverDnDestroy",
     "cusolverDnSetStream"},
};

const Library& RowOf(MathLibrary library) { return kLibraries[static_cast<size_t>(library)]; }

// Returns the function of the library, or nullptr if it is not found.
template <class Function>
Function* Find(const Library& library, const char* symbol) {
  if (!symbol) return nullptr;
  void* found = dlsym(RTLD_DEFAULT, symbol);
  for (const char* file : library.files) {
    if (found) break;
    if (void* handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL)) found = dlsym(handle, symbol);
  }
  return reinterpret_cast<Function*>(found);
}

void Check(int status, const char* call) {
  if (status != 0) Fatal("%s() failed with status %d on a CUDA device", call, status);
}

void CreateHere(void* argument) {
  const auto which = *static_cast<MathLibrary*>(argument);
  const Library& library = RowOf(which);
  DeviceWorker* const worker = ThisDeviceWorker();
  if (!worker || worker->math_handle(which)) return;
  auto* const create = Find<int(void**)>(library, library.create);
  Check(create(&worker->math_handle(which)), library.create);
  auto* const set_stream = Find<int(void*, CUstream_st*)>(library, library.set_stream);
  if (set_stream)
    Check(set_stream(worker->math_handle(which), starpu_cuda_get_local_stream()),
          library.set_stream);
}
void DestroyHere(void* argument) {
  const auto which = *static_cast<MathLibrary*>(argument);
  DeviceWorker* const worker = ThisDeviceWorker();
  if (!worker || !worker->math_handle(which)) return;
  auto* const destroy = Find<int(void*)>(RowOf(which), RowOf(which).destroy);
  Check(destroy(worker->math_handle(which)), RowOf(which).destroy);
  worker->math_handle(which) = nullptr;
}

void Init(MathLibrary which, const char* function) {
  Runtime& runtime = Runtime::Get(function);
  if (!runtime.accelerators()) return;  // no worker could use it
  const Library& library = RowOf(which);
  if (!Find<int(void**)>(library, library.create)) {
    Warn("%s(): %s is not installed (%s): tasks that need it cannot run on CUDA devices", function,
         library.name, library.files[0]);
    return;
  }
  starpu_execute_on_each_worker(CreateHere, &which, STARPU_CUDA);
}
void Shutdown(MathLibrary which, const char* function) {
  if (Runtime::Get(function).accelerators())
    starpu_execute_on_each_worker(DestroyHere, &which, STARPU_CUDA);
}
void* HandleHere(MathLibrary which) {
  DeviceWorker* const worker = ThisDeviceWorker();
  return worker ? worker->math_handle(which) : nullptr;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

// Defines the functions that all libraries have.
#define MATH_LIBRARY(name, handle, Handle, which)                                       \
  void starpu_##name##_init(void) { Init(which, "starpu_" #name "_init"); }             \
  void starpu_##name##_shutdown(void) { Shutdown(which, "starpu_" #name "_shutdown"); } \
  Handle* starpu_##handle##_get_local_handle(void) {                                    \
    return static_cast<Handle*>(HandleHere(which));                                     \
  }

extern "C" {

MATH_LIBRARY(cublas, cublas, cublasContext, MathLibrary::kCublas)
MATH_LIBRARY(cublasLt, cublasLt, cublasLtContext, MathLibrary::kCublasLt)
MATH_LIBRARY(cusparse, cusparse, cusparseContext, MathLibrary::kCusparse)
MATH_LIBRARY(cusolver, cusolverDn, cusolverDnContext, MathLibrary::kCusolver)

// The old interface of cuBLAS has one stream per device.
void starpu_cublas_set_stream(void) {
  CUstream_st* const stream = starpu_cuda_get_local_stream();
  auto* const set =
      stream ? Find<int(CUstream_st*)>(RowOf(MathLibrary::kCublas), "cublasSetKernelStream")
             : nullptr;
  if (set) Check(set(stream), "cublasSetKernelStream");
}
void starpu_cublas_report_error(const char* function, const char* file, int line, int status) {
  Fatal("%s:%d: cuBLAS failed in %s(): status %d", file, line, function, status);
}

}  // extern "C"
