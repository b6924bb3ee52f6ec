// SPDX-License-Identifier: Apache-2.0
// The word for a row of RankTable in texts for people.
//
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <string_view>

#include "trace/model/trace_model.h"

namespace tasklens {

// "rank" for the processes of an MPI program; "run" for other traces, such as those of a process
// that started the runtime several times, or recordings that were opened together.
inline bool AreRuns(const TraceModel& model) {
  const RankTable& ranks = model.ranks;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (ranks.world_size[i] != 0) return false;
  return ranks.size() > 1;
}
inline std::string_view RankWord(const TraceModel& model) {
  return AreRuns(model) ? "run" : "rank";
}

// World size in an mpi_barrier event by which a reader says that all rows share one clock: the size
// of the world for ranks, this for runs.
inline constexpr uint64_t kNoWorld = 0;

// The name of the container of all programs in our Paje files, if they are runs.
inline constexpr std::string_view kPajeRuns = "runs";

}  // namespace tasklens
