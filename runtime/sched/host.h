// SPDX-License-Identifier: Apache-2.0
// Host: the machine and the run as a scheduling policy sees them. The runtime implements it
// (core/scheduling_host.h); tests implement a fake machine.
//
// Workers are numbered from 0. Threads: any, at any time between the policy's Begin() and End().
// The host outlives the policy. Functions under "asks the program" call functions of the program,
// or wait for memory or a disk: REQUIRES no lock. Times are those of the run's clock, in
// microseconds as in performance models.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/support/combined_workers.h"
#include "runtime/support/worker_set.h"

namespace tasklens::runtime {

// A worker as policies see it.
struct WorkerView {
  starpu_worker_archtype kind = STARPU_CPU_WORKER;
  unsigned node = STARPU_MAIN_RAM;              // its memory node
  const starpu_perfmodel_arch* arch = nullptr;  // workers with the same one run equally fast
  bool enabled = true;    // false: it only runs tasks that the policy keeps for it
  const char* name = "";  // valid as long as the host
};

// STARPU_SCHED_ALPHA, _BETA and _GAMMA, and STARPU_IDLE_POWER; a knob may change them during the
// run.
struct CostWeights {
  double alpha = 1, beta = 1, gamma = 1000, idle_power = 0;
};

class Host {
 public:
  virtual ~Host() = default;

  // --- The machine -------------------------------------------------------------------------------
  virtual int worker_count() const = 0;
  // REQUIRES: 0 <= id < worker_count().
  virtual WorkerView worker(int id) const = 0;
  virtual WorkerSet MembersOf(unsigned context) const = 0;
  // Returns the groups of workers for parallel tasks.
  virtual const CombinedWorkers& combined() const = 0;
  // The main memory, and one node for each device.
  virtual unsigned node_count() const = 0;
  virtual double NowUs() const = 0;

  // --- Who can run a job that is ready -----------------------------------------------------------
  // Leaves the implementation to run in job->implementation.
  bool CanRun(int worker, Job* job) const {
    return !job->restricted || CanRunRestricted(worker, job);
  }
  virtual bool MayRun(int worker, const Job& job, unsigned implementation) const = 0;

  // --- What it is expected to take (asks the program) --------------------------------------------
  // NaN: the model has no estimate; 0: there is no model.
  virtual double LengthUs(const Job& job, int worker, unsigned implementation) const = 0;
  virtual double EnergyJ(const Job& job, int worker, unsigned implementation) const = 0;
  // Length of a parallel task on all of these workers together.
  virtual double TeamLengthUs(const Job& job, std::span<const int> members) const = 0;
  // Expected time to transfer the data that the task reads, for a worker on the node.
  virtual double TransferUs(const starpu_task& task, unsigned node) const = 0;
  // Expected time to convert the data that the task reads to the layout of the worker.
  virtual double ConversionUs(const starpu_task& task, int worker) const = 0;
  // Expected time of a transfer between two memory nodes.
  virtual double CopyUs(unsigned from, unsigned to, size_t bytes) const = 0;

  // --- Its data ----------------------------------------------------------------------------------
  // Where a worker on `node` uses them: there, unless the codelet names other nodes.
  virtual bool IsThere(const starpu_task& task, unsigned buffer, unsigned node) const = 0;
  // Whether all data that the task reads are there.
  virtual bool HasItsData(const starpu_task& task, unsigned node) const = 0;
  // Returns the size of the handle's value. Asks the program.
  virtual size_t BytesOf(Handle* handle) const = 0;
  // Starts to transfer the data that the task reads, for a worker on the node, as far as there is
  // room. May wait for a disk. REQUIRES: the task has been granted its data.
  virtual void SendData(const starpu_task& task, unsigned node) const = 0;

  // --- What the user wants -----------------------------------------------------------------------
  virtual CostWeights& weights() = 0;
  // Calls the program's configuration function for the policy of the context, if there is one.
  virtual void Configure(unsigned context) = 0;

 protected:
  virtual bool CanRunRestricted(int worker, Job* job) const = 0;
};

}  // namespace tasklens::runtime
