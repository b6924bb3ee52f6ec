// SPDX-License-Identifier: Apache-2.0
// Transactions: epochs of tasks that run, or are cancelled, all together (starpu_transaction_*).
//
// The order is that of a handle without data. The tasks of an epoch read it; between two epochs a
// task of ours writes it, and there asks the program whether the next epoch shall run. So the
// answer is there before the first task of the epoch is ready, and the tasks of one epoch do not
// wait for each other.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

// An epoch; freed by the task that ends it, when no task can ask for it any more.
struct _starpu_trs_epoch {
  void* start_arg;
  bool cancelled = false;  // written before, and read after, its first task is ready
};

namespace tasklens::runtime {

// Begins the first epoch; nullptr: its task was not accepted. start(nullptr, start_arg) says before
// each epoch whether it shall run; nullptr: each does.
starpu_transaction* OpenTransaction(int (*start)(void* buffer, void* arg), void* start_arg);
// Ends the epoch, and begins the next. 0, or the error of the task between the two.
int BeginEpoch(starpu_transaction& transaction, void* start_arg);
// Ends the epoch, and after it the transaction. 0, or the error of the task that does.
int CloseTransaction(starpu_transaction& transaction);

// The task is submitted: it belongs to the open epoch of its transaction, or to none any more.
void JoinEpoch(Job* job);

// A ready job: whether its epoch was cancelled, so that it ends without its function. (The task's
// own field is far from what a worker reads of each.)
inline bool IsCancelled(const Job* job) { return job->in_epoch && job->task->trs_epoch->cancelled; }

}  // namespace tasklens::runtime
