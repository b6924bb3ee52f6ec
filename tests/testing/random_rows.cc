// SPDX-License-Identifier: Apache-2.0
// Events at random times, and sums over every moment at which anything changes.
#include "tests/testing/random_rows.h"

#include <algorithm>
#include <set>
#include <string>

#include "tests/testing/test_trace.h"

namespace tasklens::testing {

TraceModel RandomRows(std::mt19937& random) {
  constexpr StateKind kStates[] = {StateKind::kIdle, StateKind::kSleeping, StateKind::kScheduling,
                                   StateKind::kOverhead, StateKind::kFetchingInput};
  constexpr StateKind kPushed[] = {StateKind::kCallback, StateKind::kScheduling,
                                   StateKind::kAllocating};
  TestTrace trace;
  for (uint32_t worker = 0; worker < 2; ++worker) {
    trace.Worker("CPU" + std::to_string(worker));
    const uint64_t thread = 1000 + worker;
    int64_t now_ns = static_cast<int64_t>(random() % 50);
    const auto length = [&] {
      return static_cast<int64_t>(random() % 4 == 0 ? random() % 2000 : random() % 20);
    };
    const int count = static_cast<int>(random() % 400);
    for (int i = 0; i < count; ++i) {
      // A task may have no length.
      const bool is_task = random() % 3 == 0;
      const int64_t end_ns = now_ns + (is_task && random() % 4 == 0 ? 0 : 1 + length());
      if (is_task)
        trace.Task("t" + std::to_string(random() % 3), now_ns, end_ns, {.worker = worker});
      else
        trace.State(now_ns, kStates[random() % std::size(kStates)], worker);
      int pushed = 0;
      for (int64_t at_ns = now_ns + length() % 8; at_ns < end_ns - 1 && random() % 3 == 0;
           at_ns += 1 + length() % 16) {
        if (pushed > 0 && random() % 2 == 0) {
          trace.Event(at_ns, EventKind::kStatePop, {}, thread);
          --pushed;
        } else {
          trace.Event(at_ns, EventKind::kStatePush, {kPushed[random() % std::size(kPushed)]},
                      thread);
          ++pushed;
        }
      }
      for (; pushed > 0; --pushed) trace.Event(end_ns - 1, EventKind::kStatePop, {}, thread);
      now_ns = end_ns;
      if (random() % 20 != 0) continue;
      trace.State(now_ns, StateKind::kNone, worker);
      now_ns += length();
    }
    trace.State(now_ns, StateKind::kIdle, worker);
    trace.Event(now_ns + 10, EventKind::kMessage, {"end"});
  }
  return trace.Build();
}

RowSums SumsOf(const TraceModel& model, uint32_t track, int64_t from_ns, int64_t to_ns) {
  const StateTable& states = model.states;
  const uint32_t first = states.first_of_track[track], last = states.first_of_track[track + 1];
  std::set<int64_t> moments = {from_ns, to_ns};
  RowSums sums;
  for (uint32_t state = first; state < last; ++state) {
    const int64_t start_ns = states.start_ns[state], end_ns = states.end_ns[state];
    for (const int64_t at_ns : {start_ns, end_ns})
      if (at_ns > from_ns && at_ns < to_ns) moments.insert(at_ns);
    if (start_ns >= to_ns || (end_ns <= from_ns && start_ns < from_ns)) continue;
    ++sums.states;
    sums.tasks += Decl(states.kind[state]).group == StateGroup::kTask;
  }
  for (auto at = moments.begin(); std::next(at) != moments.end(); ++at) {
    uint32_t deepest = kNone;
    for (uint32_t state = first; state < last; ++state)
      if (states.start_ns[state] <= *at && states.end_ns[state] > *at &&
          (deepest == kNone || states.depth[state] > states.depth[deepest]))
        deepest = state;
    if (deepest == kNone) continue;
    sums.times_ns[states.kind[deepest]] += *std::next(at) - *at;
    if (states.task[deepest] < model.tasks.size() &&
        Decl(states.kind[deepest]).group == StateGroup::kTask)
      sums.codelets_ns[model.tasks.name[states.task[deepest]]] += *std::next(at) - *at;
  }
  return sums;
}

}  // namespace tasklens::testing
