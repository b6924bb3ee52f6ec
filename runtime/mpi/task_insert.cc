// SPDX-License-Identifier: Apache-2.0
// starpu_mpi_task_insert(): decides which rank runs a task, and which data are sent before and
// after it.
//
// All ranks come to the same decision from the same arguments; each does its own part of the
// transfers. Most tasks belong to other ranks and need nothing from this rank, so that case must be
// detected quickly.
#include <starpu_mpi.h>

#include <atomic>
#include <cerrno>

#include "runtime/mpi/arguments.h"
#include "runtime/mpi/data.h"
#include "runtime/mpi/load_balancer.h"
#include "runtime/mpi/placement.h"
#include "runtime/mpi/reduction.h"
#include "runtime/mpi/requests.h"
#include "runtime/mpi/statistics.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

struct Site {
  const char* file = nullptr;
  int line = 0;
  const char* function = nullptr;
};

std::atomic<void (*)(starpu_task*)> before_submission{nullptr};

constexpr unsigned kBetweenRanks = STARPU_REDUX | STARPU_MPI_REDUX;
bool Reads(unsigned mode) { return (mode & STARPU_R) && !(mode & STARPU_MPI_REDUX); }
bool Writes(unsigned mode) { return (mode & STARPU_W) && !(mode & STARPU_MPI_REDUX); }
bool Accumulates(unsigned mode) { return mode & kBetweenRanks; }

// Sets `executor` to the rank that runs the task, or STARPU_MPI_PER_NODE. Returns 0 or -EINVAL.
int FindExecutor(MPI_Comm comm, Arguments& arguments, int* executor) {
  if (arguments.on_node != -1) {
    *executor = arguments.on_node;
    return 0;
  }
  if (arguments.on_data) {
    *executor = KnownOwner(arguments.on_data, "starpu_mpi_task_insert");
    return 0;
  }
  int found = -1;
  bool agrees = true;
  const starpu_data_descr* const data = arguments.data();
  Data* const* const known = arguments.known();
  for (int i = 0; i < arguments.count(); ++i) {
    if (!(data[i].mode & (STARPU_W | STARPU_REDUX | STARPU_MPI_REDUX))) continue;
    if (!data[i].handle) return -EINVAL;
    const int owner = known[i] && known[i]->rank != -1
                          ? known[i]->rank
                          : KnownOwner(data[i].handle, "starpu_mpi_task_insert");
    if (found == -1)
      found = owner;
    else if (owner != found)
      agrees = false;
    if (!agrees && (owner == STARPU_MPI_PER_NODE || found == STARPU_MPI_PER_NODE))
      _starpu_communication_fatal(
          "starpu_mpi_task_insert(): a task writes data that each rank has (STARPU_MPI_PER_NODE), "
          "and others: it can run neither in one rank nor in all");
  }
  if (agrees && found != -1) {
    *executor = found;
    return 0;
  }
  *executor = SelectRank(comm, arguments.data(), arguments.count(), arguments.policy);
  return 0;
}

// Sends one of the task's data to that rank, or receives it.
void Exchange(const starpu_data_descr& datum, bool sends, int peer, int priority, MPI_Comm comm) {
  const Delivery delivery{.peer = peer,
                          .tag = KnownTag(datum.handle, "starpu_mpi_task_insert"),
                          .comm = comm,
                          .priority = priority,
                          .synchronous = (datum.mode & STARPU_SSEND) != 0};
  if (sends)
    SendDetached(datum.handle, delivery);
  else
    ReceiveDetached(datum.handle, delivery);
}

// Called when this rank starts to accumulate into data of another owner: a value received from the
// owner is discarded, so that it does not count twice.
void BeginToAccumulate(starpu_data_handle_t handle, Data* data, int me, int executor) {
  if (me != executor || !data || data->rank < 0 || data->rank == me || !data->is_copy) return;
  data->is_copy = false;
  starpu_data_invalidate_submit(handle);
}

// Does this rank's transfers for one of the task's data before it runs.
void Before(const starpu_data_descr& datum, Data* data, int me, int executor, int priority,
            MPI_Comm comm) {
  if (!datum.handle || !Reads(datum.mode)) return;
  const int owner = data ? data->rank : -1;
  if (executor == STARPU_MPI_PER_NODE) {
    if (owner != STARPU_MPI_PER_NODE)
      _starpu_communication_fatal(
          "starpu_mpi_task_insert(): a task that runs in all ranks reads handle %p '%s', which "
          "only "
          "rank %d has",
          static_cast<void*>(datum.handle), starpu_data_get_name(datum.handle), owner);
    return;
  }
  if (owner == -1) KnownOwner(datum.handle, "starpu_mpi_task_insert");
  if (owner == STARPU_MPI_PER_NODE || owner == executor) return;
  const bool sends = owner == me, receives = executor == me;
  if (!sends && !receives) return;
  if (receives) data->is_copy = true;
  const bool caches = CacheIsOn();
  if (sends && caches && data->SetSent(comm, executor))
    return NoteSparedSend(datum.handle, comm, executor);
  if (receives && caches && data->SetReceived(comm))
    return Statistics::Instance().SparedByReceiver();
  Exchange(datum, sends, sends ? executor : owner, priority, comm);
}

