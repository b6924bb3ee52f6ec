// SPDX-License-Identifier: Apache-2.0
// Workers: threads that take jobs and run them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/core/driver.h"
#include "runtime/core/worker_lock.h"
#include "runtime/feedback/activity.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/job_queue.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

struct alignas(kCacheLine) Worker {
  int id = 0;
  starpu_worker_archtype kind = STARPU_CPU_WORKER;
  int device = 0;                         // number among the devices of its kind
  unsigned node = STARPU_MAIN_RAM;        // its memory
  starpu_perfmodel_arch* arch = nullptr;  // for performance models; it lasts
  int cpu = -1;      // logical number of the processing unit it is bound to; -1: not bound
  int os_cpu = -1;   // the same as the operating system numbers it
  std::string name;  // "CPU 0", "CUDA 0.0 (simulated)"
  std::unique_ptr<Driver> driver;
  std::thread thread;
  bool run_by_program = false;  // by a thread of the program's own; see starpu_driver.h

  // Jobs for this worker only.
  Mutex own_lock;
  PriorityQueue own_jobs GUARDED_BY(own_lock);
  std::atomic<size_t> own_size{0};
  FifoQueue tickets
      GUARDED_BY(own_lock);  // of teams; before the others. Under own_lock, counted in own_size.
  // Those of them with a task->workerorder, and the one whose turn it is. Under own_lock.
  std::map<unsigned, Job*> ordered_jobs GUARDED_BY(own_lock);
  unsigned next_order GUARDED_BY(own_lock) = 1;

  ActivityClock activity;
  std::atomic<bool> enabled{true};  // see Runtime::Enable()
  WorkerLock policy_lock;           // for policies of the program's own

  // While profiling: when the task at hand is expected to end, by what its policy predicted; 0:
  // nobody knows.
  std::atomic<uint64_t> expected_end_ns{0};
  std::atomic<bool> is_stuck{false};  // waits for room in memory, see residency.h

  // Sleeping: `wake` is a futex, raised by whoever wants the worker awake.
  alignas(kCacheLine) std::atomic<uint32_t> wake{0};
  // So many jobs it has run before another worker could have been woken; 0: not one. For those who
  // push, who read it often: it is written when it changes, by powers of two.
  std::atomic<uint32_t> runs_alone{0};

  // Written by the worker only.
  alignas(kCacheLine) std::atomic<uint64_t> taken{0};  // from the scheduler
  std::atomic<uint64_t> over{0};  // of these, with callbacks and what they set free
  std::atomic<uint64_t> executed{0};
  std::atomic<uint32_t> begins{0};           // between MayBegin() and HasBegun(), see pauses.h
  std::atomic<const Job*> running{nullptr};  // whose function it is in, for the watchdog
  std::atomic<uint64_t> data_hits{0};        // a task's data were there
  std::atomic<uint64_t> data_misses{0};      // or had to be made
  uint64_t last_end_ticks = 0;               // 0: it has waited since
  uint32_t run_since = 0;                    // jobs
  uint64_t mean_ticks = 1 << 20;             // moving mean of the time from task to task
  uint64_t take_start_ns = 0;  // while profiling: when it began to look for the job that it has
  const Job* ends = nullptr;   // whose end it is at, until the trace says what it does next
  bool pushes_output = false;  // the trace says so already
  int openmp_threads = 0;      // of its parallel regions, as the prologue set it; 0: it did not
  uint32_t pauses = 0;         // of its tasks, see pausable.h
};

// All of a machine, by their ids.
using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace tasklens::runtime
