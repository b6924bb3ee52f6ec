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
inline std::string_view RankWord(const TraceModel& model) {
  const RankTable& ranks = model.ranks;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (ranks.world_size[i] != 0) return "rank";
  return ranks.size() > 1 ? "run" : "rank";
}

}  // namespace tasklens
