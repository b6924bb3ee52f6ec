// SPDX-License-Identifier: Apache-2.0
// The public functions that move data between ranks: to one rank, to a new owner, scatter and
// gather.
#include <starpu_mpi.h>

#include "runtime/mpi/data.h"
#include "runtime/mpi/reduction.h"
#include "runtime/mpi/requests.h"
#include "runtime/mpi/statistics.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

// Tells whether this rank sends or receives to bring the data to `target`, and sets `delivery`.
// kNone if this rank takes no part, or the target has the data already.
enum class Part { kNone, kSends, kReceives };
Part PartIn(MPI_Comm comm, starpu_data_handle_t handle, int target, const char* caller,
            Delivery* delivery) {
  const int owner = KnownOwner(handle, caller);
  if (target == owner || owner == STARPU_MPI_PER_NODE) return Part::kNone;
  const int me = RankIn(comm);
  if (me != owner && me != target) return Part::kNone;
  *delivery = {
      .peer = me == target ? owner : target, .tag = KnownTag(handle, caller), .comm = comm};
  Data& data = DataOf(handle);
  const bool caches = CacheIsOn();
  if (me == target) {
    data.is_copy = true;
    if (!caches || !data.SetReceived(comm)) return Part::kReceives;
    Statistics::Instance().SparedByReceiver();
    return Part::kNone;
  }
  if (!caches || !data.SetSent(comm, target)) return Part::kSends;
  NoteSparedSend(handle, comm, target);
  return Part::kNone;
}

void Bring(MPI_Comm comm, starpu_data_handle_t handle, int target, void (*callback)(void*),
           void* argument) {
  Delivery delivery{};
  switch (PartIn(comm, handle, target, "starpu_mpi_get_data_on_node_detached", &delivery)) {
    case Part::kSends: return SendDetached(handle, delivery);
    case Part::kReceives:
      delivery.callback = callback;
      delivery.argument = argument;
      return ReceiveDetached(handle, delivery);
    case Part::kNone: return;
  }
}

// The source is sent with the tag of the target: earlier messages with that tag must have left
// before, although they carry other data.
void SendAfter(starpu_data_handle_t target, starpu_data_handle_t source) {
  static starpu_codelet codelet =
      OrderingCodelet(STARPU_W, STARPU_RW, "before a copy between ranks");
  SubmitOrdering(codelet, target, source);
  starpu_data_invalidate_submit(target);  // another rank has the value
}

int Copy(starpu_data_handle_t target, starpu_data_handle_t source, MPI_Comm comm, bool asynchronous,
         void (*callback)(void*), void* argument, int priority) {
  if (target == source) {
    if (callback) callback(argument);
    return 0;
  }
  FinishReduction(source);
  FinishReduction(target);
  const int from = KnownOwner(source, "starpu_mpi_data_cpy");
  const int to = KnownOwner(target, "starpu_mpi_data_cpy");
  const int me = RankIn(comm);
  int error = 0;
  if (from == to) {
    if (me == to || to == STARPU_MPI_PER_NODE)
      error = starpu_data_cpy_priority(target, source, asynchronous, callback, argument, priority);
  } else if (me == from) {
    const int64_t tag = KnownTag(target, "starpu_mpi_data_cpy");
    SendAfter(target, source);
    if (asynchronous)
      error = starpu_mpi_isend_detached_prio(source, to, tag, priority, comm, nullptr, nullptr);
    else
      error = starpu_mpi_send_prio(source, to, tag, priority, comm);
  } else if (me == to) {
    const int64_t tag = KnownTag(target, "starpu_mpi_data_cpy");
    if (asynchronous) {
      error = starpu_mpi_irecv_detached_prio(target, from, tag, priority, comm, callback, argument);
    } else {
      error = starpu_mpi_recv_prio(target, from, tag, priority, comm, MPI_STATUS_IGNORE);
      if (callback) callback(argument);
    }
  }
  // Other ranks have an outdated value.
  starpu_mpi_cache_flush(comm, target);
  return error;
}

