// SPDX-License-Identifier: Apache-2.0
// Tasks when all events have arrived: times on the common clock, dependencies in both directions.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "trace/model/build/lists.h"
#include "trace/model/build/tasks.h"

namespace tasklens::build {

void Tasks::FinishTimes(const std::vector<RankData>& ranks, const Clocks& clocks,
                        Diagnostics& diags) {
  TaskTable& tasks = model_.tasks;
  uint64_t cut = 0;
  std::string first_cut;
  for (uint32_t row = 0; row < tasks.size(); ++row) {
    const int64_t start_ns = tasks.start_ns[row], end_ns = tasks.end_ns[row];
    if (start_ns == kNever || end_ns >= start_ns) continue;
    tasks.end_ns.Set(row, ranks[tasks.rank_index[row]].last_ns);
    tasks.cut.Set(row, 1);
    if (cut++ == 0) first_cut = "job " + std::to_string(tasks.job[row]);
  }
  diags.Skip("model_task_never_ended", first_cut, cut);
  const auto align = [&](Column<int64_t>& column) {
    column.Transform([&](size_t row, int64_t local_ns) {
      return clocks.of_rank[tasks.rank_index[row]](local_ns);
    });
  };
  align(tasks.submit_ns);
  align(tasks.ready_ns);
  align(tasks.pop_ns);
  align(tasks.start_ns);
  align(tasks.end_ns);
  align(tasks.done_ns);
  const std::vector<uint32_t>& row_of_worker = machine_.row_of_worker();
  tasks.worker.Transform(
      [&](size_t, uint32_t worker) { return worker == kNone ? kNone : row_of_worker[worker]; });
}

void Tasks::FinishDeps() {
  const size_t tasks = model_.tasks.size();
  Lists<DepEnd>& preds = model_.predecessors;
  preds = MakeLists<DepEnd>(
      tasks, deps_, [](const Dep& dep) { return dep.succ; },
      [](const Dep& dep) {
        return DepEnd{dep.pred, dep.label};
      });
  std::vector<Dep>().swap(deps_);
  RemoveDoubles(preds, [](const DepEnd& end) { return end.task; });

  // The same edges seen from their other end, ordered by successor.
  Lists<DepEnd>& succs = model_.successors;
  succs.offsets.assign(tasks + 1, 0);
  succs.items.resize(preds.items.size());
  for (const DepEnd& end : preds.items) ++succs.offsets[end.task + 1];
  std::partial_sum(succs.offsets.begin(), succs.offsets.end(), succs.offsets.begin());
  std::vector<uint32_t> next(succs.offsets.begin(), succs.offsets.end() - 1);
  for (uint32_t succ = 0; succ < tasks; ++succ)
    for (const DepEnd& end : preds[succ]) succs.items[next[end.task]++] = {succ, end.label};
}

void Tasks::FinishTags(const Clocks& clocks) {
  TagTable& tags = model_.tags;
  tags.done_ns.Transform(
      [&](size_t row, int64_t local_ns) { return clocks.of_rank[tags.rank_index[row]](local_ns); });
}

void Tasks::SortByJob() {
  const TaskTable& tasks = model_.tasks;
  std::vector<uint32_t>& order = model_.tasks_by_job;
  order.resize(tasks.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](uint32_t a, uint32_t b) {
    return std::make_pair(tasks.rank_index[a], tasks.job[a]) <
           std::make_pair(tasks.rank_index[b], tasks.job[b]);
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::sort(order.begin(), order.end(), before);
}

void Tasks::Finish(const std::vector<RankData>& ranks, const Clocks& clocks, Diagnostics& diags) {
  diags.Skip("model_self_dependency", "job " + std::to_string(first_self_dep_), self_deps_);
  FinishTimes(ranks, clocks, diags);
  FinishDeps();
  FinishTags(clocks);
  SortByJob();
}

}  // namespace tasklens::build