// Does this rank's transfers for one of the task's data after it has run.
void After(const starpu_data_descr& datum, Data* data, int me, int executor, int priority,
           MPI_Comm comm) {
  if (!datum.handle) return;
  const int owner = data ? data->rank : -1;
  if (Accumulates(datum.mode)) {
    if (executor >= 0) NoteContribution(comm, datum.handle, executor);
    if (data) data->Clear();
    return;
  }
  if (Writes(datum.mode)) {
    if (owner >= 0 && executor >= 0 && owner != executor && (me == owner || me == executor))
      Exchange(datum, me == executor, me == owner ? executor : owner, priority, comm);
    if (data) data->Clear();
    if (me == executor && owner >= 0 && owner != me) data->is_copy = true;
    // Without the cache, this rank does not keep the value.
    if (!CacheIsOn() && me == executor && owner >= 0 && owner != me)
      starpu_data_invalidate_submit(datum.handle);
  } else if (!CacheIsOn() && Reads(datum.mode) && me == executor && owner >= 0 && owner != me) {
    starpu_data_invalidate_submit(datum.handle);
  }
}

void AllBefore(MPI_Comm comm, Arguments& arguments, int me, int executor) {
  const starpu_data_descr* const data = arguments.data();
  Data* const* const known = arguments.known();
  for (int i = 0; i < arguments.count(); ++i) {
    if (!data[i].handle) continue;
    if (Accumulates(data[i].mode))
      BeginToAccumulate(data[i].handle, known[i], me, executor);
    else if (data[i].mode & (STARPU_R | STARPU_W) && known[i] && !known[i]->contributors.empty())
      FinishReduction(data[i].handle);
    Before(data[i], known[i], me, executor, arguments.priority, comm);
  }
}

void AllAfter(MPI_Comm comm, Arguments& arguments, int me, int executor) {
  for (int i = 0; i < arguments.count(); ++i)
    After(arguments.data()[i], arguments.known()[i], me, executor, arguments.priority, comm);
}

bool Runs(int me, int executor) { return executor == STARPU_MPI_PER_NODE || executor == me; }

// Whether the task and all its data belong to other ranks, so this rank only has to note that
// values change. AllBefore() and AllAfter() would have the same result, but take longer.
bool LeavesToOthers(Arguments& arguments, int me, int executor) {
  if (Runs(me, executor)) return false;
  const starpu_data_descr* const data = arguments.data();
  Data* const* const known = arguments.known();
  for (int i = 0; i < arguments.count(); ++i) {
    if (!known[i] || known[i]->rank == me || known[i]->rank < 0 ||
        !known[i]->contributors.empty() || Accumulates(data[i].mode))
      return false;
  }
  for (int i = 0; i < arguments.count(); ++i)
    if (Writes(data[i].mode)) known[i]->Clear();
  return true;
}

// Does this rank's transfers before the task. Builds `task` if this rank submits it, else sets it
// to nullptr. Returns 0 or a negative errno.
int Build(const Site& site, MPI_Comm comm, starpu_codelet* codelet, Arguments& arguments,
          va_list list, int me, int executor, starpu_task** task) {
  *task = nullptr;
  AllBefore(comm, arguments, me, executor);
  if (!Runs(me, executor)) return 0;
  *task = _starpu_communication_build(site.file, site.line, site.function, codelet, list);
  return *task ? 0 : -EINVAL;
}

int Insert(const Site& site, MPI_Comm comm, starpu_codelet* codelet, va_list list) {
  Arguments arguments(codelet, list);
  // Not in BuildOnly(): data could move before the task is submitted.
  if (LoadBalancer::IsOn()) LoadBalancer::Instance().BeforeTask(arguments.number);
  int executor = -1;
  if (const int error = FindExecutor(comm, arguments, &executor)) return error;
  const int me = RankIn(comm);
  if (LeavesToOthers(arguments, me, executor)) return 0;
  starpu_task* task = nullptr;
  if (const int error = Build(site, comm, codelet, arguments, list, me, executor, &task))
    return error;
  if (task) {
    if (const auto hook = before_submission.load(std::memory_order_acquire)) hook(task);
    // The parentheses call the function instead of the macro, which would record this line.
    if (const int error = (starpu_task_submit)(task)) {
      starpu_task_destroy(task);
      return error;
    }
  }
  AllAfter(comm, arguments, me, executor);
  return 0;
}

