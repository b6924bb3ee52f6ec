// SPDX-License-Identifier: Apache-2.0
// What colour a task has in a picture, and what the colours mean: one legend for graph and
// timeline.
//
// Names and workers get a colour each, the costliest first; beyond kMostColours the rest share one.
// A program's own colours (starpu_task::color) are kept. Times get sixteen shades of equal ratio
// from the smallest to the largest, and one for zero; iterations sixteen of equal width.
//
// Built in O(tasks) time, then const, any thread. Scales take 8 bytes a task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class ColourBy : uint8_t {
  kCodelet,
  kWorker,
  kDuration,   // of the execution
  kWaiting,    // from being ready to the start
  kSlack,      // SlackNs(): 0 is on a critical path
  kIteration,  // of the innermost loop that the program announced
};
inline constexpr size_t kColourings = 6;
std::string_view ColourByName(ColourBy by);  // "codelet", "worker", "duration", ...
std::optional<ColourBy> ParseColourBy(std::string_view name);

inline constexpr uint32_t kMostColours = 32;

struct LegendEntry {
  std::string label;
  uint32_t rgb = 0;           // 0xRRGGBB
  double low = 0, high = -1;  // what a shade stands for; high < low: nothing to measure
  bool has_range() const { return low <= high; }
};

struct Legend {
  std::string_view by;    // "codelet"
  std::string_view unit;  // "ns", "iteration", "" for names
  std::vector<LegendEntry> entries;
};

// A colour far from those of its neighbours, for any number of them.
uint32_t DistinctRgb(uint32_t index);

// The colour of a state in a picture: its own, but paler where nothing is done, so that tasks and
// the runtime's work stand out.
uint32_t StateRgb(StateKind state);

class TaskColours {
 public:
  // `model` must outlive this.
  TaskColours(const TraceModel& model, ColourBy by, Stop stop = nullptr);

  const Legend& legend() const { return legend_; }
  // Whether the program gave any task a colour of its own.
  bool has_own() const { return has_own_; }
  // Entry of the legend.
  uint32_t EntryOf(uint32_t task) const;

  // For scales: what is measured, by row of tasks; kNever where there is nothing. Else empty.
  const std::vector<int64_t>& values() const { return values_; }
  uint32_t EntryOfValue(double value) const;

 private:
  void MakeNames();
  void MakeWorkers();
  void MakeScale(Stop stop);
  void AddShades(double low, double high, bool by_ratio);

  const TraceModel& model_;
  const ColourBy by_;
  Legend legend_;
  bool has_own_ = false;
  std::vector<uint32_t> entry_of_;  // by StringId of the name, or by row of workers
  std::vector<int64_t> values_;
  size_t first_shade_ = 0;
};

}  // namespace tasklens
