// SPDX-License-Identifier: Apache-2.0
// Finds the workers and memory nodes of a host.
#include "server/perfmodels/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace tasklens {
namespace {

// The kinds of workers in the order of the list, with their names in bus files.
struct Kind {
  int number;
  std::string_view name, in_files;
};
constexpr Kind kKinds[] = {
    {kCpuDevice, "CPU", "CPU"}, {kCudaDevice, "CUDA", "CUDA"}, {2, "OpenCL", "OpenCL"},
    {4, "FPGA", "FPGA"},        {5, "MPI_MS", "MPI_MS"},       {6, "TCPIP_MS", "TCPIP_MS"},
    {7, "HIP", "HIP"},
};

std::string RealHostName() {
  char name[256] = "";
  (void)gethostname(name, sizeof(name) - 1);
  return name;
}

uint32_t Online() { return static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

}  // namespace

Result<Machine> FindMachine(const PerfmodelPlaces& places) {
  Machine machine;
  machine.host = places.host;
  Result<Bus> bus = FindBus(places);
  if (bus.ok()) {
    machine.bus = std::move(*bus);
  } else if (bus.status().code() != ErrorCode::kNotFound) {
    return bus.status();
  }
  const uint32_t numa = machine.bus ? std::max(1u, machine.bus->Count("NUMA")) : 1;
  for (uint32_t i = 0; i < numa; ++i) machine.nodes.push_back({fmt::format("NUMA {}", i), {}});
  const std::string real = RealHostName();
  if (numa == 1 && real.substr(0, real.find('.')) == places.host)
    machine.nodes[0].size_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Kind& kind : kKinds) {
    if (kind.number == kCpuDevice || !machine.bus) continue;
    for (uint32_t i = 0; i < machine.bus->Count(kind.in_files); ++i) {
      machine.workers.push_back({{kind.number, static_cast<int>(i), 1}, machine.nodes.size()});
      machine.nodes.push_back({fmt::format("{} {}", kind.name, i), {}});
    }
  }
  const uint32_t cpus = machine.bus ? machine.bus->Count("CPU") : Online();
  const uint32_t drivers = static_cast<uint32_t>(machine.workers.size());
  for (uint32_t i = 0; i < cpus - std::min(cpus, drivers); ++i)
    machine.workers.push_back({{kCpuDevice, 0, 1}, 0});
  return machine;
}

namespace {

std::string WorkersText(const Machine& machine, const Kind& kind) {
  const auto count =
      std::count_if(machine.workers.begin(), machine.workers.end(),
                    [&](const MachineWorker& worker) { return worker.device.kind == kind.number; });
  if (count == 0) return fmt::format("No {} worker\n", kind.name);
  std::string text = fmt::format("{} {} worker{}:\n", count, kind.name, count == 1 ? "" : "s");
  for (long i = 0; i < count; ++i) text += fmt::format("\t{} {}\n", kind.name, i);
  return text;
}

std::string BusesText(const Machine& machine) {
  std::string text = "\nbandwidth (MB/s) and latency (us)...\n";
  for (const BusMatrix* matrix : {&machine.bus->bandwidth, &machine.bus->latency}) {
    if (matrix == &machine.bus->bandwidth) {
      text += "from/to\t";
      for (const MachineNode& node : machine.nodes) text += node.name + "\t";
      text += '\n';
    }
    for (size_t from = 0; from < std::min(machine.nodes.size(), matrix->rows.size()); ++from) {
      text += machine.nodes[from].name + "\t";
      for (size_t to = 0; to < std::min(machine.nodes.size(), matrix->rows[from].size()); ++to)
        text += fmt::format("{:.0f}\t", matrix->rows[from][to]);
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string MachineText(const Machine& machine, const std::vector<std::string>& variables) {
  std::string text =
      fmt::format("Real hostname: {} (StarPU hostname: {})\n", RealHostName(), machine.host);
  if (!variables.empty()) text += "Environment variables\n";
  for (const std::string& variable : variables) text += "\t" + variable + "\n";
  text += "\nStarPU has found :\n";
  for (const Kind& kind : kKinds) text += WorkersText(machine, kind);
  if (machine.bus && machine.nodes.size() > 1) text += BusesText(machine);
  return text;
}

}  // namespace tasklens
