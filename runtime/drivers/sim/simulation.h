// SPDX-License-Identifier: Apache-2.0
// A simulated machine. Its workers run nothing, but let the virtual time (support/virtual_time.h)
// pass that performance models expect for their tasks; transfers take the time of the host's bus
// files.
//
// STARPU_NSIM_CUDA=n simulates n CUDA devices and all CPU workers; 0 simulates only CPU workers.
// Models and buses are those of STARPU_HOSTNAME, in the folders of perfmodel/places.h.
//
// The runtime's own tasks, and codelets with STARPU_CODELET_SIMGRID_EXECUTE, run for real when they
// start.
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

  // Reads the environment and the bus files; prints a warning if there are no bus files.
  Simulation();

  int cuda_devices() const { return cuda_devices_; }
  // Number of CPUs in the bus files that drive no device. 0: not known.
  int cpus() const { return cpus_; }
  bool has_buses() const { return bus_.has_value(); }
  // Includes the CPUs that drive devices. REQUIRES: has_buses().
  uint32_t all_cpus() const { return bus_->bus.Count("CPU"); }

  // Adds a device's memory, as large as STARPU_LIMIT_CUDA_MEM, and returns its memory node.
  unsigned AddMemory(Devices& devices, int device) const;

  // A worker, as performance models see it.
  struct Runner {
    int id;
    starpu_perfmodel_arch* arch;
  };
  // Returns the length of the task on the worker; NaN if the model has no estimate.
  double LengthUs(const Runner& runner, starpu_task* task, unsigned implementation) const;
  // Calls the function if it runs for real, and lets the task's time pass.
  void Run(const Runner& runner, starpu_cpu_func_t function, void** buffers, Job* job) const;

  // Arrivals are dates. A transfer begins as soon as both ends are free: a device sends one value
  // at a time, and receives one. Values are copied immediately.
  std::optional<Arrival> Carry(const Shipment& shipment, std::span<const Arrival> after,
                               const std::function<bool(void* async_data)>& copy) override;
  bool CopyRows(void* async_data, unsigned source, unsigned target, const Rows& rows) override;
  void* NativeOf(void*) override { return nullptr; }
  void Settle(void*) override {}
  void WaitFor(Arrival arrival) override;
  bool IsThere(Arrival arrival) override;
  Arrival Both(Arrival one, Arrival other) override { return one > other ? one : other; }
  Arrival Vacated(Arrival gone) override { return gone; }
  // Returns the time of a transfer that shares its bus with no other; NaN if not measured.
  //  REQUIRES: has_buses().
  double CopyUs(unsigned source, unsigned target, uint64_t bytes) const;
  // Returns the time that StarPU expects for a transfer between two memory nodes.
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
