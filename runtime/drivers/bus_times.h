// SPDX-License-Identifier: Apache-2.0
// Expected times of transfers between memory nodes, from a host's bus files.
#pragma once

#include <starpu.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "perfmodel/bus.h"

namespace tasklens::runtime {

struct BusTimes {
  explicit BusTimes(Bus measured)
      : bus(std::move(measured)), numa_nodes(std::max(1u, bus.Count("NUMA"))) {}

  // Returns the index of a memory node in the files, where NUMA nodes come first.
  size_t PlaceOf(unsigned node) const {
    return node == STARPU_MAIN_RAM ? 0 : numa_nodes + node - 1;
  }
  double TransferUs(unsigned source, unsigned target, uint64_t bytes) const {
    return TransferTime(bus, PlaceOf(source), PlaceOf(target), bytes);
  }

  Bus bus;
  size_t numa_nodes;
};

}  // namespace tasklens::runtime
