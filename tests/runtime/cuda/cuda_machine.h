// SPDX-License-Identifier: Apache-2.0
// A machine with CUDA devices for tests: that of the machine where there is one, else the stand-in.
// And codelets whose functions launch the kernels of kernels.ptx, as a program would by libcuda.
#pragma once

#include <dlfcn.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/runtime/cuda/standin.h"
#include "tests/runtime/recorded.h"

struct CUmod_st;
struct CUfunc_st;

namespace tasklens::testing {

class CudaMachine {
 public:
  static CudaMachine& Get() {
    static auto* machine = new CudaMachine;
    return *machine;
  }
  bool is_standin() const { return is_standin_; }
  template <class Function>
  Function* Find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  // Into the stream of the calling worker.
  void Launch(const char* kernel, std::vector<void*> arguments) {
    CUfunc_st* const function = FunctionOf(kernel);
    const int error = launch_(function, 64, 1, 1, 128, 1, 1, 0, starpu_cuda_get_local_stream(),
                              arguments.data(), nullptr);
    if (error) STARPU_CUDA_REPORT_ERROR(error);
  }
  void Synchronize() { synchronize_(starpu_cuda_get_local_stream()); }
  // Contexts, and with them modules, are gone when the runtime stops.
  void Forget() { functions_.clear(); }

 private:
  CudaMachine() {
    is_standin_ = access("/dev/nvidiactl", F_OK) != 0;
    // The runtime finds it by its name once it is there.
    library_ = dlopen(is_standin_ ? "tests/runtime/cuda/libcuda_standin.so" : "libcuda.so.1",
                      RTLD_NOW | RTLD_GLOBAL);
    if (!library_) {
      fprintf(stderr, "%s\n", dlerror());
      abort();
    }
    printf("CUDA: %s\n", is_standin_ ? "the stand-in, there is no device" : "a real device");
    setenv("TASKLENS_CUDA_LIBRARY", "runtime/drivers/cuda/libtasklens-cuda.so", 1);
    setenv("STARPU_BUS_CALIBRATE", "0", 1);  // unless a test asks for it
    std::ifstream file("tests/runtime/cuda/kernels.ptx");
    image_.assign(std::istreambuf_iterator<char>(file), {});
    load_ = Find<int(CUmod_st**, const void*)>("cuModuleLoadData");
    find_ = Find<int(CUfunc_st**, CUmod_st*, const char*)>("cuModuleGetFunction");
    launch_ = Find<int(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, CUstream_st*, void**, void**)>("cuLaunchKernel");
    synchronize_ = Find<int(CUstream_st*)>("cuStreamSynchronize");
  }
  CUfunc_st* FunctionOf(const char* kernel) {
    const int device = starpu_worker_get_devid(starpu_worker_get_id());
    std::lock_guard guard(lock_);
    CUfunc_st*& function = functions_[{device, kernel}];
    if (function) return function;
    CUmod_st* module = nullptr;
    if (int error = load_(&module, image_.c_str())) STARPU_CUDA_REPORT_ERROR(error);
    if (int error = find_(&function, module, kernel)) STARPU_CUDA_REPORT_ERROR(error);
    return function;
  }

  bool is_standin_;
  void* library_;
  std::string image_;
  int (*load_)(CUmod_st**, const void*);
  int (*find_)(CUfunc_st**, CUmod_st*, const char*);
  int (*launch_)(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 CUstream_st*, void**, void**);
  int (*synchronize_)(CUstream_st*);
  std::mutex lock_;
  std::map<std::pair<int, std::string>, CUfunc_st*> functions_;
};

}  // namespace tasklens::testing