// Sends all data between the root and their owners: from the root if `root_sends`, else to it.
// `sent` is called where data are sent, `received` where they are received.
int Exchange(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm, bool root_sends,
             const Callback& sent, const Callback& received, const char* caller) {
  const int me = RankIn(comm);
  const bool sends = (me == root) == root_sends;
  const Callback& callback = sends ? sent : received;
  const auto has_part = [&](starpu_data_handle_t handle) {
    const int owner = handle ? KnownOwner(handle, caller) : root;
    return owner >= 0 && owner != root && (me == root || me == owner);
  };
  unsigned parts = 0;
  for (int i = 0; i < count; ++i) parts += has_part(handles[i]);
  if (parts == 0) return 0;
  auto* const several = callback.function ? new SeveralRequests{{parts}, callback} : nullptr;
  for (int i = 0; i < count; ++i) {
    if (!has_part(handles[i])) continue;
    const Delivery delivery{.peer = me == root ? OwnerOf(handles[i]) : root,
                            .tag = KnownTag(handles[i], caller),
                            .comm = comm,
                            .callback = several ? &CallAfterLast : nullptr,
                            .argument = several};
    if (sends)
      SendDetached(handles[i], delivery);
    else
      ReceiveDetached(handles[i], delivery);
  }
  return 0;
}

}  // namespace
}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_mpi_get_data_on_node(MPI_Comm comm, starpu_data_handle_t handle, int node) {
  Delivery delivery{};
  switch (PartIn(comm, handle, node, __func__, &delivery)) {
    case Part::kSends: return starpu_mpi_send(handle, delivery.peer, delivery.tag, comm);
    case Part::kReceives:
      return starpu_mpi_recv(handle, delivery.peer, delivery.tag, comm, MPI_STATUS_IGNORE);
    case Part::kNone: break;
  }
  return 0;
}
int starpu_mpi_get_data_on_node_detached(MPI_Comm comm, starpu_data_handle_t handle, int node,
                                         void (*callback)(void*), void* arg) {
  Bring(comm, handle, node, callback, arg);
  return 0;
}
void starpu_mpi_get_data_on_all_nodes_detached(MPI_Comm comm, starpu_data_handle_t handle) {
  FinishReduction(handle);
  const int size = SizeOf(comm);
  for (int rank = 0; rank < size; ++rank) Bring(comm, handle, rank, nullptr, nullptr);
}
void starpu_mpi_data_migrate(MPI_Comm comm, starpu_data_handle_t handle, int new_rank) {
  if (new_rank == KnownOwner(handle, __func__)) return;
  FinishReduction(handle);
  Bring(comm, handle, new_rank, nullptr, nullptr);
  starpu_mpi_data_set_rank_comm(handle, new_rank, comm);
  starpu_mpi_cache_flush(comm, handle);
}

int starpu_mpi_data_cpy(starpu_data_handle_t target, starpu_data_handle_t source, MPI_Comm comm,
                        int asynchronous, void (*callback)(void*), void* arg) {
  return Copy(target, source, comm, asynchronous != 0, callback, arg, STARPU_DEFAULT_PRIO);
}
int starpu_mpi_data_cpy_priority(starpu_data_handle_t target, starpu_data_handle_t source,
                                 MPI_Comm comm, int asynchronous, void (*callback)(void*),
                                 void* arg, int priority) {
  return Copy(target, source, comm, asynchronous != 0, callback, arg, priority);
}

int starpu_mpi_scatter_detached(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm,
                                void (*scallback)(void*), void* sarg, void (*rcallback)(void*),
                                void* rarg) {
  return Exchange(handles, count, root, comm, /*root_sends=*/true, {scallback, sarg},
                  {rcallback, rarg}, __func__);
}
int starpu_mpi_gather_detached(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm,
                               void (*scallback)(void*), void* sarg, void (*rcallback)(void*),
                               void* rarg) {
  return Exchange(handles, count, root, comm, /*root_sends=*/false, {scallback, sarg},
                  {rcallback, rarg}, __func__);
}

}  // extern "C"
