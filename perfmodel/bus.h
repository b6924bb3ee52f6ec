// SPDX-License-Identifier: Apache-2.0
// What transfers between memory nodes take: StarPU's files SAMPLING/bus/HOST.{config, bandwidth,
// latency, affinity}, read and written again byte for byte; and those that only others read,
// HOST.platform.xml and HOST.platform.v4.xml, which describe the machine to SimGrid.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/places.h"
#include "trace/support/status.h"

namespace tasklens {

// How many of what the machine had, in the file's order.
struct BusCount {
  uint32_t count = 0;
  std::string what;  // "Number of CUDA nodes"
};

// from a row's node to a column's. NaN: not measured.
struct BusMatrix {
  std::string heading;        // "# to NUMA 0\t..."
  bool has_exponents = true;  // 1.200000e+03; older releases of StarPU wrote 1200.000000
  std::vector<std::vector<double>> rows;
};

// For each GPU, the nodes or cores that are near, the nearest first.
struct BusAffinity {
  std::string heading;
  std::vector<std::vector<uint32_t>> rows;  // the GPU's number, then the nodes'
};

struct Bus {
  std::vector<BusCount> config;
  BusMatrix bandwidth;  // MB/s
  BusMatrix latency;    // microseconds
  BusAffinity affinity;

  // The count of which `what` names the kind ("CUDA"); 0 where the file does not tell.
  uint32_t Count(std::string_view kind) const;
};

Result<std::vector<BusCount>> ParseBusConfig(std::string_view text, std::string_view name);
Result<BusMatrix> ParseBusMatrix(std::string_view text, std::string_view name);
Result<BusAffinity> ParseBusAffinity(std::string_view text, std::string_view name);
std::string BusConfigText(const std::vector<BusCount>& config);
std::string BusMatrixText(const BusMatrix& matrix);
std::string BusAffinityText(const BusAffinity& affinity);

// The host's bus, from the first folder that has all four files; kNotFound without.
Result<Bus> FindBus(const PerfmodelPlaces& places);

// A device that was measured.
struct MeasuredDevice {
  uint64_t memory_bytes = 0;   // 0: not known
  bool reaches_peers = false;  // without the main memory
};

// What was measured of a machine with one main memory and CUDA devices: matrices of these nodes, in
// this order. In the form of StarPU 1.4.
Bus MeasuredBus(uint32_t cpus, const std::vector<std::vector<double>>& bandwidth,
                const std::vector<std::vector<double>>& latency);
// SimGrid's platform: `version` 3 or 4. REQUIRES: a device for each that the bus counts.
std::string BusPlatformText(const Bus& bus, std::span<const MeasuredDevice> devices, int version);
// Writes the six files of the host into the first folder.
Status WriteBus(const PerfmodelPlaces& places, const Bus& bus,
                std::span<const MeasuredDevice> devices);

// What StarPU expects a transfer to take, in microseconds: 0 within a node and where nobody
// measured. Bandwidth is shared by all GPUs, and by both directions.
double TransferTime(const Bus& bus, size_t from, size_t to, uint64_t bytes);

}  // namespace tasklens
