// SPDX-License-Identifier: Apache-2.0
// Curves under a timeline: what each is by definition, and their pixels against every nanosecond.
#include "analysis/timeline_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// The index of the only curve of that kind on `row`; fails the test when there is none.
size_t Find(const TimelineCurves& curves, CurveKind kind, uint32_t row) {
  const auto all = curves.curves();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Curve& curve) {
    return curve.kind == kind && curve.row == row;
  });
  EXPECT_NE(found, all.end()) << CurveKindName(kind);
  return static_cast<size_t>(found - all.begin());
}

TEST(TimelineCurves, GFlopsAreThoseOfTheTasksThatRunNow) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 10, 20, {.worker = 0, .flops = 50}).Task("b", 15, 25, {.worker = 1, .flops = 20});
  trace.Task("c", 30, 40, {.worker = 1});  // does not say
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const TimelineCurves curves(model, rows);
  const size_t all = Find(curves, CurveKind::kGFlops, rows.scheduler[0]);
  const size_t first = Find(curves, CurveKind::kGFlops, rows.of_worker[0]);
  const std::vector<std::pair<int64_t, double>> expected = {
      {0, 0}, {9, 0}, {10, 5}, {14, 5}, {15, 7}, {19, 7}, {20, 2}, {24, 2}, {25, 0}, {99, 0}};
  for (const auto& [time_ns, gflops] : expected)
    EXPECT_DOUBLE_EQ(curves.ValueAt(all, time_ns), gflops) << time_ns;
  EXPECT_DOUBLE_EQ(curves.ValueAt(first, 19), 5);
  EXPECT_DOUBLE_EQ(curves.ValueAt(first, 20), 0);
  EXPECT_DOUBLE_EQ(curves.curves()[all].max, 7);
}

TEST(TimelineCurves, BandwidthIsThatOfTheCopiesUnderWay) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").MemoryNode("CUDA 0").Worker("CPU0");
  trace.Event(10, EventKind::kCopyStart, {0, 1, 100, 1, 0, 0});
  trace.Event(15, EventKind::kCopyStart, {0, 1, 200, 2, 0, 0});
  trace.Event(20, EventKind::kCopyEnd, {0, 1, 100, 1, 0});
  trace.Event(25, EventKind::kCopyEnd, {0, 1, 200, 2, 0});
  trace.Event(30, EventKind::kCopyStart, {0, 1, 900, 3, 0, 0});  // never ends
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const TimelineCurves curves(model, rows);
  for (const size_t curve : {Find(curves, CurveKind::kBandwidthOut, rows.OfMemoryNode(0, 0)),
                             Find(curves, CurveKind::kBandwidthIn, rows.OfMemoryNode(0, 1))}) {
    EXPECT_DOUBLE_EQ(curves.ValueAt(curve, 12), 10e9);
    EXPECT_DOUBLE_EQ(curves.ValueAt(curve, 17), 30e9);
    EXPECT_DOUBLE_EQ(curves.ValueAt(curve, 22), 20e9);
    EXPECT_DOUBLE_EQ(curves.ValueAt(curve, 31), 0);
  }
}

