// SPDX-License-Identifier: Apache-2.0
// Arrows between the rows of a timeline, computed on demand.
//
//   dependency  from the end of a task on its worker to the start of one that waited for it, also
//             through tasks without a place in the timeline (PlacedDependencies())
//   transfer    of data between memory nodes, from its start to its end
//   message     between ranks, from its sending to its arrival
//   steal       of a task, from the victim to the thief, at one moment
// An arrow without an end in the trace (unmatched, not executed) is left out. If clocks disagree an
// arrow may point backwards.
//
// Of the arrows that begin in one pixel only the longest is shown, with their number; of those that
// began before the view, the ones that end last. A view has the number of arrows it leaves out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/joined_dependencies.h"
#include "analysis/max_pyramid.h"
#include "analysis/stop.h"
#include "analysis/timeline_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class ArrowKind : uint8_t { kDependency, kTransfer, kMessage, kSteal };
inline constexpr std::array<ArrowKind, 4> kArrowKinds = {
    ArrowKind::kDependency, ArrowKind::kTransfer, ArrowKind::kMessage, ArrowKind::kSteal};
std::string_view ArrowKindName(ArrowKind kind);  // "dependency", "transfer", ...

struct TimelineArrow {
  uint32_t from_row, to_row;  // of TimelineRows
  int64_t start_ns, end_ns;   // at its tail and its head
  uint32_t from, to;          // kDependency: tasks. Others: from is the row of model.transfers,
                              // model.messages or model.steals, to is kNone
  uint32_t count = 1;         // arrows that it represents, itself included
};

struct ArrowView {
  std::vector<TimelineArrow> arrows;  // sorted by their earlier end
  uint64_t in_view = 0;               // arrows that overlap the time of the view
  uint64_t left_out = 0;              // of these, not counted in any arrow that is shown
};

// Built once for a model and its rows, which must outlive it; then const, any thread. Building
// takes O(arrows) time and some 17 bytes per arrow.
class TimelineArrows {
 public:
  TimelineArrows(const TraceModel& model, const TimelineRows& rows, ArrowKind kind,
                 Stop stop = nullptr);

  // Returns at most one arrow per pixel in which it begins, and `most_from_before` that began
  // before. O((pixels + most_from_before) log arrows). REQUIRES: begin_ns < end_ns, pixels > 0.
  ArrowView View(int64_t begin_ns, int64_t end_ns, uint32_t pixels,
                 uint32_t most_from_before = 500) const;

  size_t size() const { return arrows_.size(); }

 private:
  struct Ends {
    uint32_t from, to;  // as TimelineArrow
  };
  struct Times {
    int64_t first_ns, last_ns;
  };
  TimelineArrow Arrow(const Ends& ends) const;
  std::pair<int64_t, int64_t> TailAndHead(const Ends& ends) const;  // times
  Times TimesOf(const Ends& ends) const;
  int64_t FirstNs(size_t i) const { return TimesOf(arrows_[i]).first_ns; }
  int64_t LastNs(size_t i) const { return TimesOf(arrows_[i]).last_ns; }
  uint64_t LengthNs(size_t i) const;
  // Sorts arrows_ and fills by_end_.
  void SortByFirst();
  // The arrows of [0, end) that end at `from_ns` or later, the latest ends first, at most `most`.
  std::vector<uint32_t> LatestBefore(size_t end, int64_t from_ns, uint32_t most) const;

  const TraceModel& model_;
  const TimelineRows& rows_;
  const ArrowKind kind_;
  std::vector<Ends> arrows_;      // sorted by their earlier end
  std::vector<uint32_t> by_end_;  // indices of arrows_, sorted by their later end
  MaxPyramid<uint64_t> longest_;  // by LengthNs()
  MaxPyramid<int64_t> latest_;    // by LastNs()
};

// Returns the dependencies between tasks that ran on a row, including those through the runtime's
// own tasks, which did not; but not through a task where too many dependencies meet
// (joined_dependencies.h).
JoinedDependencies PlacedDependencies(const TraceModel& model, const TimelineRows& rows,
                                      Stop stop = nullptr);

// Returns the arrows of one task: first from tasks it waited for, then to tasks that waited for it,
// at most `most` of each: those that ended last, and those that started first.
std::vector<TimelineArrow> DependencyArrowsOf(const TraceModel& model, const TimelineRows& rows,
                                              const JoinedDependencies& placed, uint32_t task,
                                              size_t most = 1000);

}  // namespace tasklens
