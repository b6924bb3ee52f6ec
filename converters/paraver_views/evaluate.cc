// SPDX-License-Identifier: Apache-2.0
// The levels of Paraver's two models, from threads upwards, and windows made of two others.
#include "converters/paraver_views/evaluate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include "converters/paraver_views/functions.h"

namespace tasklens {
namespace {

template <class Row>
Status UnknownFunction(std::string_view level, const ViewFunction& function,
                       std::span<const Row> known) {
  std::string message = "line " + std::to_string(function.line) + ": no function of " +
                        std::string(level) + " is called '" + function.name + "'; known are";
  for (const Row& row : known) message += (&row == &known[0] ? " " : ", ") + std::string(row.name);
  return {ErrorCode::kUnsupported, std::move(message)};
}

// The two chains from the records to the whole machine; each level's rows are made of those below.
enum class Level { kThread, kTask, kApplication, kWorkload, kCpu, kNode, kSystem };
constexpr std::string_view kLevelNames[] = {"thread", "task", "appl",  "workload",
                                            "cpu",    "node", "system"};

std::string_view NameOf(Level level) { return kLevelNames[static_cast<size_t>(level)]; }
bool IsResource(Level level) { return level >= Level::kCpu; }

// Calls f(time, values of all rows) where a burst of any of `rows` begins.
template <class F>
void ForMerged(std::span<const Steps* const> rows, F f) {
  using Next = std::pair<int64_t, size_t>;  // (time, row)
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<size_t> at(rows.size(), 0);
  std::vector<double> values(rows.size(), 0);
  for (size_t row = 0; row < rows.size(); ++row) next.emplace(0, row);
  while (!next.empty()) {
    const int64_t time = next.top().first;
    while (!next.empty() && next.top().first == time) {
      const size_t row = next.top().second;
      next.pop();
      const std::vector<Step>& steps = rows[row]->steps();
      values[row] = steps[at[row]].value;
      if (++at[row] < steps.size()) next.emplace(steps[at[row]].begin, row);
    }
    f(time, values);
  }
}
// One row of f(values of all rows).
template <class F>
Steps Merge(std::span<const Steps* const> rows, F f) {
  Steps result;
  ForMerged(rows,
            [&](int64_t time, const std::vector<double>& values) { result.Put(time, f(values)); });
  return result;
}

class Evaluation {
 public:
  Evaluation(const ParaverRecords& records, const ViewConfiguration& configuration)
      : records_(records), configuration_(configuration) {}

  // The rows of `window`, and before it of those that it is made of, each once.
  Result<std::vector<ViewRow>> Evaluate(const ViewWindow& window) {
    std::set<uint32_t> needed{window.id};
    const std::vector<ViewWindow>& windows = configuration_.windows;
    for (auto it = windows.rbegin(); it != windows.rend(); ++it)
      if (needed.contains(it->id) && !it->operation.empty())
        needed.insert(std::begin(it->operands), std::end(it->operands));
    for (const ViewWindow& part : windows) {
      if (!needed.contains(part.id)) continue;
      auto rows = Rows(part);
      if (!rows.ok() || part.id == window.id) return rows;
      done_[part.id] = std::move(*rows);
    }
    return Status(ErrorCode::kInternal, "a window of another configuration");
  }

  static Result<Level> LevelOf(const ViewWindow& window) {
    for (size_t i = 0; i < std::size(kLevelNames); ++i)
      if (kLevelNames[i] == window.level) return static_cast<Level>(i);
    std::string message = "line " + std::to_string(window.line) + ": no level is called '" +
                          window.level + "'; there are";
    for (const std::string_view name : kLevelNames) message += ' ' + std::string(name);
    return Status(ErrorCode::kUnsupported, std::move(message));
  }

 private:
  using RowsOrStatus = Result<std::vector<ViewRow>>;

  RowsOrStatus Rows(const ViewWindow& window) {
    const auto level = LevelOf(window);
    if (!level.ok()) return level.status();
    auto rows =
        window.operation.empty() ? SingleRows(window, *level) : ComposedRows(window, *level);
    if (!rows.ok()) return rows;
    for (const std::string_view top : {"topcompose1", "topcompose2"})
      if (Status s = Compose(window, top, *rows); !s.ok()) return s;
    return rows;
  }

  double Scale(const ViewWindow& window) const {
    return static_cast<double>(records_.ns_per_unit) / window.ns_per_unit;
  }

