// SPDX-License-Identifier: Apache-2.0
// Detached requests for the other parts of the library, as starpu_mpi_isend_detached() and related
// functions.
#pragma once

#include <starpu_mpi.h>

#include <atomic>

namespace tasklens::mpi {

struct Delivery {
  int peer;
  int64_t tag;
  MPI_Comm comm;
  int priority = 0;
  bool synchronous = false;
  void (*callback)(void*) = nullptr;
  void* argument = nullptr;
};
void SendDetached(starpu_data_handle_t handle, const Delivery& delivery);
void ReceiveDetached(starpu_data_handle_t handle, const Delivery& delivery, bool ordered = true);

// The callback of several requests, and what its argument points to: calls `callback` after the
// last of them.
struct Callback {
  void (*function)(void*);
  void* argument;
};
struct SeveralRequests {
  std::atomic<unsigned> left;
  Callback callback;
};
void CallAfterLast(void* several);

// Returns an empty codelet with two data, for SubmitOrdering().
starpu_codelet OrderingCodelet(starpu_data_access_mode first, starpu_data_access_mode second,
                               const char* name);
// Submits a task of that codelet, so that what follows for one of the data waits for what precedes
// for the other. The codelet lives as long as the program.
void SubmitOrdering(starpu_codelet& codelet, starpu_data_handle_t first,
                    starpu_data_handle_t second);

}  // namespace tasklens::mpi
