// SPDX-License-Identifier: Apache-2.0
// The machine of a host, as far as its bus files tell: its workers, in StarPU's order, and its
// memory nodes. Without bus files, the CPUs of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/bus.h"
#include "perfmodel/places.h"

namespace tasklens {

struct MachineWorker {
  PerfmodelDevice device;
  size_t node = 0;
};

struct MachineNode {
  std::string name;                    // "NUMA 0", "CUDA 1"
  std::optional<uint64_t> size_bytes;  // unknown of other machines
};

struct Machine {
  std::string host;
  std::optional<Bus> bus;
  std::vector<MachineWorker> workers;  // GPUs, of which each takes a CPU, then the other CPUs
  std::vector<MachineNode> nodes;      // in the order of the bus's matrices
};

// Fails only when there are bus files that cannot be read.
Result<Machine> FindMachine(const PerfmodelPlaces& places);

// Its workers and buses in the words of starpu_machine_display, which prints what there is on this
// machine instead. `variables`: "STARPU_NCPU=2", in the order of the environment.
std::string MachineText(const Machine& machine, const std::vector<std::string>& variables);

}  // namespace tasklens
