// SPDX-License-Identifier: Apache-2.0
// What the rows of RankTable are called for people.
//
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <string_view>

#include "trace/model/trace_model.h"

namespace tasklens {

// "rank" of the processes of an MPI program; "run" of traces that belong to none, as of a process
// that started the runtime several times, or of recordings that were opened together.
inline bool AreRuns(const TraceModel& model) {
  const RankTable& ranks = model.ranks;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (ranks.world_size[i] != 0) return false;
  return ranks.size() > 1;
}
inline std::string_view RankWord(const TraceModel& model) {
  return AreRuns(model) ? "run" : "rank";
}

// Of an mpi_barrier by which a reader says that all rows have one clock: the size of the world
// where they are ranks, and of runs this.
inline constexpr uint64_t kNoWorld = 0;

// What the container of all programs is called in a Paje file of ours, where they are runs.
inline constexpr std::string_view kPajeRuns = "runs";

}  // namespace tasklens
