// SPDX-License-Identifier: Apache-2.0
// Handles, accesses, tags, transfers, points and counters.
#include <gtest/gtest.h>

#include "tests/testing/model_check.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::kMain;
using testing::TestTrace;

// --- Tasks -------------------------------------------------------------------------------------

TEST(Tasks, AreRowsInTheOrderOfTheirFirstMention) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskDep, {9, 4, 0, "task"})
                               .Event(2, EventKind::kTaskSubmit, {4, 1, -1, -1, 0, 0})
                               .Event(3, EventKind::kTaskName, {2, "b"})
                               .Build();
  EXPECT_EQ(model.tasks.job, (std::vector<uint64_t>{9, 4, 2}));
  EXPECT_EQ(model.tasks.has_submit[0], 0);
  EXPECT_EQ(model.tasks.has_submit[1], 1);
  EXPECT_EQ(model.FindTask(0, 4), 1u);
  EXPECT_EQ(model.FindTask(0, 5), kNone);
  EXPECT_EQ(model.FindTask(1, 4), kNone);
  EXPECT_EQ(model.TaskNameOf(0), "unknown");
}

TEST(Tasks, OfDifferentRanksMayHaveTheSameJob) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskName, {1, "a"})
                               .Rank(4)
                               .Event(1, EventKind::kTaskName, {1, "b"})
                               .Build();
  ASSERT_EQ(model.tasks.size(), 2u);
  EXPECT_EQ(model.TaskNameOf(model.FindTask(0, 1)), "a");
  EXPECT_EQ(model.TaskNameOf(model.FindTask(1, 1)), "b");
}

TEST(Tasks, JobZeroIsNoTask) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Event(1, EventKind::kTaskDep, {0, 1, 0, "task"})
                               .Event(2, EventKind::kTaskStart, {0, 0, 0, 0}, 1000)
                               .Event(3, EventKind::kTaskEnd, {0, 0, 0, 0, ""}, 1000)
                               .Build();
  EXPECT_EQ(model.tasks.job, (std::vector<uint64_t>{1}));
}

TEST(Tasks, WildJobsCostNoMoreThanOthers) {
  TestTrace trace;
  for (uint64_t i = 1; i <= 1000; ++i)
    trace.Event(1, EventKind::kTaskName, {i * 0x9e3779b97f4a7c15u, "wild"});
  const TraceModel model = trace.Build();
  ASSERT_EQ(model.tasks.size(), 1000u);
  EXPECT_EQ(model.FindTask(0, 7 * 0x9e3779b97f4a7c15u), 6u);
}

TEST(Tasks, ATaskThatWaitsForItselfDoesNot) {
  Diagnostics diags;
  const TraceModel model = TestTrace().Task("a", 0, 1).Dep(1, 1).Build(&diags);
  EXPECT_TRUE(model.predecessors[0].empty());
  EXPECT_EQ(diags.Count("model_self_dependency"), 1u);
}

TEST(Tasks, LongListsOfDependenciesHaveNoDoublesEither) {
  TestTrace trace;
  for (uint64_t i = 1; i <= 50; ++i) trace.Dep(i, 100).Dep(51 - i, 100);
  const TraceModel model = trace.Build();
  const uint32_t last = model.FindTask(0, 100);
  ASSERT_EQ(model.predecessors[last].size(), 50u);
  EXPECT_EQ(model.tasks.job[model.predecessors[last][0].task], 1u);
  EXPECT_EQ(model.tasks.job[model.predecessors[last][1].task], 50u);
}

TEST(Tasks, OneSiteForEachFileLineAndFunction) {
  const TraceModel model = TestTrace()
                               .Task("a", 0, 1, {.file = "a.c", .line = 1, .function = "f"})
                               .Task("a", 1, 2, {.file = "a.c", .line = 2, .function = "f"})
                               .Task("a", 2, 3, {.file = "a.c", .line = 1, .function = "f"})
                               .Task("a", 3, 4, {.file = "a.c", .line = 1, .function = "g"})
                               .Build();
  EXPECT_EQ(model.sites.size(), 3u);
  EXPECT_EQ(model.tasks.site[0], model.tasks.site[2]);
}

TEST(Tasks, ARecursiveTaskIsTheParentOfItsTasks) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskParent, {2, 0, 1})
                               .Event(1, EventKind::kTaskParent, {1, 1, 0})
                               .Build();
  EXPECT_EQ(model.tasks.parent[model.FindTask(0, 2)], model.FindTask(0, 1));
  EXPECT_EQ(model.tasks.parent[model.FindTask(0, 1)], kNone);
  EXPECT_EQ(model.tasks.is_recursive[model.FindTask(0, 1)], 1);
}

