// SPDX-License-Identifier: Apache-2.0
// A system library that is loaded at its first use. A linked library costs time at every start of
// the program, and its threads, started before main(), take the signals of the process.
//
// Threads: values, any thread. The library stays loaded until the process ends.
#pragma once

#include <string>

#include "trace/support/status.h"

namespace tasklens {

class LoadedLibrary {
 public:
  // Opens `file`, searched for as the system's loader does; `package` is the Debian package that
  // contains it. Threads that the library starts while it is loaded take no signals. kNotFound says
  // what to install.
  static Result<LoadedLibrary> Open(const std::string& file, const std::string& package);

  // Sets `function`; returns false if the library has no function of that name.
  template <class Function>
  bool Find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(Symbol(name));
    return function;
  }

 private:
  explicit LoadedLibrary(void* handle) : handle_(handle) {}
  void* Symbol(const char* name) const;

  void* handle_;
};

}  // namespace tasklens
