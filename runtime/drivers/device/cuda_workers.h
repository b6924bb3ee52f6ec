// SPDX-License-Identifier: Apache-2.0
// Which CUDA workers there are to be, and the memory of their devices.
#pragma once

#include <starpu.h>

#include <vector>

#include "runtime/data/devices.h"
#include "runtime/drivers/accelerators.h"

namespace tasklens::runtime {

struct CudaWorkers {
  std::vector<int> devices;  // of each worker, those of one device together

  // `devices` -1: all of those that are available, else so many. STARPU_WORKERS_CUDAID or the conf
  // name them, STARPU_NWORKER_PER_CUDA says how many workers each has (simulated ones have one).
  // `accelerators` (nullptr: simulated ones, or none) says which of those are usable.
  static CudaWorkers Wanted(const starpu_conf& conf, int devices, int available,
                            const Accelerators* accelerators, bool simulated);
};

// The memory of a real device: what STARPU_LIMIT_CUDA_MEM says, or most of what is free. Its memory
// node.
unsigned AddDeviceMemory(Accelerators& accelerators, Devices& devices, int device);

}  // namespace tasklens::runtime
