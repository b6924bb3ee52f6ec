// SPDX-License-Identifier: Apache-2.0
// The runtimes that a program can be run with here: ours, and the StarPU that pkg-config finds.
//
// A StarPU leaves a trace only when it was built with FxT; its starpu_config.h says so
// (STARPU_USE_FXT).
//
// Threads: a pure function; it runs pkg-config (some milliseconds each time).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct RuntimeChoice {
  std::string kind;               // "tasklens" or "starpu"
  std::string version;            // of StarPU, "" of ours
  std::string package;            // as pkg-config calls it, "" of ours
  std::string library_directory;  // for LD_LIBRARY_PATH; "" where the system looks anyway
  std::string compile_flags, link_flags;
  std::string problem;  // not "": one line why it leaves no trace, or is not there
};

// Ours first. `environment` is that of the program: PKG_CONFIG_PATH leads to other StarPUs. Without
// `may_ask` nothing is run, and no StarPU is found.
std::vector<RuntimeChoice> FindRuntimes(const std::map<std::string, std::string>& environment,
                                        bool may_ask = true);

}  // namespace tasklens
