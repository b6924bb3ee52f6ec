// SPDX-License-Identifier: Apache-2.0
// The machine and the run as a scheduling policy sees them: all that a policy may ask. The runtime
// implements it (core/scheduling_host.h); tests implement a machine of their own.
//
// Workers are numbered from 0. All functions may be called by any thread at any time between the
// policy's Begin() and End(), and outlive the policy. Those under "asks the program" call functions
// of the program, or wait for memory or a disk: REQUIRES no lock. Times are those of the run's
// clock, in microseconds as performance models have them.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/support/combined_workers.h"
#include "runtime/support/worker_set.h"

namespace tasklens::runtime {

// What a policy knows of a worker.
struct WorkerView {
  starpu_worker_archtype kind = STARPU_CPU_WORKER;
  unsigned node = STARPU_MAIN_RAM;              // its memory
  const starpu_perfmodel_arch* arch = nullptr;  // workers of the same one take equally long
  bool enabled = true;                          // else it takes only what was kept for it
  const char* name = "";                        // it lasts
};

// STARPU_SCHED_ALPHA and its kin; a knob may change them during the run.
struct CostWeights {
  double alpha = 1, beta = 1, gamma = 1000, idle_power = 0;
};

class Host {
 public:
  virtual ~Host() = default;

  // --- The machine -------------------------------------------------------------------------------
  virtual int worker_count() const = 0;
  // REQUIRES: there is a worker of that number.
  virtual WorkerView worker(int id) const = 0;
  virtual WorkerSet MembersOf(unsigned context) const = 0;
  // Groups of workers for parallel tasks.
  virtual const CombinedWorkers& combined() const = 0;
  // Main memory, and one for each device.
  virtual unsigned node_count() const = 0;
  virtual double NowUs() const = 0;

  // --- Who can run a job that is ready -----------------------------------------------------------
  // By which implementation is left in job->implementation.
  bool CanRun(int worker, Job* job) const {
    return !job->restricted || CanRunRestricted(worker, job);
  }
  virtual bool MayRun(int worker, const Job& job, unsigned implementation) const = 0;

  // --- What it is expected to take (asks the program) --------------------------------------------
  // NaN: the model does not know; 0: there is no model.
  virtual double LengthUs(const Job& job, int worker, unsigned implementation) const = 0;
  virtual double EnergyJ(const Job& job, int worker, unsigned implementation) const = 0;
  // On all of these workers together.
  virtual double TeamLengthUs(const Job& job, std::span<const int> members) const = 0;
  // Until all that the task reads is on the node; 0 for what is there.
  virtual double TransferUs(const starpu_task& task, unsigned node) const = 0;
  // Until all that it reads has the layout that the worker wants.
  virtual double ConversionUs(const starpu_task& task, int worker) const = 0;
  // Between two memories.
  virtual double CopyUs(unsigned from, unsigned to, size_t bytes) const = 0;

  // --- Its data ----------------------------------------------------------------------------------
  virtual bool IsThere(Handle* handle, unsigned node) const = 0;
  // Whether all that the task reads is on the node now.
  virtual bool HasItsData(const starpu_task& task, unsigned node) const = 0;
  // Asks the program.
  virtual size_t BytesOf(Handle* handle) const = 0;
  // Begins to bring what the task reads to the node, as far as there is room. Waits for a disk.
  // REQUIRES: the task has been granted its data.
  virtual void SendData(const starpu_task& task, unsigned node) const = 0;

  // --- What the user wants -----------------------------------------------------------------------
  virtual CostWeights& weights() = 0;
  // Calls the function that the program gave for the policy of the context, if it gave one.
  virtual void Configure(unsigned context) = 0;

 protected:
  virtual bool CanRunRestricted(int worker, Job* job) const = 0;
};

}  // namespace tasklens::runtime
