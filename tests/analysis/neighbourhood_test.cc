// SPDX-License-Identifier: Apache-2.0
// Neighbourhoods, paths, and what belongs to a piece of data or a tag; against brute force.
#include "analysis/neighbourhood.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TestTrace;

// 0 -> 1 -> 3 -> 4, 0 -> 2 -> 3, 5 by itself.
TraceModel Diamond() {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int i = 0; i < 6; ++i) trace.Task("t", 10 * i, 10 * i + 10, {.tag = i == 4 ? 7u : 0u});
  return trace.Dep(1, 2).Dep(1, 3).Dep(2, 4).Dep(3, 4).Dep(4, 5).Build();
}

TEST(TasksAround, GoesSoManyStepsBothWays) {
  const TraceModel model = Diamond();
  const Topology topology(model);
  const TaskSelection all(model, true);
  EXPECT_THAT(TasksAround(model, topology, all, 3, 0), ElementsAre(3));
  EXPECT_THAT(TasksAround(model, topology, all, 3, 1), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(TasksAround(model, topology, all, 3, 2), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(TasksAround(model, topology, all, 5, 9), ElementsAre(5));
}

// Siblings are no neighbours: 1 and 2 share a predecessor and a successor only.
TEST(TasksAround, DoesNotTurnBack) {
  const TraceModel model = Diamond();
  const TaskSelection all(model, true);
  EXPECT_THAT(TasksAround(model, Topology(model), all, 1, 9), ElementsAre(0, 1, 3, 4));
}

// 0 -> (1, the runtime's) -> 2 -> 3.
TEST(TasksAround, CountsNoStepForWhatIsNotShown) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int i = 0; i < 4; ++i)
    trace.Task("t", 10 * i, 10 * i + 10,
               {.submit_ns = 1, .type = i == 1 ? uint32_t{kTaskInternal} : 0u});
  const TraceModel model = trace.Dep(1, 2).Dep(2, 3).Dep(3, 4).Build();
  const Topology topology(model);
  const TaskSelection users(model, false), all(model, true);
  EXPECT_THAT(TasksAround(model, topology, users, 2, 1), ElementsAre(0, 2, 3));
  EXPECT_THAT(TasksAround(model, topology, users, 0, 1), ElementsAre(0, 2));
  EXPECT_THAT(TasksAround(model, topology, all, 2, 1), ElementsAre(1, 2, 3));
}

TEST(TasksBetween, FindsAllPathsInEitherDirection) {
  const TraceModel model = Diamond();
  const Topology topology(model);
  EXPECT_THAT(TasksBetween(model, topology, 0, 3), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(TasksBetween(model, topology, 4, 1), ElementsAre(1, 3, 4));
  EXPECT_THAT(TasksBetween(model, topology, 1, 2), IsEmpty());
  EXPECT_THAT(TasksBetween(model, topology, 5, 0), IsEmpty());
}

TEST(TasksOfTag, FindsThem) {
  EXPECT_THAT(TasksOfTag(Diamond(), 7), ElementsAre(4));
  EXPECT_THAT(TasksOfTag(Diamond(), 8), IsEmpty());
}

TEST(TasksBetween, AgreesWithWalkingAllPathsOnRandomGraphs) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    constexpr uint32_t kTasks = 12;
    TestTrace trace;
    trace.Worker("CPU0");
    for (uint32_t i = 0; i < kTasks; ++i) trace.Task("t", 10 * i, 10 * i + 10);
    std::vector<std::vector<uint32_t>> after(kTasks);
    for (uint32_t to = 1; to < kTasks; ++to)
      for (uint32_t from = 0; from < to; ++from)
        if (random() % 4 == 0) {
          trace.Dep(from + 1, to + 1);
          after[from].push_back(to);
        }
    const TraceModel model = trace.Build();
    const Topology topology(model);
    for (uint32_t from = 0; from < kTasks; ++from) {
      for (uint32_t to = from + 1; to < kTasks; ++to) {
        std::vector<bool> on_path(kTasks);
        std::vector<uint32_t> path;
        const std::function<void(uint32_t)> walk = [&](uint32_t task) {
          path.push_back(task);
          if (task == to)
            for (const uint32_t step : path) on_path[step] = true;
          for (const uint32_t next : after[task]) walk(next);
          path.pop_back();
        };
        walk(from);
        std::vector<uint32_t> expected;  // rows are in the order of first mention
        for (uint32_t task = 0; task < kTasks; ++task)
          if (on_path[task]) expected.push_back(model.FindTask(0, task + 1));
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(
            TasksBetween(model, topology, model.FindTask(0, from + 1), model.FindTask(0, to + 1)),
            expected)
            << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tasklens
