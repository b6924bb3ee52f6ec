// SPDX-License-Identifier: Apache-2.0
// What a model takes in memory, counted column by column.
#pragma once

#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <vector>

#include "trace/model/model_columns.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct ModelMemory {
  size_t tasks_bytes = 0;  // their table, how to find one by its job, where its dependencies begin
  size_t dependencies_bytes = 0;  // from both ends
  size_t all_bytes = 0;           // without strings
};

template <class Member>
size_t MemoryBytes(const Member& member) {
  if constexpr (requires { member.MemoryBytes(); }) {
    return member.MemoryBytes();
  } else if constexpr (requires { member.items.capacity(); }) {
    return MemoryBytes(member.offsets) + MemoryBytes(member.items);
  } else if constexpr (requires { member.capacity(); }) {
    size_t bytes = member.capacity() * sizeof(typename Member::value_type);
    if constexpr (std::is_same_v<Member, std::vector<CounterSeries>>)
      for (const CounterSeries& series : member)
        bytes += series.time_ns.MemoryBytes() + series.value.MemoryBytes();
    return bytes;
  } else {
    return 0;
  }
}

inline ModelMemory MemoryOf(const TraceModel& model) {
  ModelMemory memory;
  VisitColumns(model, [&](const auto& member) {
    const size_t bytes = MemoryBytes(member);
    const auto* const at = reinterpret_cast<const std::byte*>(&member);
    const auto* const tasks = reinterpret_cast<const std::byte*>(&model.tasks);
    const auto is = [&](const auto& other) { return static_cast<const void*>(&other) == at; };
    memory.all_bytes += bytes;
    if ((at >= tasks && at < tasks + sizeof model.tasks) || is(model.tasks_by_job))
      memory.tasks_bytes += bytes;
    for (const DepLists* lists : {&model.predecessors, &model.successors}) {
      if (!is(*lists)) continue;
      memory.tasks_bytes += MemoryBytes(lists->offsets);
      memory.dependencies_bytes += MemoryBytes(lists->items);
    }
  });
  return memory;
}

// A line for the table of measurements.
inline void PrintMemory(const char* shape, const TraceModel& model) {
  const ModelMemory memory = MemoryOf(model);
  const auto tasks = static_cast<double>(model.tasks.size());
  const auto edges = static_cast<double>(model.predecessors.items.size());
  std::printf("%-12s memory %.1f bytes a task (target 64)", shape,
              static_cast<double>(memory.tasks_bytes) / tasks);
  if (edges > 0)
    std::printf(", %.1f bytes an edge (target 8)",
                static_cast<double>(memory.dependencies_bytes) / edges);
  std::printf(", everything %.0f bytes a task\n", static_cast<double>(memory.all_bytes) / tasks);
}

}  // namespace tasklens
