// SPDX-License-Identifier: Apache-2.0
// Finds the StarPU that a program is linked with, to explain a run without a trace: where several
// are installed, it is often not the one that the user expects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct LinkedStarpu {
  std::string program;  // as written in the command
  std::string library;  // the name by which it is loaded
  std::string path;     // "" if the loader does not find it
  bool is_ours;         // TaskLens' runtime
  bool has_fxt;         // a StarPU that can record traces
};

// Returns the StarPU of the first word of the command that is a program that loads one. Asks the
// dynamic loader, which does not run the program. `environment` is added to that of this process;
// words are relative to `directory`, or to the current directory.
std::optional<LinkedStarpu> FindLinkedStarpu(const std::vector<std::string>& command,
                                             const std::map<std::string, std::string>& environment,
                                             const std::string& directory);

// Adds to the failure of FindTraces() the library that the command loads, and what to do about it.
Status ExplainNoTrace(const Status& failure, const std::vector<std::string>& command,
                      const std::map<std::string, std::string>& environment,
                      const std::string& directory);

}  // namespace tasklens
