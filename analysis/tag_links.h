// SPDX-License-Identifier: Apache-2.0
// Tags as edges between tasks: a task whose tag waits for others (starpu_tag_declare_deps) waits
// for the tasks that had these. A tag that no task ever had hands on what it waits for itself,
// unless that would be more than kMostJoins edges (joined_dependencies.h); then it leads nowhere.
// Of several tasks that had a tag one after the other, the last that ended before is meant.
//
// Pure; any thread. O(tags, their dependencies and tasks, log of the tasks of one tag); 8 bytes a
// task; nothing where no tag waits.
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
