// SPDX-License-Identifier: Apache-2.0
// The states of a timeline's rows: which event means which state on which row.
#include <gtest/gtest.h>

#include <string>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::kMain;
using testing::TestTrace;

// "Name start-end" of every state of the track called `name`, a ">" for each level of depth.
std::string States(const TraceModel& model, std::string_view name) {
  std::string text;
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    if (model.str(model.tracks.name[track]) != name) continue;
    for (uint32_t i = model.states.first_of_track[track];
         i < model.states.first_of_track[track + 1]; ++i) {
      if (!text.empty()) text += ", ";
      text += std::string(model.states.depth[i], '>');
      text += Decl(model.states.kind[i]).name;
      if (model.states.kind[i] == StateKind::kTask)
        text += " " + std::to_string(model.tasks.job[model.states.task[i]]);
      text += " " + std::to_string(model.states.start_ns[i]) + "-" +
              std::to_string(model.states.end_ns[i]);
    }
    return text;
  }
  return "no track " + std::string(name);
}

// A trace that ends at 100, with one CPU worker whose thread is 1000.
TestTrace OneWorker() { return TestTrace().Worker("CPU0").Event(100, EventKind::kTaskCount); }
constexpr uint64_t kWorkerThread = 1000;

TEST(States, ATaskIsAStateOfItsWorkerBetweenStartAndEnd) {
  EXPECT_EQ(States(OneWorker().Task("a", 10, 20).Build(), "CPU0"),
            "Idle 0-10, Task 1 10-20, Overhead 20-100");
}

TEST(States, AfterATaskAWorkerThatSharesItsThreadIsIdle) {
  const TraceModel model =
      TestTrace()
          .Event(0, EventKind::kWorkerNew, {0, WorkerArch::kCuda, 0, 1, 0, /*sync=*/0, "CUDA0"}, 50)
          .Event(10, EventKind::kTaskStart, {1, 0, 1, 0}, 50)
          .Event(20, EventKind::kTaskEnd, {1, 0, 0, 0, ""}, 50)
          .Event(100, EventKind::kTaskCount)
          .Build();
  EXPECT_EQ(States(model, "CUDA0"), "Initializing 0-10, Task 1 10-20, Idle 20-100");
}

TEST(States, ADeviceTellsWhenItWasAtATask) {
  const TraceModel model =
      TestTrace()
          .Event(0, EventKind::kWorkerNew, {0, WorkerArch::kCuda, 0, 1, 0, /*sync=*/0, "CUDA0"}, 50)
          .Event(10, EventKind::kTaskStart, {1, 0, 1, 0}, 50)
          .Event(40, EventKind::kTaskOnDevice, {1, 25, 10}, 50)
          .Event(40, EventKind::kTaskEnd, {1, 0, 0, 0, ""}, 50)
          .Event(41, EventKind::kTaskStart, {2, 0, 1, 0}, 50)
          .Event(60, EventKind::kTaskOnDevice, {2, 31, 5}, 50)  // a clock's error too early
          .Event(60, EventKind::kTaskEnd, {2, 0, 0, 0, ""}, 50)
          .Event(70, EventKind::kTaskStart, {3, 0, 1, 0}, 50)
          .Event(100, EventKind::kTaskCount)
          .Build();
  EXPECT_EQ(States(model, "CUDA0"),
            "Initializing 0-15, Task 1 15-30, Task 2 30-55, Idle 55-70, Task 3 70-100");
  EXPECT_EQ(15, model.tasks.start_ns[0]);
  EXPECT_EQ(30, model.tasks.end_ns[0]);
}

TEST(States, AWorkerInitializesUntilItIsReady) {
  const TraceModel model =
      TestTrace()
          .Event(5, EventKind::kWorkerNew, {0, WorkerArch::kCpu, 0, 0, 0, 1, "CPU0"}, 50)
          .Event(9, EventKind::kWorkerReady, {0}, 50)
          .Event(30, EventKind::kWorkerStop, {}, 50)
          .Event(40, EventKind::kWorkerGone, {}, 50)
          .Event(100, EventKind::kTaskCount)
          .Build();
  EXPECT_EQ(States(model, "CPU0"), "Initializing 5-9, Idle 9-30, Deinitializing 30-40");
  EXPECT_EQ(model.workers.start_ns[0], 5);
  EXPECT_EQ(model.workers.ready_ns[0], 9);
  EXPECT_EQ(model.workers.stop_ns[0], 30);
  EXPECT_EQ(model.workers.end_ns[0], 40);
}

