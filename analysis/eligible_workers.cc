// SPDX-License-Identifier: Apache-2.0
#include "analysis/eligible_workers.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/worker_kinds.h"

namespace tasklens {
namespace {

constexpr uint32_t kMostKinds = 32;

// 0: no trace lists functions for it.
uint32_t ArchBit(WorkerArch arch) {
  const auto number = static_cast<uint32_t>(arch);
  return number < 32 ? 1u << number : 0;
}

// Returns the scheduling contexts of each worker's tasks; empty sets if the trace has only one.
std::vector<std::set<uint32_t>> ContextsOfWorkers(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  std::vector<std::set<uint32_t>> contexts(model.workers.size());
  if (tasks.ctx.AllDefault()) return contexts;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (tasks.worker[task] < contexts.size()) contexts[tasks.worker[task]].insert(tasks.ctx[task]);
  return contexts;
}

}  // namespace

EligibleWorkers::EligibleWorkers(const TraceModel& model) : model_(model) {
  FindKinds();
  FindMasks();
}

void EligibleWorkers::FindKinds() {
  const std::vector<std::set<uint32_t>> contexts = ContextsOfWorkers(model_);
  std::map<std::pair<WorkerArch, std::set<uint32_t>>, uint32_t> number;
  for (uint32_t worker = 0; worker < model_.workers.size(); ++worker) {
    const WorkerArch arch = model_.workers.arch[worker];
    const auto [it, is_new] = number.try_emplace(
        {arch, contexts[worker]},
        std::min<uint32_t>(static_cast<uint32_t>(number.size()), kMostKinds - 1));
    const uint32_t kind = it->second;
    kind_of_.push_back(kind);
    if (!is_new) continue;
    if (kind == contexts_of_.size()) {
      contexts_of_.emplace_back(contexts[worker].begin(), contexts[worker].end());
      archs_of_.push_back(ArchBit(arch));
    } else {  // the last kind, shared by all further ones
      contexts_of_[kind].clear();
      archs_of_[kind] |= ArchBit(arch);
    }
  }
}

void EligibleWorkers::FindMasks() {
  const TaskTable& tasks = model_.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const uint32_t worker = tasks.worker[task];
    if (worker < kind_of_.size()) masks_[KeyOf(task)] |= 1u << kind_of_[worker];
  }
  const CodeletTable& codelets = model_.codelets;
  if (codelets.size() == 0) return;
  std::map<std::pair<uint32_t, StringId>, uint32_t> told;
  for (size_t row = 0; row < codelets.size(); ++row)
    told[{codelets.rank_index[row], codelets.name[row]}] = codelets.archs[row];
  // Includes names of which no task ran.
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (tasks.worker[task] == kNone && told.contains({tasks.rank_index[task], tasks.name[task]}))
      masks_.try_emplace(KeyOf(task));
  for (auto& [key, mask] : masks_) {
    const auto archs = told.find({key.rank_index, key.name});
    if (archs == told.end()) continue;
    for (uint32_t kind = 0; kind < kinds(); ++kind) {
      const std::vector<uint32_t>& contexts = contexts_of_[kind];
      const bool is_in_context =
          contexts.empty() || std::binary_search(contexts.begin(), contexts.end(), key.ctx);
      if ((archs_of_[kind] & archs->second) && is_in_context) mask |= 1u << kind;
    }
  }
}

KindMask EligibleWorkers::CanRun(uint32_t task) const {
  const std::vector<uint32_t>& bound = model_.bindings.task;
  if (!bound.empty()) {
    const auto [first, last] = std::equal_range(bound.begin(), bound.end(), task);
    KindMask mask = 0;
    for (auto it = first; it != last; ++it)
      mask |= 1u << kind_of_[model_.bindings.worker[static_cast<size_t>(it - bound.begin())]];
    if (mask != 0) return mask;
  }
  const auto it = masks_.find(KeyOf(task));
  return it == masks_.end() || it->second == 0 ? ~KindMask{0} : it->second;
}

std::vector<bool> WorkersThatCount(const TraceModel& model) {
  const WorkerTable& workers = model.workers;
  const TaskTable& tasks = model.tasks;
  if (AreAlike(workers.arch)) return std::vector<bool>(workers.size(), true);
  const EligibleWorkers eligible(model);
  std::vector<KindMask> wanted(model.ranks.size(), 0);  // by rank
  std::vector<bool> has_run(workers.size(), false), any_ran(model.ranks.size(), false);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const uint32_t rank = tasks.rank_index[task], worker = tasks.worker[task];
    if (worker >= workers.size()) continue;
    has_run[worker] = any_ran[rank] = true;
    wanted[rank] |= eligible.CanRun(task);
  }
  const auto is_wanted = [&](uint32_t worker) {
    return (wanted[workers.rank_index[worker]] >> eligible.KindOf(worker) & 1) != 0;
  };
  std::set<std::pair<uint32_t, WorkerArch>> archs;  // by rank, of workers that are wanted
  for (uint32_t worker = 0; worker < workers.size(); ++worker)
    if (is_wanted(worker)) archs.emplace(workers.rank_index[worker], workers.arch[worker]);
  std::vector<bool> counts;
  for (uint32_t worker = 0; worker < workers.size(); ++worker) {
    const uint32_t rank = workers.rank_index[worker];
    // The contexts of an unused worker are unknown.
    counts.push_back(!any_ran[rank] || is_wanted(worker) ||
                     (!has_run[worker] && archs.contains({rank, workers.arch[worker]})));
  }
  return counts;
}

}  // namespace tasklens
