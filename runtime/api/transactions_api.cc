// SPDX-License-Identifier: Apache-2.0
// starpu_transaction_*: epochs of tasks that all run or are all cancelled.
#include <starpu.h>

#include "runtime/core/transaction.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_transaction* starpu_transaction_open(int (*do_start_func)(void*, void*),
                                            void* do_start_arg) {
  return OpenTransaction(do_start_func, do_start_arg);
}
void starpu_transaction_next_epoch(starpu_transaction* transaction, void* do_start_arg) {
  if (BeginEpoch(*transaction, do_start_arg))
    Fatal("starpu_transaction_next_epoch(): the task between the epochs was not accepted");
}
void starpu_transaction_close(starpu_transaction* transaction) {
  if (CloseTransaction(*transaction))
    Fatal("starpu_transaction_close(): the task after the last epoch was not accepted");
}

}  // extern "C"
