// SPDX-License-Identifier: Apache-2.0
// A library of the system that is loaded at its first use: a linked library costs every
// start of the program, and its threads, made before main(), take the signals of the process.
//
// Threads: values, any thread. The library stays loaded until the process ends.
#pragma once

#include <string>

#include "trace/support/status.h"

namespace tasklens {

class LoadedLibrary {
 public:
  // `file` as the system's loader looks for it; `package` of Debian's has it. Threads that the
  // library makes while it is loaded take no signals. kNotFound says what to install.
  static Result<LoadedLibrary> Open(const std::string& file, const std::string& package);

  // Sets `function`; false where the library has none of that name.
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
