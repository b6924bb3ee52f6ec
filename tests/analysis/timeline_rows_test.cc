// SPDX-License-Identifier: Apache-2.0
// Which rows a timeline has, and in which order.
#include "analysis/timeline_rows.h"

#include <gtest/gtest.h>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::kMain;
using testing::TestTrace;

std::vector<std::string> Kinds(const TimelineRows& rows) {
  std::vector<std::string> kinds;
  for (const TimelineRow& row : rows.rows) kinds.emplace_back(TimelineRowKindName(row.kind));
  return kinds;
}

TEST(TimelineRows, AreSchedulerNodesWithTheirWorkersCommunicationAndTheProgram) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").MemoryNode("CUDA 0").Worker("CPU0", 0).Worker("CUDA0", 1);
  trace.Worker("CPU1", 0);
  trace.Event(0, EventKind::kStateSet, {StateKind::kSubmittingTask});
  trace.Event(0, EventKind::kMpiStart, {0, 1}, 7);
  trace.Event(1, EventKind::kStateSet, {StateKind::kCommPolling}, 7);
  trace.Event(1, EventKind::kStateSet, {StateKind::kOverhead}, 8);
  trace.Event(9, EventKind::kMessage, {"end"});
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  EXPECT_EQ(Kinds(rows),
            (std::vector<std::string>{"scheduler", "memory_node", "worker", "worker", "memory_node",
                                      "worker", "comm", "submitter", "thread"}));
  EXPECT_EQ(rows.rows[rows.OfWorkerId(0, 2)].worker, 2u);
  EXPECT_LT(rows.OfMemoryNode(0, 0), rows.OfWorkerId(0, 2));
  EXPECT_LT(rows.OfWorkerId(0, 2), rows.OfMemoryNode(0, 1));
  EXPECT_EQ(rows.rows[rows.messages[0]].kind, TimelineRowKind::kComm);
  EXPECT_EQ(rows.OfWorkerId(0, 99), kNone);
  EXPECT_EQ(rows.OfMemoryNode(3, 0), kNone);
}

TEST(TimelineRows, StreamsOfAGpuAreWorkersAndTheirThreadHasARowOfItsOwn) {
  TestTrace trace;
  for (uint32_t worker = 0; worker < 2; ++worker)
    trace.Event(0, EventKind::kWorkerNew,
                {worker, WorkerArch::kCuda, 0, 0, 3, 0, "CUDA0_" + std::to_string(worker)}, 50);
  trace.Event(1, EventKind::kStateSet, {StateKind::kProgressing}, 50);
  trace.Event(9, EventKind::kMessage, {"end"});
  const TimelineRows rows(trace.Build());
  const auto kinds = Kinds(rows);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "worker"), 2);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "driver"), 1);
}

TEST(TimelineRows, EveryTrackHasOneRowOnEveryRank) {
  TestTrace trace;
  trace.Worker("CPU0").Rank(1).Worker("CPU0").Worker("CPU1").Task("a", 5, 10);
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  ASSERT_EQ(rows.of_track.size(), model.tracks.size());
  for (uint32_t track = 0; track < model.tracks.size(); ++track)
    EXPECT_EQ(rows.rows[rows.of_track[track]].track, track);
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
    EXPECT_EQ(rows.rows[rows.of_worker[worker]].worker, worker);
  for (uint32_t rank = 0; rank < model.ranks.size(); ++rank)
    EXPECT_EQ(rows.rows[rows.scheduler[rank]].rank_index, rank);
  EXPECT_TRUE(std::is_sorted(
      rows.rows.begin(), rows.rows.end(),
      [](const TimelineRow& a, const TimelineRow& b) { return a.rank_index < b.rank_index; }));
}

TEST(TimelineRows, NodeThatOnlySendsHasARowToo) {
  TestTrace trace;
  trace.Worker("CPU0").Event(1, EventKind::kCopyStart, {7, 0, 100, 1, 0, 0});
  trace.Event(5, EventKind::kCopyEnd, {7, 0, 100, 1, 0});
  const TimelineRows rows(trace.Build());
  ASSERT_NE(rows.OfMemoryNode(0, 7), kNone);
  EXPECT_EQ(rows.rows[rows.OfMemoryNode(0, 7)].name, "memory node 7");
}

}  // namespace
}  // namespace tasklens
