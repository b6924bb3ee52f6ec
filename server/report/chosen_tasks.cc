// SPDX-License-Identifier: Apache-2.0
#include "server/report/chosen_tasks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tasklens {
namespace {

class Chooser {
 public:
  Chooser(const TraceModel& model, std::span<const ReportSlice> slices, size_t most)
      : model_(model), slices_(slices), keep_(model.tasks.size()), left_(most) {}

  // Keeps at most `most` of the tasks that are not kept yet, evenly spread.
  void Take(std::span<const uint32_t> tasks, size_t most) {
    std::vector<uint32_t> fresh;
    for (const uint32_t task : tasks)
      if (!keep_[task]) fresh.push_back(task);
    const size_t some = std::min({left_, most, fresh.size()});
    for (size_t i = 0; i < some; ++i) {
      const uint32_t task = fresh[i * fresh.size() / some];
      left_ -= !keep_[task];
      keep_[task] = true;
    }
  }
  void TakeAll(std::span<const uint32_t> tasks) { Take(tasks, left_); }

  // The tasks that the timeline shows at each zoom level, where 2^n entries share a pixel: the
  // longest task of each pixel, from one pixel a row to one pixel an entry.
  std::vector<std::vector<uint32_t>> Views() const {
    std::vector<size_t> shown;
    for (size_t i = 0; i < slices_.size(); ++i)
      if (TaskOf(i) != kNone) shown.push_back(i);
    std::vector<std::vector<uint32_t>> views;
    for (bool is_finer = true; is_finer;) {
      views.emplace_back();
      for (const size_t i : shown) views.back().push_back(TaskOf(i));
      std::vector<size_t> longest;
      for (size_t i = 0; i < shown.size(); ++i) {
        const bool is_pair = i + 1 < shown.size() && ShareARow(shown[i], shown[i + 1]);
        const bool is_second = is_pair && LengthNs(shown[i + 1]) > LengthNs(shown[i]);
        longest.push_back(shown[i + is_second]);
        i += is_pair;
      }
      is_finer = longest.size() < shown.size();
      shown = std::move(longest);
    }
    std::reverse(views.begin(), views.end());
    return views;
  }

  std::vector<uint32_t> Kept() const {
    std::vector<uint32_t> tasks;
    for (uint32_t task = 0; task < keep_.size(); ++task)
      if (keep_[task]) tasks.push_back(task);
    return tasks;
  }

 private:
  uint32_t TaskOf(size_t slice) const { return model_.states.task[slices_[slice].slice.state]; }
  bool ShareARow(size_t a, size_t b) const {
    return slices_[a].track == slices_[b].track && slices_[a].depth == slices_[b].depth;
  }
  int64_t LengthNs(size_t slice) const {
    const TaskTable& tasks = model_.tasks;
    const uint32_t task = TaskOf(slice);
    return tasks.end_ns[task] == kNever ? 0 : tasks.RunNs(task);
  }

  const TraceModel& model_;
  const std::span<const ReportSlice> slices_;
  std::vector<bool> keep_;
  size_t left_;
};

}  // namespace

std::vector<uint32_t> ChooseReportTasks(const TraceModel& model,
                                        std::span<const ReportSlice> slices,
                                        const CriticalPath& path, size_t most) {
  if (model.tasks.size() <= most) {
    std::vector<uint32_t> all(model.tasks.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<uint32_t> on_path;
  for (const CriticalStep& step : path.steps) on_path.push_back(step.task);
  Chooser chooser(model, slices, most);
  chooser.Take(on_path, most / 2);
  for (const std::vector<uint32_t>& view : chooser.Views()) chooser.TakeAll(view);
  chooser.TakeAll(on_path);
  return chooser.Kept();
}

}  // namespace tasklens
