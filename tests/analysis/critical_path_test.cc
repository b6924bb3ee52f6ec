// SPDX-License-Identifier: Apache-2.0
// The critical path, slack and last dependencies, by hand and against brute force.
#include "analysis/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/last_dependencies.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// Two workers. 1 runs first on CPU0; 2 waits for it on CPU1; 3 fills CPU0; 4 waits for 2 and 3.
//
//   CPU0  |--1--|----3----|  |--4--|
//   CPU1        |-2-|
//   ns    0    10  14    20  22   30
TraceModel Diamond() {
  return TestTrace()
      .Worker("CPU0")
      .Worker("CPU1")
      .Task("a", 0, 10)
      .Task("b", 10, 14, {.worker = 1})
      .Task("c", 10, 20)
      .Task("d", 22, 30)
      .Dep(1, 2)
      .Dep(2, 4)
      .Dep(3, 4)
      .Build();
}

std::vector<uint64_t> Jobs(const TraceModel& model, const std::vector<uint32_t>& tasks) {
  std::vector<uint64_t> jobs;
  for (const uint32_t task : tasks) jobs.push_back(model.tasks.job[task]);
  return jobs;
}

TEST(ObservedCriticalPath, GoesThroughDependenciesAndBusyWorkers) {
  const TraceModel model = Diamond();
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 3u);
  EXPECT_EQ(model.tasks.job[path.steps[0].task], 1u);
  EXPECT_EQ(path.steps[0].hold, Hold::kStart);
  EXPECT_EQ(model.tasks.job[path.steps[1].task], 3u);
  EXPECT_EQ(path.steps[1].hold, Hold::kWorker);
  EXPECT_EQ(model.tasks.job[path.steps[2].task], 4u);
  EXPECT_EQ(path.steps[2].hold, Hold::kDependency);
  EXPECT_EQ(path.steps[2].wait_ns, 2);
  EXPECT_EQ(path.work_ns, 28);
  EXPECT_EQ(path.wait_ns, 2);
}

TEST(ObservedCriticalPath, SaysWhichTasksCameTooLate) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 10, {.submit_ns = 0})
                               .Task("b", 32, 40, {.submit_ns = 30})
                               .Task("c", 45, 50, {.submit_ns = 31})
                               .Build();
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 3u);
  EXPECT_EQ(path.steps[1].hold, Hold::kSubmission);
  EXPECT_EQ(path.steps[1].wait_ns, 22);
  EXPECT_EQ(path.steps[2].hold, Hold::kWorker);
  EXPECT_EQ(path.work_ns + path.wait_ns, 50);
}

TEST(ObservedCriticalPath, BlamesNoSubmissionThatWasOverSoon) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 5, 10, {.submit_ns = 2})
                               .Task("b", 32, 40, {.submit_ns = 12})
                               .Build();
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 2u);
  EXPECT_EQ(path.steps[0].wait_ns, 3) << "the run begins with the first submission";
  EXPECT_EQ(path.steps[1].hold, Hold::kWorker) << "20 of 22 ns it lay there";
  EXPECT_EQ(path.work_ns + path.wait_ns, 38);
}

TEST(LongestDependencyChain, IgnoresWhoWasBusy) {
  const TraceModel model = Diamond();
  const LongestChain chain = LongestDependencyChain(model);
  EXPECT_EQ(Jobs(model, chain.tasks), (std::vector<uint64_t>{1, 2, 4}));
  EXPECT_EQ(chain.length_ns, 22);
}

TEST(Slack, IsZeroOnlyWhereDelayLengthensTheRun) {
  const TraceModel model = Diamond();
  const std::vector<int64_t> slack_ns = SlackNs(model);
  const int64_t expected_ns[] = {2, 8, 2, 0};  // the pause before 4 gives 1 and 3 room
  for (uint64_t job = 1; job <= 4; ++job)
    EXPECT_EQ(slack_ns[model.FindTask(0, job)], expected_ns[job - 1]) << "task " << job;
}

TEST(LastDependencies, GoesBackToTheTaskThatNobodyHeld) {
  const TraceModel model = Diamond();
  EXPECT_EQ(Jobs(model, LastDependencies(model).ChainOf(model.FindTask(0, 4))),
            (std::vector<uint64_t>{4, 3}));
  EXPECT_EQ(Jobs(model, LastDependencies(model).ChainOf(model.FindTask(0, 2))),
            (std::vector<uint64_t>{2, 1}));
  EXPECT_TRUE(LastDependencies(model).ChainOf(99).empty());
}

TEST(LastDependencies, GoesOnBehindWhatDidNotRun) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 10)
                               .Task("b", 20, 30)
                               .Event(10, EventKind::kTaskSubmit, {3, 3, 0, 0, 0, kTaskDataAcquire})
                               .Dep(1, 3)
                               .Dep(3, 2)
                               .Dep(3, 3)
                               .Build();
  EXPECT_EQ(Jobs(model, LastDependencies(model).ChainOf(model.FindTask(0, 2))),
            (std::vector<uint64_t>{2, 1}));
}

