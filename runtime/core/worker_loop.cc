// SPDX-License-Identifier: Apache-2.0
// Takes and runs jobs, searches for them, sleeps.
#include "runtime/core/worker_loop.h"

#include <pthread.h>

#include <algorithm>
#include <bit>

#include "runtime/core/driver.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {
namespace {

// A searching worker polls for some microseconds, since waking it would take as long.
constexpr int kSearchRounds = 64;
constexpr int kMaxPauses = 64;
// While others work, a sleeping worker wakes now and then to look for a job: pushes of small jobs
// count on the workers that are awake, and one of these may have got a long job.
constexpr uint64_t kNapNs = 500'000;
// The time, in ticks of about 0.3 to 1 ns, until waking a worker has paid off.
constexpr uint64_t kWakeTicks = 96'000;
// If the mean job is longer than this, other workers are woken for each push.
constexpr uint64_t kShortJobTicks = 6000;
// So many jobs are timed together.
constexpr uint32_t kTimedTogether = 8;
// With tasks under way on a device, or a hook that wants to be called again: number of polls before
// the worker naps, and the length of a nap.
constexpr int kLooks = 64;
constexpr uint64_t kLookAgainNs = 30'000;

}  // namespace

void WorkerLoop::Begin() {
  ThreadState& thread = ThisThread();
  thread.worker = &worker_;
  const starpu_prof_tool_info told = OfWorker(worker_.id);
  runtime_.tools().Tell(starpu_prof_tool_event_driver_init_start, told);
  thread.counter_slot = static_cast<uint32_t>(worker_.id) + 1;
  if (!worker_.run_by_program) pthread_setname_np(pthread_self(), worker_.name.c_str());
  if (worker_.node != STARPU_MAIN_RAM && IsFirstOnItsNode()) {
    Record<EventKind::kMemoryNodeNew>(worker_.node,
                                      std::string_view(runtime_.devices().NameOf(worker_.node)));
  }
  RecordNew();
  if (worker_.os_cpu >= 0) runtime_.topology().BindThisThread(worker_.os_cpu);
  worker_.driver->Begin();
  Record<EventKind::kWorkerReady>(static_cast<uint32_t>(worker_.id));
  runtime_.tools().Tell(starpu_prof_tool_event_driver_init, told);
  runtime_.tools().Tell(starpu_prof_tool_event_driver_init_end, told);
}

void WorkerLoop::RecordNew() const {
  Record<EventKind::kWorkerNew>(static_cast<uint32_t>(worker_.id),
                                static_cast<uint32_t>(worker_.kind), worker_.device, worker_.node,
                                worker_.os_cpu, worker_.driver->is_asynchronous() ? 0u : 1u,
                                std::string_view(worker_.name));
}

void WorkerLoop::TakeOver() {
  ThisThread().worker = &worker_;
  worker_.last_end_ticks = 0;
  RecordNew();
  Record<EventKind::kWorkerReady>(static_cast<uint32_t>(worker_.id));
}

void WorkerLoop::HandOver() {
  // (PAPI counts by thread.)
  if (HardwareCounters* counters = runtime_.hardware_counters()) counters->Leave(worker_.id);
  Record<EventKind::kWorkerGone>();
  ThisThread().worker = nullptr;
}

bool WorkerLoop::IsFirstOnItsNode() const {
  for (const auto& other : runtime_.workers_)
    if (other->node == worker_.node) return other->id == worker_.id;
  return true;
}

void WorkerLoop::RunUntilStopped() {
  if (worker_.driver->is_asynchronous()) return FeedUntilStopped();
  while (!Stopping()) {
    Job* job = TakeNow();
    if (!job) job = WaitForJob();
    if (job) Execute(job);
  }
}

void WorkerLoop::RunUntil(const std::atomic<uint32_t>& word, uint32_t value) {
  until_ = &word;
  until_value_ = value;
  RunUntilStopped();
}

