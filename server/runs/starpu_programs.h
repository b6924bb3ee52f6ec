// SPDX-License-Identifier: Apache-2.0
// The programs of a folder that could be run traced: those that name a library of StarPU's among
// what they load. The files are read; nothing is run.
//
// Threads: pure functions of the disk, which may be slow: not on the main thread.
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
  bool is_all;                       // whether all of the folder was looked through
};

// Whether `path` is a program (ELF, 64 bits, little-endian, with a loader) that names a library
// with "starpu" in its name among what it loads. Not whether the loader finds that.
bool LoadsStarpu(const std::string& path);

// Looks at `most_entries` files and folders at most, those near the top first. Links to folders and
// what begins with a dot are left out, and what cannot be read. Ends early when `stop` says so.
StarpuPrograms FindStarpuPrograms(const std::string& folder, size_t most_entries, Stop stop);

}  // namespace tasklens
