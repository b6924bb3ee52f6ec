// SPDX-License-Identifier: Apache-2.0
// Every analysis on models of random events: damaged traces must not crash, hang or break promises.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/compare.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/graph_view.h"
#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/task_details.h"
#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_flags.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

// Events whose arguments are mostly small, so that they refer to each other, and sometimes absurd.
class RandomEvents {
 public:
  explicit RandomEvents(uint32_t seed) : random_(seed) {}

  TraceModel Build() {
    Diagnostics diags;
    ModelBuilder builder(diags);
    const StringId texts[] = {0, builder.Intern("gemm"), builder.Intern("scheduler"),
                              builder.Intern("dmdas"), builder.Intern("a.c")};
    const uint64_t ranks = 1 + random_() % 3;
    for (uint64_t count = 1 + random_() % 400; count > 0; --count) {
      const auto kind = static_cast<EventKind>(random_() % kEventKinds);
      std::vector<uint64_t> args;
      for (size_t i = 0; i < Decl(kind).arg_count; ++i) {
        const bool text = Decl(kind).arg_types[i] == ArgType::kStr;
        args.push_back(text ? texts[random_() % std::size(texts)]
                            : Number(Decl(kind).arg_types[i]));
      }
      builder.OnEvent(
          {Time(), kind, static_cast<uint32_t>(random_() % ranks), random_() % 5, args});
      // Tasks that run, so that there is something to analyse.
      if (random_() % 2) RunTask(builder);
    }
    return std::move(*std::move(builder).Finish());
  }

 private:
  int64_t Time() {
    if (random_() % 50 == 0) return static_cast<int64_t>(random_() >> (random_() % 64));
    return static_cast<int64_t>(random_() % 1000);
  }
  uint64_t Number(ArgType type) {
    if (type == ArgType::kF64) {
      const double values[] = {0, 1, -1, 1e300, INFINITY, NAN, 50};
      return FromDouble(values[random_() % std::size(values)]);
    }
    if (random_() % 30 == 0) return random_() >> (random_() % 64);
    return random_() % 8;
  }
  void RunTask(ModelBuilder& builder) {
    const uint64_t job = 1 + random_() % 20, worker = random_() % 4;
    const int64_t start_ns = Time();
    const int64_t end_ns = start_ns + static_cast<int64_t>(random_() % 100);
    const uint64_t start[] = {job, worker, 0, 0}, end[] = {job, worker, 8, 0, 0};
    builder.OnEvent({start_ns, EventKind::kTaskStart, 0, 1 + worker, start});
    builder.OnEvent({end_ns, EventKind::kTaskEnd, 0, 1 + worker, end});
  }

  std::mt19937_64 random_;
};

void CheckGraph(const TraceModel& model) {
  const Topology topology(model);
  GraphQuery query;
  query.nesting = {GroupBy::kIteration, GroupBy::kData, GroupBy::kSite, GroupBy::kWorker};
  const GraphView view = ViewGraph(model, topology, query);
  uint64_t tasks = 0;
  for (const GraphNode& node : view.nodes) {
    tasks += node.tasks;
    query.open.push_back(node.id);
  }
  EXPECT_EQ(tasks, view.tasks_total);
  for (const GraphEdge& edge : view.edges) EXPECT_LT(edge.from, edge.to);
  EXPECT_GE(ViewGraph(model, topology, query).nodes.size(), view.nodes.size());
}

void CheckTimeline(const TraceModel& model) {
  const TimelineIndex index(model);
  for (uint32_t track = 0; track < model.tracks.size(); ++track)
    for (uint32_t depth = 0; depth < index.Depths(track); ++depth)
      EXPECT_LE(index.Slices(track, depth, 0, std::max<int64_t>(1, model.duration_ns), 50).size(),
                101u);
}

void CheckPictureParts(const TraceModel& model) {
  const int64_t end_ns = std::max<int64_t>(1, model.duration_ns);
  const TimelineRows rows(model);
  const TimelineCurves curves(model, rows);
  for (size_t curve = 0; curve < curves.curves().size(); ++curve) {
    EXPECT_LT(curves.curves()[curve].row, rows.rows.size());
    for (const CurveSlice& slice : curves.Slices(curve, 0, end_ns, 50)) {
      EXPECT_TRUE(std::isfinite(slice.mean));
      EXPECT_LE(slice.min, slice.mean);
      EXPECT_LE(slice.mean, slice.max);
    }
  }
  const TimelineFlags flags(model, rows, true);
  for (uint32_t row = 0; row < rows.rows.size(); ++row)
    for (const TimelineFlag& flag : flags.Flags(row, 0, end_ns, 50))
      EXPECT_EQ(FlagText(model, flag.point).find('\n'), std::string::npos);
  for (const ArrowKind kind :
       {ArrowKind::kDependency, ArrowKind::kTransfer, ArrowKind::kMessage, ArrowKind::kSteal}) {
    const TimelineArrows arrows(model, rows, kind);
    const ArrowView view = arrows.View(end_ns / 3, std::max(end_ns / 2, end_ns / 3 + 1), 50, 5);
    uint64_t counted = view.left_out;
    for (const TimelineArrow& arrow : view.arrows) {
      counted += arrow.count;
      EXPECT_LT(arrow.from_row, rows.rows.size());
      EXPECT_LT(arrow.to_row, rows.rows.size());
    }
    EXPECT_EQ(counted, view.in_view);
  }
  const uint32_t last = static_cast<uint32_t>(model.tasks.size()) - 1;
  if (last != kNone) {
    DependencyArrowsOf(model, rows, PlacedDependencies(model, rows), last);
    TaskFields(model, DescribeTask(model, last));
  }
}

