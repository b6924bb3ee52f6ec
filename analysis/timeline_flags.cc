// SPDX-License-Identifier: Apache-2.0
// Selects the points that are flags, by row.
#include "analysis/timeline_flags.h"

#include "analysis/pixels.h"
#include "trace/events/text_dump.h"

namespace tasklens {
namespace {

enum class Stand { kNowhere, kOnItsThread, kOnTheScheduler };

Stand StandOf(EventKind kind, bool with_scheduler) {
  switch (kind) {
    case EventKind::kUserEvent:
    case EventKind::kMessage:
    case EventKind::kThreadMessage:
    case EventKind::kCheckpoint:
    case EventKind::kMpiBarrier:
    case EventKind::kMpiSpared:
    case EventKind::kMemoryFull:
    case EventKind::kProfiling:
    case EventKind::kTracingStart:
    case EventKind::kTracingStop: return Stand::kOnItsThread;
    case EventKind::kTaskReady:
    case EventKind::kTaskPop: return with_scheduler ? Stand::kOnTheScheduler : Stand::kNowhere;
    default: return Stand::kNowhere;
  }
}

}  // namespace

TimelineFlags::TimelineFlags(const TraceModel& model, const TimelineRows& rows, bool with_scheduler,
                             Stop stop)
    : model_(model), points_(rows.rows.size()) {
  const PointTable& points = model.points;
  for (uint32_t point = 0; point < points.size(); ++point) {
    if (Stopped(stop, point)) return;
    const Stand stand = StandOf(points.kind[point], with_scheduler);
    if (stand == Stand::kNowhere) continue;
    const uint32_t track = points.track[point];
    const bool on_track = stand == Stand::kOnItsThread && track < rows.of_track.size();
    points_[on_track ? rows.of_track[track] : rows.scheduler[points.rank_index[point]]].push_back(
        point);
  }
}

std::vector<TimelineFlag> TimelineFlags::Flags(uint32_t row, int64_t begin_ns, int64_t end_ns,
                                               uint32_t pixels) const {
  const std::vector<uint32_t>& points = points_[row];
  const Column<int64_t>& time_ns = model_.points.time_ns;
  const auto before = [&](int64_t limit_ns) {
    return [&, limit_ns](size_t i) { return time_ns[points[i]] < limit_ns; };
  };
  const Pixels view{begin_ns, end_ns, pixels};
  std::vector<TimelineFlag> flags;
  size_t next = FirstNot(0, points.size(), before(begin_ns));
  for (uint64_t pixel = 0; pixel < pixels && next < points.size(); ++pixel) {
    if (view.Start(pixel + 1) <= time_ns[points[next]]) continue;
    const size_t after = FirstNot(next, points.size(), before(view.Start(pixel + 1)));
    flags.push_back({time_ns[points[next]], points[next], static_cast<uint32_t>(after - next)});
    next = after;
  }
  return flags;
}

std::string FlagText(const TraceModel& model, uint32_t point) {
  std::string text;
  AppendSentence(text, model.points.kind[point], model.points.Args(point), model.strings);
  return text;
}

}  // namespace tasklens