TEST(Tasks, WhatHangsOnATaskIsKept) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskEndDep, {2, 1})
                               .Event(1, EventKind::kTaskPapi, {1, 5, -6})
                               .Event(1, EventKind::kTaskEstimate, {1, -1, 10.5, 2.5})
                               .Event(1, EventKind::kTaskHidden, {1, 1})
                               .Event(1, EventKind::kTaskColor, {1, 0xff00aa})
                               .Event(2, EventKind::kTaskDone, {1})
                               .Build();
  const uint32_t one = model.FindTask(0, 1);
  EXPECT_EQ(model.end_deps.at(0), std::make_pair(model.FindTask(0, 2), one));
  EXPECT_EQ(model.papi.value.at(0), -6);
  EXPECT_EQ(model.estimates.worker.at(0), -1);
  EXPECT_EQ(model.estimates.length_ns.at(0), 10.5);
  EXPECT_EQ(model.tasks.hidden[one], 1);
  EXPECT_EQ(model.tasks.rgb[one], 0xff00aau);
  EXPECT_EQ(model.tasks.done_ns[one], 2);
}

TEST(Tags, HaveOwnersDependenciesAndAnEnd) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskTag, {uint64_t{0x10}, 1})
                               .Event(2, EventKind::kTagDep, {uint64_t{0x20}, uint64_t{0x10}})
                               .Event(3, EventKind::kTagDone, {uint64_t{0x10}, "first"})
                               .Build();
  ASSERT_EQ(model.tags.size(), 2u);
  EXPECT_EQ(model.tags.tag[0], 0x10u);
  EXPECT_EQ(model.tags.owners.at(0), std::make_pair(0u, 0u));
  EXPECT_EQ(model.tags.deps.at(0), std::make_pair(0u, 1u));  // (father, child)
  EXPECT_EQ(model.tags.done_ns[0], 3);
  EXPECT_EQ(model.str(model.tags.name[0]), "first");
  EXPECT_EQ(model.tasks.tag[0], 0x10u);
  EXPECT_EQ(model.tasks.has_tag[0], 1);
}

// --- Data --------------------------------------------------------------------------------------

TestTrace& Register(TestTrace& trace, int64_t time_ns, uint64_t address, const char* text) {
  return trace.Event(time_ns, EventKind::kDataNew, {address, 64, -1, 0, 0, text});
}

TEST(Data, AHandleHasWhatItsEventsSay) {
  TestTrace trace;
  Register(trace, 5, 0xa0, "V16x4")
      .Event(6, EventKind::kDataName, {uint64_t{0xa0}, "A"})
      .Event(7, EventKind::kDataCoordinates, {uint64_t{0xa0}, 9})
      .Event(8, EventKind::kDataCoordinates, {uint64_t{0xa0}, 1, -2})
      .Event(9, EventKind::kDataMpiTag, {uint64_t{0xa0}, 12})
      .Event(9, EventKind::kDataMpiOwner, {uint64_t{0xa0}, 1})
      .Event(20, EventKind::kDataDelete, {uint64_t{0xa0}});
  const TraceModel model = trace.Build();
  ASSERT_EQ(model.handles.size(), 1u);
  EXPECT_EQ(model.handles.address[0], 0xa0u);
  EXPECT_EQ(model.handles.size_bytes[0], 64u);
  EXPECT_EQ(model.handles.home_node[0], 0);
  EXPECT_EQ(model.str(model.handles.description[0]), "V16x4");
  EXPECT_EQ(model.str(model.handles.name[0]), "A");
  ASSERT_EQ(model.handles.coordinates[0].size(), 2u);
  EXPECT_EQ(model.handles.coordinates[0][1], -2);
  EXPECT_EQ(model.handles.mpi_tag[0], 12);
  EXPECT_EQ(model.handles.mpi_owner[0], 1);
  EXPECT_EQ(model.handles.register_ns[0], 5);
  EXPECT_EQ(model.handles.unregister_ns[0], 20);
}

TEST(Data, AnAddressRegisteredAgainIsAnotherHandle) {
  TestTrace trace;
  const auto access = [&](int64_t time_ns, uint64_t job) {
    trace.Event(time_ns, EventKind::kTaskAccess, {job, uint64_t{0xa0}, 64, kAccessRead});
  };
  Register(trace, 10, 0xa0, "first");
  access(15, 1);
  trace.Event(20, EventKind::kDataDelete, {uint64_t{0xa0}});
  Register(trace, 30, 0xa0, "second");
  access(35, 2);
  const TraceModel model = trace.Build();
  ASSERT_EQ(model.handles.size(), 2u);
  EXPECT_EQ(model.accesses[0][0].handle, 0u);
  EXPECT_EQ(model.accesses[1][0].handle, 1u);
}

