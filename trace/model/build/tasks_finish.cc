// SPDX-License-Identifier: Apache-2.0
// Tasks when all events have arrived: times on the common clock, dependencies in both directions.
#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/model/build/lists.h"
#include "trace/model/build/tasks.h"
#include "trace/model/build/time_order.h"

namespace tasklens::build {
namespace {

// "job 7, gemm, chol.c:102"; the rank comes first if there are several.
std::string TextOfTask(const TraceModel& model, uint32_t row) {
  const TaskTable& tasks = model.tasks;
  std::string text;
  if (model.ranks.size() > 1)
    text = "rank " + std::to_string(model.ranks.rank[tasks.rank_index[row]]) + ": ";
  text += "job " + std::to_string(tasks.job[row]);
  if (const std::string_view name = model.str(tasks.name[row]); !name.empty())
    text.append(", ").append(name);
  if (const uint32_t site = tasks.site[row]; site != kNone) {
    text.append(", ").append(model.str(model.sites.file[site]));
    text.append(":").append(std::to_string(model.sites.line[site]));
  }
  return text;
}

// Describes the first of `cut`, tasks that had not ended: one of the rank whose records end first,
// because of ranks that were killed together this one is the most likely cause.
std::string TextOfFirst(const TraceModel& model, std::vector<uint32_t> cut,
                        const std::vector<RankData>& ranks, const Clocks& clocks) {
  constexpr size_t kNamed = 4;
  const auto key = [&](uint32_t row) {
    const uint32_t rank = model.tasks.rank_index[row];
    return std::make_pair(clocks.of_rank[rank](ranks[rank].last_ns), row);
  };
  std::sort(cut.begin(), cut.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  std::string text;
  for (size_t i = 0; i < std::min(cut.size(), kNamed); ++i)
    text += (i > 0 ? "; " : "") + TextOfTask(model, cut[i]);
  return text;
}

}  // namespace

// Ends the stretches of tasks that were running when the trace ended.
void Tasks::EndOpenStretches(const std::vector<RankData>& ranks) {
  TaskTable& tasks = model_.tasks;
  for (Stretch& stretch : stretches_) {
    if (stretch.end_ns != kNever) continue;
    stretch.end_ns = std::max(stretch.start_ns, ranks[tasks.rank_index[stretch.task]].last_ns);
    if (latest_stretch_[stretch.task] != static_cast<size_t>(&stretch - stretches_.data()))
      continue;
    tasks.end_ns.Set(stretch.task, stretch.end_ns);
    tasks.cut.Set(stretch.task, 1);
  }
}

// Keeps the stretches within the last run of each task. REQUIRES: FinishTimes() and FinishWorkers()
// were called.
void Tasks::FinishStretches(const Clocks& clocks) {
  TaskTable& tasks = model_.tasks;
  for (Stretch& stretch : stretches_) {
    const Clock& clock = clocks.of_rank[tasks.rank_index[stretch.task]];
    stretch.start_ns = clock(stretch.start_ns);
    stretch.end_ns = std::min(clock(stretch.end_ns), tasks.end_ns[stretch.task]);
  }
  std::stable_sort(stretches_.begin(), stretches_.end(), [](const Stretch& a, const Stretch& b) {
    return std::tie(a.task, a.start_ns) < std::tie(b.task, b.start_ns);
  });
  StretchTable& table = model_.stretches;
  for (size_t begin = 0, next = 0; begin < stretches_.size(); begin = next) {
    const uint32_t task = stretches_[begin].task;
    int64_t running_ns = 0, until_ns = tasks.start_ns[task];
    for (; next < stretches_.size() && stretches_[next].task == task; ++next) {
      const Stretch& stretch = stretches_[next];
      if (stretch.start_ns < tasks.start_ns[task] || stretch.end_ns < stretch.start_ns) continue;
      running_ns += std::max<int64_t>(stretch.end_ns - std::max(stretch.start_ns, until_ns), 0);
      until_ns = std::max(until_ns, stretch.end_ns);
      table.task.push_back(task);
      table.worker.push_back(stretch.worker);
      table.start_ns.push_back(stretch.start_ns);
      table.end_ns.push_back(stretch.end_ns);
    }
    const int64_t length_ns = tasks.end_ns[task] - tasks.start_ns[task];
    tasks.paused_ns.Set(task, std::max<int64_t>(length_ns - running_ns, 0));
  }
}

// Renumbers tasks that a reader counted, after the largest number of the file.
void Tasks::CountOn() {
  TaskTable& tasks = model_.tasks;
  std::unordered_map<uint32_t, uint64_t> largest;  // by rank
  bool counted = false;
  for (uint32_t row = 0; row < tasks.size(); ++row) {
    const uint64_t job = tasks.job[row];
    if (IsCountedJob(job)) {
      counted = true;
    } else {
      uint64_t& of_rank = largest[tasks.rank_index[row]];
      of_rank = std::max(of_rank, job);
    }
  }
  if (!counted) return;
  for (uint32_t row = 0; row < tasks.size(); ++row)
    if (const uint64_t job = tasks.job[row]; IsCountedJob(job))
      tasks.job.Set(row, job - kCountedJobs + largest[tasks.rank_index[row]]);
}

void Tasks::FinishTimes(const std::vector<RankData>& ranks, const Clocks& clocks,
                        Diagnostics& diags) {
  TaskTable& tasks = model_.tasks;
  std::vector<uint32_t> cut;
  for (uint32_t row = 0; row < tasks.size(); ++row) {
    const int64_t start_ns = tasks.start_ns[row], end_ns = tasks.end_ns[row];
    if (start_ns == kNever || end_ns >= start_ns) continue;
    tasks.end_ns.Set(row, ranks[tasks.rank_index[row]].last_ns);
    tasks.cut.Set(row, 1);
    cut.push_back(row);
  }
  diags.Skip("model_task_never_ended", TextOfFirst(model_, cut, ranks, clocks), cut.size());
  for (auto* times : {&tasks.submit_ns, &tasks.ready_ns, &tasks.pop_ns, &tasks.start_ns,
                      &tasks.end_ns, &tasks.done_ns, &tasks.last_start_ns})
    clocks.Align(*times, [&](size_t row) { return tasks.rank_index[row]; });
  ExecutionTable& executions = model_.executions;
  for (uint32_t row = 0; row < executions.size(); ++row) {
    if (executions.end_ns[row] != kNever) continue;
    executions.end_ns.Set(row, ranks[tasks.rank_index[executions.task[row]]].last_ns);
    executions.cut.Set(row, 1);
  }
  for (auto* times : {&executions.start_ns, &executions.end_ns, &executions.submit_ns})
    clocks.Align(*times, [&](size_t row) { return tasks.rank_index[executions.task[row]]; });
}

void Tasks::FinishWorkers(const std::vector<RankData>& ranks, const Machine& machine) {
  std::vector<uint32_t> rows;
  for (const Worker& worker : workers_)
    rows.push_back(machine.RowOfWorker(ranks[worker.rank_index], worker.id));
  for (Stretch& stretch : stretches_)
    stretch.worker = stretch.worker == kNone ? kNone : rows[stretch.worker];
  for (auto* workers : {&model_.tasks.worker, &model_.tasks.last_worker, &model_.executions.worker})
    workers->Transform(
        [&](size_t, uint32_t worker) { return worker == kNone ? kNone : rows[worker]; });
}

void Tasks::FinishDeps() {
  const size_t tasks = model_.tasks.size();
  DepLists& preds = model_.predecessors;
  preds = MakeLists<decltype(preds.items)>(
      tasks, deps_.size(), deps_.Field<1>(),
      [&](size_t i) {
        const Dep dep = deps_[i];
        return DepEnd{dep.pred, dep.label};
      },
      columns_);
  deps_.Clear();
  RemoveDoubles(preds, [](const DepEnd& end) { return end.task; });
  if (!(parts_ & kPartSuccessors)) return;

  // The same edges from the predecessors' side, ordered by successor.
  std::vector<uint32_t> succ_of_item(preds.items.size());
  for (uint32_t succ = 0; succ < preds.size(); ++succ)
    std::fill(succ_of_item.begin() + preds.offsets[succ],
              succ_of_item.begin() + preds.offsets[succ + 1], succ);
  model_.successors = MakeLists<decltype(preds.items)>(
      tasks, preds.items.size(), preds.items.template Field<0>(),
      [&](size_t i) {
        return DepEnd{succ_of_item[i], preds.items[i].label};
      },
      columns_);
}

void Tasks::FinishTags(const Clocks& clocks) {
  TagTable& tags = model_.tags;
  clocks.Align(tags.done_ns, [&](size_t row) { return tags.rank_index[row]; });
}

void Tasks::SortByJob() {
  const TaskTable& tasks = model_.tasks;
  const uint32_t count = static_cast<uint32_t>(tasks.size());
  const auto before = [&](uint32_t a, uint32_t b) {
    return std::make_pair(tasks.rank_index[a], tasks.job[a]) <
           std::make_pair(tasks.rank_index[b], tasks.job[b]);
  };
  const std::vector<uint32_t> order = OrderOfNearlySorted(count, before);
  for (uint32_t i = 0; i < count; ++i) model_.tasks_by_job.push_back(order.empty() ? i : order[i]);
}

void Tasks::FinishAbilities(const std::vector<RankData>& ranks, const Machine& machine) {
  for (const auto& [key, archs] : codelets_) {
    model_.codelets.rank_index.push_back(key.first);
    model_.codelets.name.push_back(key.second);
    model_.codelets.archs.push_back(archs);
  }
  std::vector<std::pair<uint32_t, uint32_t>> rows;
  for (const Binding& binding : bindings_) {
    const RankData& rank = ranks[model_.tasks.rank_index[binding.task]];
    // (The worker need not exist: only the task mentions it.)
    if (rank.workers.Find(binding.worker_id) == IdMap::kAbsent) continue;
    rows.emplace_back(binding.task, machine.RowOfWorker(rank, binding.worker_id));
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const auto& [task, worker] : rows) {
    model_.bindings.task.push_back(task);
    model_.bindings.worker.push_back(worker);
  }
}

void Tasks::Finish(const std::vector<RankData>& ranks, const Machine& machine, const Clocks& clocks,
                   Diagnostics& diags) {
  diags.Skip("model_self_dependency", "job " + std::to_string(first_self_dep_), self_deps_);
  EndOpenStretches(ranks);
  FinishTimes(ranks, clocks, diags);
  FinishAbilities(ranks, machine);
  FinishWorkers(ranks, machine);
  FinishStretches(clocks);
  CountOn();
  FinishTags(clocks);
  SortByJob();
}

}  // namespace tasklens::build
