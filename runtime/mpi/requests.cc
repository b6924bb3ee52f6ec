// SPDX-License-Identifier: Apache-2.0
// The public functions that send and receive data.
#include "runtime/mpi/requests.h"

#include <cerrno>
#include <memory>

#include "runtime/core/communication.h"
#include "runtime/mpi/engine.h"

namespace tasklens::mpi {
namespace {

Request* NewRequest(RequestKind kind, starpu_data_handle_t handle, const Delivery& delivery,
                    bool detached) {
  if (!Engine::Instance().IsRunning())
    _starpu_communication_fatal(
        "data are sent or received before starpu_mpi_init(), or after "
        "starpu_mpi_shutdown()");
  if (!handle)
    _starpu_communication_fatal(
        "data are sent or received, but the handle is NULL (rank %d, tag %lld)", delivery.peer,
        static_cast<long long>(delivery.tag));
  auto* const request = new Request;
  request->kind = kind;
  request->handle = handle;
  request->peer = delivery.peer;
  request->tag = delivery.tag;
  request->comm = delivery.comm;
  request->priority = delivery.priority;
  request->synchronous = delivery.synchronous;
  request->callback = delivery.callback;
  request->argument = delivery.argument;
  request->detached = detached;
  // STARPU_MPI_MEM_THROTTLE: receives into data without memory wait until there is room.
  static const bool kThrottles = starpu_getenv_number_default("STARPU_MPI_MEM_THROTTLE", 0) > 0;
  if (kThrottles && kind == RequestKind::kReceive && !_starpu_communication_has_value(handle)) {
    const size_t bytes = starpu_data_get_size(handle);
    if (bytes && starpu_memory_allocate(STARPU_MAIN_RAM, bytes, STARPU_MEMORY_WAIT) == 0)
      request->reserved_bytes = bytes;
  }
  return request;
}

int Post(RequestKind kind, starpu_data_handle_t handle, const Delivery& delivery,
         starpu_mpi_req* req) {
  Request* const request = NewRequest(kind, handle, delivery, /*detached=*/false);
  *req = request;
  Engine::Instance().Submit(request);
  return 0;
}

// Returns the status of an ended request, and deletes the request.
void TakeStatus(starpu_mpi_req* req, MPI_Status* status) {
  auto* const request = static_cast<Request*>(*req);
  if (status != MPI_STATUS_IGNORE) *status = request->status;
  delete request;
  *req = nullptr;
}

int WaitFor(starpu_mpi_req* req, MPI_Status* status) {
  Engine::Instance().Wait(static_cast<Request*>(*req));
  TakeStatus(req, status);
  return 0;
}

int PostAndWait(RequestKind kind, starpu_data_handle_t handle, const Delivery& delivery,
                MPI_Status* status) {
  starpu_mpi_req req;
  Post(kind, handle, delivery, &req);
  return WaitFor(&req, status);
}

// A detached request: what its caller gave.
Delivery Detached(int peer, starpu_mpi_tag_t tag, int priority, MPI_Comm comm,
                  void (*callback)(void*), void* argument) {
  return {.peer = peer,
          .tag = tag,
          .comm = comm,
          .priority = priority,
          .callback = callback,
          .argument = argument};
}

// A request's callback that notifies a tag.
void Unlock(void* tag) { starpu_tag_notify_from_apps(reinterpret_cast<uintptr_t>(tag)); }
void* AsArgument(starpu_tag_t tag) { return reinterpret_cast<void*>(uintptr_t{tag}); }

}  // namespace

void SendDetached(starpu_data_handle_t handle, const Delivery& delivery) {
  Engine::Instance().Submit(NewRequest(RequestKind::kSend, handle, delivery, true));
}
void ReceiveDetached(starpu_data_handle_t handle, const Delivery& delivery, bool ordered) {
  Request* const request = NewRequest(RequestKind::kReceive, handle, delivery, true);
  request->ordered = ordered;
  Engine::Instance().Submit(request);
}

void CallAfterLast(void* argument) {
  auto* const several = static_cast<SeveralRequests*>(argument);
  if (several->left.fetch_sub(1) > 1) return;
  const std::unique_ptr<SeveralRequests> last(several);
  last->callback.function(last->callback.argument);
}

starpu_codelet OrderingCodelet(starpu_data_access_mode first, starpu_data_access_mode second,
                               const char* name) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.where = STARPU_NOWHERE;
  codelet.nbuffers = 2;
  codelet.modes[0] = first;
  codelet.modes[1] = second;
  codelet.name = name;
  return codelet;
}
void SubmitOrdering(starpu_codelet& codelet, starpu_data_handle_t first,
                    starpu_data_handle_t second) {
  starpu_task* const task = starpu_task_create();
  task->type = STARPU_TASK_TYPE_INTERNAL;
  task->cl = &codelet;
  task->handles[0] = first;
  task->handles[1] = second;
  // The parentheses call the function instead of the macro, which would record this line.
  if (const int error = (starpu_task_submit)(task))
    _starpu_communication_fatal("the task '%s' is refused (error %d)", codelet.name, error);
}

}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_mpi_isend(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                     starpu_mpi_tag_t tag, MPI_Comm comm) {
  return starpu_mpi_isend_prio(handle, req, dest, tag, 0, comm);
}
int starpu_mpi_isend_prio(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                          starpu_mpi_tag_t tag, int prio, MPI_Comm comm) {
  return Post(RequestKind::kSend, handle,
              {.peer = dest, .tag = tag, .comm = comm, .priority = prio}, req);
}
int starpu_mpi_issend(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                      starpu_mpi_tag_t tag, MPI_Comm comm) {
  return starpu_mpi_issend_prio(handle, req, dest, tag, 0, comm);
}
int starpu_mpi_issend_prio(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                           starpu_mpi_tag_t tag, int prio, MPI_Comm comm) {
  return Post(RequestKind::kSend, handle,
              {.peer = dest, .tag = tag, .comm = comm, .priority = prio, .synchronous = true}, req);
}
int starpu_mpi_irecv(starpu_data_handle_t handle, starpu_mpi_req* req, int source,
                     starpu_mpi_tag_t tag, MPI_Comm comm) {
  return Post(RequestKind::kReceive, handle, {.peer = source, .tag = tag, .comm = comm}, req);
}
int starpu_mpi_wait(starpu_mpi_req* req, MPI_Status* status) {
  if (!*req) return -EINVAL;
  return WaitFor(req, status);
}
int starpu_mpi_test(starpu_mpi_req* req, int* flag, MPI_Status* status) {
  if (!*req) return -EINVAL;
  *flag = Engine::Instance().Test(static_cast<Request*>(*req));
  if (*flag) TakeStatus(req, status);
  return 0;
}

