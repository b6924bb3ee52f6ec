// SPDX-License-Identifier: Apache-2.0
// Workers by the numbers that programs give.
#pragma once

#include "runtime/core/runtime.h"
#include "runtime/core/worker.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

// `function` is the one that the program called. Ends the program where there is no such worker.
inline const Worker& WorkerOf(int id, const char* function) {
  const Worker* worker = Runtime::Get(function).worker(id);
  if (!worker) Fatal("%s(): there is no worker %d", function, id);
  return *worker;
}

}  // namespace tasklens::runtime
