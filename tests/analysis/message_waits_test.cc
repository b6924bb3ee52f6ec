// SPDX-License-Identifier: Apache-2.0
// What pauses waited for, by hand and, on random runs of several ranks, against the tasks that the
// run was made of.
#include "analysis/message_waits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analysis/execution_order.h"
#include "tests/analysis/simulated_ranks.h"

namespace tasklens {
namespace {

using testing::RankMachine;
using testing::RankTask;
using testing::SimulateRanks;

MessageWaits WaitsIn(const TraceModel& model) {
  const ExecutionOrder order(model);
  return WaitsForMessages(model, Waits(model, order), ExplainIdleness(model));
}

constexpr RankMachine kMachine{
    .ranks = 2, .workers = 1, .latency_ns = 300, .ns_per_byte = 0, .unsent_ns = 70};

//   rank 0  |--other--|-producer-|
//   rank 1  |first|                       |-consumer-|-last-|
//   ns      0    100 1000      3000 3070 3370
TEST(MessageWaits, AreDividedByWhatBecameOfTheProducer) {
  const TraceModel model = SimulateRanks({{.rank = 0, .length_ns = 1000, .priority = 1},
                                          {.rank = 0, .length_ns = 2000},
                                          {.rank = 1, .length_ns = 100},
                                          {.rank = 1, .length_ns = 500, .after = {1}},
                                          {.rank = 1, .length_ns = 500, .after = {3}}},
                                         kMachine)
                               .Build();
  const MessageWaits found = WaitsIn(model);
  ASSERT_EQ(found.waits.size(), 1u);
  const MessageWait& wait = found.waits[0];
  EXPECT_EQ(model.tasks.start_ns[wait.producer], 1000);
  EXPECT_EQ(model.tasks.start_ns[wait.consumer], 3370);
  EXPECT_EQ(wait.before_ns, 0);
  EXPECT_EQ(wait.queued_ns, 900) << "it could run at 0, and the rank waits from 100 on";
  EXPECT_EQ(wait.running_ns, 2000);
  EXPECT_EQ(wait.unsent_ns, 70);
  EXPECT_EQ(wait.travelling_ns, 300);
}

TEST(MessageWaits, WhatATaskBehindTheConsumerWaitsForIsTheMessageToo) {
  RankMachine machine = kMachine;
  machine.workers = 2;
  const TraceModel model = SimulateRanks({{.rank = 0, .length_ns = 1000},
                                          {.rank = 1, .length_ns = 500, .after = {0}},
                                          {.rank = 1, .length_ns = 500, .after = {1}},
                                          {.rank = 1, .length_ns = 400, .after = {1}}},
                                         machine)
                               .Build();
  const MessageWaits found = WaitsIn(model);
  ASSERT_EQ(found.waits.size(), 1u);
  EXPECT_EQ(found.waits[0].wait_ns(), 2 * 1370)
      << "both workers until it came; then one of them waited for a task";
}

TEST(MessageWaits, ThereAreNoneWithoutMessages) {
  const TraceModel model = SimulateRanks({{.rank = 0}, {.rank = 1}}, kMachine).Build();
  EXPECT_TRUE(WaitsIn(model).waits.empty());
  EXPECT_TRUE(WaitsIn(model).travelling_ns.empty());
}

std::vector<RankTask> RandomTasks(std::mt19937& random, uint32_t ranks) {
  const auto below = [&random](uint32_t limit) { return random() % limit; };
  std::vector<RankTask> tasks(1 + below(40));
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].rank = below(ranks);
    tasks[i].length_ns = 1'000'000 + below(9'000'000);  // so that no two things end at once
    tasks[i].priority = static_cast<int32_t>(below(3));
    for (uint32_t k = below(4); i > 0 && k > 0; --k) tasks[i].after.push_back(below(i));
    std::sort(tasks[i].after.begin(), tasks[i].after.end());
    tasks[i].after.erase(std::unique(tasks[i].after.begin(), tasks[i].after.end()),
                         tasks[i].after.end());
  }
  return tasks;
}

// When the message arrived that held up a task of those that the run was made of; kNever: none did.
int64_t ArrivalBehind(const std::vector<RankTask>& tasks, const std::vector<int64_t>& end_ns,
                      const RankMachine& machine, size_t task) {
  int64_t last_ns = kNever, arrival_ns = kNever;
  for (const size_t before : tasks[task].after) {
    const bool is_message = tasks[before].rank != tasks[task].rank;
    const int64_t over_ns =
        end_ns[before] + (is_message ? machine.unsent_ns + machine.latency_ns : 0);
    if (over_ns <= last_ns) continue;
    last_ns = over_ns;
    arrival_ns = is_message ? over_ns : ArrivalBehind(tasks, end_ns, machine, before);
  }
  return arrival_ns;
}

TEST(MessageWaits, AreThoseOfTheTasksThatTheRunWasMadeOf) {
  uint64_t waits = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    RankMachine machine = kMachine;
    machine.ranks = 2 + random() % 3;
    machine.workers = 1 + random() % 3;
    machine.latency_ns = 100'000;
    const std::vector<RankTask> tasks = RandomTasks(random, machine.ranks);
    const TraceModel model = SimulateRanks(tasks, machine).Build();
    std::vector<int64_t> end_ns(tasks.size());
    for (uint32_t row = 0; row < model.tasks.size(); ++row)
      if (model.tasks.job[row] <= tasks.size())
        end_ns[model.tasks.job[row] - 1] = model.tasks.end_ns[row];
    const IdleReport idle = ExplainIdleness(model);
    int64_t expected_ns = 0;
    for (const IdlePause& pause : idle.pauses) {
      if (pause.next_task == kNone || !idle.workers[pause.worker].counts) continue;
      const size_t next = model.tasks.job[pause.next_task] - 1;
      const int64_t arrival_ns = ArrivalBehind(tasks, end_ns, machine, next);
      if (arrival_ns > pause.start_ns)
        expected_ns += std::min(arrival_ns, pause.end_ns) - pause.start_ns;
    }
    const MessageWaits found = WaitsIn(model);
    int64_t found_ns = 0;
    for (const MessageWait& wait : found.waits) found_ns += wait.wait_ns();
    EXPECT_EQ(found_ns, expected_ns) << "seed " << seed;
    waits += found.waits.size();
  }
  EXPECT_GT(waits, 1000u);
}

}  // namespace
}  // namespace tasklens