// As StarPU after 1.4 writes it, the second time at an address that comes again.
TEST(Data, WhatIsNamedBeforeItIsRegisteredIsTheNextHandle) {
  TestTrace trace;
  const auto name = [&](int64_t time_ns, const char* text, int place) {
    trace.Event(time_ns, EventKind::kDataName, {uint64_t{0xa0}, text});
    trace.Event(time_ns + 1, EventKind::kDataCoordinates, {uint64_t{0xa0}, place, place});
  };
  name(10, "first", 1);
  Register(trace, 12, 0xa0, "V1");
  trace.Event(13, EventKind::kTaskAccess, {uint64_t{1}, uint64_t{0xa0}, 64, kAccessRead});
  trace.Event(14, EventKind::kDataDelete, {uint64_t{0xa0}});
  name(20, "second", 2);
  Register(trace, 22, 0xa0, "V2");
  trace.Event(23, EventKind::kTaskAccess, {uint64_t{2}, uint64_t{0xa0}, 64, kAccessRead});
  // A name that is given afterwards, as any version writes it.
  trace.Event(24, EventKind::kDataName, {uint64_t{0xa0}, "renamed"});
  const TraceModel model = trace.Build();
  const HandleTable& handles = model.handles;
  ASSERT_EQ(handles.size(), 2u);
  EXPECT_EQ(model.str(handles.name[0]), "first");
  EXPECT_EQ(model.str(handles.name[1]), "renamed");
  EXPECT_EQ(model.str(handles.description[0]), "V1");
  EXPECT_EQ(model.str(handles.description[1]), "V2");
  for (const uint32_t row : {0u, 1u}) {
    ASSERT_EQ(handles.coordinates[row].size(), 2u);
    EXPECT_EQ(handles.coordinates[row][0], static_cast<int32_t>(row) + 1);
    EXPECT_EQ(model.accesses[row][0].handle, row);
  }
  EXPECT_EQ(handles.register_ns[0], 12);
  EXPECT_EQ(handles.register_ns[1], 22);
}

TEST(Data, AnAddressThatNobodyRegisteredIsAHandleToo) {
  const TraceModel model =
      TestTrace()
          .Event(10, EventKind::kTaskAccess, {1, uint64_t{0xa0}, 64, kAccessRead | kAccessWrite})
          .Build();
  ASSERT_EQ(model.handles.size(), 1u);
  EXPECT_EQ(model.handles.register_ns[0], kNever);
  ASSERT_EQ(model.accesses[0].size(), 1u);
  EXPECT_EQ(model.accesses[0][0].mode, 3u);
  EXPECT_EQ(model.accesses[0][0].size_bytes, 64u);
}

TEST(Data, AccessesAndParametersAreInTheirOrderWithTheirNumaNodes) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskAccess, {1, uint64_t{0xb0}, 1, 1})
                               .Event(1, EventKind::kTaskAccess, {2, uint64_t{0xc0}, 2, 1})
                               .Event(1, EventKind::kTaskAccess, {1, uint64_t{0xa0}, 3, 2})
                               .Event(1, EventKind::kTaskNuma, {1, 1, 4})
                               .Event(1, EventKind::kTaskNuma, {1, 77, 4})
                               .Event(1, EventKind::kTaskParameter, {1, "x"})
                               .Event(1, EventKind::kTaskParameter, {1, "y"})
                               .Build();
  const auto of_one = model.accesses[model.FindTask(0, 1)];
  ASSERT_EQ(of_one.size(), 2u);
  EXPECT_EQ(model.handles.address[of_one[0].handle], 0xb0u);
  EXPECT_EQ(of_one[0].numa_nodes, -1);
  EXPECT_EQ(of_one[1].numa_nodes, 4);
  ASSERT_EQ(model.parameters[0].size(), 2u);
  EXPECT_EQ(model.str(model.parameters[0][1]), "y");
  EXPECT_TRUE(model.parameters[1].empty());
}

TEST(Data, AParameterWithoutADescriptionIsOneAsWell) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskParameter, {1, "x"})
                               .Event(1, EventKind::kTaskParameter, {2, ""})
                               .Build();
  EXPECT_EQ(testing::BrokenPromise(model), "");
  ASSERT_EQ(model.parameters[1].size(), 1u);
  EXPECT_EQ(model.str(model.parameters[1][0]), "");
}

