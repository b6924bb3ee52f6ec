// SPDX-License-Identifier: Apache-2.0
// The contents of the host's bus files, for programs (starpu_perfmodel.h).
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "perfmodel/bus.h"
#include "perfmodel/text.h"
#include "runtime/core/runtime.h"
#include "runtime/support/message.h"

using namespace tasklens;           // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime;  // NOLINT

namespace {

// The bus of this host; an empty one if it was not measured or (with a warning) cannot be read.
Bus BusOfHost() {
  auto bus = FindBus(PlacesFromEnvironment());
  if (!bus.ok() && bus.status().code() != ErrorCode::kNotFound)
    Warn("%s", bus.status().message().c_str());
  return bus.ok() ? std::move(*bus) : Bus();
}

// The index of a memory node in the files, where NUMA nodes come first.
size_t PlaceOf(const Bus& bus, unsigned node) {
  return node == STARPU_MAIN_RAM ? 0 : std::max(1u, bus.Count("NUMA")) + node - 1;
}

double At(const Bus& bus, const BusMatrix& matrix, unsigned source, unsigned target) {
  const size_t from = PlaceOf(bus, source), to = PlaceOf(bus, target);
  return from < matrix.rows.size() && to < matrix.rows[from].size() ? matrix.rows[from][to] : NAN;
}

// Returns nullptr unless one of the two nodes is a disk that was measured.
const DiskSpeed* SpeedOfDisk(unsigned source, unsigned target) {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->disks().SpeedBetween(source, target) : nullptr;
}

void PrintMatrix(FILE* output, const Bus& bus, const BusMatrix& matrix) {
  const unsigned count = starpu_memory_nodes_get_count();
  for (unsigned from = 0; from < count; ++from) {
    char name[64];
    starpu_memory_node_get_name(from, name, sizeof(name));
    fprintf(output, "%s\t", name);
    for (unsigned to = 0; to < count; ++to)
      fprintf(output, "%.0f\t", from == to ? 0 : At(bus, matrix, from, to));
    fprintf(output, "\n");
  }
}

// Prints the NUMA nodes of each device, the nearest first. Skips the column of StarPU 1.2's files
// that is a processor, not a memory.
void PrintNearest(FILE* output, const Bus& bus) {
  const unsigned devices = Runtime::Get("starpu_bus_print_bandwidth").devices().count();
  if (devices == 0) return;
  fprintf(output,
          "\nGPU\tNUMA in preference order (logical index), host-to-device, "
          "device-to-host\n");
  for (unsigned device = 0; device < devices; ++device) {
    fprintf(output, "CUDA_%u\t", device);
    const auto& rows = bus.affinity.rows;
    for (size_t i = 1; device < rows.size() && i < rows[device].size(); ++i)
      if (rows[device][i] < std::max(1u, bus.Count("NUMA")))
        fprintf(output, "%2u\t", rows[device][i]);
    fprintf(output, "\n");
  }
}

}  // namespace

extern "C" {

double starpu_transfer_bandwidth(unsigned source, unsigned target) {
  if (const DiskSpeed* speed = SpeedOfDisk(source, target)) return speed->bandwidth;
  const Bus bus = BusOfHost();
  return At(bus, bus.bandwidth, source, target);
}
double starpu_transfer_latency(unsigned source, unsigned target) {
  if (const DiskSpeed* speed = SpeedOfDisk(source, target)) return speed->latency_us;
  const Bus bus = BusOfHost();
  return At(bus, bus.latency, source, target);
}

void starpu_bus_print_bandwidth(FILE* output) {
  const Bus bus = BusOfHost();
  fprintf(output, "from/to\t");
  for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
    char name[64];
    starpu_memory_node_get_name(node, name, sizeof(name));
    fprintf(output, "%s\t", name);
  }
  fprintf(output, "\n");
  PrintMatrix(output, bus, bus.bandwidth);
  fprintf(output, "\n");
  PrintMatrix(output, bus, bus.latency);
  PrintNearest(output, bus);
}
void starpu_bus_print_affinity(FILE* output) {
  const Bus bus = BusOfHost();
  fprintf(output, "# GPU\tNUMA in preference order (logical index)\n");
  for (const auto& row : bus.affinity.rows) {
    for (const uint32_t number : row) fprintf(output, "%u\t", number);
    fprintf(output, "\n");
  }
}
void starpu_bus_print_filenames(FILE* output) {
  const PerfmodelPlaces places = PlacesFromEnvironment();
  const std::string folder = places.folders.empty() ? "." : places.folders[0];
  for (const char* kind : {"bandwidth", "affinity", "latency"})
    fprintf(output, "%9s: <%s>\n", kind, BusPath(folder, places.host, kind).c_str());
}

}  // extern "C"
