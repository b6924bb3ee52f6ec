// SPDX-License-Identifier: Apache-2.0
// A simulated machine: its workers run nothing, but take the virtual time (core/virtual_time.h)
// that performance models know for their tasks; data move between its memories in the time that the
// host's bus files tell.
//
// STARPU_NSIM_CUDA=n simulates n CUDA devices and all CPU workers; with 0 these alone. Models and
// buses are those of STARPU_HOSTNAME, in the folders of perfmodel/places.h.
//
// Tasks of the runtime's own and codelets with STARPU_CODELET_SIMGRID_EXECUTE run for real, at the
// moment when they start.
#pragma once

#include <starpu.h>

#include <array>
#include <cstdint>
#include <optional>

#include "perfmodel/bus.h"

namespace tasklens::runtime {

class Devices;
struct Worker;
struct Job;

class Simulation {
 public:
  static bool IsWanted();

  // Reads the environment and the bus files; a line says when nobody measured the buses.
  Simulation();

  int cuda_devices() const { return cuda_devices_; }
  // As the bus files have it: those that drive no device. 0: not known.
  int cpus() const { return cpus_; }

  // A device's memory, as large as STARPU_LIMIT_CUDA_MEM says; its memory node.
  unsigned AddMemory(Devices& devices, int device) const;

  // What the task takes there; NaN when nobody knows.
  double LengthUs(const Worker& worker, starpu_task* task, unsigned implementation) const;
  // Runs the function if it is one that runs, and lets the task's time pass.
  void Run(const Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job) const;

  // What StarPU expects of a transfer between two memory nodes.
  double TransferUs(unsigned source, unsigned target, uint64_t bytes) const;
  // A transfer that may begin at a date, and does as soon as both ends are free: a device sends one
  // at a time, and receives one.
  struct Span {
    uint64_t start_ns, end_ns;
  };
  Span Carry(unsigned source, unsigned target, uint64_t bytes, uint64_t earliest_ns);

 private:
  // A memory node's place in the bus files.
  size_t PlaceOf(unsigned node) const;

  int cuda_devices_ = 0, cpus_ = 0;
  size_t numa_nodes_ = 1;
  std::optional<Bus> bus_;
  std::array<uint64_t, STARPU_MAXNODES> sends_until_ns_{}, receives_until_ns_{};
};

}  // namespace tasklens::runtime