int starpu_mpi_send(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag, MPI_Comm comm) {
  return starpu_mpi_send_prio(handle, dest, tag, 0, comm);
}
int starpu_mpi_send_prio(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag, int prio,
                         MPI_Comm comm) {
  return PostAndWait(RequestKind::kSend, handle,
                     {.peer = dest, .tag = tag, .comm = comm, .priority = prio}, MPI_STATUS_IGNORE);
}
int starpu_mpi_recv(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag, MPI_Comm comm,
                    MPI_Status* status) {
  return starpu_mpi_recv_prio(handle, source, tag, 0, comm, status);
}
int starpu_mpi_recv_prio(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag, int prio,
                         MPI_Comm comm, MPI_Status* status) {
  return PostAndWait(RequestKind::kReceive, handle,
                     {.peer = source, .tag = tag, .comm = comm, .priority = prio}, status);
}

int starpu_mpi_isend_detached(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                              MPI_Comm comm, void (*callback)(void*), void* arg) {
  return starpu_mpi_isend_detached_prio(handle, dest, tag, 0, comm, callback, arg);
}
int starpu_mpi_isend_detached_prio(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                                   int prio, MPI_Comm comm, void (*callback)(void*), void* arg) {
  SendDetached(handle, Detached(dest, tag, prio, comm, callback, arg));
  return 0;
}
int starpu_mpi_issend_detached(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                               MPI_Comm comm, void (*callback)(void*), void* arg) {
  return starpu_mpi_issend_detached_prio(handle, dest, tag, 0, comm, callback, arg);
}
int starpu_mpi_issend_detached_prio(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                                    int prio, MPI_Comm comm, void (*callback)(void*), void* arg) {
  Delivery delivery = Detached(dest, tag, prio, comm, callback, arg);
  delivery.synchronous = true;
  SendDetached(handle, delivery);
  return 0;
}
int starpu_mpi_irecv_detached(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag,
                              MPI_Comm comm, void (*callback)(void*), void* arg) {
  return starpu_mpi_irecv_detached_prio(handle, source, tag, 0, comm, callback, arg);
}
int starpu_mpi_irecv_detached_prio(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag,
                                   int prio, MPI_Comm comm, void (*callback)(void*), void* arg) {
  ReceiveDetached(handle, Detached(source, tag, prio, comm, callback, arg));
  return 0;
}
int starpu_mpi_irecv_detached_sequential_consistency(starpu_data_handle_t handle, int source,
                                                     starpu_mpi_tag_t tag, MPI_Comm comm,
                                                     void (*callback)(void*), void* arg,
                                                     int sequential_consistency) {
  ReceiveDetached(handle, Detached(source, tag, 0, comm, callback, arg),
                  sequential_consistency != 0);
  return 0;
}

