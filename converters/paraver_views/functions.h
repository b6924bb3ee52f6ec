// SPDX-License-Identifier: Apache-2.0
// Paraver's semantic functions, by their names in configurations, one row of a table each. They map
// records to values over time (functions of threads), several rows to one (of tasks, applications,
// nodes, ...), one value to another (compositions), and two windows to one (operations).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "converters/paraver_views/configuration.h"
#include "converters/paraver_views/levels.h"
#include "converters/paraver_views/records.h"
#include "converters/paraver_views/steps.h"

namespace tasklens {

// Selects the events and communications of a window.
class RecordFilter {
 public:
  // kUnsupported: an unknown condition.
  static Result<RecordFilter> Of(const ParaverRecords& records, const ViewWindow& window,
                                 Level level);
  bool Passes(const ParaverRecords::Event& event) const;
  bool Passes(const ParaverRecords::Communication& communication) const;

 private:
  struct Condition {
    std::string kind = "All";
    std::vector<double> values;
    bool Holds(double value) const;
  };
  RecordFilter(const ParaverRecords& records, const ViewWindow& window, Level level)
      : records_(&records), window_(&window), level_(level) {}
  bool HoldsForRow(const Condition& condition, uint32_t thread, uint32_t cpu) const;

  const ParaverRecords* records_;
  const ViewWindow* window_;
  Level level_;
  Condition type_, value_, tag_, size_, from_, to_, bandwidth_;
};

struct ThreadContext {
  const ParaverRecords& records;
  uint32_t thread;  // row
  const RecordFilter& filter;
  const ViewWindow& window;
  const ViewFunction& function;
  // Number of window units per unit of the trace.
  double scale() const { return static_cast<double>(records.ns_per_unit) / window.ns_per_unit; }
};
struct ThreadFunction {
  std::string_view name;
  Steps (*compute)(const ThreadContext& context);
};

struct Combination {
  std::string_view name;
  // `changed`: the row of `values` whose burst began last.
  double (*combine)(std::span<const double> values, const ViewFunction& function, size_t changed);
};

struct Composition {
  std::string_view name;
  double (*value)(double value, const ViewFunction& function);  // nullptr: `change` is set
  // `scale`: number of window units per unit of the trace.
  void (*change)(Steps& steps, int64_t end, const ViewFunction& function, double scale);
};

// Combines two windows: value by value, or (if `control` is set) the data of the first according to
// the bursts of the second.
struct Operation {
  std::string_view name;
  double (*apply)(double a, double b);
  Steps (*control)(const Steps& data, const Steps& control, int64_t end);
};

// Computes the value of a CPU from the value of the thread that runs on it.
struct CpuFunction {
  std::string_view name;
  double (*value)(double value, const ViewFunction& function);
};

std::span<const ThreadFunction> ThreadFunctions();
std::span<const Combination> Combinations();
std::span<const Composition> Compositions();
std::span<const Operation> Operations();
std::span<const CpuFunction> CpuFunctions();

// Returns the row of `table` with this name, or nullptr.
template <class Row>
const Row* FindFunction(std::span<const Row> table, std::string_view name) {
  for (const Row& row : table)
    if (row.name == name) return &row;
  return nullptr;
}

// Returns the duration of a message for its bandwidth, in units of the trace. Ends at the logical
// receive if the window shows logical communications and this is later than the physical receive;
// else at the physical one. 0 or less: the message arrives when it is sent, or before.
double TransferTime(const ParaverRecords::Communication& message, const ViewWindow& window);

// Returns the CPU of a thread over time, 0 for none: that of its state or, if there is none, that
// of its last event.
Steps CpuOfThread(const ParaverRecords& records, uint32_t thread);

}  // namespace tasklens
