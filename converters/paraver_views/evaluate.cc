// SPDX-License-Identifier: Apache-2.0
// Evaluates the levels of Paraver's two models, from threads upwards, and derived windows.
#include "converters/paraver_views/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "converters/paraver_views/functions.h"
#include "converters/paraver_views/merge.h"

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

class Evaluation {
 public:
  Evaluation(const ParaverRecords& records, const ViewConfiguration& configuration)
      : records_(records), configuration_(configuration) {}

  // Returns the rows of `window`, after those of its operands, each computed once.
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

 private:
  using RowsOrStatus = Result<std::vector<ViewRow>>;

  RowsOrStatus Rows(const ViewWindow& window) {
    const auto level = LevelOf(window);
    if (!level.ok()) return level.status();
    auto rows =
        window.operation.empty() ? SingleRows(window, *level) : ComposedRows(window, *level);
    if (!rows.ok()) return rows;
    // The second one is the inner function.
    for (const std::string_view top : {"topcompose2", "topcompose1"})
      if (Status s = Compose(window, top, *rows); !s.ok()) return s;
    for (const ViewFunction& extra : window.extra_compositions)
      if (Status s = ComposeBy(window, "topcompose1", extra, *rows); !s.ok()) return s;
    return rows;
  }

  double Scale(const ViewWindow& window) const {
    return static_cast<double>(records_.ns_per_unit) / window.ns_per_unit;
  }

  Status Compose(const ViewWindow& window, std::string_view level, std::vector<ViewRow>& rows) {
    return ComposeBy(window, level, window.Function(level, "As Is"), rows);
  }
  Status ComposeBy(const ViewWindow& window, std::string_view level, const ViewFunction& function,
                   std::vector<ViewRow>& rows) {
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
    auto rows = ThreadRows(window, level);
    if (!rows.ok()) return rows;
    if (Status s = Compose(window, "compose_thread", *rows); !s.ok()) return s;
    if (!IsResource(level)) return Lift(window, Level::kThread, level, std::move(*rows));
    rows = CpuRows(window, *rows);
    if (!rows.ok()) return rows;
    if (Status s = Compose(window, "compose_cpu", *rows); !s.ok()) return s;
    return Lift(window, Level::kCpu, level, std::move(*rows));
  }

  // Rows of `level` without values.
  std::vector<ViewRow> EmptyRows(Level level) const {
    std::vector<ViewRow> rows;
    for (std::string& name : RowNames(records_, level)) rows.push_back({std::move(name), {}});
    return rows;
  }

  RowsOrStatus ThreadRows(const ViewWindow& window, Level level) {
    const ViewFunction function = window.Function("thread", "State As Is");
    const ThreadFunction* found = FindFunction(ThreadFunctions(), function.name);
    if (found == nullptr) return UnknownFunction("thread", function, ThreadFunctions());
    const auto filter = RecordFilter::Of(records_, window, level);
    if (!filter.ok()) return filter.status();
    std::vector<ViewRow> rows = EmptyRows(Level::kThread);
    for (uint32_t row = 0; row < rows.size(); ++row)
      rows[row].steps = found->compute({records_, row, *filter, window, function});
    return rows;
  }

  RowsOrStatus CpuRows(const ViewWindow& window, const std::vector<ViewRow>& threads) {
    const ViewFunction function = window.Function("cpu", "Active Thd");
    const CpuFunction* found = FindFunction(CpuFunctions(), function.name);
    if (found == nullptr) return UnknownFunction("cpu", function, CpuFunctions());
    std::vector<ViewRow> rows = EmptyRows(Level::kCpu);

    // Changes of a CPU by its threads: a thread leaves it, or has a value while it is on it.
    struct Change {
      int64_t time;
      bool comes;  // sorts after the threads that leave
      double value;
    };
    std::vector<std::vector<Change>> changes(rows.size());
    for (uint32_t thread = 0; thread < threads.size(); ++thread) {
      const Steps on = CpuOfThread(records_, thread);
      const Steps* const both[] = {&on, &threads[thread].steps};
      size_t last = 0;
      ForMerged(both, [&](int64_t time, const std::vector<double>& values, size_t) {
        const auto cpu = static_cast<size_t>(values[0]);
        if (last != 0 && cpu != last) changes[last - 1].push_back({time, false, 0});
        last = cpu <= rows.size() ? cpu : 0;
        if (last != 0) changes[last - 1].push_back({time, true, found->value(values[1], function)});
      });
    }
    for (size_t cpu = 0; cpu < rows.size(); ++cpu) {
      std::stable_sort(changes[cpu].begin(), changes[cpu].end(),
                       [](const Change& a, const Change& b) {
                         return std::tie(a.time, a.comes) < std::tie(b.time, b.comes);
                       });
      for (const Change& change : changes[cpu]) rows[cpu].steps.Put(change.time, change.value);
    }
    return rows;
  }

