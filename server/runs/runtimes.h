// SPDX-License-Identifier: Apache-2.0
// The runtimes available to run a program with: TaskLens', and the StarPU that pkg-config finds.
//
// A StarPU writes traces only if it was built with FxT (STARPU_USE_FXT in its starpu_config.h).
//
// Threads: a pure function; it runs pkg-config (some milliseconds each time).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tasklens {

// The environment of this process, by name.
std::map<std::string, std::string> OwnEnvironment();

struct RuntimeChoice {
  std::string kind;               // "tasklens" or "starpu"
  std::string version;            // of StarPU; "" for TaskLens
  std::string package;            // pkg-config's name; "" for TaskLens
  std::string library_directory;  // for LD_LIBRARY_PATH; "" if the loader finds it anyway
  std::string compile_flags, link_flags;
  std::string problem;  // if not "": one line why it is missing or writes no trace
};

// Returns TaskLens' runtime first. `environment` is that of the program: its PKG_CONFIG_PATH may
// lead to another StarPU. Without `may_ask`, pkg-config is not run and no StarPU is found.
std::vector<RuntimeChoice> FindRuntimes(const std::map<std::string, std::string>& environment,
                                        bool may_ask = true);

}  // namespace tasklens