TEST(Transfers, ACopyHasItsEnd) {
  const TraceModel model =
      TestTrace()
          .Event(10, EventKind::kCopyStart, {0, 1, 64, 5, CopyReason::kPrefetch, uint64_t{0xa0}})
          .Event(11, EventKind::kCopyStart, {0, 2, 32, 6, CopyReason::kFetch, uint64_t{0xb0}})
          .Event(20, EventKind::kCopyEnd, {0, 2, 32, 6, 0})
          .Event(30, EventKind::kCopyEnd, {0, 1, 64, 5, 2})
          .Build();
  ASSERT_EQ(model.transfers.size(), 2u);
  EXPECT_EQ(model.transfers.end_ns[0], 30);
  EXPECT_EQ(model.transfers.end_ns[1], 20);
  EXPECT_EQ(model.transfers.reason[0], CopyReason::kPrefetch);
  EXPECT_EQ(model.transfers.size_bytes[0], 64u);
  EXPECT_EQ(model.transfers.handle[1], 0xb0u);
  EXPECT_EQ(model.transfers.target_node[1], 2u);
}

TEST(Transfers, ADeviceTellsWhenItCopied) {
  const TraceModel model = TestTrace()
                               .Event(10, EventKind::kCopyStart, {0, 1, 64, 5, 0, 0})
                               .Event(50, EventKind::kCopyEnd, {0, 1, 64, 5, 0})
                               .Event(50, EventKind::kCopyOnDevice, {5, 35, 20})
                               .Build();
  EXPECT_EQ(model.transfers.start_ns.at(0), 15);
  EXPECT_EQ(model.transfers.end_ns.at(0), 30);
}

TEST(Transfers, ACopyThatNeverEndedAndAnEndWithoutCopyAreTold) {
  Diagnostics diags;
  const TraceModel model = TestTrace()
                               .Event(10, EventKind::kCopyStart, {0, 1, 64, 5, 0, 0})
                               .Event(20, EventKind::kCopyEnd, {0, 0, 64, 6, 0})
                               .Build(&diags);
  EXPECT_EQ(model.transfers.end_ns.at(0), kNever);
  EXPECT_GE(diags.Count("model_unmatched_end"), 1u);
}

TEST(Transfers, AnEndMayArriveBeforeItsBeginning) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  const uint64_t end[] = {0, 1, 64, 5, 0}, start[] = {0, 1, 64, 5, 0, 0};
  builder.OnEvent({20, EventKind::kCopyEnd, 0, 2, end});
  builder.OnEvent({10, EventKind::kCopyStart, 0, 3, start});
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->transfers.start_ns.at(0), 0);
  EXPECT_EQ(model->transfers.end_ns.at(0), 10);
  EXPECT_TRUE(diags.empty()) << diags.Summary();
}

// --- Moments and counters ----------------------------------------------------------------------

TEST(Points, AreSortedByTimeAndKeepTheirArgumentsAndTrack) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  const uint64_t one[] = {1}, two[] = {2};
  const uint64_t text[] = {builder.Intern("hello")};
  builder.OnEvent({30, EventKind::kUserEvent, 0, 7, one});
  builder.OnEvent({10, EventKind::kUserEvent, 0, 8, two});
  builder.OnEvent({20, EventKind::kMessage, 0, 0, text});
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  const PointTable& points = model->points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points.time_ns, (std::vector<int64_t>{0, 10, 20}));
  EXPECT_EQ(points.Args(0)[0], 2u);
  EXPECT_EQ(model->tracks.id[points.track[0]], 8u);
  EXPECT_EQ(points.track[1], kNone);  // nobody knows which thread
  EXPECT_EQ(model->str(static_cast<StringId>(points.Args(1)[0])), "hello");
  EXPECT_EQ(points.Args(2)[0], 1u);
  EXPECT_EQ(model->tracks.id[points.track[2]], 7u);
}

TEST(Points, OnAWorkersThreadStandOnTheWorkersTrack) {
  const TraceModel model =
      TestTrace().Worker("CPU0").Event(5, EventKind::kUserEvent, {1}, 1000).Build();
  ASSERT_EQ(model.points.size(), 1u);
  EXPECT_EQ(model.points.track[0], model.workers.track[0]);
}

