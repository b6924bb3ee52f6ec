// SPDX-License-Identifier: Apache-2.0
// Measures what transfers take between the main memory and CUDA devices, and between these, into
// the host's bus files (perfmodel/bus.h). On real devices it copies; on simulated ones it asks the
// simulation, and so writes what the simulated host's files say, in today's form.
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
  // What one copy took or takes, in microseconds; NaN where it cannot be made.
  std::function<double(unsigned source, unsigned target, size_t bytes)> copy_us;
};

// The latency is that of the fastest of some copies of a byte, the bandwidth what the fastest of
// some large copies has beyond it.
Bus MeasureBus(const BusProbe& probe);

// At the start of a run. `asked`: STARPU_BUS_CALIBRATE or starpu_conf has it: 1 always, 0 never, -1
// where there are real devices of which the host's files tell nothing, or another number. 0, or
// -EIO with a line on standard error where the user asked for what cannot be done. `cores`: of this
// machine.
int CalibrateBus(int asked, uint32_t cores, Accelerators* accelerators,
                 const Simulation* simulation);

}  // namespace tasklens::runtime
