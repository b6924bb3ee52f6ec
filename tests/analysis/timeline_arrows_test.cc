// SPDX-License-Identifier: Apache-2.0
// Arrows of a timeline: from where to where, and none forgotten.
#include "analysis/timeline_arrows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

TEST(TimelineArrows, DependencyGoesFromAnEndToAStart) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 0, 10, {.worker = 0}).Task("b", 30, 40, {.worker = 1}).Dep(1, 2);
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const ArrowView view = TimelineArrows(model, rows, ArrowKind::kDependency).View(0, 100, 100);
  ASSERT_EQ(view.arrows.size(), 1u);
  EXPECT_EQ(view.arrows[0].from_row, rows.of_worker[0]);
  EXPECT_EQ(view.arrows[0].to_row, rows.of_worker[1]);
  EXPECT_EQ(view.arrows[0].start_ns, 10);
  EXPECT_EQ(view.arrows[0].end_ns, 30);
  EXPECT_EQ(view.left_out, 0u);
}

TEST(TimelineArrows, TransfersStealsAndMessagesFindTheirRows) {
  TestTrace trace;
  trace.Event(0, EventKind::kMpiStart, {0, 2}, 7);
  trace.Event(1, EventKind::kMpiBarrier, {0, 2, 99, 0}, 7);
  trace.MemoryNode("NUMA 0").MemoryNode("CUDA 0").Worker("CPU0").Worker("CPU1");
  trace.Event(10, EventKind::kCopyStart, {0, 1, 100, 1, 0, 0});
  trace.Event(20, EventKind::kCopyEnd, {0, 1, 100, 1, 0});
  trace.Event(30, EventKind::kSteal, {0, 1});
  trace.Event(31, EventKind::kSteal, {0, 77});  // there is no worker 77
  trace.Event(40, EventKind::kMpiSend, {1, 5, 100, 0, 0, 0, 0}, 7);
  trace.Rank(1).Worker("CPU0").Event(1, EventKind::kMpiBarrier, {1, 2, 99, 0});
  trace.Event(60, EventKind::kMpiReceived, {0, 5, 0, 0});
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);

  const auto only = [&](ArrowKind kind) {
    const ArrowView view = TimelineArrows(model, rows, kind).View(0, 100, 100);
    EXPECT_EQ(view.arrows.size(), 1u) << ArrowKindName(kind);
    return view.arrows.empty() ? TimelineArrow{} : view.arrows[0];
  };
  const TimelineArrow transfer = only(ArrowKind::kTransfer);
  EXPECT_EQ(transfer.from_row, rows.OfMemoryNode(0, 0));
  EXPECT_EQ(transfer.to_row, rows.OfMemoryNode(0, 1));
  EXPECT_EQ(transfer.end_ns, 20);
  const TimelineArrow steal = only(ArrowKind::kSteal);
  EXPECT_EQ(steal.from_row, rows.OfWorkerId(0, 1));
  EXPECT_EQ(steal.to_row, rows.OfWorkerId(0, 0));
  const TimelineArrow message = only(ArrowKind::kMessage);
  EXPECT_EQ(message.from_row, rows.messages[0]);
  EXPECT_EQ(rows.rows[message.from_row].kind, TimelineRowKind::kComm);
  EXPECT_EQ(message.to_row, rows.scheduler[1]);
  EXPECT_EQ(message.start_ns, 40);
  EXPECT_EQ(message.end_ns, 60);
}

TEST(TimelineArrows, ArrowsOfATaskAreThoseItWaitedForAndThoseThatWaitedForIt) {
  TestTrace trace;
  trace.Task("a", 0, 10).Task("b", 10, 20).Task("c", 20, 30).Task("d", 30, 40).Task("e", 40, 50);
  trace.Dep(1, 3).Dep(2, 3).Dep(3, 4).Dep(3, 5);
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const JoinedDependencies placed = PlacedDependencies(model, rows);
  using Jobs = std::vector<std::pair<uint64_t, uint64_t>>;
  const auto ends = [&](size_t most) {
    Jobs ends_of;
    for (const TimelineArrow& arrow :
         DependencyArrowsOf(model, rows, placed, model.FindTask(0, 3), most))
      ends_of.emplace_back(model.tasks.job[arrow.from], model.tasks.job[arrow.to]);
    return ends_of;
  };
  EXPECT_EQ(ends(10), (Jobs{{2, 3}, {1, 3}, {3, 4}, {3, 5}}));
  EXPECT_EQ(ends(1), (Jobs{{2, 3}, {3, 4}}));
}

