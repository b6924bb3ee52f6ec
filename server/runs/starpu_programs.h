// SPDX-License-Identifier: Apache-2.0
// Finds the programs of a folder that can be run traced: those that load a library of StarPU. Reads
// the files; runs nothing.
//
// Threads: pure functions that read the disk, which may be slow: do not call them on the main
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/stop.h"

namespace tasklens {

struct StarpuProgram {
  std::string path;     // relative to the folder, "build/jacobi"
  int64_t modified_ns;  // Unix time
  bool operator==(const StarpuProgram&) const = default;
};

struct StarpuPrograms {
  std::vector<StarpuProgram> found;  // the newest first
  bool is_all;                       // true if the whole folder was searched
};

// True if `path` is a program (ELF, 64 bits, little-endian, with a loader) that needs a library
// with "starpu" in its name. Does not check that the loader finds the library.
bool LoadsStarpu(const std::string& path);

// Examines at most `most_entries` files and folders, those near the top first. Skips links to
// folders, names that begin with a dot, and unreadable entries. Ends early if `stop` is set.
StarpuPrograms FindStarpuPrograms(const std::string& folder, size_t most_entries, Stop stop);

}  // namespace tasklens
