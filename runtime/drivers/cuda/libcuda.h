// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libcuda.so.1, which comes with the kernel driver and is loaded at run time. The
// declarations needed are repeated here, so the build needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/drivers/accelerators.h"

// The names in cuda.h.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;

namespace tasklens::cuda {

// The values of CUresult that are handled.
inline constexpr int kSuccess = 0;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kPeerAccessAlreadyEnabled = 704;
inline constexpr int kNotReady = 600;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kHostRegisterPortable = 1;

// CUDA_MEMCPY2D, for linear memory.
enum MemoryType : int { kHost = 1, kDevice = 2 };
struct Side {
  size_t x_bytes = 0, y = 0;
  MemoryType type = kHost;
  const void* host = nullptr;
  unsigned long long device = 0;
  void* array = nullptr;
  size_t pitch_bytes = 0;
};
struct Copy2D {
  Side source, target;
  size_t width_bytes = 0, height = 0;
};

// Pointers to the library's functions.
struct LibCuda {
#define ENTRY(name, symbol, arguments) int(*name) arguments = nullptr;
#include "runtime/drivers/cuda/entry_points.inc"
#undef ENTRY

  // Loads the library and finds the functions. Returns "" or an error message.
  std::string Load();
  // Returns for example "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
  std::string ErrorText(int error) const;
};

}  // namespace tasklens::cuda
