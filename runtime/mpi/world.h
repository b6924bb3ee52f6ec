// SPDX-License-Identifier: Apache-2.0
// Ranks and sizes of communicators, the division of MPI's tags, and a fake world for tests.
#pragma once

#include <starpu_mpi.h>

#include <cstdint>

namespace tasklens::mpi {

// Return this process's rank, and the size, from MPI or from the fake world (STARPU_MPI_FAKE_RANK
// and _SIZE).
int RankIn(MPI_Comm comm);
int SizeOf(MPI_Comm comm);
// Returns the world rank of a rank in a communicator.
int WorldRank(MPI_Comm comm, int rank);
// Whether the world is fake: nothing is sent, and data that would be received stay as they are.
bool IsFake();

// MPI has tags from 0 to a limit of its own, and the program may use some of them for its own
// messages. The library uses the upper half:
struct TagRoom {
  int first = 0;        // MPI's tag for the tag 0 of data
  int64_t narrow = 0;   // tags of data below this map to MPI's from `first` on
  int wide_header = 0;  // for others, a header with this tag names ...
  int wide_first = 0;   // ... one of `wide` tags from here on for the data
  int64_t wide = 0;
};
const TagRoom& Tags();

}  // namespace tasklens::mpi