void WorkerLoop::FeedUntilStopped() {
  while (!Stopping()) {
    const Driver::UnderWay under_way = worker_.driver->Tend();
    if (Job* job = under_way.takes_more ? TakeNow() : nullptr) {
      Execute(job);
    } else if (under_way.tasks == 0) {
      if (Job* found = WaitForJob()) Execute(found);
    } else {
      WaitBeside(under_way);
    }
  }
}

// Waits until a task on the device may have ended, or there may be another job.
void WorkerLoop::WaitBeside(const Driver::UnderWay& under_way) {
  Doing doing(worker_.activity, Activity::kExecuting);
  for (int i = 0; i < kLooks; ++i) {
    for (int j = 0; j < kMaxPauses; ++j) CpuRelax();
    if (worker_.driver->Tend().tasks < under_way.tasks || Stopping()) return;
  }
  runtime_.sleepers().FallsAsleep(worker_);
  // A push that came before this worker was seen asleep is found here.
  Job* job = nullptr;
  if (under_way.takes_more && !Stopping()) job = Take();
  if (!job && !Stopping()) FutexWait(worker_.wake, 0, kLookAgainNs);
  runtime_.sleepers().WakesUp(worker_);
  if (job) Execute(job);
}

void WorkerLoop::RunOnce() {
  if (Job* job = TakeNow()) {
    Execute(job);
  } else {
    runtime_.job_counts().CheckWaiters();
  }
}

void WorkerLoop::End() {
  worker_.driver->End();
  if (HardwareCounters* counters = runtime_.hardware_counters()) counters->Leave(worker_.id);
  runtime_.tools().Tell(starpu_prof_tool_event_driver_deinit, OfWorker(worker_.id));
  Record<EventKind::kWorkerStop>();
  Record<EventKind::kWorkerGone>();
  ThisThread().worker = nullptr;
}

bool WorkerLoop::Stopping() const {
  return runtime_.stopping_.load() ||
         (worker_.run_by_program && runtime_.drivers_stopping_.load()) ||
         (until_ && until_->load() == until_value_);
}

Job* WorkerLoop::TakeNow() {
  if (runtime_.settings.profiling.load(std::memory_order_relaxed)) worker_.take_start_ns = NowNs();
  Doing doing(worker_.activity, Activity::kScheduling);
  return Take();
}

Job* WorkerLoop::Take() {
  if (!runtime_.pauses().MayBegin(worker_)) return nullptr;
  Job* job = Find();
  runtime_.pauses().HasBegun(worker_);
  return job;
}

Job* WorkerLoop::Find() {
  Job* job = nullptr;
  if (worker_.own_size.load() != 0) {
    MutexLock guard(worker_.own_lock);
    const auto in_turn = worker_.ordered_jobs.find(worker_.next_order);
    if (!worker_.tickets.empty()) {
      job = worker_.tickets.Pop([](Job*) { return true; });
    } else if (in_turn != worker_.ordered_jobs.end()) {
      job = in_turn->second;
      worker_.ordered_jobs.erase(in_turn);
      ++worker_.next_order;
    } else {
      job = worker_.own_jobs.Pop([](Job*) { return true; });
    }
    if (job) worker_.own_size.fetch_sub(1, std::memory_order_relaxed);
  }
  if (job) return job;
  const bool enabled = worker_.enabled.load();
  if (runtime_.contexts_->active()) job = runtime_.contexts_->Pop(worker_.id, enabled);
  if (job || (!enabled && !runtime_.policy_->KeepsFor(worker_.id))) return job;
  return runtime_.policy_->Pop(worker_.id);
}

