// SPDX-License-Identifier: Apache-2.0
// starpu_arbiter_*: lets a task acquire several handles at once.
#include <starpu.h>

#include "runtime/core/arbitration.h"
#include "runtime/data/handle.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_arbiter_t starpu_arbiter_create(void) { return NewArbiter(); }
void starpu_arbiter_destroy(starpu_arbiter_t arbiter) { DestroyArbiter(arbiter); }
void starpu_data_assign_arbiter(starpu_data_handle_t handle, starpu_arbiter_t arbiter) {
  if (handle->arbiter && arbiter) {
    Fatal("starpu_data_assign_arbiter(): %s has an arbiter already", Describe(handle).c_str());
  }
  handle->arbiter = arbiter;
}

}  // extern "C"
