// SPDX-License-Identifier: Apache-2.0
// Detached requests for the other parts of the library, as starpu_mpi_isend_detached() and related
// functions.
#pragma once

#include <starpu_mpi.h>

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

}  // namespace tasklens::mpi
