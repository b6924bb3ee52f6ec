// SPDX-License-Identifier: Apache-2.0
// Measures transfers between the main memory and CUDA devices, and between devices, and writes the
// host's bus files (perfmodel/bus.h). Real devices are measured; for simulated ones the simulation
// is asked, so the simulated host's files are rewritten in the current format.
#pragma once

#include <starpu.h>

#include <functional>
#include <vector>

#include "perfmodel/bus.h"

namespace tasklens::runtime {

class Accelerators;
class Simulation;

// Node 0 is the main memory, node i + 1 device i.
struct BusProbe {
  uint32_t cpus = 0;
  std::vector<MeasuredDevice> devices;
  // Returns the microseconds of one copy; NaN if it is not possible.
  std::function<double(unsigned source, unsigned target, size_t bytes)> copy_us;
};

// The latency is the time of the fastest of several one-byte copies; the bandwidth follows from the
// additional time of the fastest of several large copies.
Bus MeasureBus(const BusProbe& probe);

// Called at the start of a run. `asked` is from STARPU_BUS_CALIBRATE or starpu_conf: 1: always
// measure; 0: never; -1: measure if the host's files have no entry, or another number, for the real
// devices. Returns 0, or -EIO with a warning if the user asked for a measurement that is not
// possible. `cores`: the cores of this machine.
int CalibrateBus(int asked, uint32_t cores, Accelerators* accelerators,
                 const Simulation* simulation);

}  // namespace tasklens::runtime
