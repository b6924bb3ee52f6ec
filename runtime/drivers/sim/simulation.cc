// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/sim/simulation.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/data/devices.h"
#include "runtime/data/movement.h"
#include "runtime/data/task_costs.h"
#include "runtime/jobs/job.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"
#include "runtime/support/virtual_time.h"
#include "trace/format/ticks.h"

namespace tasklens::runtime {
namespace {

constexpr const char* kDevices = "STARPU_NSIM_CUDA";

// IsOwn(): a task of the runtime's own, whose function runs for real and takes no virtual time.
// IsInjected(): a task whose function runs for real, for as long as it really takes.
bool IsOwn(const starpu_task& task) {
  return task.type & STARPU_TASK_TYPE_INTERNAL || task.cl == &starpu_codelet_nop;
}
bool IsInjected(const starpu_task& task) {
  return task.cl->flags & STARPU_CODELET_SIMGRID_EXECUTE_AND_INJECT;
}

uint64_t Ns(double us) { return static_cast<uint64_t>(std::llround(us * 1000)); }

}  // namespace

bool Simulation::IsWanted() {
  const char* given = getenv(kDevices);
  return given && *given;
}

Simulation::Simulation() {
  cuda_devices_ = EnvironmentNumber(kDevices).value_or(0);
  if (cuda_devices_ > STARPU_MAXCUDADEVS) {
    Warn("%s=%d: at most %d devices are simulated", kDevices, cuda_devices_, STARPU_MAXCUDADEVS);
    cuda_devices_ = STARPU_MAXCUDADEVS;
  }
  Result<Bus> bus = FindBus(PlacesFromEnvironment());
  if (bus.ok()) {
    bus_.emplace(std::move(*bus));
    cpus_ = std::max(0, static_cast<int>(bus_->bus.Count("CPU")) - cuda_devices_);
  } else if (cuda_devices_ > 0) {
    Warn("%s: transfers take no time; STARPU_HOSTNAME chooses another host",
         std::string(bus.status().message()).c_str());
  }
}

unsigned Simulation::AddMemory(Devices& devices, int device) const {
  // Reserves address space; pages are only used where functions run for real.
  const DeviceMemoryOps ops = {
      .allocate = [](size_t bytes) -> void* {
        void* memory = mmap(nullptr, std::max<size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return memory == MAP_FAILED ? nullptr : memory;
      },
      .release = [](void* memory, size_t bytes) { munmap(memory, std::max<size_t>(bytes, 1)); },
  };
  return devices.Add(STARPU_CUDA_RAM, device, ops, LimitFromEnvironment(device).value_or(0));
}

double Simulation::LengthUs(const Runner& runner, starpu_task* task,
                            unsigned implementation) const {
  if (IsOwn(*task)) return 0;
  starpu_perfmodel* const model = task->cl->model;
  if (!model) return IsInjected(*task) ? 0 : NAN;
  return ExpectedCost(model, task, runner.arch, implementation, runner.id);
}

void Simulation::Run(const Runner& runner, starpu_cpu_func_t function, void** buffers,
                     Job* job) const {
  starpu_task& task = *job->task;
  const uint64_t start_ns = VirtualTime::NowNs();
  uint64_t length_ns = 0;
  const bool is_injected = IsInjected(task);
  if (!is_injected) {
    const double length_us = LengthUs(runner, &task, job->implementation);
    length_ns = std::isnan(length_us) ? 0 : Ns(length_us);
  }
  const bool executes = task.cl->flags & STARPU_CODELET_SIMGRID_EXECUTE;
  if (function && (is_injected || executes || IsOwn(task))) {
    const uint64_t before_ns = tlt::MonotonicNs();
    function(buffers, task.cl_arg);
    if (is_injected) length_ns = tlt::MonotonicNs() - before_ns;
  }
  VirtualTime::SleepUntil(start_ns + length_ns);
}

double Simulation::CopyUs(unsigned source, unsigned target, uint64_t bytes) const {
  const size_t from = bus_->PlaceOf(source), to = bus_->PlaceOf(target);
  const auto at = [from, to](const BusMatrix& matrix) {
    return from < matrix.rows.size() && to < matrix.rows[from].size() ? matrix.rows[from][to] : NAN;
  };
  return at(bus_->bus.latency) + static_cast<double>(bytes) / at(bus_->bus.bandwidth);
}

double Simulation::TransferUs(unsigned source, unsigned target, uint64_t bytes) const {
  return bus_ ? bus_->TransferUs(source, target, bytes) : 0;
}

double Simulation::SoonestUs(unsigned source, unsigned target, uint64_t bytes,
                             Arrival source_arrives) const {
  const uint64_t begin_ns = std::max(source_arrives, VirtualTime::NowNs());
  return TransferUs(source, target, bytes) + static_cast<double>(begin_ns) / 1000;
}

bool Simulation::IsThere(Arrival arrival) { return arrival <= VirtualTime::NowNs(); }
void Simulation::WaitFor(Arrival arrival) { VirtualTime::SleepUntil(arrival); }

bool Simulation::CopyRows(void*, unsigned, unsigned, const Rows& rows) {
  for (size_t i = 0; i < rows.count; ++i)
    memcpy(rows.target + i * rows.target_stride_bytes, rows.source + i * rows.source_stride_bytes,
           rows.row_bytes);
  return true;
}

std::optional<Arrival> Simulation::Carry(const Shipment& shipment, std::span<const Arrival> after,
                                         const std::function<bool(void* async_data)>& copy) {
  const Span span = Reserve(shipment, *std::max_element(after.begin(), after.end()));
  VirtualTime::At(span.start_ns, [shipment] { RecordCopyStart(shipment); });
  VirtualTime::At(span.end_ns, [shipment] { RecordCopyEnd(shipment); });
  if (!copy(nullptr)) return std::nullopt;
  return span.end_ns;
}

Simulation::Span Simulation::Reserve(const Shipment& shipment, uint64_t earliest_ns) {
  const auto [handle, source, target, bytes, number, reason] = shipment;
  uint64_t start_ns = std::max(earliest_ns, VirtualTime::NowNs());
  if (!bus_) return {start_ns, start_ns};
  if (source != STARPU_MAIN_RAM) start_ns = std::max(start_ns, sends_until_ns_[source]);
  if (target != STARPU_MAIN_RAM) start_ns = std::max(start_ns, receives_until_ns_[target]);
  const double length_us = CopyUs(source, target, bytes);
  const uint64_t end_ns = start_ns + (std::isfinite(length_us) ? Ns(length_us) : 0);
  sends_until_ns_[source] = receives_until_ns_[target] = end_ns;
  return {start_ns, end_ns};
}

}  // namespace tasklens::runtime
