// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/bus_calibration.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <string>

#include "runtime/data/devices.h"
#include "runtime/drivers/accelerators.h"
#include "runtime/drivers/sim/simulation.h"
#include "runtime/support/clock.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr size_t kLargeBytes = size_t{16} << 20;
// The fastest copy counts, as interruptions only make copies slower.
constexpr int kSmallCopies = 32, kLargeCopies = 4;

double FastestUs(const BusProbe& probe, unsigned source, unsigned target, size_t bytes,
                 int copies) {
  double fastest_us = INFINITY;
  for (int i = 0; i < copies; ++i)
    fastest_us = std::min(fastest_us, probe.copy_us(source, target, bytes));
  return std::isfinite(fastest_us) ? fastest_us : NAN;
}

// Measures real devices: owns memory in the host and on each device, and a stream per device.
class DeviceProbe {
 public:
  explicit DeviceProbe(Accelerators& accelerators) : accelerators_(accelerators) {
    const std::string why = accelerators_.Pin(host_.get(), kLargeBytes);
    is_pinned_ = why.empty();
    if (!is_pinned_) Warn("buses are measured with memory that is not pinned: %s", why.c_str());
    for (int device = 0; device < accelerators_.count(); ++device) {
      if (!accelerators_.is_usable(device)) {
        memory_.push_back(nullptr);
        streams_.push_back(nullptr);
        continue;
      }
      void* const memory = accelerators_.Allocate(device, kLargeBytes);
      if (!memory) Warn("CUDA %d has no room to measure its bus", device);
      memory_.push_back(static_cast<char*>(memory));
      streams_.push_back(accelerators_.Open(device, Accelerators::Use::kCopies));
    }
  }
  ~DeviceProbe() {
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (streams_[i]) accelerators_.Close(streams_[i]);
      if (memory_[i]) accelerators_.Release(static_cast<int>(i), memory_[i]);
    }
    if (is_pinned_) accelerators_.Unpin(host_.get());
  }
  DeviceProbe(const DeviceProbe&) = delete;
  DeviceProbe& operator=(const DeviceProbe&) = delete;

  double CopyUs(unsigned source, unsigned target, size_t bytes) {
    const char* const from = At(source);
    char* const to = At(target);
    if (!from || !to) return NAN;
    Accelerators::Stream* const stream = streams_[(source ? source : target) - 1];
    const auto device = [](unsigned node) {
      return node ? static_cast<int>(node) - 1 : Accelerators::kMainMemory;
    };
    const uint64_t start_ns = NowNs();
    accelerators_.Copy(stream, {device(source), device(target)},
                       {.source = from, .target = to, .row_bytes = bytes});
    accelerators_.Finish(stream);
    return static_cast<double>(NowNs() - start_ns) / 1000;
  }

 private:
  char* At(unsigned node) const { return node ? memory_[node - 1] : host_.get(); }

  Accelerators& accelerators_;
  const std::unique_ptr<char[]> host_ = std::make_unique<char[]>(kLargeBytes);
  bool is_pinned_ = false;
  std::vector<char*> memory_;  // by device; nullptr: no room, or device not usable
  std::vector<Accelerators::Stream*> streams_;
};

Status Written(const BusProbe& probe) {
  return WriteBus(PlacesFromEnvironment(), MeasureBus(probe), probe.devices);
}

Status CalibrateDevices(Accelerators& accelerators, uint32_t cpus) {
  DeviceProbe devices(accelerators);
  BusProbe probe;
  probe.cpus = cpus;
  for (int device = 0; device < accelerators.count(); ++device)
    probe.devices.push_back({accelerators.is_usable(device) ? accelerators.FreeBytes(device) : 0,
                             accelerators.count() > 1});
  probe.copy_us = [&](unsigned source, unsigned target, size_t bytes) {
    return devices.CopyUs(source, target, bytes);
  };
  return Written(probe);
}

Status CalibrateSimulation(const Simulation& simulation, uint32_t cpus) {
  if (simulation.cuda_devices() > 0 && !simulation.has_buses())
    return {ErrorCode::kNotFound,
            "the buses of a simulated machine are those of its files, and this one has none"};
  BusProbe probe;
  probe.cpus = simulation.has_buses() ? simulation.all_cpus() : cpus;
  for (int device = 0; device < simulation.cuda_devices(); ++device)
    probe.devices.push_back({LimitFromEnvironment(device).value_or(0), true});
  probe.copy_us = [&](unsigned source, unsigned target, size_t bytes) {
    return simulation.CopyUs(source, target, bytes);
  };
  return Written(probe);
}

// Whether the bus files lack these devices, and all devices can be measured.
bool AreNew(const Accelerators& accelerators) {
  for (int device = 0; device < accelerators.count(); ++device) {
    if (!accelerators.is_usable(device)) return false;
  }
  const PerfmodelPlaces places = PlacesFromEnvironment();
  if (places.folders.empty()) return false;
  const Result<Bus> bus = FindBus(places);
  if (!bus.ok()) return bus.status().code() == ErrorCode::kNotFound;
  return bus->Count("CUDA") != static_cast<uint32_t>(accelerators.count());
}

}  // namespace

Bus MeasureBus(const BusProbe& probe) {
  const auto nodes = static_cast<unsigned>(probe.devices.size() + 1);
  std::vector<std::vector<double>> bandwidth(nodes, std::vector<double>(nodes, 0));
  auto latency = bandwidth;
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const double small_us = FastestUs(probe, from, to, 1, kSmallCopies);
      const double large_us = FastestUs(probe, from, to, kLargeBytes, kLargeCopies);
      const double per_byte_us = (large_us - small_us) / (kLargeBytes - 1);
      if (!(per_byte_us > 0)) {
        latency[from][to] = bandwidth[from][to] = NAN;
        continue;
      }
      bandwidth[from][to] = 1 / per_byte_us;
      latency[from][to] = std::max(0.0, small_us - per_byte_us);
    }
  }
  return MeasuredBus(probe.cpus, bandwidth, latency);
}

int CalibrateBus(int asked, uint32_t cores, Accelerators* accelerators,
                 const Simulation* simulation) {
  if (asked == 0) return 0;
  if (asked < 0 && (!accelerators || !AreNew(*accelerators))) return 0;
  const Status status = simulation     ? CalibrateSimulation(*simulation, cores)
                        : accelerators ? CalibrateDevices(*accelerators, cores)
                                       : Written({.cpus = cores});
  if (status.ok()) return 0;
  Warn("buses are not measured: %s", std::string(status.message()).c_str());
  return asked > 0 ? -EIO : 0;
}

}  // namespace tasklens::runtime
