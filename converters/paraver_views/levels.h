// SPDX-License-Identifier: Apache-2.0
// The two hierarchies of Paraver's objects. The rows of a level are computed from those of the
// level below: threads, tasks, applications, the workload; CPUs, nodes, the system.
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
// kUnsupported: unknown level; the message names the line.
Result<Level> LevelOf(const ViewWindow& window);

// Returns the names of the rows of a level: "1.2.3" is thread 3 of task 2 of application 1, "2.1"
// CPU 1 of node 2.
std::vector<std::string> RowNames(const ParaverRecords& records, Level level);

// Returns for each row of `from` the row of `to` that contains it. REQUIRES: `to` is `from` or
// above it.
std::vector<uint32_t> RowsAbove(const ParaverRecords& records, Level from, Level to);

// Returns the row of `level` that contains a record, given the row of its thread and its CPU;
// kNoRow: none.
constexpr uint32_t kNoRow = UINT32_MAX;
uint32_t RowOfRecord(const ParaverRecords& records, Level level, uint32_t thread, uint32_t cpu);

// Returns for each row of `level` whether `selections` show it. A selection with more objects than
// the trace has belongs to another trace and is ignored.
std::vector<bool> ShownRows(const ParaverRecords& records, Level level,
                            const std::vector<ViewSelection>& selections);

}  // namespace tasklens