// An acquisition of data has no place in the timeline: what waits for it waits for what is behind.
TEST(TimelineArrows, DependenciesRunThroughTasksThatDidNotRunOnAWorker) {
  TestTrace trace;
  trace.Task("a", 0, 10).Task("b", 20, 30).Dep(1, 3).Dep(3, 2);  // 3 never ran
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const TimelineArrows arrows(model, rows, ArrowKind::kDependency);
  ASSERT_EQ(arrows.size(), 1u);
  const TimelineArrow arrow = arrows.View(0, 40, 100).arrows.at(0);
  EXPECT_EQ(arrow.from, model.FindTask(0, 1));
  EXPECT_EQ(arrow.to, model.FindTask(0, 2));
  const auto of_b =
      DependencyArrowsOf(model, rows, PlacedDependencies(model, rows), model.FindTask(0, 2));
  ASSERT_EQ(of_b.size(), 1u);
  EXPECT_EQ(of_b[0].from, model.FindTask(0, 1));
}

struct RandomCopies {
  TraceModel model;
  std::vector<std::pair<int64_t, int64_t>> times;
};

RandomCopies MakeCopies(std::mt19937& random) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").MemoryNode("CUDA 0").Worker("CPU0");
  std::vector<std::pair<int64_t, int64_t>> times;
  for (uint64_t copy = 1 + random() % 150; copy > 0; --copy) {
    const auto start_ns = static_cast<int64_t>(random() % 500);
    const int64_t end_ns = start_ns + static_cast<int64_t>(random() % (copy % 7 == 0 ? 400 : 20));
    times.emplace_back(start_ns, end_ns);
    trace.Event(start_ns, EventKind::kCopyStart, {0, 1, 100, copy, 0, 0});
    trace.Event(end_ns, EventKind::kCopyEnd, {0, 1, 100, copy, 0});
  }
  return {trace.Build(), std::move(times)};
}

TEST(TimelineArrows, ViewsCountEveryArrowThatMeetsThem) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const RandomCopies copies = MakeCopies(random);
    const TimelineRows rows(copies.model);
    const auto begin_ns = static_cast<int64_t>(random() % 500);
    const int64_t end_ns = begin_ns + 1 + static_cast<int64_t>(random() % 500);
    const uint32_t pixels = 1 + random() % 80, most = random() % 6;
    const ArrowView view = TimelineArrows(copies.model, rows, ArrowKind::kTransfer)
                               .View(begin_ns, end_ns, pixels, most);

    uint64_t in_view = 0, from_before = 0;
    int64_t longest = 0;
    for (const auto& [start_ns, stop_ns] : copies.times) {
      if (start_ns >= end_ns || stop_ns < begin_ns) continue;
      ++in_view;
      if (start_ns < begin_ns)
        ++from_before;
      else
        longest = std::max(longest, stop_ns - start_ns);
    }
    EXPECT_EQ(view.in_view, in_view);
    EXPECT_EQ(view.left_out, from_before - std::min<uint64_t>(from_before, most));
    uint64_t counted = view.left_out;
    int64_t longest_shown = 0;
    for (const TimelineArrow& arrow : view.arrows) {
      EXPECT_LT(arrow.start_ns, end_ns);
      EXPECT_GE(arrow.end_ns, begin_ns);
      counted += arrow.count;
      if (arrow.start_ns >= begin_ns)
        longest_shown = std::max(longest_shown, arrow.end_ns - arrow.start_ns);
    }
    EXPECT_EQ(counted, in_view);
    EXPECT_EQ(longest_shown, longest);
    // No arrow from before that is left out ends later than one that is shown.
    std::vector<int64_t> ends, shown;
    for (const auto& [start_ns, stop_ns] : copies.times)
      if (start_ns < begin_ns && stop_ns >= begin_ns) ends.push_back(stop_ns);
    for (const TimelineArrow& arrow : view.arrows)
      if (arrow.start_ns < begin_ns) shown.push_back(arrow.end_ns);
    std::sort(ends.rbegin(), ends.rend());
    std::sort(shown.rbegin(), shown.rend());
    ends.resize(std::min<size_t>(ends.size(), most));
    EXPECT_EQ(shown, ends);
  }
}

}  // namespace
}  // namespace tasklens