TEST(States, AThreadOfOneSyncWorkerShowsItsStatesOnTheWorker) {
  const TraceModel model =
      OneWorker().Event(10, EventKind::kStateSet, {StateKind::kScheduling}, kWorkerThread).Build();
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-10, Scheduling 10-100");
  EXPECT_EQ(model.tracks.size(), 1u);
}

TEST(States, AThreadOfAnAsynchronousWorkerHasARowOfItsOwnAboveTheWorkers) {
  const TraceModel model =
      TestTrace()
          .Event(0, EventKind::kThreadName, {"driver"}, 50)
          .Event(0, EventKind::kWorkerNew, {0, WorkerArch::kCuda, 0, 1, 0, 0, "CUDA0_0"}, 50)
          .Event(0, EventKind::kWorkerNew, {1, WorkerArch::kCuda, 0, 1, 0, 0, "CUDA0_1"}, 50)
          .Event(5, EventKind::kWorkerReady, {0}, 50)
          .Event(6, EventKind::kWorkerReady, {1}, 50)
          .Event(10, EventKind::kStateSet, {StateKind::kExecuting}, 50)
          .Event(20, EventKind::kStateSet, {StateKind::kOverhead}, 50)
          .Build();
  EXPECT_EQ(States(model, "driver"), "Initializing 0-5, Overhead 5-10, Executing 10-20");
  EXPECT_EQ(States(model, "CUDA0_1"), "Initializing 0-6, Idle 6-20");
  ASSERT_EQ(model.tracks.size(), 3u);
  EXPECT_EQ(model.tracks.kind[0], TrackKind::kThread);
  EXPECT_EQ(model.str(model.tracks.name[1]), "CUDA0_0");
}

TEST(States, TwoSyncWorkersOnOneThreadShareItsRowNotTheirs) {
  const TraceModel model =
      TestTrace()
          .Event(0, EventKind::kWorkerNew, {0, WorkerArch::kCpu, 0, 0, 0, 1, "A"}, 50)
          .Event(0, EventKind::kWorkerNew, {1, WorkerArch::kCpu, 1, 0, 0, 1, "B"}, 50)
          .Event(10, EventKind::kStateSet, {StateKind::kSleeping}, 50)
          .Event(20, EventKind::kTaskCount)
          .Build();
  EXPECT_EQ(States(model, "A"), "Initializing 0-20");
  EXPECT_EQ(States(model, "thread 50"), "Initializing 0-10, Sleeping 10-20");
}

TEST(States, ExecutingOnASyncWorkerDoesNotHideItsTask) {
  const TraceModel model =
      OneWorker()
          .Event(10, EventKind::kTaskStart, {1, 0, 0, 0}, kWorkerThread)
          .Event(11, EventKind::kStateSet, {StateKind::kExecuting}, kWorkerThread)
          .Event(19, EventKind::kStateSet, {StateKind::kOverhead}, kWorkerThread)
          .Event(20, EventKind::kTaskEnd, {1, 0, 0, 0, ""}, kWorkerThread)
          .Event(30, EventKind::kStateSet, {StateKind::kSleeping}, kWorkerThread)
          .Build();
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-10, Task 1 10-20, Overhead 20-30, Sleeping 30-100");
}

TEST(States, AUserThreadHasARowFromItsFirstStateOn) {
  const TraceModel model = TestTrace()
                               .Event(10, EventKind::kStatePush, {StateKind::kSubmittingTask})
                               .Event(12, EventKind::kStatePush, {StateKind::kScheduling})
                               .Event(14, EventKind::kStatePop)
                               .Event(16, EventKind::kStatePop)
                               .Event(20, EventKind::kTaskCount)
                               .Build();
  EXPECT_EQ(States(model, "thread 1"), "Nothing 10-20, >Submitting task 10-16, >>Scheduling 12-14");
  EXPECT_EQ(model.tracks.kind[0], TrackKind::kThread);
}

TEST(States, PushedStatesLieWithinTheStateTheyInterrupt) {
  const TraceModel model =
      OneWorker()
          .Event(10, EventKind::kStateSet, {StateKind::kOverhead}, kWorkerThread)
          .Event(20, EventKind::kStatePush, {StateKind::kCallback}, kWorkerThread)
          .Event(30, EventKind::kStatePop, {}, kWorkerThread)
          .Event(40, EventKind::kStateSet, {StateKind::kSleeping}, kWorkerThread)
          .Build();
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-10, Overhead 10-40, >Callback 20-30, Sleeping 40-100");
}