  Status Compose(const ViewWindow& window, std::string_view level, std::vector<ViewRow>& rows) {
    const ViewFunction function = window.Function(level, "As Is");
    const Composition* composition = FindFunction(Compositions(), function.name);
    if (composition == nullptr) return UnknownFunction(level, function, Compositions());
    for (ViewRow& row : rows) {
      if (composition->change != nullptr) {
        composition->change(row.steps, records_.end, function, Scale(window));
        continue;
      }
      for (Step& step : row.steps.steps()) step.value = composition->value(step.value, function);
    }
    return Status::Ok();
  }

  RowsOrStatus SingleRows(const ViewWindow& window, Level level) {
    auto rows = ThreadRows(window);
    if (!rows.ok()) return rows;
    if (Status s = Compose(window, "compose_thread", *rows); !s.ok()) return s;
    if (!IsResource(level)) return Lift(window, Level::kThread, level, std::move(*rows));
    rows = CpuRows(window, *rows);
    if (!rows.ok()) return rows;
    if (Status s = Compose(window, "compose_cpu", *rows); !s.ok()) return s;
    return Lift(window, Level::kCpu, level, std::move(*rows));
  }

  RowsOrStatus ThreadRows(const ViewWindow& window) {
    const ViewFunction function = window.Function("thread", "State As Is");
    const ThreadFunction* found = FindFunction(ThreadFunctions(), function.name);
    if (found == nullptr) return UnknownFunction("thread", function, ThreadFunctions());
    const auto filter = RecordFilter::Of(window);
    if (!filter.ok()) return filter.status();
    std::vector<ViewRow> rows;
    for (uint32_t row = 0; row < records_.threads.size(); ++row) {
      const ParaverRecords::Thread& thread = records_.threads[row];
      rows.push_back({std::to_string(thread.application) + '.' + std::to_string(thread.task) + '.' +
                          std::to_string(thread.thread),
                      found->compute({records_, row, *filter, window, function})});
    }
    return rows;
  }

  RowsOrStatus CpuRows(const ViewWindow& window, const std::vector<ViewRow>& threads) {
    const ViewFunction function = window.Function("cpu", "Active Thd");
    const CpuFunction* found = FindFunction(CpuFunctions(), function.name);
    if (found == nullptr) return UnknownFunction("cpu", function, CpuFunctions());
    std::vector<ViewRow> rows;
    uint32_t cpus = 0;
    for (size_t node = 0; node < records_.cpus_of_node.size(); ++node)
      for (uint32_t cpu = 1; cpu <= records_.cpus_of_node[node]; ++cpu)
        rows.push_back({std::to_string(node + 1) + '.' + std::to_string(cpu), {}});
    cpus = static_cast<uint32_t>(rows.size());

    // What each thread contributes to each CPU that it is on, 0 while it is elsewhere.
    std::vector<std::vector<Steps>> parts(cpus);
    for (uint32_t thread = 0; thread < threads.size(); ++thread) {
      const Steps on = CpuOfThread(records_, thread);
      const Steps* const both[] = {&on, &threads[thread].steps};
      std::map<uint32_t, Steps> part_of;
      uint32_t last = 0;
      ForMerged(both, [&](int64_t time, const std::vector<double>& values) {
        const auto cpu = static_cast<uint32_t>(values[0]);
        if (last != 0 && cpu != last) part_of[last].Put(time, 0);
        last = cpu <= cpus ? cpu : 0;
        if (last == 0) return;
        const double value = found->value ? values[1] : thread + 1;
        part_of[last].Put(time, found->sign ? (value != 0 ? 1.0 : 0.0) : value);
      });
      for (auto& [cpu, part] : part_of) parts[cpu - 1].push_back(std::move(part));
    }
    for (uint32_t cpu = 0; cpu < cpus; ++cpu) {
      std::vector<const Steps*> all;
      for (const Steps& part : parts[cpu]) all.push_back(&part);
      if (all.empty()) continue;
      rows[cpu].steps = Merge(all, [&](const std::vector<double>& values) {
        return *std::max_element(values.begin(), values.end());
      });
    }
    return rows;
  }

