// SPDX-License-Identifier: Apache-2.0
// Loads the library with the driver of CUDA devices (drivers/cuda/), if it may be of use. It stays
// loaded until the program ends.
#pragma once

#include <memory>

#include "runtime/drivers/accelerators.h"
#include "runtime/drivers/device/fail_on_device.h"

namespace tasklens::runtime {

// Whether this machine seems to have a CUDA device.
bool MayHaveCuda();
// Returns nullptr, and prints a warning, if something is missing. The library is the one that
// TASKLENS_CUDA_LIBRARY names, else libtasklens-cuda.so beside the runtime.
std::unique_ptr<Accelerators> LoadCuda(FailOnDevice* fail);

}  // namespace tasklens::runtime