Job* WorkerLoop::WaitForJob() {
  runtime_.job_counts().CheckWaiters();
  trace::State(StateKind::kIdle);
  worker_.last_end_ticks = 0;  // waiting is not part of the time between two tasks
  runtime_.sleepers().BeginsToSearch();
  Doing doing(worker_.activity, Activity::kSearching);
  // (In a simulation no job arrives while virtual time stands still.)
  for (int round = runtime_.simulation() ? kSearchRounds : 0; round < kSearchRounds; ++round) {
    for (int i = 0; i < (round < kMaxPauses ? round + 1 : kMaxPauses); ++i) CpuRelax();
    if (Stopping() || runtime_.pauses().paused() || !worker_.enabled.load()) break;
    Job* job = Take();
    if (!job && runtime_.residency().is_under_way()) runtime_.residency().Tend();
    if (!job) continue;
    // The last worker to stop searching wakes another one if jobs are left.
    if (runtime_.sleepers().EndsToSearch() && runtime_.policy_->Size() > 0)
      runtime_.sleepers().WakeOne();
    return job;
  }
  runtime_.sleepers().FallsAsleep(worker_);
  (void)runtime_.sleepers().EndsToSearch();
  // A push may have counted on this search.
  if (!worker_.enabled.load() && runtime_.policy_->Size() > 0) runtime_.sleepers().WakeOne();
  // A push that came before this worker was seen asleep is found here.
  Job* job = nullptr;
  if (!Stopping()) job = Take();
  if (!job) Sleep();
  runtime_.sleepers().WakesUp(worker_);
  return job;
}

void WorkerLoop::Sleep() {
  if (Stopping()) return;
  trace::State(StateKind::kSleeping);
  Tell(runtime_.hooks().falls_asleep);
  Doing doing(worker_.activity, Activity::kSleeping);
  const WorkerSet all = runtime_.contexts_->WorkersOf(0);
  while (worker_.wake.load() == 0 && !Stopping()) {
    // In a simulation every push wakes the workers it needs, unless a program policy holds tasks
    // back.
    const bool naps = !runtime_.simulation() || runtime_.program_policy_;
    const bool others_work =
        naps && !runtime_.pauses().paused() && runtime_.sleepers().Load() != all;
    // A hypervisor that moves workers between contexts is told of idle workers.
    const bool says_so = runtime_.contexts_->watched() && !runtime_.simulation();
    if (runtime_.residency().is_under_way()) runtime_.residency().Tend();
    const bool may_sleep = (runtime_.pauses().paused() || runtime_.hooks().CallIdle()) &&
                           !runtime_.residency().is_under_way();
    if (others_work) runtime_.sleepers().NapsNow(worker_, true);
    FutexWait(worker_.wake, 0, !may_sleep ? kLookAgainNs : others_work || says_so ? kNapNs : 0);
    if (says_so) runtime_.contexts_->TellIdle(worker_.id);
    if (others_work) runtime_.sleepers().NapsNow(worker_, false);
    if (others_work && (runtime_.policy_->SizeFor(worker_.id) > 0 || worker_.own_size.load() > 0 ||
                        runtime_.contexts_->HaveFor(worker_.id))) {
      break;
    }
  }
  Tell(runtime_.hooks().wakes_up);
  trace::State(StateKind::kOverhead, StateKind::kSleeping);
}

void WorkerLoop::Tell(Hooks::AboutWorker function) const {
  if (function) function(static_cast<unsigned>(worker_.id));
}

void WorkerLoop::Execute(Job* job) {
  if (job->is_ticket) {
    job->on_ready(job);
    worker_.last_end_ticks = 0;
    return;
  }
  worker_.driver->Run(job);
  // Reading the clock takes a twentieth of a short job, so several jobs are timed together.
  ++worker_.run_since;
  const uint32_t alone = worker_.runs_alone.load(std::memory_order_relaxed);
  if (worker_.last_end_ticks && alone && worker_.run_since < kTimedTogether) return;
  const uint64_t now = Ticks();
  if (worker_.last_end_ticks) {
    const uint64_t length = (now - worker_.last_end_ticks) / worker_.run_since;
    const uint64_t mean = worker_.mean_ticks - worker_.mean_ticks / 8 + length / 8;
    worker_.mean_ticks = mean;
    const uint64_t many = std::bit_floor(kWakeTicks / std::max<uint64_t>(mean, 1));
    const auto now_alone = static_cast<uint32_t>(mean < kShortJobTicks ? many : 0);
    if (now_alone != alone) worker_.runs_alone.store(now_alone, std::memory_order_relaxed);
  }
  worker_.last_end_ticks = now;
  worker_.run_since = 0;
}

}  // namespace tasklens::runtime
