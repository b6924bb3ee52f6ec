// SPDX-License-Identifier: Apache-2.0
// Transactions: epochs of tasks that all run or are all cancelled (starpu_transaction_*).
//
// Epochs are ordered by a handle without data. The tasks of an epoch read the handle; between two
// epochs an internal task writes it and asks the program whether the next epoch shall run. So the
// answer is known before the first task of the epoch is ready, and the tasks of one epoch do not
// wait for each other.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

// An epoch; freed by the task that ends it, when no task can use it any more.
struct _starpu_trs_epoch {
  void* start_arg;
  bool cancelled = false;  // written before its first task is ready, read afterwards
};

namespace tasklens::runtime {

// Begins the first epoch. Returns nullptr if its task was not accepted. start(nullptr, start_arg)
// is called before each epoch and returns whether it shall run; without `start` each epoch runs.
starpu_transaction* OpenTransaction(int (*start)(void* buffer, void* arg), void* start_arg);
// Ends the epoch and begins the next. Returns 0, or the error of submitting the task between them.
int BeginEpoch(starpu_transaction& transaction, void* start_arg);
// Ends the epoch, then the transaction. Returns 0, or the error of submitting the task that does
// so.
int CloseTransaction(starpu_transaction& transaction);

// To be called when the task is submitted: puts it into the open epoch of its transaction; without
// a transaction, into none.
void JoinEpoch(Job* job);

// Whether the epoch of a ready job was cancelled, so that the job ends without running. (in_epoch
// is tested first, since the task's field is not in the cache lines that a worker reads of each
// job.)
inline bool IsCancelled(const Job* job) { return job->in_epoch && job->task->trs_epoch->cancelled; }

}  // namespace tasklens::runtime
