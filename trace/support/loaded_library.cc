// SPDX-License-Identifier: Apache-2.0
// dlopen() with all signals blocked: new threads inherit the mask.
#include "trace/support/loaded_library.h"

#include <dlfcn.h>

#include <csignal>

namespace tasklens {

Result<LoadedLibrary> LoadedLibrary::Open(const std::string& file, const std::string& package) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (handle) return LoadedLibrary(handle);
  const char* const reason = dlerror();
  return Status(ErrorCode::kNotFound, file + " cannot be loaded: apt-get install " + package +
                                          " (" + (reason ? reason : "no reason given") + ")");
}

LoadedLibrary::Symbol LoadedLibrary::operator[](const char* name) {
  void* const address = dlsym(handle_, name);
  has_all_ = has_all_ && address;
  return {address};
}

}  // namespace tasklens