TEST(States, ASetEndsAllPushedStates) {
  Diagnostics diags;
  const TraceModel model =
      OneWorker()
          .Event(10, EventKind::kStatePush, {StateKind::kCallback}, kWorkerThread)
          .Event(20, EventKind::kStatePush, {StateKind::kScheduling}, kWorkerThread)
          .Event(30, EventKind::kStateSet, {StateKind::kSleeping}, kWorkerThread)
          .Event(40, EventKind::kStatePop, {}, kWorkerThread)
          .Build(&diags);
  EXPECT_EQ(States(model, "CPU0"),
            "Idle 0-30, >Callback 10-30, >>Scheduling 20-30, Sleeping 30-100");
  EXPECT_EQ(diags.Count("model_unmatched_end"), 1u);
}

TEST(States, AStateThatIsReplacedAtOnceVanishes) {
  const TraceModel model =
      OneWorker()
          .Event(10, EventKind::kStateSet, {StateKind::kScheduling}, kWorkerThread)
          .Event(10, EventKind::kStateSet, {StateKind::kOverhead}, kWorkerThread)
          .Event(20, EventKind::kStateSet, {StateKind::kScheduling}, kWorkerThread)
          .Event(20, EventKind::kStateSet, {StateKind::kOverhead}, kWorkerThread)
          .Build();
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-10, Overhead 10-100");
}

TEST(States, ATaskThatEndsAtOnceIsAStateWithoutLength) {
  const TraceModel model = OneWorker()
                               .State(10, StateKind::kScheduling)
                               .Task("a", 20, 20)
                               .Task("b", 20, 20)
                               .State(20, StateKind::kScheduling)
                               .Task("c", 100, 100)
                               .Build();
  EXPECT_EQ(
      States(model, "CPU0"),
      "Idle 0-10, Scheduling 10-20, Task 1 20-20, Task 2 20-20, Scheduling 20-100, Task 3 100-100");
}

TEST(States, EqualNeighboursAreOneState) {
  const TraceModel model =
      OneWorker()
          .Event(10, EventKind::kStateSet, {StateKind::kOverhead}, kWorkerThread)
          .Event(20, EventKind::kStateSet, {StateKind::kOverhead}, kWorkerThread)
          .Build();
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-10, Overhead 10-100");
}

TEST(States, TwoTasksInARowStayTwoStates) {
  EXPECT_EQ(States(OneWorker().Task("a", 10, 20).Task("a", 20, 30).Build(), "CPU0"),
            "Idle 0-10, Task 1 10-20, Task 2 20-30, Overhead 30-100");
}

TEST(States, AParallelTaskIsAStateOfEachOfItsWorkers) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Event(11, EventKind::kTaskStart, {1, 1, 0, 0}, 1001)
                               .Event(10, EventKind::kTaskStart, {1, 0, 0, 0}, 1000)
                               .Event(20, EventKind::kTaskEnd, {1, 0, 0, 0, ""}, 1000)
                               .Event(22, EventKind::kTaskEnd, {1, 1, 0, 0, ""}, 1001)
                               .Build();
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-10, Task 1 10-20, Overhead 20-22");
  EXPECT_EQ(States(model, "CPU1"), "Idle 0-11, Task 1 11-22");
  EXPECT_EQ(model.tasks.start_ns[0], 10);
  EXPECT_EQ(model.tasks.LastStartNs(0), 11);
  EXPECT_EQ(model.tasks.end_ns[0], 22);
  EXPECT_EQ(model.workers.id[model.tasks.worker[0]], 0u);
  EXPECT_EQ(model.workers.id[model.tasks.LastWorker(0)], 1u);
}

TEST(States, NothingIsShownWhileRecordingIsOff) {
  const TraceModel model =
      TestTrace()
          .Event(0, EventKind::kTracingStart, {1})  // META only
          .Event(5, EventKind::kWorkerNew, {0, WorkerArch::kCpu, 0, 0, 0, 1, "CPU0"}, 50)
          .Event(9, EventKind::kWorkerReady, {0}, 50)
          .Event(20, EventKind::kTracingStart, {0xff})
          .Event(30, EventKind::kStateSet, {StateKind::kSleeping}, 50)
          .Event(40, EventKind::kTracingStop)
          .Event(50, EventKind::kTracingStart, {0xff})
          .Event(55, EventKind::kTracingStop)
          .Event(56, EventKind::kStateSet, {StateKind::kOverhead}, 50)  // came late
          .Event(70, EventKind::kWorkerStop, {}, 50)
          .Event(80, EventKind::kWorkerGone, {}, 50)
          .Build();
  EXPECT_EQ(States(model, "CPU0"),
            "Initializing 5-9, Nothing 9-30, Sleeping 30-40, Nothing 40-70, Deinitializing 70-80");
}

