// SPDX-License-Identifier: Apache-2.0
// Who we are: ranks and sizes, the room that MPI has for tags, and a world that is made up.
#pragma once

#include <starpu_mpi.h>

#include <cstdint>

namespace tasklens::mpi {

// As of this process; asks MPI, or the made-up world (STARPU_MPI_FAKE_RANK and _SIZE).
int RankIn(MPI_Comm comm);
int SizeOf(MPI_Comm comm);
// The rank in the world of a rank in a communicator.
int WorldRank(MPI_Comm comm, int rank);
// Whether the world is made up: nothing is sent, and what would be received is left as it is.
bool IsFake();

// MPI has tags from 0 to a limit of its own, and the program uses some of them for messages that
// are not ours. Ours are in the upper half of them:
struct TagRoom {
  int first = 0;        // the tag 0 of data
  int64_t narrow = 0;   // tags of data below this are MPI's from `first` on
  int wide_header = 0;  // of others a message with this tag tells ...
  int wide_first = 0;   // ... which of so many tags from here on the data have
  int64_t wide = 0;
};
const TagRoom& Tags();

}  // namespace tasklens::mpi
