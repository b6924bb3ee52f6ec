// SPDX-License-Identifier: Apache-2.0
// A simulated machine: its workers run nothing, but take the virtual time (support/virtual_time.h)
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

#include "runtime/data/carrier.h"
#include "runtime/drivers/bus_times.h"

namespace tasklens::runtime {

class Devices;
struct Job;

class Simulation : public Carrier {
 public:
  static bool IsWanted();

  // Reads the environment and the bus files; a line says when nobody measured the buses.
  Simulation();

  int cuda_devices() const { return cuda_devices_; }
  // As the bus files have it: those that drive no device. 0: not known.
  int cpus() const { return cpus_; }
  bool has_buses() const { return bus_.has_value(); }
  // With those that drive devices. REQUIRES: has_buses().
  uint32_t all_cpus() const { return bus_->bus.Count("CPU"); }

  // A device's memory, as large as STARPU_LIMIT_CUDA_MEM says; its memory node.
  unsigned AddMemory(Devices& devices, int device) const;

  // A worker, as models know it.
  struct Runner {
    int id;
    starpu_perfmodel_arch* arch;
  };
  // What the task takes there; NaN when nobody knows.
  double LengthUs(const Runner& runner, starpu_task* task, unsigned implementation) const;
  // Runs the function if it is one that runs, and lets the task's time pass.
  void Run(const Runner& runner, starpu_cpu_func_t function, void** buffers, Job* job) const;

  // Arrivals are dates. A transfer begins as soon as both ends are free: a device sends one thing
  // at a time, and receives one. Values are copied at once.
  std::optional<Arrival> Carry(const Shipment& shipment, std::span<const Arrival> after,
                               const std::function<bool(void* async_data)>& copy) override;
  bool CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) override;
  void* NativeOf(void*) override { return nullptr; }
  void Settle(void*) override {}
  void WaitFor(Arrival arrival) override;
  bool IsThere(Arrival arrival) override;
  Arrival Both(Arrival one, Arrival other) override { return one > other ? one : other; }
  Arrival Vacated(Arrival gone) override { return gone; }
  // What a transfer takes that shares the way with no other; NaN where nobody has measured it.
  // REQUIRES: has_buses().
  double CopyUs(unsigned source, unsigned target, uint64_t bytes) const;
  // What StarPU expects of a transfer between two memory nodes.
  double TransferUs(unsigned source, unsigned target, uint64_t bytes) const override;
  double SoonestUs(unsigned source, unsigned target, uint64_t bytes,
                   Arrival source_arrives) const override;

 private:
  struct Span {
    uint64_t start_ns, end_ns;
  };
  Span Reserve(const Shipment& shipment, uint64_t earliest_ns);
  int cuda_devices_ = 0, cpus_ = 0;
  std::optional<BusTimes> bus_;
  std::array<uint64_t, STARPU_MAXNODES> sends_until_ns_{}, receives_until_ns_{};
};

}  // namespace tasklens::runtime
