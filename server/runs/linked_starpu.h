// SPDX-License-Identifier: Apache-2.0
// Which StarPU a program was linked with, for a run that left no trace: where several are
// installed, it is often another one than the user thinks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct LinkedStarpu {
  std::string program;  // as the command names it
  std::string library;  // by which name it is loaded
  std::string path;     // "" where the loader does not find it
  bool is_ours;         // TaskLens' runtime
  bool has_fxt;         // a StarPU that can record
};

// Of the first word of a command that is a program which loads one. The dynamic loader is asked,
// which runs nothing of the program. `environment` is added to this process's own; words are
// relative to `directory`, or to the current one.
std::optional<LinkedStarpu> FindLinkedStarpu(const std::vector<std::string>& command,
                                             const std::map<std::string, std::string>& environment,
                                             const std::string& directory);

// The failure of FindTraces(), with the library that the command loads and what to do about it.
Status ExplainNoTrace(const Status& failure, const std::vector<std::string>& command,
                      const std::map<std::string, std::string>& environment,
                      const std::string& directory);

}  // namespace tasklens
