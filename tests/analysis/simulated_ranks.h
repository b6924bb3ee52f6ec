// SPDX-License-Identifier: Apache-2.0
// Several ranks on paper: from tasks and a machine to the trace of a run with messages, for tests
// that need runs with a known fault of communication.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/analysis/dice.h"
#include "tests/testing/test_trace.h"

namespace tasklens::testing {

struct RankTask {
  uint32_t rank = 0;
  uint32_t line = 1;  // of "program.c"
  int64_t length_ns = 1000;
  std::vector<size_t> after = {};  // indices of earlier tasks, on any rank
  int32_t priority = 0;
  uint64_t bytes = 64 * 1024;  // of its result, which goes to the ranks of tasks after it
  int64_t tag = -1;            // of these messages; -1: its own
  int64_t late_ns = 0;         // for so long they lie there before they are received
};

struct RankMachine {
  uint32_t ranks = 2, workers = 2;  // of each rank
  int64_t latency_ns = 100;
  double ns_per_byte = 0.001;
  int64_t unsent_ns = 10;  // from the end of a task until its result is sent
};

// Plays `tasks`, all submitted at time 0, and records them. Times are exact: a free worker takes
// the ready task of its rank that has the highest priority, of equals the first.
TestTrace SimulateRanks(const std::vector<RankTask>& tasks, const RankMachine& machine);

// Runs with the fault of the rule of that name, or without.
TraceModel LateSender(Dice& dice);
TraceModel LateReceiver(Dice& dice);
TraceModel SmallMessages(Dice& dice);
TraceModel DataBetweenRanks(Dice& dice);
TraceModel MessageWait(Dice& dice);
TraceModel RankImbalance(Dice& dice);
TraceModel TagUsedTwice(Dice& dice);

}  // namespace tasklens::testing
