// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/cuda/libcuda.h"

#include <dlfcn.h>

namespace tasklens::cuda {

std::string LibCuda::Load() {
  constexpr const char* kName = "libcuda.so.1";
  void* const library = dlopen(kName, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return std::string(dlerror()) + " (it comes with NVIDIA's kernel driver)";
#define ENTRY(name, symbol, arguments)                              \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #symbol)); \
  if (!name) return std::string(kName) + " has no " #symbol ": a newer driver is needed";
#include "runtime/drivers/cuda/entry_points.inc"
#undef ENTRY
  return "";
}

std::string LibCuda::ErrorText(int error) const {
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(error, &name) != kSuccess || !name) return "error " + std::to_string(error);
  if (GetErrorString(error, &text) != kSuccess || !text) return name;
  return std::string(name) + ": " + text;
}

}  // namespace tasklens::cuda