TEST(TimelineCurves, TasksMemoryAndPapiAreAsRecorded) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").Worker("CPU0").Task("a", 10, 20).Task("b", 20, 40);
  trace.Event(1, EventKind::kTaskReady, {1, 0}).Event(2, EventKind::kTaskReady, {2, 0});
  trace.Event(8, EventKind::kTaskPop, {1, 0}).Event(18, EventKind::kTaskPop, {2, 0});
  trace.Event(5, EventKind::kMemoryUsed, {0, 4096});
  trace.Event(20, EventKind::kTaskPapi, {1, 0x8000'0000, 30});
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const TimelineCurves curves(model, rows);
  const size_t ready = Find(curves, CurveKind::kReadyTasks, rows.scheduler[0]);
  EXPECT_EQ(curves.ValueAt(ready, 1), 1);
  EXPECT_EQ(curves.ValueAt(ready, 7), 2);
  EXPECT_EQ(curves.ValueAt(ready, 8), 1);
  EXPECT_EQ(curves.ValueAt(ready, 18), 0);
  const size_t used = Find(curves, CurveKind::kMemoryUsed, rows.OfMemoryNode(0, 0));
  EXPECT_EQ(curves.ValueAt(used, 4), 0);
  EXPECT_EQ(curves.ValueAt(used, 5), 4096);
  const size_t papi = Find(curves, CurveKind::kPapi, rows.of_worker[0]);
  EXPECT_EQ(curves.curves()[papi].name, "PAPI 0x80000000");
  EXPECT_DOUBLE_EQ(curves.ValueAt(papi, 15), 3e9);  // 30 in 10 ns
  EXPECT_DOUBLE_EQ(curves.ValueAt(papi, 20), 0);
}

TEST(TimelineCurves, FlopThatAreNoNumberAreNone) {
  TestTrace trace;
  trace.Task("a", 0, 10, {.flops = INFINITY}).Task("b", 10, 20, {.flops = NAN});
  trace.Task("c", 20, 30, {.flops = -5}).Task("d", 30, 40, {.flops = 1e308});
  const TraceModel model = trace.Build();
  const TimelineCurves curves(model, TimelineRows(model));
  for (size_t i = 0; i < curves.curves().size(); ++i)
    for (const CurveSlice& slice : curves.Slices(i, 0, 50, 3)) {
      EXPECT_TRUE(std::isfinite(slice.min) && std::isfinite(slice.max));
      EXPECT_TRUE(std::isfinite(slice.mean));
      EXPECT_GE(slice.min, 0);
    }
}

// A run of tasks with flop, enough for several blocks.
TraceModel RandomFlops(std::mt19937& random) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t now_ns = 0;
  for (int i = static_cast<int>(random() % 150); i >= 0; --i) {
    const int64_t start_ns = now_ns + static_cast<int64_t>(random() % 4);
    now_ns = start_ns + static_cast<int64_t>(random() % 9);
    trace.Task("t", start_ns, now_ns, {.flops = static_cast<double>(random() % 50)});
  }
  return trace.Task("last", now_ns, now_ns + 1, {.flops = 1}).Build();
}

TEST(TimelineCurves, PixelsAgreeWithEveryNanosecond) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const TraceModel model = RandomFlops(random);
    const TimelineRows rows(model);
    const TimelineCurves curves(model, rows);
    const size_t curve = Find(curves, CurveKind::kGFlops, rows.scheduler[0]);
    const auto begin_ns = static_cast<int64_t>(random() % 60) - 10;
    const int64_t end_ns = begin_ns + 1 + static_cast<int64_t>(random() % 1500);
    const uint32_t pixels = 1 + random() % 100;
    const auto slices = curves.Slices(curve, begin_ns, end_ns, pixels);
    EXPECT_LE(slices.size(), pixels);
    int64_t last_ns = begin_ns;
    for (const CurveSlice& slice : slices) {
      EXPECT_EQ(slice.start_ns, last_ns);
      last_ns = slice.end_ns;
      double min = INFINITY, max = -INFINITY, sum = 0;
      for (int64_t time_ns = slice.start_ns; time_ns < slice.end_ns; ++time_ns) {
        const double value = curves.ValueAt(curve, time_ns);
        min = std::min(min, value);
        max = std::max(max, value);
        sum += value;
      }
      EXPECT_DOUBLE_EQ(slice.min, min);
      EXPECT_DOUBLE_EQ(slice.max, max);
      EXPECT_NEAR(slice.mean, sum / static_cast<double>(slice.end_ns - slice.start_ns), 1e-6);
    }
    EXPECT_EQ(last_ns, end_ns);

    const auto all = curves.AllSlices(curve, model.duration_ns);
    EXPECT_LE(all.size(), curves.ChangeCount(curve) + 1);
    last_ns = 0;
    for (const CurveSlice& slice : all) {
      EXPECT_EQ(slice.start_ns, last_ns);
      last_ns = slice.end_ns;
      EXPECT_EQ(slice.min, slice.max);
      for (int64_t time_ns = slice.start_ns; time_ns < slice.end_ns; ++time_ns)
        EXPECT_DOUBLE_EQ(slice.min, curves.ValueAt(curve, time_ns));
    }
    EXPECT_EQ(last_ns, model.duration_ns);
  }
}

}  // namespace
}  // namespace tasklens