  // How many rows of `from` make each row of the level above it.
  std::vector<std::pair<std::string, uint32_t>> Groups(Level from) const {
    std::vector<std::pair<std::string, uint32_t>> groups;
    switch (from) {
      case Level::kThread:
        for (const ParaverRecords::Task& task : records_.tasks)
          groups.emplace_back(std::to_string(task.application) + '.' + std::to_string(task.task),
                              task.thread_count);
        break;
      case Level::kTask:
        for (const ParaverRecords::Task& task : records_.tasks) {
          if (groups.size() < task.application)
            groups.emplace_back(std::to_string(task.application), 0);
          ++groups.back().second;
        }
        break;
      case Level::kApplication: groups.emplace_back("workload", records_.applications); break;
      case Level::kCpu:
        for (size_t node = 0; node < records_.cpus_of_node.size(); ++node)
          groups.emplace_back(std::to_string(node + 1), records_.cpus_of_node[node]);
        break;
      case Level::kNode:
        groups.emplace_back("system", static_cast<uint32_t>(records_.cpus_of_node.size()));
        break;
      case Level::kWorkload:
      case Level::kSystem: break;  // nothing is above
    }
    return groups;
  }

  RowsOrStatus Lift(const ViewWindow& window, Level from, Level to, std::vector<ViewRow> rows) {
    while (from != to) {
      const Level above = static_cast<Level>(static_cast<size_t>(from) + 1);
      const ViewFunction function = window.Function(NameOf(above), "Adding");
      const Combination* found = FindFunction(Combinations(), function.name);
      if (found == nullptr) return UnknownFunction(NameOf(above), function, Combinations());
      std::vector<ViewRow> lifted;
      size_t next = 0;
      for (const auto& [name, count] : Groups(from)) {
        std::vector<const Steps*> members;
        for (uint32_t i = 0; i < count && next < rows.size(); ++i)
          members.push_back(&rows[next++].steps);
        lifted.push_back({name, {}});
        if (!members.empty())
          lifted.back().steps = Merge(members, [&](const std::vector<double>& values) {
            return found->combine(values, function);
          });
      }
      rows = std::move(lifted);
      if (Status s = Compose(window, "compose_" + std::string(NameOf(above)), rows); !s.ok())
        return s;
      from = above;
    }
    return rows;
  }

  RowsOrStatus ComposedRows(const ViewWindow& window, Level level) {
    const Operation* operation = FindFunction(Operations(), window.operation);
    if (operation == nullptr)
      return UnknownFunction("two windows", {window.operation, {}, window.line}, Operations());
    const std::vector<ViewRow>* operands[2] = {};
    Level from = level;
    for (size_t i = 0; i < 2; ++i) {
      operands[i] = &done_.at(window.operands[i]);
      const Level own = *LevelOf(WindowOf(configuration_, window.operands[i]));
      if (i > 0 && own != from)
        return Status(ErrorCode::kUnsupported, "line " + std::to_string(window.line) +
                                                   ": the two windows that it is made of have "
                                                   "different levels");
      from = own;
    }
    if (IsResource(from) != IsResource(level) || from > level)
      return Status(ErrorCode::kUnsupported,
                    "line " + std::to_string(window.line) + ": its level '" + window.level +
                        "' is not above '" + std::string(NameOf(from)) + "', that of its windows");
    std::vector<ViewRow> rows;
    for (size_t row = 0; row < operands[0]->size(); ++row) {
      const Steps* const both[] = {&(*operands[0])[row].steps, &(*operands[1])[row].steps};
      rows.push_back({(*operands[0])[row].name, Merge(both, [&](const std::vector<double>& values) {
                        return operation->apply(values[0] * window.factors[0],
                                                values[1] * window.factors[1]);
                      })});
    }
    if (Status s = Compose(window, "compose_" + std::string(NameOf(from)), rows); !s.ok()) return s;
    return Lift(window, from, level, std::move(rows));
  }

  const ParaverRecords& records_;
  const ViewConfiguration& configuration_;
  std::map<uint32_t, std::vector<ViewRow>> done_;  // by window
};

}  // namespace

const ViewWindow& WindowOf(const ViewConfiguration& configuration, uint32_t id) {
  return *std::find_if(configuration.windows.begin(), configuration.windows.end(),
                       [&](const ViewWindow& window) { return window.id == id; });
}

ViewSpan SpanOf(const ParaverRecords& records, const ViewWindow& window) {
  const auto part = [&](double share) {
    return static_cast<int64_t>(
        std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(records.end)));
  };
  return {part(window.begin_part), part(window.end_part)};
}

Result<std::vector<ViewRow>> EvaluateWindow(const ParaverRecords& records,
                                            const ViewConfiguration& configuration,
                                            const ViewWindow& window) {
  return Evaluation(records, configuration).Evaluate(window);
}

}  // namespace tasklens
