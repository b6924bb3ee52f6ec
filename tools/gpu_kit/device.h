/* SPDX-License-Identifier: Apache-2.0
 * The device as the programs of the kit see it: libcuda.so.1, opened when they run, so that they
 * are compiled without a toolkit and run on the stand-in as well; and the kernels of kernels.ptx
 * (KIT_KERNELS names the file), which are launched into the stream of the calling worker. One
 * device, the first. What fails ends the program with a line. */
#pragma once

#include <dlfcn.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long device_ptr;

static struct {
  int (*Init)(unsigned);
  int (*CtxRetain)(void** context, int device);
  int (*CtxSetCurrent)(void* context);
  int (*MemGetInfo)(size_t* free_bytes, size_t* total_bytes);
  int (*MemAlloc)(device_ptr* memory, size_t bytes);
  int (*MemFree)(device_ptr memory);
  int (*HostRegister)(void* memory, size_t bytes, unsigned flags);
  int (*HostUnregister)(void* memory);
  int (*CopyTo)(device_ptr to, const void* from, size_t bytes, struct CUstream_st* stream);
  int (*CopyFrom)(void* to, device_ptr from, size_t bytes, struct CUstream_st* stream);
  int (*StreamCreate)(struct CUstream_st** stream, unsigned flags);
  int (*StreamDestroy)(struct CUstream_st* stream);
  int (*StreamSynchronize)(struct CUstream_st* stream);
  int (*EventCreate)(void** event, unsigned flags);
  int (*EventRecord)(void* event, struct CUstream_st* stream);
  int (*EventElapsed)(float* ms, void* start, void* end);
  int (*ModuleLoad)(void** module, const void* image);
  int (*ModuleFunction)(void** function, void* module, const char* name);
  int (*Launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned shared, struct CUstream_st* stream, void** arguments, void** extra);
  int (*ErrorName)(int error, const char** name);
  int (*CtxReset)(int device); /* the stand-in has none: NULL */
} cu;

static void check(int error, const char* what) {
  const char* name = "";
  if (error == 0) return;
  if (cu.ErrorName) cu.ErrorName(error, &name);
  fprintf(stderr, "gpu_check: %s failed with %d %s\n", what, error, name);
  exit(1);
}
#define CU(name, ...) check(cu.name(__VA_ARGS__), #name)

static void find(void* library, void* entry, const char* symbol, int is_needed) {
  void* const found = dlsym(library, symbol);
  if (!found && is_needed) {
    fprintf(stderr, "gpu_check: libcuda.so.1 has no %s\n", symbol);
    exit(1);
  }
  *(void**)entry = found;
}

/* Before everything else. The calling thread gets the device's own context, which is the runtime's
 * as well. */
static void open_device(void) {
  static const struct {
    void* entry;
    const char* symbol;
    int is_needed;
  } kEntries[] = {{&cu.Init, "cuInit", 1},
                  {&cu.CtxRetain, "cuDevicePrimaryCtxRetain", 1},
                  {&cu.CtxSetCurrent, "cuCtxSetCurrent", 1},
                  {&cu.MemGetInfo, "cuMemGetInfo_v2", 1},
                  {&cu.MemAlloc, "cuMemAlloc_v2", 1},
                  {&cu.MemFree, "cuMemFree_v2", 1},
                  {&cu.HostRegister, "cuMemHostRegister_v2", 1},
                  {&cu.HostUnregister, "cuMemHostUnregister", 1},
                  {&cu.CopyTo, "cuMemcpyHtoDAsync_v2", 1},
                  {&cu.CopyFrom, "cuMemcpyDtoHAsync_v2", 1},
                  {&cu.StreamCreate, "cuStreamCreate", 1},
                  {&cu.StreamDestroy, "cuStreamDestroy_v2", 1},
                  {&cu.StreamSynchronize, "cuStreamSynchronize", 1},
                  {&cu.EventCreate, "cuEventCreate", 1},
                  {&cu.EventRecord, "cuEventRecord", 1},
                  {&cu.EventElapsed, "cuEventElapsedTime", 1},
                  {&cu.ModuleLoad, "cuModuleLoadData", 1},
                  {&cu.ModuleFunction, "cuModuleGetFunction", 1},
                  {&cu.Launch, "cuLaunchKernel", 1},
                  {&cu.ErrorName, "cuGetErrorName", 1},
                  {&cu.CtxReset, "cuDevicePrimaryCtxReset_v2", 0}};
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr, "gpu_check: %s\n", dlerror());
    exit(1);
  }
  for (size_t i = 0; i < sizeof(kEntries) / sizeof(*kEntries); i++)
    find(library, kEntries[i].entry, kEntries[i].symbol, kEntries[i].is_needed);
  void* context;
  CU(Init, 0);
  CU(CtxRetain, &context, 0);
  CU(CtxSetCurrent, context);
}

/* Of the kernels that are used here. */
enum kernel { kIncrement, kStall, kKernels };
static void* functions[kKernels];

static void load_kernels(void) {
  static const char* const kNames[kKernels] = {"increment", "stall"};
  const char* const path = getenv("KIT_KERNELS");
  static char image[1 << 16]; /* a text that ends in a zero */
  FILE* const file = path ? fopen(path, "r") : NULL;
  if (!file || fread(image, 1, sizeof(image) - 1, file) == 0) {
    fprintf(stderr, "gpu_check: KIT_KERNELS: %s: cannot be read\n", path ? path : "not set");
    exit(1);
  }
  fclose(file);
  void* module;
  CU(ModuleLoad, &module, image);
  for (int i = 0; i < kKernels; i++) CU(ModuleFunction, &functions[i], module, kNames[i]);
}

static void launch(enum kernel kernel, struct CUstream_st* stream, void** arguments) {
  CU(Launch, functions[kernel], 64, 1, 1, 128, 1, 1, 0, stream, arguments, NULL);
}