TEST(CriticalPath, IsEmptyWhereNothingRan) {
  const TraceModel model = TestTrace().Worker("CPU0").Build();
  EXPECT_TRUE(ObservedCriticalPath(model).steps.empty());
  EXPECT_TRUE(LongestDependencyChain(model).tasks.empty());
  EXPECT_TRUE(SlackNs(model).empty());
}

TEST(CriticalPath, LeavesOutDependenciesThatTheClockContradicts) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 10)
                               .Task("b", 5, 20, {.worker = 1})
                               .Dep(1, 2)
                               .Dep(2, 1)
                               .Build();
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 1u);
  EXPECT_EQ(model.tasks.job[path.steps[0].task], 2u);
  EXPECT_EQ(LongestDependencyChain(model).length_ns, 15);
}

// A random graph, run by a greedy scheduler with random pauses.
struct Schedule {
  struct Item {
    int64_t start_ns, end_ns;
    uint32_t worker;
    std::vector<uint32_t> waits_for;  // indices of items: dependencies only
    int previous = -1;                // on its worker
  };
  std::vector<Item> items;

  explicit Schedule(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    const uint32_t workers = 1 + below(3), count = 1 + below(9);
    std::vector<int64_t> free_ns(workers, 0);
    std::vector<int> last(workers, -1);
    for (uint32_t i = 0; i < count; ++i) {
      Item item;
      item.worker = below(workers);
      item.start_ns = free_ns[item.worker] + below(4);
      for (uint32_t j = 0; j < i; ++j) {
        if (below(3) != 0) continue;
        item.waits_for.push_back(j);
        item.start_ns = std::max(item.start_ns, items[j].end_ns);
      }
      item.end_ns = item.start_ns + 1 + below(9);
      item.previous = last[item.worker];
      last[item.worker] = static_cast<int>(i);
      free_ns[item.worker] = item.end_ns;
      items.push_back(item);
    }
  }

  TraceModel Model() const {
    TestTrace trace;
    for (uint32_t w = 0; w < 3; ++w) trace.Worker("CPU" + std::to_string(w));
    for (const Item& item : items)
      trace.Task("t", item.start_ns, item.end_ns, {.worker = item.worker});
    for (uint32_t i = 0; i < items.size(); ++i)
      for (const uint32_t j : items[i].waits_for) trace.Dep(j + 1, i + 1);
    return trace.Build();
  }

  int64_t EndNs() const {
    int64_t end_ns = 0;
    for (const Item& item : items) end_ns = std::max(end_ns, item.end_ns);
    return end_ns;
  }
  int64_t BeginNs() const {
    int64_t begin_ns = items[0].start_ns;
    for (const Item& item : items) begin_ns = std::min(begin_ns, item.start_ns);
    return begin_ns;
  }

  // When the run ends if item `late` ends `delay_ns` later and nobody starts earlier than it did.
  int64_t EndWithDelayNs(uint32_t late, int64_t delay_ns) const {
    std::vector<int64_t> end_ns(items.size());
    int64_t last_ns = 0;
    for (uint32_t i = 0; i < items.size(); ++i) {
      int64_t start_ns = items[i].start_ns;
      for (const uint32_t j : items[i].waits_for) start_ns = std::max(start_ns, end_ns[j]);
      if (items[i].previous >= 0) start_ns = std::max(start_ns, end_ns[items[i].previous]);
      end_ns[i] = start_ns + items[i].end_ns - items[i].start_ns + (i == late ? delay_ns : 0);
      last_ns = std::max(last_ns, end_ns[i]);
    }
    return last_ns;
  }

  // The length of the longest chain that ends with item i, by trying them all.
  int64_t LongestNs(uint32_t i) const {
    int64_t before_ns = 0;
    for (const uint32_t j : items[i].waits_for) before_ns = std::max(before_ns, LongestNs(j));
    return before_ns + items[i].end_ns - items[i].start_ns;
  }
};

TEST(CriticalPath, AgreesWithBruteForceOnRandomSchedules) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const Schedule schedule(seed);
    const TraceModel model = schedule.Model();

    const CriticalPath path = ObservedCriticalPath(model);
    EXPECT_EQ(path.work_ns + path.wait_ns, schedule.EndNs() - schedule.BeginNs());
    int64_t longest_ns = 0;
    for (uint32_t i = 0; i < schedule.items.size(); ++i)
      longest_ns = std::max(longest_ns, schedule.LongestNs(i));
    EXPECT_EQ(LongestDependencyChain(model).length_ns, longest_ns);
    EXPECT_LE(longest_ns, schedule.EndNs() - schedule.BeginNs());

    const std::vector<int64_t> slack_ns = SlackNs(model);
    for (uint32_t i = 0; i < schedule.items.size(); ++i) {
      const uint32_t task = model.FindTask(0, i + 1);
      EXPECT_EQ(schedule.EndWithDelayNs(i, slack_ns[task]), schedule.EndNs());
      EXPECT_GT(schedule.EndWithDelayNs(i, slack_ns[task] + 1), schedule.EndNs());
    }
  }
}

}  // namespace
}  // namespace tasklens
