// SPDX-License-Identifier: Apache-2.0
// Calls the registered functions, and finds tasks that will be ready soon.
#include "runtime/core/hooks.h"

#include <cerrno>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/tags.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {
namespace {

// Whether the lasting dependency on the job with this key is the only one not met yet.
bool WaitsOnlyFor(uint64_t key, const LastingDependencies& dependencies) {
  for (const auto& edge : dependencies.edges) {
    if (edge.predecessor_key != key && edge.ends == 0) return false;
  }
  return dependencies.waiting;
}

// The jobs that wait for the job's end, each once per condition that this end meets. They stay
// valid until the job has ended.
std::vector<Job*> WaitingFor(Job* job, std::unordered_map<starpu_tag_t, uint32_t>& met_of_tags) {
  std::vector<Job*> waiting;
  uint64_t key = 0;
  std::vector<LastingSuccessor> lasting;
  {
    MutexLock guard(job->lock);
    for (const uintptr_t entry : job->successors) {
      const bool only_its_end = entry & 1;
      if (!only_its_end) waiting.push_back(reinterpret_cast<Job*>(entry));
    }
    key = job->lasting_key;
    if (job->lasting) lasting = job->lasting->successors;
  }
  for (const LastingSuccessor& successor : lasting) {
    MutexLock guard(successor.job->lock);
    if (!successor.IsGone() && WaitsOnlyFor(key, *successor.job->lasting))
      waiting.push_back(successor.job);
  }
  if (job->task->use_tag && !(job->type & kTypeInternal))
    Runtime::Instance()->tags().WaitingFor(job->task->tag_id, met_of_tags, waiting);
  return waiting;
}

}  // namespace

int Hooks::Add(Idle function, void* argument) {
  MutexLock guard(lock_);
  for (size_t id = 0; id < kMost; ++id) {
    if (hooks_[id].function) continue;
    hooks_[id] = {function, argument};
    count_.fetch_add(1);
    return static_cast<int>(id);
  }
  return -ENOMEM;
}

void Hooks::Remove(int id) {
  MutexLock guard(lock_);
  if (id < 0 || static_cast<size_t>(id) >= hooks_.size()) return;
  Hook& hook = hooks_[static_cast<size_t>(id)];
  if (hook.function) count_.fetch_sub(1);
  hook = {};
}

bool Hooks::CallIdle() {
  if (count_.load() == 0) return true;
  bool may_sleep = true;
  for (size_t id = 0; id < kMost; ++id) {
    Hook hook;
    {
      MutexLock guard(lock_);
      hook = hooks_[id];  // it may remove itself
    }
    if (hook.function && hook.function(hook.argument) == 0) may_sleep = false;
  }
  return may_sleep;
}

void Hooks::TellReadySoon(Job* job) {
  const auto function = ready_soon_.load(std::memory_order_acquire);
  const Worker* const worker = ThisThread().worker;
  if (!function || !worker) return;
  const double delay_us = starpu_task_expected_length(job->task, worker->arch, job->implementation);
  if (std::isnan(delay_us) || delay_us == 0) return;
  std::vector<Job*> to_look_at = {job};
  std::unordered_map<Job*, int32_t> met;  // number of conditions met per job
  std::unordered_map<starpu_tag_t, uint32_t> met_of_tags;
  while (!to_look_at.empty()) {
    Job* const before = to_look_at.back();
    to_look_at.pop_back();
    for (Job* const next : WaitingFor(before, met_of_tags)) {
      if (++met[next] != next->pending.load()) continue;
      const bool is_join = next->on_ready == &EndControlJob;
      if (next->on_ready && !is_join) continue;  // a control job for the program, not a task
      if (!is_join) function(ready_soon_data_, next->task, delay_us);
      // A job without a function ends at once.
      if (is_join || !HasWork(*next->task)) to_look_at.push_back(next);
    }
  }
}

}  // namespace tasklens::runtime
