// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/device/load_cuda.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/support/clock.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr const char* kLibrary = "libtasklens-cuda.so";

// Returns the paths to try: beside the runtime library or the program, and in Bazel's folders.
std::vector<std::string> Places() {
  const char* named = getenv("TASKLENS_CUDA_LIBRARY");
  if (named && *named) return {named};
  std::vector<std::string> places;
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&MayHaveCuda), &here) && here.dli_fname) {
    const std::string file = here.dli_fname;
    const size_t slash = file.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash);
    places.push_back(folder + "/" + kLibrary);
    places.push_back(folder + "/drivers/cuda/" + kLibrary);
    places.push_back(file + ".runfiles/tasklens/runtime/drivers/cuda/" + kLibrary);
  }
  places.push_back(kLibrary);
  return places;
}

void Say(const char* line) { Warn("%s", line); }

}  // namespace

bool MayHaveCuda() { return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; }

std::unique_ptr<Accelerators> LoadCuda(FailOnDevice* fail) {
  void* library = nullptr;
  std::string tried;
  for (const std::string& place : Places()) {
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) break;
    if (tried.empty()) tried = dlerror();
  }
  if (!library) {
    Warn(
        "CUDA devices cannot be used without %s: %s; TASKLENS_CUDA_LIBRARY says where it is, "
        "STARPU_NCUDA=0 that none are wanted",
        kLibrary, tried.c_str());
    return nullptr;
  }
  auto* const open = reinterpret_cast<OpenAccelerators*>(dlsym(library, kOpenCuda));
  if (!open) {
    Warn("%s is of another version of TaskLens: it has no %s", kLibrary, kOpenCuda);
    return nullptr;
  }
  std::string why;
  std::unique_ptr<Accelerators> devices(open({fail, &Say, &NowNs}, why));
  if (!devices)
    Warn("there is no CUDA device to use: %s; STARPU_NCUDA=0 says that none are wanted",
         why.c_str());
  return devices;
}

}  // namespace tasklens::runtime
