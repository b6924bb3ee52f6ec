// SPDX-License-Identifier: Apache-2.0
// The colours of tasks in a picture and their legend, shared by graph and timeline.
//
// Codelets have the colours of trace/colours, with a legend of the costliest; a program's own
// colours (starpu_task::color) are kept. Each worker has a colour; beyond kMostColours the rest
// share one. Times have sixteen shades of equal ratio from the smallest to the largest, and one for
// zero; iterations have sixteen shades of equal width.
//
// Built in O(tasks) time, then const, any thread. Scales take 8 bytes per task.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "trace/colours/colours.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class ColourBy : uint8_t {
  kCodelet,
  kWorker,
  kDuration,   // of the execution
  kWaiting,    // from ready to start
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
  uint32_t stripes = 0;       // see trace/colours
  double low = 0, high = -1;  // range of a shade; high < low: not a scale
  bool is_of_many = false;    // stands for several codelets, each with a colour of its own
  bool has_range() const { return low <= high; }
  Paint paint() const { return {rgb, stripes}; }
};

struct Legend {
  std::string_view by;    // "codelet"
  std::string_view unit;  // "ns", "iteration", "" for names
  std::vector<LegendEntry> entries;
};

class TaskColours {
 public:
  // `model` must outlive this.
  TaskColours(const TraceModel& model, ColourBy by, Stop stop = nullptr);

  ColourBy by() const { return by_; }
  const Legend& legend() const { return legend_; }
  // Whether the program gave any task a colour of its own.
  bool has_own() const { return names_.has_own(); }
  // The task's entry in the legend.
  uint32_t EntryOf(uint32_t task) const;
  // The paint of a task, and of a group of tasks of one name that contains `task`: that of the
  // legend entry. But a codelet without an entry of its own, or with its own colour, keeps its
  // paint.
  Paint PaintOf(uint32_t task) const;
  Paint GroupPaintOf(uint32_t task) const;
  // For the tasks of a codelet; some task must have the name. REQUIRES: by codelet.
  uint32_t EntryOfCodelet(StringId name) const { return entry_of_[name]; }
  Paint PaintOfCodelet(StringId name) const { return names_.OfName(name); }

  // For scales: the values by row of tasks; kNever if there is none. Empty for other colours.
  const std::vector<int64_t>& values() const { return values_; }
  uint32_t EntryOfValue(double value) const;  // 0 for kNever
  // Of a group of tasks: that of the mean of their values, or of its first task.
  uint32_t EntryOfGroup(std::span<const uint32_t> tasks, uint32_t first_task) const;

 private:
  void MakeNames();
  void MakeWorkers();
  void MakeScale(Stop stop);
  void AddShades(double low, double high, bool by_ratio);

  const TraceModel& model_;
  const ColourBy by_;
  Legend legend_;
  const NameColours names_;
  std::vector<uint32_t> entry_of_;  // by StringId of the name, or by row of workers
  std::vector<int64_t> values_;
  size_t first_shade_ = 0;
};

// The mean of the values of the tasks that have one; kNever: none has.
double MeanOf(const std::vector<int64_t>& values, std::span<const uint32_t> tasks);

}  // namespace tasklens
