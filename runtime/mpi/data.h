// SPDX-License-Identifier: Apache-2.0
// What is known of a handle: who owns it, its tag, who has its value (the cache), which ranks have
// parts of a reduction.
//
// The cache is a promise between ranks, that the value need not be sent: all ranks must come to the
// same conclusion, so that only what all of them see changes it, which are tasks and calls that all
// ranks submit. A task of one rank alone that writes the data does not: the program has to flush,
// as StarPU's handbook says.
#pragma once

#include <starpu_mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/core/communication.h"

namespace tasklens::mpi {

// Every rank looks at the data of every task: what it looks at for another rank's lies in one line
// of the cache.
class alignas(64) Data {
 public:
  // Any thread, but for one handle not while it is registered or its owner changes.
  int rank = -1;
  int home = -1;  // the rank that owned it before load was balanced, if that moved it
  int64_t tag = -1;
  MPI_Comm comm = MPI_COMM_WORLD;
  std::vector<char> contributors;  // by rank; empty: no reduction is under way
  // What this rank has is the value that another one owns, as far as tasks were submitted.
  bool is_copy = false;

  // The value is here, or at rank `dest`; each returns what it was before.
  bool ReceivedFrom(MPI_Comm comm);
  bool SetReceived(MPI_Comm comm);
  bool SentTo(MPI_Comm comm, int dest);
  bool SetSent(MPI_Comm comm, int dest);
  // Nobody but the owner has it.
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
  std::vector<InComm> cached_;  // a program has few communicators, most have one
};

// nullptr: nobody has said anything of the handle.
inline Data* FindData(starpu_data_handle_t handle) {
  return handle ? static_cast<Data*>(_starpu_communication_slot(handle)) : nullptr;
}
// Made when there is none.
Data& DataOf(starpu_data_handle_t handle);
inline int OwnerOf(starpu_data_handle_t handle) {
  const Data* const data = FindData(handle);
  return data ? data->rank : -1;
}
// Of all handles that something is known of.
std::vector<starpu_data_handle_t> AllHandles();
// Rank `dest` has the value, so that this rank need not send it: counts that, and records it.
void NoteSparedSend(starpu_data_handle_t handle, MPI_Comm comm, int dest);
// Both or a fatal line that says what the caller misses.
int KnownOwner(starpu_data_handle_t handle, const char* caller);
int64_t KnownTag(starpu_data_handle_t handle, const char* caller);

bool CacheIsOn();

// From now on the cache is as the environment says.
void StartData();

}  // namespace tasklens::mpi
