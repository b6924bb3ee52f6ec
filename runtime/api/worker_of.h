// SPDX-License-Identifier: Apache-2.0
// Looks up workers by the ids that programs pass.
#pragma once

#include "runtime/core/runtime.h"
#include "runtime/core/worker.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

// Aborts with a message naming `function` if there is no such worker.
inline Worker& WorkerOf(int id, const char* function) {
  Worker* worker = Runtime::Get(function).worker(id);
  if (!worker) Fatal("%s(): there is no worker %d", function, id);
  return *worker;
}

}  // namespace tasklens::runtime
