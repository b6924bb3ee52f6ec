// SPDX-License-Identifier: Apache-2.0
// Data: the MPI state of a handle: its owner, its tag, the ranks that have its value (the cache),
// and the ranks that take part in a reduction.
//
// The cache is an agreement between ranks that a value need not be sent. All ranks must come to the
// same result, so the cache is changed only by tasks and calls that all ranks submit. A task of a
// single rank that writes the data does not change it: the program has to flush, as StarPU's
// handbook says.
#pragma once

#include <starpu_mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/core/communication.h"

namespace tasklens::mpi {

// Every rank reads the Data of every task: the fields needed for another rank's task share one
// cache line.
class alignas(64) Data {
 public:
  // Threads: any, but not while the handle is registered or its owner changes.
  int rank = -1;
  int home = -1;  // the owner before load balancing moved it; -1: not moved
  int64_t tag = -1;
  MPI_Comm comm = MPI_COMM_WORLD;
  std::vector<char> contributors;  // by rank; empty: no reduction in progress
  // This rank's value is a copy of another owner's value, after the tasks submitted so far.
  bool is_copy = false;

  // Record in the cache, or look up, that the value is here, or at rank `dest`. Each returns the
  // previous state.
  bool ReceivedFrom(MPI_Comm comm);
  bool SetReceived(MPI_Comm comm);
  bool SentTo(MPI_Comm comm, int dest);
  bool SetSent(MPI_Comm comm, int dest);
  // Only the owner has the value from now on.
  void Clear() {
    if (is_cached_.load(std::memory_order_acquire)) ClearSlow();
  }
  void ClearReceived();
  void ClearSent();

 private:
  struct InComm {
    MPI_Comm comm;
    bool received = false;
    std::vector<bool> sent;  // by rank
  };
  InComm& In(MPI_Comm comm);
  void ClearSlow();

  std::atomic<bool> is_cached_{false};
  std::mutex lock_;
  std::vector<InComm> cached_;  // programs have few communicators, mostly one
};

// Returns nullptr if the handle has no Data.
inline Data* FindData(starpu_data_handle_t handle) {
  return handle ? static_cast<Data*>(_starpu_communication_slot(handle)) : nullptr;
}
// Returns the handle's Data, created if needed.
Data& DataOf(starpu_data_handle_t handle);
inline int OwnerOf(starpu_data_handle_t handle) {
  const Data* const data = FindData(handle);
  return data ? data->rank : -1;
}
// Returns all handles with Data.
std::vector<starpu_data_handle_t> AllHandles();
// Counts and records that rank `dest` has the value already, so that it is not sent.
void NoteSparedSend(starpu_data_handle_t handle, MPI_Comm comm, int dest);
// Return the owner and the tag. End the program with a message that names `caller` if it is not
// set.
int KnownOwner(starpu_data_handle_t handle, const char* caller);
int64_t KnownTag(starpu_data_handle_t handle, const char* caller);

bool CacheIsOn();

// Sets the cache according to the environment.
void StartData();

}  // namespace tasklens::mpi
