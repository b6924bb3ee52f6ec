// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/device_failure.h"

#include "runtime/core/execution.h"
#include "runtime/core/worker.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

void FailOnDeviceTask(const char* what) {
  const Worker* const worker = ThisThread().worker;
  const Job* const job = worker ? worker->running.load() : nullptr;
  if (!job) Fatal("%s", what);
  Fatal("%s may have failed on %s: %s", DescribeTask(*job).c_str(), worker->name.c_str(), what);
}

}  // namespace tasklens::runtime
