// SPDX-License-Identifier: Apache-2.0
// Sums over tasks.
#include "analysis/placements.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/execution_order.h"
#include "analysis/sum.h"
#include "analysis/workers_of_tasks.h"

namespace tasklens {
namespace {

// The length of a task that was cut by the end of the trace is unknown.
bool Counts(const TraceModel& model, uint32_t task) {
  return Completed(model.tasks, task) && model.tasks.worker[task] < model.workers.size();
}

using Key = std::pair<CodeletKey, WorkerKind>;
struct Sum {
  uint64_t count = 0;
  double total_ns = 0;
};

// Returns the models' expectations for executed tasks, by kind of worker.
std::map<Key, Sum> Expectations(const TraceModel& model, const std::vector<WorkerKind>& kinds,
                                const CodeletKeys& key_of) {
  std::map<Key, Sum> sums;
  const EstimateTable& estimates = model.estimates;
  if (estimates.task.empty()) return sums;
  std::map<std::pair<uint32_t, int32_t>, uint32_t> worker_of;  // by rank and id
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
    worker_of[{model.workers.rank_index[worker], static_cast<int32_t>(model.workers.id[worker])}] =
        worker;
  for (size_t i = 0; i < estimates.task.size(); ++i) {
    const uint32_t task = estimates.task[i];
    if (!Counts(model, task) || !(estimates.length_ns[i] > 0) || std::isinf(estimates.length_ns[i]))
      continue;
    const uint32_t rank = model.tasks.rank_index[task];
    const auto worker = worker_of.find({rank, estimates.worker[i]});
    if (worker == worker_of.end()) continue;
    Sum& sum = sums[{key_of(task), kinds[worker->second]}];
    ++sum.count;
    sum.total_ns += estimates.length_ns[i];
  }
  return sums;
}

}  // namespace

CodeletKeys::CodeletKeys(const TraceModel& model)
    : tasks_(model.tasks), footprints_(model.ranks.size(), true) {
  for (uint32_t task = 0; task < tasks_.size(); ++task)
    if (Counts(model, task) && !tasks_.has_footprint[task])
      footprints_[tasks_.rank_index[task]] = false;
}

std::vector<std::vector<Placement>> Placements(const TraceModel& model,
                                               const std::vector<WorkerKind>& kinds, Stop stop) {
  const TaskTable& tasks = model.tasks;
  const CodeletKeys key_of(model);
  std::map<Key, Sum> sums;
  const auto sum_of = [&](uint32_t task) -> Sum& {
    return sums[{key_of(task), kinds[tasks.worker[task]]}];
  };
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (Stopped(stop, task)) return {};
    if (!Counts(model, task)) continue;
    Sum& sum = sum_of(task);
    ++sum.count;
    if (tasks.last_start_ns[task] == kNever) sum.total_ns += static_cast<double>(tasks.RunNs(task));
  }
  if (!tasks.last_start_ns.AllDefault()) {
    const auto add_parts = [&](const std::vector<Participation>& parts) {
      for (const Participation& part : parts)
        if (Counts(model, part.task) && tasks.last_start_ns[part.task] != kNever &&
            part.start_ns >= tasks.start_ns[part.task])
          sum_of(part.task).total_ns += static_cast<double>(part.length_ns);
    };
    add_parts(FirstWorkers(model));
    add_parts(OtherWorkers(model));
  }
  std::map<Key, Placement> found;
  const auto add = [&](const Key& key, const Sum& sum, bool expected) {
    const auto& [rank, codelet, footprint] = key.first;
    const uint64_t ran = expected ? 0 : sum.count;
    found.try_emplace(key, Placement{codelet, footprint, key.second, ran,
                                     sum.total_ns / static_cast<double>(sum.count),
                                     static_cast<double>(ran), expected});
  };
  for (const auto& [key, sum] : sums) add(key, sum, /*expected=*/false);
  for (const auto& [key, sum] : Expectations(model, kinds, key_of)) add(key, sum, true);
  std::vector<std::vector<Placement>> placements(model.ranks.size());
  for (const auto& [key, placement] : found)
    placements[std::get<0>(key.first)].push_back(placement);
  return placements;
}

FastestLengths::FastestLengths(const TraceModel& model, Stop stop)
    : model_(model), kinds_(WorkerKinds(model)) {
  if (AreAlike(kinds_)) return;
  key_of_.emplace(model);
  const std::vector<std::vector<Placement>> placements = Placements(model, kinds_, stop);
  for (uint32_t rank = 0; rank < placements.size(); ++rank)
    for (const Placement& placement : placements[rank]) {
      const auto [best, is_new] = fastest_.try_emplace(
          {rank, placement.codelet, placement.footprint}, placement.kind, placement.mean_ns);
      if (!is_new && placement.mean_ns < best->second.mean_ns)
        best->second = {placement.kind, placement.mean_ns};
    }
}

int64_t FastestLengths::operator()(uint32_t task) const {
  const TaskTable& tasks = model_.tasks;
  const int64_t length_ns = tasks.RunNs(task);
  // (A parallel task shares its work among its workers.)
  if (fastest_.empty() || !Counts(model_, task) || tasks.last_start_ns[task] != kNever)
    return length_ns;
  const auto best = fastest_.find((*key_of_)(task));
  if (best == fastest_.end() || best->second.kind == kinds_[tasks.worker[task]]) return length_ns;
  return std::min(length_ns, static_cast<int64_t>(best->second.mean_ns));
}

LengthsByKind::LengthsByKind(const TraceModel& model, const std::vector<WorkerKind>& kinds,
                             Stop stop) {
  if (AreAlike(kinds)) return;
  key_of_.emplace(model);
  const std::vector<std::vector<Placement>> placements = Placements(model, kinds, stop);
  for (uint32_t rank = 0; rank < placements.size(); ++rank)
    for (const Placement& row : placements[rank])
      means_ns_[{{rank, row.codelet, row.footprint}, row.kind}] = row.mean_ns;
}

double LengthsByKind::operator()(uint32_t task, const WorkerKind& kind) const {
  const auto mean = means_ns_.find({(*key_of_)(task), kind});
  return mean == means_ns_.end() ? 0 : mean->second;
}

}  // namespace tasklens
