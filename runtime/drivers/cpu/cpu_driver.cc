// SPDX-License-Identifier: Apache-2.0
// One task after the other.
#include "runtime/drivers/cpu/cpu_driver.h"

#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/drivers/execution.h"

namespace tasklens::runtime {

void CpuDriver::Run(Job* job) {
  Execution execution(job);
  TakeUp(runtime_, worker_, execution);
  FetchInput(runtime_, worker_, execution, {});
  AwaitStart(runtime_, worker_);
  BeforeFunction(runtime_, worker_, execution);
  if (job->together) {
    job->team->Call(worker_, execution.function, execution.buffers);
  } else {
    CallFunction(worker_, execution.function, execution.buffers, job, /*first=*/true);
  }
  AfterFunction(runtime_, worker_, execution,
                execution.start_ns ? NowNs() - execution.start_ns : 0);
}

void CpuDriver::Call(starpu_cpu_func_t function, void** buffers, Job* job) {
  function(buffers, job->task->cl_arg);
}

}  // namespace tasklens::runtime
