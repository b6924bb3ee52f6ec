// SPDX-License-Identifier: Apache-2.0
// The machine of a host as its bus files describe it: its workers in StarPU's order, and its memory
// nodes. Without bus files: the CPUs of this machine.
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
  std::optional<uint64_t> size_bytes;  // unknown for other machines
};

struct Machine {
  std::string host;
  std::optional<Bus> bus;
  std::vector<MachineWorker> workers;  // first the GPUs, each with a CPU, then the other CPUs
  std::vector<MachineNode> nodes;      // in the order of the bus's matrices
};

// Fails only if there are bus files that cannot be read.
Result<Machine> FindMachine(const PerfmodelPlaces& places);

// Describes the workers and buses in the format of starpu_machine_display, which prints the present
// machine instead. `variables`: entries such as "STARPU_NCPU=2", in the order of the environment.
std::string MachineText(const Machine& machine, const std::vector<std::string>& variables);

}  // namespace tasklens
