// SPDX-License-Identifier: Apache-2.0
// Draws a run.
#include "tests/analysis/random_run.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/testing/test_trace.h"

namespace tasklens::testing {
namespace {

TraceModel Draw(uint32_t seed, bool unlike) {
  std::mt19937 random(seed);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  TestTrace trace;
  trace.MemoryNode("NUMA 0").MemoryNode("NUMA 1");
  const auto workers = static_cast<uint32_t>(pick(1, 4));
  std::vector<bool> is_gpu(workers, false);
  for (uint32_t w = 0; w < workers; ++w) {
    const auto node = static_cast<uint32_t>(pick(0, 1));
    is_gpu[w] = unlike && pick(0, 1);
    trace.Worker((is_gpu[w] ? "CUDA " : "CPU") + std::to_string(w), node);
  }
  std::vector<int64_t> free_ns(workers, 0);
  uint64_t job = 0;
  for (int64_t count = pick(1, 12); count > 0; --count) {
    const auto worker = static_cast<uint32_t>(pick(0, workers - 1));
    const int64_t start_ns = free_ns[worker] + pick(0, 3) * pick(0, 6);
    const int64_t end_ns = start_ns + pick(0, 9);
    free_ns[worker] = end_ns;
    ++job;
    const int64_t submit_ns = pick(0, 3) == 0 ? -1 : pick(0, start_ns);
    const bool for_one_kind = unlike && pick(0, 2);
    trace.Task(!for_one_kind    ? "t"
               : is_gpu[worker] ? "gpu"
                                : "cpu",
               start_ns, end_ns, {.worker = worker, .submit_ns = submit_ns});
    const int64_t ready_ns = pick(std::max<int64_t>(0, submit_ns), start_ns);
    if (pick(0, 2)) trace.Event(ready_ns, EventKind::kTaskReady, {job, 0});
    if (pick(0, 2)) trace.Event(pick(ready_ns, start_ns), EventKind::kTaskPop, {job, 0});
    if (job > 1 && pick(0, 1)) trace.Dep(static_cast<uint64_t>(pick(1, job - 1)), job);
    if (pick(0, 1)) {
      constexpr StateKind kStates[] = {StateKind::kFetchingInput, StateKind::kOverhead,
                                       StateKind::kScheduling, StateKind::kSleeping,
                                       StateKind::kCallback};
      trace.State(pick(end_ns, end_ns + 3), kStates[pick(0, 4)], worker);
    }
  }
  for (uint64_t copy = 1; copy < 4; ++copy) {
    const int64_t from_ns = pick(0, 30);
    const uint64_t node = static_cast<uint64_t>(pick(0, 1));
    trace.Event(from_ns, EventKind::kCopyStart, {1 - node, node, 8, copy, 0, 0});
    trace.Event(from_ns + pick(0, 10), EventKind::kCopyEnd, {1 - node, node, 8, copy, 0});
  }
  return trace.Build();
}

}  // namespace

TraceModel RandomRun(uint32_t seed) { return Draw(seed, /*unlike=*/false); }
TraceModel RandomRunOfUnlikeWorkers(uint32_t seed) { return Draw(seed, /*unlike=*/true); }

}  // namespace tasklens::testing
