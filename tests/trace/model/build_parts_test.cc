// SPDX-License-Identifier: Apache-2.0
// The containers that ModelBuilder is made of.
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "trace/model/build/id_map.h"
#include "trace/model/build/lists.h"
#include "trace/model/build/state_log.h"
#include "trace/model/build/time_order.h"

namespace tasklens {
namespace {

TEST(IdMap, FindsWhatWasInsertedWhateverTheIds) {
  for (const uint64_t range : {uint64_t{3000}, uint64_t{100'000}, ~uint64_t{0}}) {
    IdMap map;
    std::unordered_map<uint64_t, uint32_t> expected;
    std::mt19937_64 random(range);
    for (uint32_t row = 0; row < 20'000; ++row) {
      const uint64_t id = random() % range;
      EXPECT_EQ(map.Find(id) != IdMap::kAbsent, expected.contains(id));
      if (expected.emplace(id, row).second) map.Insert(id, row);
    }
    EXPECT_EQ(map.size(), expected.size());
    for (const auto& [id, row] : expected) ASSERT_EQ(map.Find(id), row) << id;
    EXPECT_EQ(map.Find(range), IdMap::kAbsent);
  }
}

TEST(IdMap, MovesIdsWhenTheArrayGrowsOverThem) {
  IdMap map;
  for (uint64_t id = 100'000; id > 0; --id) map.Insert(id, static_cast<uint32_t>(id));
  for (uint64_t id = 1; id <= 100'000; ++id) ASSERT_EQ(map.Find(id), id);
}

TEST(IdMap, SetReplaces) {
  IdMap map;
  for (uint64_t id : {uint64_t{5}, ~uint64_t{0} - 1}) {
    map.Set(id, 1);
    map.Set(id, 2);
    EXPECT_EQ(map.Find(id), 2u);
  }
  EXPECT_EQ(map.size(), 2u);
}

std::vector<StateOp> Take(StateLog& log) {
  std::vector<StateOp> ops;
  log.Consume([&](const StateOp& op) { ops.push_back(op); });
  return ops;
}

TEST(StateLog, GivesBackWhatWasAppended) {
  constexpr int64_t kFar = int64_t{1} << 61;
  StateLog log;
  log.Append({-kFar, StateOpKind::kSet, StateKind::kTask, ~uint64_t{0}});
  log.Append({5, StateOpKind::kPush, StateKind::kCallback});
  log.Append({5, StateOpKind::kPop});
  log.Append({kFar, StateOpKind::kSet, StateKind::kTask, 7});
  EXPECT_EQ(log.min_time_ns(), -kFar);
  EXPECT_EQ(log.max_time_ns(), kFar);
  const std::vector<StateOp> ops = Take(log);
  ASSERT_EQ(ops.size(), 4u);
  EXPECT_EQ(ops[0].time_ns, -kFar);
  EXPECT_EQ(ops[0].job, ~uint64_t{0});
  EXPECT_EQ(ops[1].state, StateKind::kCallback);
  EXPECT_EQ(ops[1].job, 0u);
  EXPECT_EQ(ops[2].op, StateOpKind::kPop);
  EXPECT_EQ(ops[3].time_ns, kFar);
  EXPECT_EQ(ops[3].job, 7u);
  EXPECT_TRUE(log.empty());
}

TEST(StateLog, SortsByTimeAndKeepsTheOrderOfEqualTimes) {
  StateLog log;
  log.Append({20, StateOpKind::kSet, StateKind::kIdle});
  log.Append({10, StateOpKind::kSet, StateKind::kTask, 3});
  log.Append({20, StateOpKind::kSet, StateKind::kSleeping});
  EXPECT_FALSE(log.sorted());
  const std::vector<StateOp> ops = Take(log);
  EXPECT_EQ(ops[0].state, StateKind::kTask);
  EXPECT_EQ(ops[1].state, StateKind::kIdle);
  EXPECT_EQ(ops[2].state, StateKind::kSleeping);
}

TEST(OrderByTime, IsEmptyForSortedTimes) {
  EXPECT_TRUE(OrderByTime(std::vector<int64_t>{}).empty());
  EXPECT_TRUE(OrderByTime(std::vector<int64_t>{1, 1, 2}).empty());
}

TEST(OrderByTime, IsAStableSort) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> times(random() % 50);
    for (int64_t& time : times) time = static_cast<int64_t>(random() % 20);
    std::vector<uint32_t> expected(times.size());
    for (uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
    const std::vector<uint32_t> order = OrderByTime(times);
    EXPECT_TRUE(order.empty() || order == expected);
    std::vector<int64_t> sorted = times;
    Reorder(order, sorted);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  }
}

TEST(MakeLists, PutsEveryRecordIntoItsRowInOrder) {
  const std::vector<uint32_t> items = {1, 2, 3};
  Column<uint32_t> rows;
  for (const uint32_t row : {2, 0, 2}) rows.push_back(row);
  const auto lists =
      build::MakeLists<Column<uint32_t>>(4, items.size(), rows, [&](size_t i) { return items[i]; });
  ASSERT_EQ(lists.size(), 4u);
  EXPECT_EQ(lists[0][0], 2u);
  EXPECT_TRUE(lists[1].empty());
  ASSERT_EQ(lists[2].size(), 2u);
  EXPECT_EQ(lists[2][1], 3u);
  EXPECT_TRUE(lists[3].empty());
}

}  // namespace
}  // namespace tasklens
