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
  // The running instance; aborts with a line when there is none, naming `function`.
  static Runtime& Get(const char* function);
  // nullptr when there is none.
  static Runtime* Instance();

  // 0 or a negative errno, as starpu_init() returns.
  static int Start(const starpu_conf& conf, ChoosePolicy& choose);
  // Nothing is paused any more, and all jobs have ended.
  void Drain();
  static void Stop();
  // In a child of fork(): there are no workers here. What the instance knows can still be asked
  // until the child starts its own.
  static void NoteFork();
  // Whether the running instance is that of the parent.
  static bool IsOfParent();

  // Gives a job to the scheduler (or to its worker) and sees to it that somebody runs it.
  void Schedule(Job* job);
  // The same of a job that was scheduled before, for another context.
  void ScheduleAgain(Job* job);
  // Gives a worker something to do before all else: its part in a team (with team_lock, so that all
  // teams have the same order everywhere), or a task that goes on.
  void GiveTicket(int worker, Job* ticket);
  Mutex team_lock;
  // Groups of workers for parallel tasks; none unless the policy is one for them or the program
  // added some. The number of the first is that after the last worker's.
  const CombinedWorkers& combined() const { return combined_; }
  // The number of the group of these workers, which is added if it is new; or -ENOMEM where there
  // are too many.
  int Combine(std::vector<int> members);
  // Adds those that the machine suggests (FindCombinations).
  void CombineAll();
  // The members of a combined worker, or nullptr when the number is not one's.
  const std::vector<int>* CombinedWorker(int id) const {
    const size_t index = static_cast<size_t>(id) - workers_.size();
    return id >= 0 && index < combined_.size() ? &combined_[index] : nullptr;
  }
  // The largest combined worker for a task of so many workers at most: its index plus 1, or 0.
  uint16_t CombinedFor(const starpu_codelet& codelet) const;
  Contexts& contexts() { return *contexts_; }
  // Puts a job among those that only `worker` takes.
  void GiveTo(Worker& worker, Job* job, bool front);
  // Waits until at most `left` counted jobs are outstanding.
  void WaitForOutstanding(uint64_t left);
  // Waits until some counted job ends, when so many (job_counts().Ended()) have.
  void WaitForEnd(uint64_t ended);
  // The program is about to wait: the policy gives away what it held back for a better choice.
  void DoSchedule();
  // A worker that is not enabled takes only the jobs that were given to it alone, from the return
  // of this on.
  void Enable(Worker& worker, bool enabled);
  Sleepers& sleepers() { return *sleepers_; }

  // When Pause() has returned, no worker begins anything until Resume().
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
  // Bits of `where` for the kinds of workers that there are.
  uint32_t kinds() const { return kinds_; }
  // Whether every worker runs what any runs: they are CPUs, and real ones.
  bool are_alike() const { return kinds_ == STARPU_CPU && !simulation_; }
  // nullptr unless the machine is simulated.
  Simulation* simulation() { return simulation_.get(); }
  const Simulation* simulation() const { return simulation_.get(); }
  // Who carries data to devices and back; nullptr where there are none.
  Carrier* carrier() {
    return simulation_ ? static_cast<Carrier*>(simulation_.get()) : copies_.get();
  }
  // Of real devices; nullptr where there are none.
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
  // Of the jobs that starpu_task_wait_for_all() waits for.
  JobCounts& job_counts() { return job_counts_; }
  Tags& tags() { return *tags_; }
  Hooks& hooks() { return hooks_; }
  EnergyMeter& energy_meter() { return energy_meter_; }
  // Those that are bound to a processing unit, by its logical number.
  std::vector<int>& workers_on(int unit) { return workers_on_[unit]; }
  MachineTree& machine_tree() { return machine_tree_; }
  Topology& topology() { return topology_; }
  const Topology& topology() const { return topology_; }
  // What its policies see of it.
  Host& host() { return *host_; }
  // The public face of the policy, with its name.
  starpu_sched_policy& public_policy() { return *policy_context_.policy; }
  // The policy of a context; nullptr when it has none, or is not there.
  Policy* policy(unsigned context) {
    if (context == 0) return policy_.get();
    Context* found = contexts_->Find(context);
    return found ? found->policy.get() : nullptr;
  }
  // That policy, when it is one of the public interface, with hooks; else nullptr.
  ProgramPolicy* program_policy(unsigned context) {
    if (context == 0) return program_policy_;
    Context* found = contexts_->Find(context);
    return found ? found->program_policy : nullptr;
  }
  // nullptr when the context is not there.
  PolicyContext* policy_context(unsigned context) {
    if (context == 0) return &policy_context_;
    Context* found = contexts_->Find(context);
    return found ? &found->policy_context : nullptr;
  }
  const TaskBreaks& task_breaks() const { return task_breaks_; }
  Watchdog* watchdog() { return watchdog_.get(); }  // nullptr: none
  PerfCounters& perf_counters() { return *perf_counters_; }
  HardwareCounters* hardware_counters() { return hardware_counters_.get(); }  // nullptr: none
  MemoryStats* memory_stats() { return memory_stats_.get(); }                 // nullptr: not wanted

  std::atomic<uint64_t> next_submit_order{1};
  Settings settings;
  Iterations iterations;
  RecordedKinds recorded_kinds;  // in this run's trace
  MemoryAccount memory;
  const Tools& tools() const { return tools_; }
  Tools& tools() { return tools_; }
  Residency& residency() { return residency_; }
  // Of the running instance, for what is done with data at any time; nullptr where there is none.
  static Residency* ResidencyNow() {
    Runtime* const runtime = Instance();
    return runtime ? &runtime->residency_ : nullptr;
  }
  Disks& disks() { return disks_; }
  Devices& devices() { return devices_; }
  unsigned memory_nodes() const { return 1 + devices_.count() + disks_.count(); }
  const uint64_t begin_ns = NowNs();
  void* data_of_no_context = nullptr;      // starpu_sched_ctx_set_policy_data() by a thread in none
  std::atomic<uint32_t> stacks_in_use{0};  // of jobs that may pause
  // How many threads of the program's own starpu_get_next_bindid() gave a unit.
  std::atomic<unsigned> bound_threads{0};
  // Workers that the program runs stop (starpu_drivers_request_termination).
  void StopDrivers();

 private:
  friend class WorkerLoop;
  Runtime(Topology topology, const starpu_conf& conf);
  // What the program and the environment ask for where no Settings says it, of `count` workers.
  void TakeSettings(const starpu_conf& conf, int count);
  void MakeWorkers(const starpu_conf& conf, int cpus, const CudaWorkers& cuda);
  // Their threads, but of those that the program runs; returns when each has begun.
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
  const std::unique_ptr<ResidencyHost> data_host_;  // before what asks it
  Residency residency_;
  MachineTree machine_tree_;
  Topology topology_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> drivers_stopping_{false};
  Workers workers_;
  std::unique_ptr<Sleepers> sleepers_;  // made when the number of workers is known
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

// A cheap counter that only grows, of unknown unit.
inline uint64_t Ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return NowNs();
#endif
}

}  // namespace tasklens::runtime