  RowsOrStatus Lift(const ViewWindow& window, Level from, Level to, std::vector<ViewRow> rows) {
    while (from != to) {
      const Level above = static_cast<Level>(static_cast<size_t>(from) + 1);
      const ViewFunction function = window.Function(NameOf(above), "Adding");
      const Combination* found = FindFunction(Combinations(), function.name);
      if (found == nullptr) return UnknownFunction(NameOf(above), function, Combinations());
      std::vector<ViewRow> lifted = EmptyRows(above);
      std::vector<std::vector<const Steps*>> members(lifted.size());
      const std::vector<uint32_t> row_above = RowsAbove(records_, from, above);
      for (size_t row = 0; row < rows.size(); ++row)
        members[row_above[row]].push_back(&rows[row].steps);
      for (size_t row = 0; row < lifted.size(); ++row)
        if (!members[row].empty())
          lifted[row].steps =
              Merge(members[row], [&](const std::vector<double>& values, size_t changed) {
                return found->combine(values, function, changed);
              });
      rows = std::move(lifted);
      if (Status s = Compose(window, "compose_" + std::string(NameOf(above)), rows); !s.ok())
        return s;
      from = above;
    }
    return rows;
  }

  // After the last burst the value is 0.
  static void Shift(Steps& steps, size_t shift) {
    std::vector<Step>& all = steps.steps();
    for (size_t i = 0; shift > 0 && i < all.size(); ++i)
      all[i].value = i + shift < all.size() ? all[i + shift].value : 0;
  }

  RowsOrStatus ComposedRows(const ViewWindow& window, Level level) {
    const Operation* operation = FindFunction(Operations(), window.operation);
    if (operation == nullptr)
      return UnknownFunction("two windows", {window.operation, {}, window.line}, Operations());
    const auto first = LevelOf(WindowOf(configuration_, window.operands[0]));
    const auto second = LevelOf(WindowOf(configuration_, window.operands[1]));
    // The rows are those of the finer operand.
    const Level from = std::min(*first, *second);
    if (IsResource(*first) != IsResource(*second) || IsResource(from) != IsResource(level) ||
        from > level)
      return Status(ErrorCode::kUnsupported,
                    "line " + std::to_string(window.line) + ": its level '" + window.level +
                        "' is not above those of its windows, '" + std::string(NameOf(*first)) +
                        "' and '" + std::string(NameOf(*second)) + "'");
    const std::vector<uint32_t> row_of[] = {RowsAbove(records_, from, *first),
                                            RowsAbove(records_, from, *second)};
    std::vector<ViewRow> rows = EmptyRows(from);
    for (size_t row = 0; row < rows.size(); ++row) {
      Steps operands[2];
      for (size_t i = 0; i < 2; ++i) {
        operands[i] = done_.at(window.operands[i])[row_of[i][row]].steps;
        for (Step& step : operands[i].steps()) step.value *= window.factors[i];
        Shift(operands[i], static_cast<size_t>(window.shifts[i]));
      }
      const Steps* const both[] = {&operands[0], &operands[1]};
      rows[row].steps = operation->control != nullptr
                            ? operation->control(operands[0], operands[1], records_.end)
                            : Merge(both, [&](const std::vector<double>& values, size_t) {
                                return operation->apply(values[0], values[1]);
                              });
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
  const auto end = static_cast<double>(records.end);
  const auto time = [&](double share, const std::optional<double>& units) {
    return static_cast<int64_t>(std::llround(std::clamp(units.value_or(share * end), 0.0, end)));
  };
  // A begin after the end of the trace belongs to another trace.
  const bool is_of_trace = window.begin.value_or(0) < end;
  return {is_of_trace ? time(window.begin_part, window.begin) : 0,
          time(window.end_part, window.end)};
}

std::vector<uint32_t> MissingEventTypes(const ParaverRecords& records,
                                        const ViewConfiguration& configuration) {
  std::set<double> missing;
  for (const ViewWindow& window : configuration.windows)
    if (const ViewFunction filter = window.Function("evt_type", "All");
        filter.name == "=" && !filter.parameters.empty())
      missing.insert(filter.parameters[0].begin(), filter.parameters[0].end());
  for (const ParaverRecords::Thread& thread : records.threads)
    for (const ParaverRecords::Event& event : thread.events) {
      if (missing.empty()) return {};
      missing.erase(event.type);
    }
  std::vector<uint32_t> types;
  for (const double type : missing)
    if (type >= 0 && type <= UINT32_MAX) types.push_back(static_cast<uint32_t>(type));
  return types;
}

Result<std::vector<ViewRow>> EvaluateAllRows(const ParaverRecords& records,
                                             const ViewConfiguration& configuration,
                                             const ViewWindow& window) {
  return Evaluation(records, configuration).Evaluate(window);
}

Result<std::vector<ViewRow>> EvaluateWindow(const ParaverRecords& records,
                                            const ViewConfiguration& configuration,
                                            const ViewWindow& window) {
  auto rows = EvaluateAllRows(records, configuration, window);
  if (!rows.ok()) return rows;
  const std::vector<bool> shown = ShownRows(records, *LevelOf(window), window.selections);
  std::vector<ViewRow> left;
  for (size_t row = 0; row < rows->size(); ++row)
    if (shown[row]) left.push_back(std::move((*rows)[row]));
  return left;
}

}  // namespace tasklens
