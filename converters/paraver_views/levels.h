// SPDX-License-Identifier: Apache-2.0
// The two chains of Paraver's objects, each level's rows made of those below: threads, tasks,
// applications, the workload; CPUs, nodes, the system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "converters/paraver_views/configuration.h"
#include "converters/paraver_views/records.h"
#include "trace/support/status.h"

namespace tasklens {

enum class Level { kThread, kTask, kApplication, kWorkload, kCpu, kNode, kSystem };

std::string_view NameOf(Level level);
inline bool IsResource(Level level) { return level >= Level::kCpu; }
// kUnsupported: no level is called so; the message names the line.
Result<Level> LevelOf(const ViewWindow& window);

// The rows of a level: "1.2.3" is thread 3 of task 2 of application 1, "2.1" CPU 1 of node 2.
std::vector<std::string> RowNames(const ParaverRecords& records, Level level);

// For each row of `from` the row of `to` that it belongs to. REQUIRES: `to` is `from` or above it.
std::vector<uint32_t> RowsAbove(const ParaverRecords& records, Level from, Level to);

// The row of `level` that a record is on, by the row of its thread and its CPU; kNoRow: on none.
constexpr uint32_t kNoRow = UINT32_MAX;
uint32_t RowOfRecord(const ParaverRecords& records, Level level, uint32_t thread, uint32_t cpu);

// Of each row of `level`, whether `selections` show it. A line about more objects than there are
// is of another trace and says nothing.
std::vector<bool> ShownRows(const ParaverRecords& records, Level level,
                            const std::vector<ViewSelection>& selections);

}  // namespace tasklens
