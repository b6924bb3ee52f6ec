// SPDX-License-Identifier: Apache-2.0
// The CUDA workers of a run, and the memory of their devices.
#pragma once

#include <starpu.h>

#include <vector>

#include "runtime/data/devices.h"
#include "runtime/drivers/accelerators.h"

namespace tasklens::runtime {

struct CudaWorkers {
  std::vector<int> devices;  // by worker; workers of the same device are adjacent

  // Returns the workers of the run. `devices`: their number, -1 for all `available` ones.
  // STARPU_WORKERS_CUDAID or the conf choose devices; STARPU_NWORKER_PER_CUDA is the number of
  // workers per device (1 for simulated devices). `accelerators` tells which devices are usable
  // (nullptr: simulated devices, or none).
  static CudaWorkers Wanted(const starpu_conf& conf, int devices, int available,
                            const Accelerators* accelerators, bool simulated);
};

// Adds the memory of a real device, as large as STARPU_LIMIT_CUDA_MEM or most of the free memory.
// Returns its memory node.
unsigned AddDeviceMemory(Accelerators& accelerators, Devices& devices, int device);

}  // namespace tasklens::runtime