starpu_task* BuildOnly(const Site& site, MPI_Comm comm, starpu_codelet* codelet, va_list list) {
  Arguments arguments(codelet, list);
  int executor = -1;
  if (FindExecutor(comm, arguments, &executor) != 0) return nullptr;
  starpu_task* task = nullptr;
  (void)Build(site, comm, codelet, arguments, list, RankIn(comm), executor, &task);
  return task;
}

int PostBuild(MPI_Comm comm, const starpu_codelet* codelet, va_list list) {
  Arguments arguments(codelet, list);
  int executor = -1;
  if (const int error = FindExecutor(comm, arguments, &executor)) return error;
  AllAfter(comm, arguments, RankIn(comm), executor);
  return 0;
}

}  // namespace
}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

// Returns the value of `call`, to which the arguments after the codelet are `list`.
#define RETURN_WITH_LIST(call) \
  va_list list;                \
  va_start(list, codelet);     \
  const auto result = call;    \
  va_end(list);                \
  return result

extern "C" {

int _starpu_mpi_task_insert_at(const char* file, int line, const char* function, MPI_Comm comm,
                               starpu_codelet* codelet, ...) {
  RETURN_WITH_LIST(Insert({file, line, function}, comm, codelet, list));
}
int starpu_mpi_task_insert(MPI_Comm comm, starpu_codelet* codelet, ...) {
  RETURN_WITH_LIST(Insert({}, comm, codelet, list));
}
int starpu_mpi_insert_task(MPI_Comm comm, starpu_codelet* codelet, ...) {
  RETURN_WITH_LIST(Insert({}, comm, codelet, list));
}
starpu_task* _starpu_mpi_task_build_at(const char* file, int line, const char* function,
                                       MPI_Comm comm, starpu_codelet* codelet, ...) {
  RETURN_WITH_LIST(BuildOnly({file, line, function}, comm, codelet, list));
}
starpu_task* starpu_mpi_task_build(MPI_Comm comm, starpu_codelet* codelet, ...) {
  RETURN_WITH_LIST(BuildOnly({}, comm, codelet, list));
}
starpu_task* starpu_mpi_task_build_v(MPI_Comm comm, starpu_codelet* codelet, va_list list) {
  return BuildOnly({}, comm, codelet, list);
}
int starpu_mpi_task_post_build(MPI_Comm comm, starpu_codelet* codelet, ...) {
  RETURN_WITH_LIST(PostBuild(comm, codelet, list));
}
int starpu_mpi_task_post_build_v(MPI_Comm comm, starpu_codelet* codelet, va_list list) {
  return PostBuild(comm, codelet, list);
}

int starpu_mpi_task_exchange_data_before_execution(MPI_Comm comm, starpu_task* task,
                                                   starpu_data_descr* descrs,
                                                   starpu_mpi_task_exchange_params* params) {
  Arguments arguments;
  const auto count = static_cast<int>(STARPU_TASK_GET_NBUFFERS(task));
  for (int i = 0; i < count; ++i) {
    descrs[i] = {STARPU_TASK_GET_HANDLE(task, i), STARPU_TASK_GET_MODE(task, i)};
    arguments.Add(descrs[i].handle, descrs[i].mode);
  }
  arguments.priority = task->priority;
  if (const int error = FindExecutor(comm, arguments, &params->xrank)) return error;
  const int me = RankIn(comm);
  params->do_execute = Runs(me, params->xrank);
  params->priority = task->priority;
  AllBefore(comm, arguments, me, params->xrank);
  return 0;
}
int starpu_mpi_task_exchange_data_after_execution(MPI_Comm comm, starpu_data_descr* descrs,
                                                  unsigned nb_data,
                                                  starpu_mpi_task_exchange_params params) {
  Arguments arguments;
  for (unsigned i = 0; i < nb_data; ++i) arguments.Add(descrs[i].handle, descrs[i].mode);
  arguments.priority = params.priority;
  AllAfter(comm, arguments, RankIn(comm), params.xrank);
  return 0;
}

int starpu_mpi_pre_submit_hook_register(void (*f)(starpu_task*)) {
  before_submission = f;
  return 0;
}
int starpu_mpi_pre_submit_hook_unregister(void) {
  before_submission = nullptr;
  return 0;
}

}  // extern "C"
