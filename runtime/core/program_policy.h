// SPDX-License-Identifier: Apache-2.0
// Adapts a policy written against the public interface (struct starpu_sched_policy): one of the
// program's, or a modular one.
//
// Such a policy may make a task available to a worker at any time without notice. So each push
// wakes all sleeping workers, and workers keep polling while tasks are left.
#pragma once

#include <starpu.h>

#include <atomic>
#include <optional>
#include <vector>

#include "runtime/core/worker.h"
#include "runtime/sched/policy.h"

namespace tasklens::runtime {

class ProgramPolicy : public Policy {
 public:
  // `functions` must outlive the policy. REQUIRES: functions.push_task.
  explicit ProgramPolicy(const starpu_sched_policy& functions) : functions_(functions) {}

  void Begin(unsigned context) override;
  void End() override;
  void AddWorkers(std::span<const int> workers) override;
  void RemoveWorkers(std::span<const int> workers) override;
  int Push(Job* job, int from) override;
  // Returns 0: the policy itself chooses how many workers run a parallel task
  // (starpu_parallel_task_barrier_init, or the component of a combined worker).
  uint16_t ChooseTeam(Job* /*job*/) override { return 0; }
  Job* Pop(int worker) override;
  size_t Size() const override { return size_.load(); }
  // It is unknown for which workers the policy holds its tasks; starpu_worker_can_execute_task()
  // keeps new tasks away from a worker.
  bool KeepsFor(int /*worker*/) const override { return Size() > 0; }
  bool DoSchedule() override;

  // The pushed task will be popped `times` times (Team::Gather).
  void WillPop(int times) { size_.fetch_add(static_cast<size_t>(times) - 1); }
  // A task that the policy held went to a worker or context without Pop().
  void GaveAway() { size_.fetch_sub(1); }

  void Reset() const {
    if (functions_.reset_scheduler) functions_.reset_scheduler(context_);
  }
  // When the policy expects the task to end, in microseconds of starpu_timing_now(); nullopt if it
  // cannot predict that.
  std::optional<double> SimulatePush(starpu_task* task) const {
    if (!functions_.simulate_push_task) return std::nullopt;
    task->sched_ctx = context_;
    return functions_.simulate_push_task(task);
  }

  // Calls of the policy's hooks.
  void Submitted(starpu_task* task) const {
    if (functions_.submit_hook) functions_.submit_hook(task);
  }
  void PushedTo(starpu_task* task, int worker) const {
    if (functions_.push_task_notify) functions_.push_task_notify(task, worker, worker, context_);
  }
  void BeforeRun(starpu_task* task) const {
    if (functions_.pre_exec_hook) functions_.pre_exec_hook(task, context_);
  }
  void AfterRun(starpu_task* task) const {
    if (functions_.post_exec_hook) functions_.post_exec_hook(task, context_);
  }

 private:
  const char* name() const { return functions_.policy_name ? functions_.policy_name : "(no name)"; }

  const starpu_sched_policy& functions_;
  unsigned context_ = 0;
  std::atomic<size_t> size_{0};
};

}  // namespace tasklens::runtime