int starpu_mpi_isend_detached_unlock_tag(starpu_data_handle_t handle, int dest,
                                         starpu_mpi_tag_t tag, MPI_Comm comm,
                                         starpu_tag_t unlock_tag) {
  return starpu_mpi_isend_detached(handle, dest, tag, comm, &Unlock, AsArgument(unlock_tag));
}
int starpu_mpi_isend_detached_unlock_tag_prio(starpu_data_handle_t handle, int dest,
                                              starpu_mpi_tag_t tag, int prio, MPI_Comm comm,
                                              starpu_tag_t unlock_tag) {
  return starpu_mpi_isend_detached_prio(handle, dest, tag, prio, comm, &Unlock,
                                        AsArgument(unlock_tag));
}
int starpu_mpi_irecv_detached_unlock_tag(starpu_data_handle_t handle, int source,
                                         starpu_mpi_tag_t tag, MPI_Comm comm,
                                         starpu_tag_t unlock_tag) {
  return starpu_mpi_irecv_detached(handle, source, tag, comm, &Unlock, AsArgument(unlock_tag));
}
int starpu_mpi_isend_array_detached_unlock_tag(unsigned count, starpu_data_handle_t* handles,
                                               int* dests, starpu_mpi_tag_t* tags, MPI_Comm* comms,
                                               starpu_tag_t unlock_tag) {
  return starpu_mpi_isend_array_detached_unlock_tag_prio(count, handles, dests, tags, nullptr,
                                                         comms, unlock_tag);
}
int starpu_mpi_isend_array_detached_unlock_tag_prio(unsigned count, starpu_data_handle_t* handles,
                                                    int* dests, starpu_mpi_tag_t* tags, int* prios,
                                                    MPI_Comm* comms, starpu_tag_t unlock_tag) {
  if (count == 0) return 0;
  auto* const several = new SeveralRequests{{count}, {&Unlock, AsArgument(unlock_tag)}};
  for (unsigned i = 0; i < count; ++i)
    starpu_mpi_isend_detached_prio(handles[i], dests[i], tags[i], prios ? prios[i] : 0, comms[i],
                                   &CallAfterLast, several);
  return 0;
}
int starpu_mpi_irecv_array_detached_unlock_tag(unsigned count, starpu_data_handle_t* handles,
                                               int* sources, starpu_mpi_tag_t* tags,
                                               MPI_Comm* comms, starpu_tag_t unlock_tag) {
  if (count == 0) return 0;
  auto* const several = new SeveralRequests{{count}, {&Unlock, AsArgument(unlock_tag)}};
  for (unsigned i = 0; i < count; ++i)
    starpu_mpi_irecv_detached(handles[i], sources[i], tags[i], comms[i], &CallAfterLast, several);
  return 0;
}

}  // extern "C"
