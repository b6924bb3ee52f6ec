// SPDX-License-Identifier: Apache-2.0
// The driver of a worker of a simulated machine: advances virtual time by the length of its tasks.
#pragma once

#include "runtime/core/cpu_driver.h"

namespace tasklens::runtime {

class SimDriver : public CpuDriver {
 public:
  using CpuDriver::CpuDriver;
  void Call(starpu_cpu_func_t function, void** buffers, Job* job) override;
};

}  // namespace tasklens::runtime
