// SPDX-License-Identifier: Apache-2.0
// The one instance of the runtime, from starpu_init() to starpu_shutdown().
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "runtime/core/contexts.h"
#include "runtime/core/hooks.h"
#include "runtime/core/iterations.h"
#include "runtime/core/job_counts.h"
#include "runtime/core/machine_tree.h"
#include "runtime/core/pauses.h"
#include "runtime/core/policy_context.h"
#include "runtime/core/program_policy.h"
#include "runtime/core/recorded_kinds.h"
#include "runtime/core/settings.h"
#include "runtime/core/sleepers.h"
#include "runtime/core/tags.h"
#include "runtime/core/task_breaks.h"
#include "runtime/core/topology.h"
#include "runtime/core/watchdog.h"
#include "runtime/core/worker.h"
#include "runtime/data/carrier.h"
#include "runtime/data/devices.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/memory_stats.h"
#include "runtime/data/residency.h"
#include "runtime/drivers/device/cuda_workers.h"
#include "runtime/drivers/device/device_copies.h"
#include "runtime/drivers/device/pinned_memory.h"
#include "runtime/drivers/sim/simulation.h"
#include "runtime/feedback/counters.h"
#include "runtime/feedback/energy_meter.h"
#include "runtime/feedback/hardware_counters.h"
#include "runtime/feedback/tools.h"
#include "runtime/sched/policy.h"
#include "runtime/support/clock.h"
#include "runtime/support/combined_workers.h"
#include "runtime/support/memory_account.h"
#include "runtime/support/sync.h"
#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

class Runtime {
 public:
  // Returns the running instance; aborts with a message naming `function` if there is none.
  static Runtime& Get(const char* function);
  // Returns the running instance, or nullptr.
  static Runtime* Instance();

  // Returns 0 or a negative errno, as starpu_init().
  static int Start(const starpu_conf& conf, ChoosePolicy& choose);
  // Ends all pauses and waits for all jobs.
  void Drain();
  static void Stop();
  // To be called in a child of fork(), where no worker thread exists. The parent's instance can
  // still be queried until the child starts its own.
  static void NoteFork();
  // Whether the running instance is that of the parent process.
  static bool IsOfParent();

  // Gives a ready job to the scheduler (or to the worker it is pinned to) and wakes a worker if
  // needed.
  void Schedule(Job* job);
  // Schedules a job again that was scheduled before, now for another context.
  void ScheduleAgain(Job* job);
  // Gives a worker a job that it runs before all others: its part in a team (under team_lock, so
  // that all workers meet teams in the same order), or a paused task that continues.
  void GiveTicket(int worker, Job* ticket);
  Mutex team_lock;
  // Groups of workers for parallel tasks; none unless the policy runs parallel tasks or the program
  // added some. Their ids follow those of the workers.
  const CombinedWorkers& combined() const { return combined_; }
  // Returns the id of the group of these workers, adding it if it is new, or -ENOMEM if there are
  // too many groups.
  int Combine(std::vector<int> members);
  // Adds the groups that FindCombinations() suggests.
  void CombineAll();
  // The members of a combined worker, or nullptr if `id` is not that of a combined worker.
  const std::vector<int>* CombinedWorker(int id) const {
    const size_t index = static_cast<size_t>(id) - workers_.size();
    return id >= 0 && index < combined_.size() ? &combined_[index] : nullptr;
  }
  // The index plus 1 of the largest combined worker within the codelet's max_parallelism, or 0.
  uint16_t CombinedFor(const starpu_codelet& codelet) const;
  Contexts& contexts() { return *contexts_; }
  // Queues a job that only `worker` takes.
  void GiveTo(Worker& worker, Job* job, bool front);
  // Waits until at most `left` counted jobs are outstanding.
  void WaitForOutstanding(uint64_t left);
  // Waits until job_counts().Ended() differs from `ended`.
  void WaitForEnd(uint64_t ended);
  // The program is about to wait: policies hand out the tasks that they held back for a better
  // choice.
  void DoSchedule();
  // Enables or disables a worker. Once this returns, a disabled worker takes only jobs that were
  // given to it alone.
  void Enable(Worker& worker, bool enabled);
  Sleepers& sleepers() { return *sleepers_; }

  // Once Pause() has returned, no worker begins a job until Resume().
  void Pause();
  void Resume();
  Pauses& pauses() { return pauses_; }

