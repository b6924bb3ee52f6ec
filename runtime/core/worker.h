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
  unsigned node = STARPU_MAIN_RAM;        // memory node of the worker
  starpu_perfmodel_arch* arch = nullptr;  // for performance models; never freed
  int cpu = -1;      // logical number of the processing unit it is bound to; -1: not bound
  int os_cpu = -1;   // the operating system's number of that unit
  std::string name;  // "CPU 0", "CUDA 0.0 (simulated)"
  std::unique_ptr<Driver> driver;
  std::thread thread;
  bool run_by_program = false;  // by a thread of the program; see starpu_driver.h

  // Jobs for this worker only.
  Mutex own_lock;
  PriorityQueue own_jobs GUARDED_BY(own_lock);
  std::atomic<size_t> own_size{0};
  FifoQueue tickets GUARDED_BY(own_lock);  // taken before other jobs; counted in own_size
  // Jobs for this worker with a task->workerorder, by that, and the next one to run.
  std::map<unsigned, Job*> ordered_jobs GUARDED_BY(own_lock);
  unsigned next_order GUARDED_BY(own_lock) = 1;

  ActivityClock activity;
  std::atomic<bool> enabled{true};  // see Runtime::Enable()
  WorkerLock policy_lock;           // for the program's policies

  // While profiling: when the current task should end, as its policy predicted; 0: unknown.
  std::atomic<uint64_t> expected_end_ns{0};
  std::atomic<bool> is_stuck{false};  // waits for free memory, see residency.h

  // A futex, set to 1 to wake the sleeping worker.
  alignas(kCacheLine) std::atomic<uint32_t> wake{0};
  // How many jobs this worker runs in the time that it takes to wake another one; 0: none. Read by
  // every push, so it is written only when it changes, and is a power of two.
  std::atomic<uint32_t> runs_alone{0};

  // Written by the worker only.
  alignas(kCacheLine) std::atomic<uint64_t> taken{0};  // jobs taken from the scheduler
  std::atomic<uint64_t> over{0};  // jobs of these that are over, with callbacks and release
  std::atomic<uint64_t> executed{0};
  std::atomic<uint32_t> begins{0};           // between MayBegin() and HasBegun(), see pauses.h
  std::atomic<const Job*> running{nullptr};  // the job whose function it runs, for the watchdog
  std::atomic<uint64_t> data_hits{0};        // data of tasks that were in place
  // Data that had to be transferred, allocated or initialised.
  std::atomic<uint64_t> data_misses{0};
  uint64_t last_end_ticks = 0;  // 0: the worker has waited since
  uint32_t run_since = 0;       // jobs run since last_end_ticks
  // Moving mean of the time from the end of a task to the end of the next.
  uint64_t mean_ticks = 1 << 20;
  uint64_t take_start_ns = 0;  // while profiling: when it began to look for its current job
  const Job* ends = nullptr;   // the job that it is ending, until the trace has its next state
  bool pushes_output = false;  // the trace has that state already
  int openmp_threads = 0;      // number of OpenMP threads that the prologue set; 0: not set
  uint32_t pauses = 0;         // how often its tasks have paused, see pausable.h
};

// All workers of the machine, by id.
using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace tasklens::runtime
