// SPDX-License-Identifier: Apache-2.0
// Tasks as their events arrive.
#include "trace/model/build/tasks.h"

#include <algorithm>

namespace tasklens::build {
namespace {

int32_t AsI32(uint64_t arg) { return static_cast<int32_t>(static_cast<uint32_t>(arg)); }

}  // namespace

uint32_t Tasks::NewRow(WorkOfRank& rank, uint64_t job) {
  if (job == 0) return kNone;
  const auto row = static_cast<uint32_t>(model_.tasks.size());
  model_.tasks.job.push_back(job);
  model_.tasks.rank_index.Set(row, rank.index);
  rank.jobs.Insert(job, row);
  return row;
}

uint32_t Tasks::TagOf(WorkOfRank& rank, uint64_t tag) {
  return rank.tags.FindOrAdd(tag, model_.tags.size(), [&] {
    model_.tags.tag.push_back(tag);
    model_.tags.rank_index.push_back(rank.index);
  });
}

void Tasks::OnEvent(WorkOfRank& rank, const Event& event) {
  const auto args = event.args;
  switch (event.kind) {
    case EventKind::kTaskDep: return AddDep(rank, args[0], args[1], args[2], args[3]);
    case EventKind::kTaskTag: return Tag(rank, event);
    case EventKind::kTagDep:
      model_.tags.deps.emplace_back(TagOf(rank, args[1]), TagOf(rank, args[0]));
      return;
    case EventKind::kTagSite:
      model_.tags.site.Set(TagOf(rank, args[0]), SiteRow(args[1], args[2], args[3]));
      return;
    case EventKind::kCallSite: SiteRow(args[0], args[1], args[2]); return;
    case EventKind::kTagDone: {
      const uint32_t tag = TagOf(rank, args[0]);
      model_.tags.done_ns.Set(tag, event.time_ns);
      if (args[1]) model_.tags.name.Set(tag, AsText(args[1]));
      return;
    }
    case EventKind::kTaskEndDep: {
      const uint32_t releaser = RowOf(rank, args[0]), delayed = RowOf(rank, args[1]);
      if (releaser != kNone && delayed != kNone) model_.end_deps.emplace_back(releaser, delayed);
      return;
    }
    case EventKind::kCodeletWhere:
      codelets_[{rank.index, AsText(args[0])}] |= AsU32(args[1]);
      return;
    default: return;
  }
}

void Tasks::Submit(uint32_t row, int64_t time_ns, uint64_t order, uint64_t iteration,
                   uint64_t subiteration, uint64_t priority, uint64_t type) {
  TaskTable& tasks = model_.tasks;
  const int64_t before_ns = tasks.submit_ns[row];
  runs_.Note(
      tasks, row, RepeatedRuns::What::kSubmitted, before_ns, time_ns, [] { return kNone; }, order);
  if (before_ns == kNever)
    tasks.submit_ns.Set(row, time_ns);
  else
    tasks.resubmissions.Set(row, tasks.resubmissions[row] + 1);
  tasks.submit_order.Set(row, order);
  tasks.iteration.Set(row, AsI32(iteration));
  tasks.subiteration.Set(row, AsI32(subiteration));
  tasks.priority.Set(row, AsI32(priority));
  tasks.type.Set(row, AsU32(type));
  tasks.has_submit.Set(row, 1);
}

uint32_t Tasks::SiteRow(uint64_t line_arg, uint64_t file, uint64_t function) {
  const uint64_t line = AsU32(line_arg);
  const SiteKey key{(file << 32) | line, AsText(function)};
  if (last_site_row_ == kNone || !(key == last_site_)) {
    SiteTable& sites = model_.sites;
    const auto [it, is_new] = sites_.emplace(key, static_cast<uint32_t>(sites.size()));
    if (is_new) {
      sites.file.push_back(AsText(file));
      sites.line.push_back(static_cast<uint32_t>(line));
      sites.function.push_back(key.function);
    }
    last_site_ = key;
    last_site_row_ = it->second;
  }
  return last_site_row_;
}

bool Tasks::IsNewDep(uint32_t pred, uint32_t succ) {
  if (succ != recent_succ_) {
    recent_succ_ = succ;
    recent_preds_.clear();
  }
  for (const uint32_t recent : recent_preds_)
    if (recent == pred) return false;
  if (recent_preds_.size() < kRecentPreds) recent_preds_.push_back(pred);
  return true;
}

void Tasks::AddDep(WorkOfRank& rank, uint64_t pred_job, uint64_t succ_job, uint64_t type,
                   uint64_t label) {
  const uint32_t pred = RowOf(rank, pred_job), succ = RowOf(rank, succ_job);
  if (pred == kNone || succ == kNone) return;
  if (pred != succ) {
    if ((parts_ & kPartPredecessors) && IsNewDep(pred, succ))
      deps_.push_back({pred, succ, AsText(label)});
  } else if (self_deps_++ == 0) {
    first_self_dep_ = succ_job;
  }
  if (type != 0) model_.tasks.type.Set(succ, AsU32(type));
}

void Tasks::Pop(uint32_t row, int64_t time_ns) {
  TaskTable& tasks = model_.tasks;
  runs_.Note(tasks, row, RepeatedRuns::What::kTaken, tasks.pop_ns[row], time_ns);
  tasks.pop_ns.Set(row, time_ns);
}

uint32_t Tasks::WorkerOf(WorkOfRank& rank, uint64_t id_arg) {
  const uint32_t id = AsU32(id_arg);
  return rank.workers.FindOrAdd(id, workers_.size(), [&] { workers_.push_back({rank.index, id}); });
}

void Tasks::Start(WorkOfRank& rank, uint32_t row, int64_t time_ns, uint64_t worker_arg,
                  uint64_t node, uint64_t ctx) {
  if (row == kNone) return;
  TaskTable& tasks = model_.tasks;
  const uint32_t worker = WorkerOf(rank, worker_arg);
  const int64_t before_ns = tasks.start_ns[row];
  runs_.Note(tasks, row, RepeatedRuns::What::kStart, before_ns, time_ns, [=] { return worker; });
  if (time_ns < before_ns) return;
  tasks.start_ns.Set(row, time_ns);
  tasks.worker.Set(row, worker);
  tasks.memory_node.Set(row, AsU32(node));
  tasks.ctx.Set(row, AsU32(ctx));
}

void Tasks::Resume(WorkOfRank& rank, uint32_t row, int64_t time_ns, uint64_t worker_arg) {
  if (row == kNone) return;
  TaskTable& tasks = model_.tasks;
  // The task may have begun before the trace did.
  if (tasks.start_ns[row] == kNever) return Start(rank, row, time_ns, worker_arg, 0, 0);
  const auto [latest, is_new] = latest_stretch_.try_emplace(row, 0);
  if (is_new)
    stretches_.push_back({row, tasks.worker[row], tasks.start_ns[row], tasks.end_ns[row]});
  latest->second = stretches_.size();
  stretches_.push_back({row, WorkerOf(rank, worker_arg), time_ns, kNever});
}

void Tasks::End(WorkOfRank& rank, uint32_t row, int64_t time_ns, uint64_t worker,
                uint64_t size_bytes, uint64_t footprint, uint64_t arch) {
  if (row == kNone) return;
  TaskTable& tasks = model_.tasks;
  const int64_t before_ns = tasks.end_ns[row];
  const auto latest = latest_stretch_.find(row);
  if (latest == latest_stretch_.end()) {
    runs_.Note(tasks, row, RepeatedRuns::What::kEnd, before_ns, time_ns,
               [&] { return WorkerOf(rank, worker); });
  } else if (Stretch& stretch = stretches_[latest->second]; stretch.end_ns == kNever) {
    stretch.end_ns = std::max(stretch.start_ns, time_ns);  // of a run that continued
  }
  tasks.end_ns.Set(row, std::max(before_ns, time_ns));
  tasks.size_bytes.Set(row, size_bytes);
  tasks.footprint.Set(row, AsU32(footprint));
  tasks.has_footprint.Set(row, 1);
  tasks.arch.Set(row, AsText(arch));
}

// The worker is known only if the task began.
void Tasks::OnDevice(uint32_t row, uint64_t began_ns) {
  if (model_.tasks.worker[row] == kNone) return;
  model_.tasks.start_ns.Set(row, static_cast<int64_t>(began_ns));
}

void Tasks::Details(uint32_t row, uint64_t size_bytes, uint64_t footprint, uint64_t tag,
                    uint64_t flops) {
  TaskTable& tasks = model_.tasks;
  tasks.size_bytes.Set(row, size_bytes);
  tasks.footprint.Set(row, AsU32(footprint));
  tasks.has_footprint.Set(row, 1);
  if (tag != 0) {
    tasks.tag.Set(row, tag);
    tasks.has_tag.Set(row, 1);
  }
  tasks.flops.Set(row, AsDouble(flops));
}

void Tasks::Tag(WorkOfRank& rank, const Event& event) {
  const uint32_t tag = TagOf(rank, event.args[0]);
  const uint32_t row = RowOf(rank, event.args[1]);
  if (row == kNone) return;
  model_.tasks.tag.Set(row, event.args[0]);
  model_.tasks.has_tag.Set(row, 1);
  model_.tags.owners.emplace_back(tag, row);
}

void Tasks::Estimate(uint32_t row, const Event& event) {
  if (!(parts_ & kPartTaskExtras)) return;
  model_.estimates.task.push_back(row);
  model_.estimates.worker.push_back(AsI32(event.args[1]));
  model_.estimates.length_ns.push_back(AsDouble(event.args[2]));
  model_.estimates.transfer_ns.push_back(AsDouble(event.args[3]));
}

}  // namespace tasklens::build
