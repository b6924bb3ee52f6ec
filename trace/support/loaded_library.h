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

  // Opens a library and finds its functions. `Table` is a struct whose first member is the library,
  // and the others are pointers initialized by it:
  //   LoadedLibrary library;
  //   decltype(&puts) put = library["puts"];
  // If one is missing: kUnsupported, with `otherwise` behind the name of the file.
  template <class Table>
  static Result<Table> Load(const std::string& file, const std::string& package,
                            const std::string& otherwise) {
    const Result<LoadedLibrary> library = Open(file, package);
    if (!library.ok()) return library.status();
    const Table table{*library};
    if (table.library.has_all_) return table;
    return Status(ErrorCode::kUnsupported, file + " " + otherwise);
  }

  // The address of a function or variable; nullptr if the library has none of that name.
  struct Symbol {
    void* address;
    template <class T>
    operator T*() const {
      return reinterpret_cast<T*>(address);
    }
  };
  Symbol operator[](const char* name);

 private:
  explicit LoadedLibrary(void* handle) : handle_(handle) {}

  void* handle_;
  bool has_all_ = true;  // all that was looked for
};

}  // namespace tasklens