  Workers& workers() { return workers_; }
  const Workers& workers() const { return workers_; }
  Worker* worker(int id) {
    return id >= 0 && static_cast<size_t>(id) < workers_.size() ? workers_[id].get() : nullptr;
  }
  // The worker of a device, or nullptr.
  Worker* WorkerOf(starpu_worker_archtype kind, int device);
  // The kinds of the existing workers, as bits of `where`.
  uint32_t kinds() const { return kinds_; }
  // Whether any worker can run any task: all are CPUs and not simulated.
  bool are_alike() const { return kinds_ == STARPU_CPU && !simulation_; }
  // nullptr unless the machine is simulated.
  Simulation* simulation() { return simulation_.get(); }
  const Simulation* simulation() const { return simulation_.get(); }
  // Copies data to and from devices; nullptr if there are none.
  Carrier* carrier() {
    return simulation_ ? static_cast<Carrier*>(simulation_.get()) : copies_.get();
  }
  // For real devices; nullptr if there are none.
  Accelerators* accelerators() { return accelerators_.get(); }
  DeviceCopies* copies() { return copies_.get(); }
  PinnedMemory* pinned_memory() { return pinned_memory_.get(); }
  void WaitFor(Arrival arrival) {
    if (arrival && carrier()) carrier()->WaitFor(arrival);
  }
  void WaitFor(const Arrivals& arrivals) {
    for (const Arrival arrival : arrivals) WaitFor(arrival);
  }
  bool IsThere(Arrival arrival) { return !arrival || !carrier() || carrier()->IsThere(arrival); }
  Arrival Both(Arrival one, Arrival other) { return carrier() ? carrier()->Both(one, other) : 0; }
  // Counts the jobs that starpu_task_wait_for_all() waits for.
  JobCounts& job_counts() { return job_counts_; }
  Tags& tags() { return *tags_; }
  Hooks& hooks() { return hooks_; }
  EnergyMeter& energy_meter() { return energy_meter_; }
  // The workers bound to a processing unit, given its logical number.
  std::vector<int>& workers_on(int unit) { return workers_on_[unit]; }
  MachineTree& machine_tree() { return machine_tree_; }
  Topology& topology() { return topology_; }
  const Topology& topology() const { return topology_; }
  // The runtime as its policies see it.
  Host& host() { return *host_; }
  // The public struct of the policy of context 0.
  starpu_sched_policy& public_policy() { return *policy_context_.policy; }
  // The policy of a context; nullptr if the context has none or does not exist.
  Policy* policy(unsigned context) {
    if (context == 0) return policy_.get();
    Context* found = contexts_->Find(context);
    return found ? found->policy.get() : nullptr;
  }
  // The policy of a context if it is a ProgramPolicy (with hooks), else nullptr.
  ProgramPolicy* program_policy(unsigned context) {
    if (context == 0) return program_policy_;
    Context* found = contexts_->Find(context);
    return found ? found->program_policy : nullptr;
  }
  // Returns nullptr if the context does not exist.
  PolicyContext* policy_context(unsigned context) {
    if (context == 0) return &policy_context_;
    Context* found = contexts_->Find(context);
    return found ? &found->policy_context : nullptr;
  }
  const TaskBreaks& task_breaks() const { return task_breaks_; }
  Watchdog* watchdog() { return watchdog_.get(); }  // nullptr: none
  PerfCounters& perf_counters() { return *perf_counters_; }
  HardwareCounters* hardware_counters() { return hardware_counters_.get(); }  // nullptr: none
  MemoryStats* memory_stats() { return memory_stats_.get(); }                 // nullptr: off

  // Each submission writes the first of these and each task reads the settings, so they share no
  // cache line.
  alignas(kCacheLine) std::atomic<uint64_t> next_submit_order{1};
  alignas(kCacheLine) Settings settings;
  Iterations iterations;
  RecordedKinds recorded_kinds;  // in this run's trace
  MemoryAccount memory;
  const Tools& tools() const { return tools_; }
  Tools& tools() { return tools_; }
  Residency& residency() { return residency_; }
  // The Residency of the running instance, or nullptr: data functions may also be called without
  // one.
  static Residency* ResidencyNow() {
    Runtime* const runtime = Instance();
    return runtime ? &runtime->residency_ : nullptr;
  }
  Disks& disks() { return disks_; }
  Devices& devices() { return devices_; }
  unsigned memory_nodes() const { return 1 + devices_.count() + disks_.count(); }
  const uint64_t begin_ns = NowNs();
  // Set by starpu_sched_ctx_set_policy_data() of a thread in no context.
  void* data_of_no_context = nullptr;
  std::atomic<uint32_t> stacks_in_use{0};  // of pausable jobs
  // The number of program threads that starpu_get_next_bindid() gave a processing unit.
  std::atomic<unsigned> bound_threads{0};
  // Stops the workers that the program runs itself (starpu_drivers_request_termination).
  void StopDrivers();

 private:
  friend class WorkerLoop;
  Runtime(Topology topology, const starpu_conf& conf);
  // Applies what Settings does not hold, for `count` workers.
  void TakeSettings(const starpu_conf& conf, int count);
  void MakeWorkers(const starpu_conf& conf, int cpus, const CudaWorkers& cuda);
  // Starts the workers' threads, except those that the program runs; returns when each has begun.
  void StartWorkers();
  void ScheduleTogether(Job* job);

  Tools tools_;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<Accelerators> accelerators_;
  std::unique_ptr<PinnedMemory> pinned_memory_;
  uint32_t kinds_ = 0;
  Devices devices_;
  std::unique_ptr<DeviceCopies> copies_;
  Disks disks_;
  const std::unique_ptr<MemoryStats> memory_stats_;
  const std::unique_ptr<ResidencyHost> data_host_;  // before residency_, which uses it
  Residency residency_;
  MachineTree machine_tree_;
  Topology topology_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> drivers_stopping_{false};
  Workers workers_;
  std::unique_ptr<Sleepers> sleepers_;  // created when the number of workers is known
  Pauses pauses_{workers_, stopping_};
  CombinedWorkers combined_;
  const TaskBreaks task_breaks_;
  std::unique_ptr<Host> host_;  // before the policies
  std::unique_ptr<Contexts> contexts_;
  std::unique_ptr<Policy> policy_;
  ProgramPolicy* program_policy_ = nullptr;
  PolicyContext policy_context_;  // of context 0
  std::unique_ptr<Watchdog> watchdog_;
  std::unique_ptr<PerfCounters> perf_counters_;
  std::unique_ptr<HardwareCounters> hardware_counters_;
  std::unique_ptr<Tags> tags_;
  Hooks hooks_;
  EnergyMeter energy_meter_;
  std::map<int, std::vector<int>> workers_on_;
  JobCounts job_counts_;
};

// A cheap monotonic counter; its unit is unspecified.
inline uint64_t Ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return NowNs();
#endif
}

}  // namespace tasklens::runtime