TEST(AnalysesOfRandomEvents, KeepTheirPromises) {
  TraceModel previous = RandomEvents(99999).Build();
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TraceModel model = RandomEvents(seed).Build();
    const IdleReport idle = ExplainIdleness(model);
    for (const WorkerTime& time : idle.workers) {
      EXPECT_EQ(std::accumulate(time.cause_ns.begin(), time.cause_ns.end(), int64_t{0}),
                time.idle_ns);
      EXPECT_GE(time.busy_ns, 0);
    }
    const Efficiency whole = SplitEfficiency(model, idle).whole;
    EXPECT_NEAR(whole.Locality() * whole.Scheduling() * whole.Runtime() * whole.Parallelism(),
                whole.Total(), 1e-9);
    const CriticalPath path = ObservedCriticalPath(model);
    EXPECT_GE(path.wait_ns, 0);
    EXPECT_GE(path.work_ns + path.wait_ns, LongestDependencyChain(model).length_ns);
    SlackNs(model);
    const LastDependencies last(model);
    for (uint32_t task = 0; task < model.tasks.size(); ++task) last.ChainOf(task);
    ComputeBounds(model);
    for (auto by : {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker,
                    StatisticsBy::kKind, StatisticsBy::kState, StatisticsBy::kSize})
      for (const StatisticsRow& row : Statistics(model, by)) StatisticsLabel(model, by, row.key);
    for (const Finding& finding : Advise(model)) {
      EXPECT_GE(finding.cost_ns, 0);
      EXPECT_FALSE(finding.message.empty());
    }
    Compare(previous, model, StatisticsBy::kSite);
    CostBySite(model);
    Summarize(model);
    CheckGraph(model);
    CheckTimeline(model);
    CheckPictureParts(model);
    previous = std::move(model);
  }
}

void RunAll(const TraceModel& model) {
  ExplainIdleness(model);
  ObservedCriticalPath(model);
  ComputeBounds(model);
  Advise(model);
  CheckGraph(model);
  CheckPictureParts(model);
  Statistics(model, StatisticsBy::kWorker);
}

// A table that grows with another one must not be walked once for each of its rows: with this many
// the test would not end.
constexpr uint64_t kMany = 40'000;

void AddTask(ModelBuilder& builder, uint32_t rank, uint64_t job, uint64_t worker,
             int64_t start_ns) {
  const uint64_t submit[] = {job, job, 0, 0, 0, 0}, start[] = {job, worker, 0, 0},
                 end[] = {job, worker, 8, 0, 0};
  builder.OnEvent({start_ns, EventKind::kTaskSubmit, rank, 1, submit});
  builder.OnEvent({start_ns, EventKind::kTaskStart, rank, 10 + worker, start});
  builder.OnEvent({start_ns + 5, EventKind::kTaskEnd, rank, 10 + worker, end});
}

TEST(AnalysesOfOddShapes, EndWithManyWorkers) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  for (uint64_t i = 1; i <= kMany; ++i) AddTask(builder, 0, i, i, static_cast<int64_t>(i));
  RunAll(*std::move(builder).Finish());
}

TEST(AnalysesOfOddShapes, EndWithManyRanks) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  for (uint64_t i = 1; i <= kMany; ++i)
    AddTask(builder, static_cast<uint32_t>(i), 1, 0, static_cast<int64_t>(i));
  RunAll(*std::move(builder).Finish());
}

TEST(AnalysesOfOddShapes, EndWithManyWaitsOfTheProgramBesideIdleWorkers) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  for (uint64_t i = 1; i <= kMany; ++i) {
    const auto now_ns = static_cast<int64_t>(i * 10);
    const uint64_t worker[] = {i, 0, 0, 0, 0, 1, 0}, ready[] = {i};
    builder.OnEvent({0, EventKind::kWorkerNew, 0, 10 + i, worker});
    builder.OnEvent({0, EventKind::kWorkerReady, 0, 10 + i, ready});
    const uint64_t waiting[] = {static_cast<uint64_t>(StateKind::kWaitingAllTasks)},
                   working[] = {static_cast<uint64_t>(StateKind::kSubmittingTask)};
    AddTask(builder, 0, i, 1, now_ns);
    builder.OnEvent({now_ns, EventKind::kStateSet, 0, 1, waiting});
    builder.OnEvent({now_ns + 7, EventKind::kStateSet, 0, 1, working});
  }
  RunAll(*std::move(builder).Finish());
}

TEST(AnalysesOfOddShapes, EndWithACodeletForEachTaskOnTwoKindsOfWorkers) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  for (uint64_t worker = 0; worker < 2; ++worker) {
    const uint64_t args[] = {worker, worker, 0, 0, 0, 1, 0};
    builder.OnEvent({0, EventKind::kWorkerNew, 0, 10 + worker, args});
  }
  for (uint64_t i = 1; i <= kMany / 4; ++i) {
    AddTask(builder, 0, i, i % 2, static_cast<int64_t>(i * 10));
    const uint64_t name[] = {i, builder.Intern("codelet" + std::to_string(i / 2))};
    builder.OnEvent({0, EventKind::kTaskName, 0, 1, name});
  }
  RunAll(*std::move(builder).Finish());
}

}  // namespace
}  // namespace tasklens
