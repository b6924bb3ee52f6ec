// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/transaction.h"

#include <cerrno>
#include <memory>

#include "runtime/core/submit.h"

struct starpu_transaction {
  int (*start)(void* buffer, void* arg);  // returns whether an epoch shall run; NULL: each does
  starpu_data_handle_t order;  // read by the tasks of an epoch, written between two epochs
  starpu_trs_epoch_t open;     // the epoch of tasks submitted now
};

namespace tasklens::runtime {
namespace {

// The argument of the task between two epochs; `before` is nullptr for the first one, `next` for
// the last.
struct Transition {
  int (*start)(void* buffer, void* arg);
  std::unique_ptr<_starpu_trs_epoch> before;
  starpu_trs_epoch_t next;
};

void Pass(void**, void* argument) {
  const std::unique_ptr<Transition> transition(static_cast<Transition*>(argument));
  if (starpu_trs_epoch_t next = transition->next; next && transition->start)
    next->cancelled = !transition->start(nullptr, next->start_arg);
}

// Also executed in a simulation, as the program's answer decides which tasks run.
starpu_codelet Between(const char* name) {
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = Pass;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  codelet.model = &starpu_perfmodel_nop;
  codelet.flags = STARPU_CODELET_SIMGRID_EXECUTE;
  codelet.name = name;
  return codelet;
}
starpu_codelet opening = Between("transaction_open");
starpu_codelet changing = Between("transaction_next_epoch");
starpu_codelet closing = Between("transaction_close");

// Submits the task between `before` and `next`, with a callback at its end. Returns 0, or the
// error.
int Change(starpu_transaction& transaction, starpu_codelet& codelet, starpu_trs_epoch_t before,
           starpu_trs_epoch_t next, void (*callback)(void*)) {
  auto transition = std::make_unique<Transition>(Transition{transaction.start, nullptr, next});
  transition->before.reset(before);
  starpu_task* const task = starpu_task_create();
  if (!task) return -ENOMEM;
  task->cl = &codelet;
  task->handles[0] = transaction.order;
  task->cl_arg = transition.get();
  task->callback_func = callback;
  task->callback_arg = &transaction;
  // Before the submission: after it the last task may already have freed the transaction.
  transaction.open = next;
  if (const int error = SubmitTask(task, {})) {
    transaction.open = before;
    transition->before.release();
    starpu_task_destroy(task);
    return error;
  }
  transition.release();
  return 0;
}

void Forget(void* argument) {
  const std::unique_ptr<starpu_transaction> transaction(static_cast<starpu_transaction*>(argument));
  starpu_data_unregister_submit(transaction->order);
}

}  // namespace

void JoinEpoch(Job* job) {
  starpu_task& task = *job->task;
  job->in_epoch = task.transaction != nullptr;
  task.trs_epoch = job->in_epoch ? task.transaction->open : nullptr;
  if (job->in_epoch) AddAccess(job, task.transaction->order, AccessKind::kRead, /*ordered=*/true);
}

starpu_transaction* OpenTransaction(int (*start)(void*, void*), void* start_arg) {
  auto transaction =
      std::make_unique<starpu_transaction>(starpu_transaction{start, nullptr, nullptr});
  starpu_void_data_register(&transaction->order);
  starpu_data_set_name(transaction->order, "transaction");
  auto epoch = std::make_unique<_starpu_trs_epoch>(_starpu_trs_epoch{start_arg});
  if (Change(*transaction, opening, nullptr, epoch.get(), nullptr)) {
    starpu_data_unregister(transaction->order);
    return nullptr;
  }
  epoch.release();
  return transaction.release();
}

int BeginEpoch(starpu_transaction& transaction, void* start_arg) {
  auto epoch = std::make_unique<_starpu_trs_epoch>(_starpu_trs_epoch{start_arg});
  const int error = Change(transaction, changing, transaction.open, epoch.get(), nullptr);
  if (error == 0) epoch.release();
  return error;
}

int CloseTransaction(starpu_transaction& transaction) {
  return Change(transaction, closing, transaction.open, nullptr, Forget);
}

}  // namespace tasklens::runtime