TEST(States, WhatIsOpenAtTheEndEndsWithTheTrace) {
  Diagnostics diags;
  const TraceModel model =
      OneWorker()
          .Event(90, EventKind::kTaskStart, {7, 0, 0, 0}, kWorkerThread)
          .Event(95, EventKind::kStatePush, {StateKind::kCallback}, kWorkerThread)
          .Build(&diags);
  EXPECT_EQ(States(model, "CPU0"), "Idle 0-90, Task 7 90-100, >Callback 95-100");
  EXPECT_EQ(model.tasks.end_ns[0], 100);
  EXPECT_EQ(model.tasks.cut[0], 1);
  EXPECT_EQ(diags.Count("model_task_never_ended"), 1u);
  EXPECT_EQ(diags.counts().at("model_task_never_ended").first_where, "job 7");
  EXPECT_EQ(diags.Count("model_state_never_ended"), 1u);
  EXPECT_EQ(diags.counts().at("model_state_never_ended").first_where, "CPU0");
}

TEST(States, TasksThatWereKilledAreNamedTheRankFirstWhoseRecordsEndFirst) {
  constexpr uint64_t kRun = 77;
  Diagnostics diags;
  TestTrace()
      .Event(0, EventKind::kMpiBarrier, {0, 2, kRun, 0})
      .Worker("CPU0")
      .Event(10, EventKind::kTaskStart, {7, 0, 0, 0}, kWorkerThread)
      .Event(100, EventKind::kTaskCount)
      .Rank(1)
      .Event(0, EventKind::kMpiBarrier, {1, 2, kRun, 0})
      .Worker("CPU0")
      .Event(5, EventKind::kTaskName, {8, "gemm"})
      .Event(5, EventKind::kTaskSite, {8, 102, "chol.c", "main"})
      .Event(20, EventKind::kTaskStart, {8, 0, 0, 0}, kWorkerThread)
      .Event(90, EventKind::kTaskCount)
      .Build(&diags);
  EXPECT_EQ(diags.counts().at("model_task_never_ended").first_where,
            "rank 1: job 8, gemm, chol.c:102; rank 0: job 7");
}

TEST(States, MemoryOperationsAndCopiesAreStatesOfTheNode) {
  const TraceModel model =
      TestTrace()
          .MemoryNode("NUMA 0")
          .MemoryNode("CUDA 0")
          .Event(10, EventKind::kMemoryOpStart, {1, MemoryOp::kAllocate, 64, 0x10, 0})
          .Event(12, EventKind::kMemoryOpEnd, {1, MemoryOp::kAllocate, 64, 0x10})
          .Event(20, EventKind::kCopySubmitStart, {0, 1})
          .Event(22, EventKind::kCopySubmitEnd, {0, 1})
          .Event(30, EventKind::kCopyStart, {0, 1, 64, 1, 0, 0x10})
          .Event(40, EventKind::kCopyEnd, {0, 1, 64, 1, 0})
          .Event(50, EventKind::kMemoryOpStart, {0xffffffffu, MemoryOp::kWontUse, 0, 0x10, 0})
          .Build();
  EXPECT_EQ(States(model, "NUMA 0"), "Nothing 0-50");
  EXPECT_EQ(States(model, "CUDA 0"),
            "Nothing 0-50, >Allocating 10-12, >DriverCopyAsync 20-22, >DriverCopy 30-40");
  EXPECT_EQ(model.memory_nodes.size(), 2u);
}

TEST(States, TheMpiThreadHasACommunicationRow) {
  const TraceModel model = TestTrace()
                               .Event(10, EventKind::kMpiStart, {0, 2}, 70)
                               .Event(20, EventKind::kStateSet, {StateKind::kCommPolling}, 70)
                               .Event(30, EventKind::kMpiStop, {0, 2}, 70)
                               .Event(40, EventKind::kTaskCount)
                               .Build();
  EXPECT_EQ(States(model, "MPI"), "Sleeping 10-20, Polling 20-30");
  EXPECT_EQ(model.tracks.kind[0], TrackKind::kComm);
  EXPECT_EQ(model.ranks.world_size[0], 2u);
}

