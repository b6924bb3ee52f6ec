// SPDX-License-Identifier: Apache-2.0
// Lets the simulation run the function.
#include "runtime/core/sim_driver.h"

#include "runtime/core/runtime.h"

namespace tasklens::runtime {

void SimDriver::Call(starpu_cpu_func_t function, void** buffers, Job* job) {
  runtime_.simulation()->Run({worker_.id, worker_.arch}, function, buffers, job);
}

}  // namespace tasklens::runtime
