// SPDX-License-Identifier: Apache-2.0
// One table under one lock; jobs are released outside of it.
#include "runtime/core/tags.h"

#include <cerrno>
#include <cstdarg>

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {

void Tags::DeclareDeps(starpu_tag_t id, std::span<const starpu_tag_t> deps) {
  MutexLock guard(lock_);
  for (const starpu_tag_t dep : deps) {
    Record<EventKind::kTagDep>(id, dep);
    if (Bound::WithDependencies()) Bound::TagDepends(id, dep);
    Tag& before = tags_[dep];
    before.successors.push_back(id);
    const bool done = before.done;
    Tag& tag = tags_[id];  // may move `before`
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

namespace {
Tags& TheTags(const char* function) { return Runtime::Get(function).tags(); }

void DeclareTagDeps(const char* function, starpu_tag_t id, std::span<const starpu_tag_t> deps) {
  Tags& tags = TheTags(function);
  const Site& call = ThisThread().call;
  if (call.file) Record<EventKind::kTagSite>(id, call.line, call.file, call.function);
  tags.DeclareDeps(id, deps);
}
}  // namespace

}  // namespace tasklens::runtime

using tasklens::runtime::DeclareTagDeps;
using tasklens::runtime::Runtime;
using tasklens::runtime::TheTags;
using tasklens::runtime::ThisThread;

extern "C" {

void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned count, starpu_tag_t* deps) {
  DeclareTagDeps("starpu_tag_declare_deps_array", id, {deps, count});
}

void starpu_tag_declare_deps(starpu_tag_t id, unsigned count, ...) {
  std::vector<starpu_tag_t> deps(count);
  va_list args;
  va_start(args, count);
  for (starpu_tag_t& dep : deps) dep = va_arg(args, starpu_tag_t);
  va_end(args);
  DeclareTagDeps("starpu_tag_declare_deps", id, deps);
}

int starpu_tag_wait_array(unsigned count, starpu_tag_t* tags) {
  auto& table = TheTags("starpu_tag_wait_array");
  if (ThisThread().current) return -EDEADLK;
  tasklens::runtime::trace::Waiting waiting(tasklens::StateKind::kWaitingTask);
  Runtime::Instance()->DoSchedule();
  table.Wait({tags, count});
  return 0;
}
int starpu_tag_wait(starpu_tag_t tag) { return starpu_tag_wait_array(1, &tag); }

void starpu_tag_restart(starpu_tag_t id) { TheTags("starpu_tag_restart").Restart(id); }
void starpu_tag_clear(void) { Runtime::Get("starpu_tag_clear").tags().Clear(); }
void starpu_tag_remove(starpu_tag_t id) { TheTags("starpu_tag_remove").Remove(id); }
void starpu_tag_notify_from_apps(starpu_tag_t id) {
  TheTags("starpu_tag_notify_from_apps").Done(id);
}
void starpu_tag_notify_restart_from_apps(starpu_tag_t id) {
  auto& tags = TheTags("starpu_tag_notify_restart_from_apps");
  tags.Done(id);
  tags.Restart(id);
}
starpu_task* starpu_tag_get_task(starpu_tag_t id) {
  return TheTags("starpu_tag_get_task").TaskOf(id);
}

}  // extern "C"