TEST(States, SmallInversionsAreSortedAndCounted) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  const auto send = [&](int64_t time_ns, EventKind kind, std::vector<uint64_t> args) {
    builder.OnEvent({time_ns, kind, 0, 9, args});
  };
  send(0, EventKind::kTracingStart, {0});
  send(10, EventKind::kStateSet, {uint64_t(StateKind::kScheduling)});
  send(30, EventKind::kStateSet, {uint64_t(StateKind::kSleeping)});
  send(20, EventKind::kStateSet, {uint64_t(StateKind::kOverhead)});
  send(40, EventKind::kTracingStop, {});
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(States(*model, "thread 9"),
            "Nothing 0-10, Scheduling 10-20, Overhead 20-30, Sleeping 30-40");
  EXPECT_EQ(diags.Count("model_time_inversion"), 1u);
  EXPECT_EQ(diags.counts().at("model_time_inversion").first_where, "state_set of rank 0, thread 9");
}

TEST(States, ThreadsMayArriveOneAfterTheOther) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  const auto send = [&](uint64_t tid, int64_t time_ns, EventKind kind, std::vector<uint64_t> args) {
    builder.OnEvent({time_ns, kind, 0, tid, args});
  };
  const uint64_t allocate = uint64_t(MemoryOp::kAllocate), free = uint64_t(MemoryOp::kFree);
  for (int64_t t = 10; t < 50; t += 10) {
    send(1, t, EventKind::kMemoryOpStart, {0, allocate, 1, 1, 0});
    send(1, t + 2, EventKind::kMemoryOpEnd, {0, allocate, 1, 1});
  }
  send(2, 25, EventKind::kMemoryOpStart, {0, free, 1, 1, 0});
  send(2, 26, EventKind::kMemoryOpEnd, {0, free, 1, 1});
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(States(*model, "memory node 0"),
            "Nothing 0-32, >Allocating 0-2, >Allocating 10-12, >Freeing 15-16, "
            ">Allocating 20-22, >Allocating 30-32");
  EXPECT_TRUE(diags.empty()) << diags.Summary();
}

TEST(States, NestingBeyondAllReasonIsCutAndCounted) {
  Diagnostics diags;
  TestTrace trace = OneWorker();
  for (int i = 0; i < 1000; ++i)
    trace.Event(10, EventKind::kStatePush, {StateKind::kCallback}, kWorkerThread);
  for (int i = 0; i < 1000; ++i) trace.Event(20, EventKind::kStatePop, {}, kWorkerThread);
  const TraceModel model = trace.Build(&diags);
  EXPECT_EQ(diags.Count("model_states_too_deep"), 1000u - 63u);
  EXPECT_EQ(diags.Count("model_unmatched_end"), 0u);
  for (uint8_t depth : model.states.depth) EXPECT_LT(depth, 64);
}

TEST(States, AWorkerThatStartsAgainGoesOnOnItsRow) {
  const TraceModel model =
      TestTrace()
          .Event(0, EventKind::kWorkerNew, {0, WorkerArch::kCpu, 0, 0, 0, 1, "CPU0"}, 50)
          .Event(10, EventKind::kWorkerGone, {}, 50)
          .Event(20, EventKind::kWorkerNew, {0, WorkerArch::kCpu, 0, 0, 0, 1, "CPU0"}, 60)
          .Event(25, EventKind::kStateSet, {StateKind::kSleeping}, 60)
          .Event(30, EventKind::kWorkerGone, {}, 60)
          .Event(40, EventKind::kTaskCount)
          .Build();
  EXPECT_EQ(States(model, "CPU0"), "Initializing 0-25, Sleeping 25-30");
  EXPECT_EQ(model.workers.size(), 1u);
}

TEST(States, StatesAreLeftOutWhenNotAskedFor) {
  Diagnostics diags;
  ModelBuilder builder(diags, kAllParts & ~kPartStates);
  OneWorker().Task("a", 10, 20).Replay(builder);
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->states.size(), 0u);
  EXPECT_EQ(model->tracks.size(), 1u);
  EXPECT_EQ(model->states.first_of_track.size(), 2u);
  EXPECT_EQ(model->tasks.end_ns[0], 20);
}

}  // namespace
}  // namespace tasklens
