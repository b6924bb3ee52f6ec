// SPDX-License-Identifier: Apache-2.0
// One pass over the visible steps.
#include "analysis/path_view.h"

#include <algorithm>

#include "analysis/pixels.h"
#include "analysis/task_stretches.h"

namespace tasklens {

PathIndex::PathIndex(const TraceModel& model, const TimelineRows& rows, const CriticalPath& path) {
  steps_.reserve(path.steps.size());
  for (const CriticalStep& step : path.steps) {
    ForEachStretch(model, step.task, [&](uint32_t worker, int64_t start_ns, int64_t end_ns) {
      if (worker >= rows.of_worker.size() || rows.of_worker[worker] == kNone) return;
      steps_.push_back({rows.of_worker[worker], start_ns, end_ns, 1, end_ns - start_ns});
    });
  }
}

std::vector<PathStretch> PathIndex::View(int64_t from_ns, int64_t to_ns, uint32_t pixels) const {
  // A step begins after the previous one has ended, so ends are sorted as well.
  auto first = std::lower_bound(
      steps_.begin(), steps_.end(), from_ns,
      [](const PathStretch& step, int64_t time_ns) { return step.end_ns < time_ns; });
  if (first != steps_.begin()) --first;
  const Pixels grid{from_ns, to_ns, pixels};
  std::vector<PathStretch> view;
  size_t of_pixel = 0;  // where in `view` the stretches of the current pixel begin
  uint64_t pixel = 0;
  for (auto step = first; step != steps_.end(); ++step) {
    const bool is_behind = step->start_ns >= to_ns;
    if (step->start_ns >= grid.Start(pixel + 1)) {
      of_pixel = view.size();
      pixel = is_behind ? pixels : grid.Of(step->start_ns);
    }
    if (step->start_ns < from_ns) {
      view.push_back(*step);
      of_pixel = view.size();
      continue;
    }
    const auto same = std::find_if(view.begin() + static_cast<std::ptrdiff_t>(of_pixel), view.end(),
                                   [&](const PathStretch& one) { return one.row == step->row; });
    if (same == view.end()) {
      view.push_back(*step);
    } else {
      same->end_ns = std::max(same->end_ns, step->end_ns);
      ++same->count;
      same->work_ns += step->work_ns;
    }
    if (is_behind) break;
  }
  return view;
}

}  // namespace tasklens
