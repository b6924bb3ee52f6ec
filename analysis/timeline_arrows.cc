// SPDX-License-Identifier: Apache-2.0
// Arrows sorted by time, with pyramids for the longest and for the latest.
#include "analysis/timeline_arrows.h"

#include <algorithm>
#include <queue>

#include "analysis/execution_order.h"
#include "analysis/pixels.h"
#include "analysis/sort_by_time.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

uint32_t RowOfTask(const TraceModel& model, const TimelineRows& rows, uint32_t task) {
  const uint32_t worker = model.tasks.worker[task];
  return worker < rows.of_worker.size() ? rows.of_worker[worker] : kNone;
}

// Whether the task has a place in the timeline.
bool IsShown(const TraceModel& model, const TimelineRows& rows, uint32_t task) {
  return Executed(model.tasks, task) && RowOfTask(model, rows, task) != kNone;
}

TimelineArrow DependencyArrow(const TraceModel& model, const TimelineRows& rows, uint32_t before,
                              uint32_t after) {
  return {RowOfTask(model, rows, before),
          RowOfTask(model, rows, after),
          model.tasks.end_ns[before],
          model.tasks.start_ns[after],
          before,
          after};
}

}  // namespace

std::string_view ArrowKindName(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kDependency: return "dependency";
    case ArrowKind::kTransfer: return "transfer";
    case ArrowKind::kMessage: return "message";
    case ArrowKind::kSteal: return "steal";
  }
  return "dependency";
}

TimelineArrow TimelineArrows::Arrow(const Ends& ends) const {
  const uint32_t row = ends.from;
  const auto between = [&](uint32_t from_row, uint32_t to_row) {
    const auto [tail_ns, head_ns] = TailAndHead(ends);
    return TimelineArrow{from_row, to_row, tail_ns, head_ns, row, kNone};
  };
  switch (kind_) {
    case ArrowKind::kDependency: return DependencyArrow(model_, rows_, ends.from, ends.to);
    case ArrowKind::kTransfer: {
      const TransferTable& t = model_.transfers;
      return between(rows_.OfMemoryNode(t.rank_index[row], t.source_node[row]),
                     rows_.OfMemoryNode(t.rank_index[row], t.target_node[row]));
    }
    case ArrowKind::kMessage: {
      const MessageTable& m = model_.messages;
      // The rows of the message's threads, if the file has them.
      const auto row_of = [&](uint32_t track, uint32_t rank) {
        const bool is_told = track < rows_.of_track.size() && rows_.of_track[track] != kNone;
        return is_told ? rows_.of_track[track] : rows_.messages[rank];
      };
      return between(row_of(m.source_track[row], m.source[row]),
                     row_of(m.target_track[row], m.target[row]));
    }
    case ArrowKind::kSteal: break;
  }
  const StealTable& s = model_.steals;
  return between(rows_.OfWorkerId(s.rank_index[row], s.victim[row]),
                 rows_.OfWorkerId(s.rank_index[row], s.thief[row]));
}

std::pair<int64_t, int64_t> TimelineArrows::TailAndHead(const Ends& ends) const {
  const uint32_t row = ends.from;
  switch (kind_) {
    case ArrowKind::kDependency: return {model_.tasks.end_ns[row], model_.tasks.start_ns[ends.to]};
    case ArrowKind::kTransfer:
      return {model_.transfers.start_ns[row], model_.transfers.end_ns[row]};
    case ArrowKind::kMessage:
      return {model_.messages.send_ns[row], model_.messages.receive_ns[row]};
    case ArrowKind::kSteal: break;
  }
  return {model_.steals.time_ns[row], model_.steals.time_ns[row]};
}

TimelineArrows::Times TimelineArrows::TimesOf(const Ends& ends) const {
  const auto [tail_ns, head_ns] = TailAndHead(ends);
  return {std::min(tail_ns, head_ns), std::max(tail_ns, head_ns)};
}

uint64_t TimelineArrows::LengthNs(size_t i) const {
  const Times times = TimesOf(arrows_[i]);
  return static_cast<uint64_t>(times.last_ns) - static_cast<uint64_t>(times.first_ns);
}

TimelineArrows::TimelineArrows(const TraceModel& model, const TimelineRows& rows, ArrowKind kind,
                               Stop stop)
    : model_(model), rows_(rows), kind_(kind) {
  switch (kind) {
    case ArrowKind::kDependency: {
      const JoinedDependencies dependencies = PlacedDependencies(model, rows, stop);
      for (uint32_t after = 0; after < model.predecessors.size(); ++after) {
        if (Stopped(stop, after)) return;
        if (!IsShown(model, rows, after)) continue;
        dependencies.ForEachBefore(model, after, [&](uint32_t before) {
          if (IsShown(model, rows, before)) arrows_.push_back({before, after});
        });
      }
      break;
    }
    case ArrowKind::kTransfer:
      for (uint32_t i = 0; i < model.transfers.size(); ++i) arrows_.push_back({i, kNone});
      std::erase_if(arrows_, [&](const Ends& ends) {
        const TimelineArrow arrow = Arrow(ends);
        return arrow.end_ns == kNever || arrow.from_row == kNone || arrow.to_row == kNone;
      });
      break;
    case ArrowKind::kMessage:
      for (uint32_t i = 0; i < model.messages.size(); ++i)
        if (HasBothEnds(model, i)) arrows_.push_back({i, kNone});
      break;
    case ArrowKind::kSteal:
      for (uint32_t i = 0; i < model.steals.size(); ++i) {
        const TimelineArrow arrow = Arrow({i, kNone});
        if (arrow.from_row != kNone && arrow.to_row != kNone) arrows_.push_back({i, kNone});
      }
      break;
  }
  SortByFirst();
  if (Stopped(stop)) return;
  longest_ = MaxPyramid<uint64_t>(arrows_.size(), [&](uint32_t i) { return LengthNs(i); });
  latest_ = MaxPyramid<int64_t>(arrows_.size(), [&](uint32_t i) { return LastNs(i); });
}

