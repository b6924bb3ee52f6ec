// SPDX-License-Identifier: Apache-2.0
#include "converters/paraver_views/levels.h"

#include <algorithm>
#include <numeric>

namespace tasklens {
namespace {

constexpr std::string_view kLevelNames[] = {"thread", "task", "appl",  "workload",
                                            "cpu",    "node", "system"};

// The numbers of each row, from 1: application, task, thread; or node, CPU.
std::vector<std::vector<uint32_t>> Paths(const ParaverRecords& records, Level level) {
  std::vector<std::vector<uint32_t>> paths;
  switch (level) {
    case Level::kThread:
      for (const ParaverRecords::Thread& thread : records.threads)
        paths.push_back({thread.application, thread.task, thread.thread});
      break;
    case Level::kTask:
      for (const ParaverRecords::Task& task : records.tasks)
        paths.push_back({task.application, task.task});
      break;
    case Level::kApplication:
      for (uint32_t i = 1; i <= records.applications; ++i) paths.push_back({i});
      break;
    case Level::kCpu:
      for (uint32_t node = 0; node < records.cpus_of_node.size(); ++node)
        for (uint32_t cpu = 1; cpu <= records.cpus_of_node[node]; ++cpu)
          paths.push_back({node + 1, cpu});
      break;
    case Level::kNode:
      for (uint32_t i = 1; i <= records.cpus_of_node.size(); ++i) paths.push_back({i});
      break;
    case Level::kWorkload:
    case Level::kSystem: paths.emplace_back(); break;
  }
  return paths;
}

// Whether `selection` fits this trace: its parents exist and have as many objects.
bool Applies(const ViewSelection& selection, const std::vector<std::vector<uint32_t>>& paths) {
  const auto count = std::count_if(paths.begin(), paths.end(), [&](const auto& path) {
    return std::equal(selection.parents.begin(), selection.parents.end(), path.begin(),
                      path.end() - 1);
  });
  return static_cast<size_t>(count) >= selection.chosen.size();
}

}  // namespace

std::string_view NameOf(Level level) { return kLevelNames[static_cast<size_t>(level)]; }

Result<Level> LevelOf(const ViewWindow& window) {
  for (size_t i = 0; i < std::size(kLevelNames); ++i)
    if (kLevelNames[i] == window.level) return static_cast<Level>(i);
  std::string message = "line " + std::to_string(window.line) + ": no level is called '" +
                        window.level + "'; there are";
  for (const std::string_view name : kLevelNames) message += ' ' + std::string(name);
  return Status(ErrorCode::kUnsupported, std::move(message));
}

std::vector<std::string> RowNames(const ParaverRecords& records, Level level) {
  std::vector<std::string> names;
  for (const std::vector<uint32_t>& path : Paths(records, level)) {
    std::string name;
    for (const uint32_t number : path) name += (name.empty() ? "" : ".") + std::to_string(number);
    names.push_back(path.empty() ? std::string(NameOf(level)) : name);
  }
  return names;
}

std::vector<uint32_t> RowsAbove(const ParaverRecords& records, Level from, Level to) {
  std::vector<uint32_t> rows(Paths(records, from).size());
  std::iota(rows.begin(), rows.end(), 0u);
  for (Level level = from; level != to; level = static_cast<Level>(static_cast<int>(level) + 1)) {
    const std::vector<std::vector<uint32_t>> paths = Paths(records, level);
    for (uint32_t& row : rows) {
      if (level == Level::kThread)
        row = records.threads[row].task_row;
      else  // a task or a CPU; the workload and the system have one row
        row = paths[row].size() < 2 ? 0 : paths[row][0] - 1;
    }
  }
  return rows;
}

uint32_t RowOfRecord(const ParaverRecords& records, Level level, uint32_t thread, uint32_t cpu) {
  switch (level) {
    case Level::kThread: return thread;
    case Level::kTask: return records.threads[thread].task_row;
    case Level::kApplication: return records.threads[thread].application - 1;
    case Level::kWorkload: return 0;
    case Level::kCpu:
    case Level::kNode:
    case Level::kSystem: break;
  }
  if (cpu == 0) return kNoRow;
  if (level == Level::kCpu) return cpu - 1;
  if (level == Level::kSystem) return 0;
  uint32_t node = 0;
  for (uint32_t end = 0; node < records.cpus_of_node.size(); ++node)
    if (cpu <= (end += records.cpus_of_node[node])) break;
  return node;
}

std::vector<bool> ShownRows(const ParaverRecords& records, Level level,
                            const std::vector<ViewSelection>& selections) {
  const std::vector<std::vector<uint32_t>> paths = Paths(records, level);
  std::vector<bool> shown(paths.size(), true);
  for (const ViewSelection& selection : selections) {
    const auto* const end = std::end(kLevelNames);
    const auto* const found = std::find(std::begin(kLevelNames), end, selection.level);
    if (found == end) continue;
    const auto of = static_cast<Level>(found - kLevelNames);
    // Another hierarchy, or a level below the rows.
    if (IsResource(of) != IsResource(level) || of < level) continue;
    if (of == Level::kWorkload || of == Level::kSystem || !Applies(selection, Paths(records, of)))
      continue;
    const size_t depth = selection.parents.size();
    for (size_t row = 0; row < paths.size(); ++row) {
      if (paths[row].size() <= depth ||
          !std::equal(selection.parents.begin(), selection.parents.end(), paths[row].begin()))
        continue;
      const uint32_t number = paths[row][depth];
      if (number <= selection.chosen.size() && !selection.chosen[number - 1]) shown[row] = false;
    }
  }
  return shown;
}

}  // namespace tasklens
