// SPDX-License-Identifier: Apache-2.0
// Runs one task after the other.
#include "runtime/core/cpu_driver.h"

#include "runtime/core/execution.h"
#include "runtime/core/pausable.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"

namespace tasklens::runtime {

void CpuDriver::Run(Job* job) {
  if (!job->pausable) [[likely]]
    return RunHere(job);
  Pausable::Start(worker_, job, [](Worker& worker, Job* pausable) {
    static_cast<CpuDriver&>(*worker.driver).RunHere(pausable);
  });
}

void CpuDriver::RunHere(Job* job) {
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
  uint64_t length_ns = execution.start_ns ? NowNs() - execution.start_ns : 0;
  if (job->pausable && length_ns) length_ns -= Pausable::Current()->paused_ns();
  AfterFunction(runtime_, worker_, execution, length_ns);
}

}  // namespace tasklens::runtime
