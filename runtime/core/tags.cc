// SPDX-License-Identifier: Apache-2.0
// One table under one lock; jobs are released outside of it.
#include "runtime/core/tags.h"

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {

void Tags::DeclareDeps(starpu_tag_t id, std::span<const starpu_tag_t> deps) {
  const Site& call = ThisThread().call;
  if (call.file) Record<EventKind::kTagSite>(id, call.line, call.file, call.function);
  MutexLock guard(lock_);
  for (const starpu_tag_t dep : deps) {
    Record<EventKind::kTagDep>(id, dep);
    if (Bound::WithDependencies()) Bound::TagDepends(id, dep);
    Tag& before = tags_[dep];
    before.successors.push_back(id);
    const bool done = before.done;
    Tag& tag = tags_[id];  // may invalidate `before`
    ++tag.dependencies;
    if (!done) ++tag.missing;
  }
}

void Tags::Attach(Job* job) {
  Record<EventKind::kTaskTag>(job->task->tag_id, job->id.load(std::memory_order_relaxed));
  MutexLock guard(lock_);
  Tag& tag = tags_[job->task->tag_id];
  tag.job = job;
  tag.job_id = job->id.load(std::memory_order_relaxed);
  tag.done = false;
  if (tag.missing > 0) {
    tag.job_waits = true;
    job->pending.fetch_add(1, std::memory_order_relaxed);
  } else {
    tag.missing = tag.dependencies;
  }
}

void Tags::Done(starpu_tag_t id) {
  std::vector<Job*> released;
  Record<EventKind::kTagDone>(id, "");
  {
    MutexLock guard(lock_);
    Tag& tag = tags_[id];
    tag.done = true;
    for (const starpu_tag_t successor : tag.successors) {
      const auto it = tags_.find(successor);
      if (it == tags_.end()) continue;
      Tag& next = it->second;
      if (next.missing == 0 || --next.missing != 0) continue;
      if (!next.job_waits) continue;
      next.job_waits = false;
      next.missing = next.dependencies;
      released.push_back(next.job);
    }
  }
  changed_.notify_all();
  for (Job* job : released) ReleaseStart(job);
}

void Tags::Wait(std::span<const starpu_tag_t> tags) {
  MutexLock guard(lock_);
  for (const starpu_tag_t tag : tags)
    while (!tags_[tag].done) changed_.wait(guard);
}

void Tags::Restart(starpu_tag_t id) {
  MutexLock guard(lock_);
  tags_[id].done = false;
}

void Tags::Remove(starpu_tag_t id) {
  MutexLock guard(lock_);
  tags_.erase(id);
}

void Tags::Clear() {
  MutexLock guard(lock_);
  tags_.clear();
}

void Tags::WaitingFor(starpu_tag_t id, std::unordered_map<starpu_tag_t, uint32_t>& met,
                      std::vector<Job*>& jobs) {
  MutexLock guard(lock_);
  const auto it = tags_.find(id);
  if (it == tags_.end()) return;
  for (const starpu_tag_t successor : it->second.successors) {
    const auto next = tags_.find(successor);
    if (next == tags_.end() || !next->second.job_waits) continue;
    if (++met[successor] == next->second.missing) jobs.push_back(next->second.job);
  }
}

starpu_task* Tags::TaskOf(starpu_tag_t id) {
  MutexLock guard(lock_);
  const auto it = tags_.find(id);
  if (it == tags_.end() || !it->second.job) return nullptr;
  const Tag& tag = it->second;
  return tag.job->id.load(std::memory_order_acquire) == tag.job_id ? tag.job->task : nullptr;
}

}  // namespace tasklens::runtime
