// SPDX-License-Identifier: Apache-2.0
// Tags as edges between tasks: a task whose tag depends on others (starpu_tag_declare_deps) waits
// for the tasks with these tags. A tag without any task is replaced by its own dependencies, unless
// that would give more than kMostJoins edges (joined_dependencies.h); then it is ignored. If
// several tasks had a tag one after another, the edge is from the last one that ended before.
//
// Pure; any thread. O(tags, their dependencies and tasks, log of the tasks of one tag); 8 bytes per
// task; nothing if no tag has dependencies.
#pragma once

#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens {

struct TagLinks {
  Lists<uint32_t> before, after;  // by row of tasks

  TagLinks() = default;
  explicit TagLinks(const TraceModel& model);
};

}  // namespace tasklens
