// SPDX-License-Identifier: Apache-2.0
// The order of tasks is blamed only for what another order would save.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/advice.h"
#include "analysis/list_schedule.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

const Finding* FindOrder(const std::vector<Finding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding& one) { return one.rule == "order_of_tasks"; });
  return found == findings.end() ? nullptr : &*found;
}

// The runtime takes its time before each task, and no task ever waits for another's worker.
TEST(OrderOfTasks, IsNotBlamedWhereThereIsNothingToChoose) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    testing::TestTrace trace;
    trace.Worker("CPU0").Worker("CPU1");
    uint64_t job = 0;
    const uint32_t chains = 1 + seed % 2;
    for (uint32_t chain = 0; chain < chains; ++chain) {
      const uint32_t tasks = 1 + random() % 8;
      int64_t now_ns = 0;
      for (uint32_t i = 0; i < tasks; ++i) {
        const int64_t start_ns = now_ns + 100 + random() % 2000;
        const int64_t end_ns = start_ns + 500 + random() % 2000;
        trace.Task("a", start_ns, end_ns,
                   {.worker = chain, .submit_ns = 10, .file = "a.c", .line = 1});
        if (++job; i > 0) trace.Dep(job - 1, job);
        now_ns = end_ns;
      }
    }
    EXPECT_EQ(FindOrder(Advise(trace.Build())), nullptr) << seed;
  }
}

TEST(OrderOfTasks, CostsNoMoreThanAnotherOrderSavesOnRandomRuns) {
  uint32_t blamed = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const TraceModel model = testing::RandomRun(seed);
    const std::vector<Finding> findings = Advise(model);
    const Finding* found = FindOrder(findings);
    if (!found) continue;
    ++blamed;
    EXPECT_LE(found->cost_ns, ScheduleByList(model, nullptr, ListOrder::kOfTheRun).span_ns -
                                  ScheduleByList(model).span_ns)
        << seed;
  }
  EXPECT_GT(blamed, 0u);
}

}  // namespace
}  // namespace tasklens