void TimelineArrows::SortByFirst() {
  struct First {
    int64_t time_ns;
    Ends ends;
  };
  std::vector<First> firsts;
  firsts.reserve(arrows_.size());
  for (const Ends& ends : arrows_) firsts.push_back({TimesOf(ends).first_ns, ends});
  SortByTime(firsts);
  struct Last {
    int64_t time_ns;
    uint32_t index;
  };
  std::vector<Last> lasts;
  lasts.reserve(arrows_.size());
  for (uint32_t i = 0; i < firsts.size(); ++i) {
    arrows_[i] = firsts[i].ends;
    lasts.push_back({LastNs(i), i});
  }
  std::vector<First>().swap(firsts);
  SortByTime(lasts);
  by_end_.reserve(lasts.size());
  for (const Last& last : lasts) by_end_.push_back(last.index);
}

std::vector<uint32_t> TimelineArrows::LatestBefore(size_t end, int64_t from_ns,
                                                   uint32_t most) const {
  struct Range {
    size_t begin, end;
    uint32_t best;
    int64_t best_ns;
    bool operator<(const Range& other) const { return best_ns < other.best_ns; }
  };
  std::priority_queue<Range> ranges;
  const auto add = [&](size_t first, size_t last) {
    if (first == last) return;
    const uint32_t best = latest_.Largest(first, last, [&](uint32_t i) { return LastNs(i); });
    if (LastNs(best) >= from_ns) ranges.push({first, last, best, LastNs(best)});
  };
  add(0, end);
  std::vector<uint32_t> found;
  while (!ranges.empty() && found.size() < most) {
    const Range range = ranges.top();
    ranges.pop();
    found.push_back(range.best);
    add(range.begin, range.best);
    add(range.best + 1, range.end);
  }
  return found;
}

ArrowView TimelineArrows::View(int64_t begin_ns, int64_t end_ns, uint32_t pixels,
                               uint32_t most_from_before) const {
  const size_t size = arrows_.size();
  const auto count_before = [&](int64_t time_ns) {
    return FirstNot(0, size, [&](size_t i) { return FirstNs(i) < time_ns; });
  };
  const size_t first = count_before(begin_ns), last = count_before(end_ns);
  const size_t ended = FirstNot(0, size, [&](size_t i) { return LastNs(by_end_[i]) < begin_ns; });
  ArrowView view;
  view.in_view = last - ended;
  uint64_t counted = 0;
  for (const uint32_t i : LatestBefore(first, begin_ns, most_from_before)) {
    view.arrows.push_back(Arrow(arrows_[i]));
    ++counted;
  }
  const Pixels pixel_times{begin_ns, end_ns, pixels};
  size_t next = first;
  for (uint64_t pixel = 0; pixel < pixels && next < last; ++pixel) {
    const int64_t to_ns = pixel_times.Start(pixel + 1);
    const size_t after = FirstNot(next, last, [&](size_t i) { return FirstNs(i) < to_ns; });
    if (after == next) continue;
    const uint32_t longest = longest_.Largest(next, after, [&](uint32_t i) { return LengthNs(i); });
    view.arrows.push_back(Arrow(arrows_[longest]));
    view.arrows.back().count = static_cast<uint32_t>(after - next);
    counted += after - next;
    next = after;
  }
  view.left_out = view.in_view - counted;
  std::stable_sort(view.arrows.begin(), view.arrows.end(),
                   [](const TimelineArrow& a, const TimelineArrow& b) {
                     return std::min(a.start_ns, a.end_ns) < std::min(b.start_ns, b.end_ns);
                   });
  return view;
}

JoinedDependencies PlacedDependencies(const TraceModel& model, const TimelineRows& rows,
                                      Stop stop) {
  std::vector<uint8_t> is_shown(model.tasks.size());
  for (uint32_t task = 0; task < is_shown.size(); ++task)
    is_shown[task] = IsShown(model, rows, task);
  return JoinedDependencies(model, is_shown, stop);
}

std::vector<TimelineArrow> DependencyArrowsOf(const TraceModel& model, const TimelineRows& rows,
                                              const JoinedDependencies& placed, uint32_t task,
                                              size_t most) {
  std::vector<TimelineArrow> in, out;
  if (!IsShown(model, rows, task)) return in;
  placed.ForEachBefore(model, task, [&](uint32_t before) {
    if (IsShown(model, rows, before)) in.push_back(DependencyArrow(model, rows, before, task));
  });
  placed.ForEachAfter(model, task, [&](uint32_t after) {
    if (IsShown(model, rows, after)) out.push_back(DependencyArrow(model, rows, task, after));
  });
  const auto keep = [&](std::vector<TimelineArrow>& arrows, auto first) {
    const size_t kept = std::min(most, arrows.size());
    const auto middle = arrows.begin() + static_cast<std::ptrdiff_t>(kept);
    std::partial_sort(arrows.begin(), middle, arrows.end(), first);
    arrows.erase(middle, arrows.end());
  };
  keep(in, [](const TimelineArrow& a, const TimelineArrow& b) { return a.start_ns > b.start_ns; });
  keep(out, [](const TimelineArrow& a, const TimelineArrow& b) { return a.end_ns < b.end_ns; });
  in.insert(in.end(), out.begin(), out.end());
  return in;
}

}  // namespace tasklens
