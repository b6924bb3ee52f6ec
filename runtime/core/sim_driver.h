// SPDX-License-Identifier: Apache-2.0
// A worker of a simulated machine: lets the time of its tasks pass.
#pragma once

#include "runtime/core/cpu_driver.h"

namespace tasklens::runtime {

class SimDriver : public CpuDriver {
 public:
  using CpuDriver::CpuDriver;
  void Call(starpu_cpu_func_t function, void** buffers, Job* job) override;
};

}  // namespace tasklens::runtime