TEST(Points, OnlyThoseOfTheWantedPartsAreKept) {
  Diagnostics diags;
  ModelBuilder builder(diags, kPartSchedulerPoints);
  TestTrace()
      .Event(1, EventKind::kUserEvent, {1})
      .Event(2, EventKind::kTaskReady, {1, 0})
      .Event(3, EventKind::kDataState, {uint64_t{1}, 0, 1})
      .Replay(builder);
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->points.size(), 1u);
  EXPECT_EQ(model->points.kind[0], EventKind::kTaskReady);
}

TEST(Steals, AreSortedByTime) {
  const TraceModel model =
      TestTrace().Event(20, EventKind::kSteal, {0, 1}).Event(10, EventKind::kSteal, {2, 3}).Build();
  EXPECT_EQ(model.steals.time_ns, (std::vector<int64_t>{10, 20}));
  EXPECT_EQ(model.steals.thief, (std::vector<uint32_t>{2, 0}));
}

const CounterSeries* Counter(const TraceModel& model, CounterKind kind) {
  for (const CounterSeries& series : model.counters)
    if (series.kind == kind) return &series;
  return nullptr;
}

TEST(Counters, SubmittedAndReadyTasksRiseAndFall) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskCount)
                               .Event(2, EventKind::kTaskCount)
                               .Event(3, EventKind::kTaskReady, {1, 0})
                               .Event(4, EventKind::kTaskPop, {1, 0})
                               .Build();
  const CounterSeries* submitted = Counter(model, CounterKind::kSubmittedTasks);
  ASSERT_NE(submitted, nullptr);
  EXPECT_EQ(submitted->time_ns, (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(submitted->value, (std::vector<double>{1, 2, 1}));
  const CounterSeries* ready = Counter(model, CounterKind::kReadyTasks);
  ASSERT_NE(ready, nullptr);
  EXPECT_EQ(ready->time_ns, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(ready->value, (std::vector<double>{1, 0}));
}

TEST(Counters, SubmissionsCountWhereNoTaskCountIsRecorded) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kTaskSubmit, {1, 1, -1, -1, 0, 0})
                               .Event(2, EventKind::kTaskSubmit, {2, 2, -1, -1, 0, 0})
                               .Event(3, EventKind::kTaskPop, {1, 0})
                               .Event(4, EventKind::kTaskDone, {1})
                               .Event(5, EventKind::kTaskDone, {2})  // it has no codelet
                               .Build();
  const CounterSeries* submitted = Counter(model, CounterKind::kSubmittedTasks);
  ASSERT_NE(submitted, nullptr);
  EXPECT_EQ(submitted->time_ns, (std::vector<int64_t>{1, 2, 3, 5}));
  EXPECT_EQ(submitted->value, (std::vector<double>{1, 2, 1, 0}));
}

TEST(Counters, ATaskThatNobodyWasSeenToTakeCountsUntilItStarts) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 10, 20, {.submit_ns = 2})
                               .Task("b", 20, 30, {.submit_ns = 4})
                               .Build();
  const CounterSeries* submitted = Counter(model, CounterKind::kSubmittedTasks);
  ASSERT_NE(submitted, nullptr);
  EXPECT_EQ(submitted->time_ns, (std::vector<int64_t>{2, 4, 10, 20}));
  EXPECT_EQ(submitted->value, (std::vector<double>{1, 2, 1, 0}));
}

TEST(Counters, MemoryInUseIsASeriesOfItsNode) {
  const TraceModel model = TestTrace()
                               .MemoryNode("RAM")
                               .Event(1, EventKind::kMemoryUsed, {0, 100})
                               .Event(2, EventKind::kMemoryUsed, {1, 7})
                               .Event(3, EventKind::kMemoryUsed, {0, 50})
                               .Build();
  ASSERT_EQ(model.counters.size(), 2u);
  EXPECT_EQ(model.counters[0].track, model.memory_nodes.track[0]);
  EXPECT_EQ(model.counters[0].value, (std::vector<double>{100, 50}));
  EXPECT_EQ(model.counters[1].value, (std::vector<double>{7}));
}

TEST(SourceEventCounts, OfSeveralFilesAreAdded) {
  const TraceModel model = TestTrace()
                               .Event(0, EventKind::kSourceEventCount, {uint64_t{0x5100}, 2})
                               .Rank(1)
                               .Event(0, EventKind::kSourceEventCount, {uint64_t{0x5100}, 3})
                               .Event(0, EventKind::kSourceEventCount, {uint64_t{0x5101}, 1})
                               .Build();
  using Count = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(model.source_event_counts, (std::vector<Count>{{0x5100, 5}, {0x5101, 1}}));
}

}  // namespace
}  // namespace tasklens
