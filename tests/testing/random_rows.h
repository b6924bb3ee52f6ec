// SPDX-License-Identifier: Apache-2.0
// Rows of the timeline at random, and what they hold, counted by looking at every state.
#pragma once

#include <cstdint>
#include <map>
#include <random>

#include "trace/model/trace_model.h"

namespace tasklens::testing {

// Two workers with up to some hundred states each, long and short, of them tasks, with states
// pushed onto them, and times without any.
TraceModel RandomRows(std::mt19937& random);

// What a track is between two times.
struct RowSums {
  std::map<StateKind, int64_t> times_ns;    // of the deepest state at each moment
  std::map<StringId, int64_t> codelets_ns;  // of those, of tasks, by their name
  uint32_t states = 0, tasks = 0;           // that lie (partly) there
  int64_t TimeIn(StateKind kind) const {
    const auto it = times_ns.find(kind);
    return it == times_ns.end() ? 0 : it->second;
  }
};
RowSums SumsOf(const TraceModel& model, uint32_t track, int64_t from_ns, int64_t to_ns);

}  // namespace tasklens::testing
