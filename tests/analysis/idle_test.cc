// SPDX-License-Identifier: Apache-2.0
// Causes of idle time: cases written down first, and random runs against a clock that asks at every
// nanosecond.
#include "analysis/idle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/sites.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRun;
using testing::TestTrace;

// {nothing submitted, nothing ready, transfer, scheduler, runtime}
CauseTimes CausesOf(const IdleReport& report, uint32_t worker) {
  return report.workers[worker].cause_ns;
}

TEST(Idle, ChainLeavesTheSecondWorkerWithNothingReady) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 10, 20, {.submit_ns = 5}).Task("b", 20, 40, {.submit_ns = 6}).Dep(1, 2);
  const IdleReport report = ExplainIdleness(trace.Build());
  // Measured from the first submission, 5, to the last end, 40. Task a waits from 5 to 10 and could
  // run at once on the worker that is first in the queue; b waits for a until 20.
  EXPECT_EQ(CausesOf(report, 0), (CauseTimes{0, 0, 0, 5, 0}));
  EXPECT_EQ(CausesOf(report, 1), (CauseTimes{1 + 20, 14, 0, 0, 0}));
  EXPECT_EQ(report.workers[0].busy_ns, 30);
  EXPECT_EQ(report.workers[1].idle_ns, 35);
  ASSERT_EQ(report.pauses.size(), 2u);
  EXPECT_EQ(report.pauses[0].main_cause(), IdleCause::kScheduler);
  EXPECT_EQ(report.pauses[0].next_task, 0u);
  EXPECT_EQ(report.pauses[1].next_task, kNone);
}

// Of a pause that the stretch cuts, as much of each cause as of the pause.
TEST(Idle, OfAStretchIsWhatLiesWithinIt) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 10, 20, {.submit_ns = 5}).Task("b", 20, 40, {.submit_ns = 6}).Dep(1, 2);
  const IdleReport report = ExplainIdleness(trace.Build());
  // Worker 0 begins to run at 10 what it was kept from since 5; worker 1 pauses from 5 to 40.
  const StretchTime time = TimeWithin(report, {0, 15});
  EXPECT_EQ(time.task_ns, 5);
  EXPECT_EQ(time.cause_ns, (CauseTimes{6, 4, 0, 5, 0}));
  const StretchTime outside = TimeWithin(report, {40, 100});
  EXPECT_EQ(outside.task_ns, 0);
  EXPECT_EQ(outside.cause_ns, (CauseTimes{}));
}

TEST(Idle, TimesOfStretchesAddUpToThatOfTheirWorkers) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const TraceModel model = RandomRun(seed);
    const IdleReport report = ExplainIdleness(model);
    const auto all_of = [](const StretchTime& time) {
      return std::accumulate(time.cause_ns.begin(), time.cause_ns.end(), time.task_ns);
    };
    const StretchTime run = TimeWithin(report, {INT64_MIN, INT64_MAX});
    int64_t busy_ns = 0, measured_ns = 0, task_ns = 0, parts_ns = 0;
    for (const WorkerTime& worker : report.workers) {
      busy_ns += worker.busy_ns;
      measured_ns += worker.measured.length_ns();
    }
    EXPECT_EQ(run.task_ns, busy_ns);
    EXPECT_EQ(all_of(run), measured_ns);
    const int64_t length_ns = 1 + seed % 9;
    for (int64_t at_ns = 0; at_ns <= model.duration_ns; at_ns += length_ns) {
      const StretchTime part = TimeWithin(report, {at_ns, at_ns + length_ns});
      task_ns += part.task_ns;
      parts_ns += all_of(part);
    }
    EXPECT_EQ(task_ns, busy_ns) << seed;
    EXPECT_EQ(parts_ns, measured_ns) << seed;
  }
}

TEST(Idle, TwoReadyTasksKeepTwoOfThreeFreeWorkers) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1").Worker("CPU2");
  trace.Task("a", 0, 10, {.worker = 0, .submit_ns = 0});
  trace.Task("b", 30, 40, {.worker = 1, .submit_ns = 20});
  trace.Task("c", 30, 40, {.worker = 1, .submit_ns = 20});
  const IdleReport report = ExplainIdleness(trace.Build());
  // From 20 to 30 both wait. Workers 1 and 2 have been free since 0, worker 0 since 10.
  EXPECT_EQ(CausesOf(report, 0), (CauseTimes{30, 0, 0, 0, 0}));
  EXPECT_EQ(CausesOf(report, 1), (CauseTimes{20, 0, 0, 10, 0}));
  EXPECT_EQ(CausesOf(report, 2), (CauseTimes{30, 0, 0, 10, 0}));
}

// The second worker of a parallel task is as busy as the first, also where it waits for it, and its
// pauses end with the tasks that it takes part in.
TEST(Idle, EveryWorkerOfAParallelTaskIsBusy) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (const uint64_t job : {1, 2}) {
    const int64_t at_ns = job == 1 ? 10 : 50;
    trace.Event(0, EventKind::kTaskSite, {job, 5, "x.c", "main"});
    for (const uint64_t worker : {0, 1}) {
      trace.Event(at_ns, EventKind::kTaskStart, {job, worker, 0, 0}, 1000 + worker);
      trace.Event(at_ns + 20, EventKind::kTaskEnd, {job, worker, 0, 0, ""}, 1000 + worker);
    }
  }
  trace.Event(20, EventKind::kStatePush, {static_cast<uint64_t>(StateKind::kParallelSync)}, 1001);
  trace.Event(25, EventKind::kStatePop, {}, 1001);
  const TraceModel model = trace.Build();
  const IdleReport report = ExplainIdleness(model);
  EXPECT_EQ(report.workers[0].busy_ns, 40);
  EXPECT_EQ(report.workers[1].busy_ns, 40);
  ASSERT_EQ(report.first_of_worker, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(report.pauses[1].start_ns, 30);
  EXPECT_EQ(report.pauses[1].end_ns, 50);
  EXPECT_EQ(report.pauses[1].next_task, model.FindTask(0, 2));
}

// Each worker of a parallel task is busy for its own part of it, the first one as well: the task is
// over only when the last of them is.
TEST(Idle, AWorkerIsBusyForItsPartOfAParallelTask) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Event(0, EventKind::kTaskSite, {uint64_t{1}, 5, "x.c", "main"});
  const auto run = [&](uint64_t worker, int64_t start_ns, int64_t end_ns) {
    trace.Event(start_ns, EventKind::kTaskStart, {uint64_t{1}, worker, 0, 0}, 1000 + worker);
    trace.Event(end_ns, EventKind::kTaskEnd, {uint64_t{1}, worker, 0, 0, ""}, 1000 + worker);
  };
  run(0, 10, 30);
  run(1, 15, 50);
  const TraceModel model = trace.Build();
  const IdleReport report = ExplainIdleness(model);
  EXPECT_EQ(report.workers[0].busy_ns, 20);
  EXPECT_EQ(report.workers[1].busy_ns, 35);
  EXPECT_EQ(report.workers[0].busy_ns + report.workers[1].busy_ns, Summarize(model).worked_ns);
}

// The model tells the last run of a task that ran again; its worker was busy in the others as well.
TEST(Idle, AWorkerIsBusyInEveryRunOfATask) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Event(0, EventKind::kTaskSite, {uint64_t{1}, 5, "x.c", "main"});
  for (const int64_t at_ns : {0, 40, 80}) {
    trace.Event(at_ns, EventKind::kTaskStart, {uint64_t{1}, 0, 0, 0}, 1000);
    trace.Event(at_ns + 20, EventKind::kTaskEnd, {uint64_t{1}, 0, 0, 0, ""}, 1000);
  }
  trace.Task("early", 0, 0, {.job = 2, .worker = 1, .submit_ns = 0});
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(report.workers[0].measured.length_ns(), 100);
  EXPECT_EQ(report.workers[0].busy_ns, 60);
}

// A ready task of one scheduling context is none that another context's worker could have.
TEST(Idle, NobodyIsKeptFromTheTasksOfAnotherContext) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  const auto run = [&](uint64_t job, uint64_t worker, uint64_t context, int64_t submit_ns,
                       int64_t start_ns) {
    trace.Event(submit_ns, EventKind::kTaskSubmit, {job, job, -1, -1, 0, 0});
    trace.Event(submit_ns, EventKind::kTaskReady, {job, 0});
    trace.Event(start_ns, EventKind::kTaskStart, {job, worker, 0, context}, 1000 + worker);
    trace.Event(start_ns + 10, EventKind::kTaskEnd, {job, worker, 0, context, ""}, 1000 + worker);
  };
  run(1, 0, 1, 0, 0);
  run(2, 1, 2, 0, 0);
  run(3, 1, 2, 5, 30);  // ready while CPU0, of context 1, is free
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(CausesOf(report, 0)[static_cast<size_t>(IdleCause::kScheduler)], 0);
  EXPECT_EQ(CausesOf(report, 1)[static_cast<size_t>(IdleCause::kScheduler)], 20);
}

TEST(Idle, FetchingIsATransferAndATakenTaskIsTheRuntimes) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").MemoryNode("NUMA 1").Worker("CPU0");
  trace.Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 0});
  trace.Event(12, EventKind::kTaskPop, {2, 0}, 1000);
  trace.State(10, StateKind::kScheduling).State(15, StateKind::kFetchingInput);
  trace.State(27, StateKind::kOverhead);
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(CausesOf(report, 0), (CauseTimes{0, 0, 12, 2, 6}));
}

TEST(Idle, FetchingOnTheOnlyMemoryNodeIsTheRuntimes) {
  TestTrace trace;
  trace.Worker("CPU0").Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 0});
  trace.State(15, StateKind::kFetchingInput);
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(CausesOf(report, 0), (CauseTimes{0, 0, 0, 0, 20}));
}

TEST(Idle, CopyToTheWorkersNodeIsWhatATakenTaskWaitsFor) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").Worker("CPU0", 0);
  trace.Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 0});
  trace.Event(10, EventKind::kTaskPop, {2, 0}, 1000);
  trace.Event(12, EventKind::kCopyStart, {1, 0, 100, 7, 0, 0});
  trace.Event(20, EventKind::kCopyEnd, {1, 0, 100, 7, 0});
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(CausesOf(report, 0), (CauseTimes{0, 0, 8, 0, 12}));
}

TEST(Idle, TaskForAnotherKindOfWorkerKeepsNobody) {
  TestTrace trace;
  trace.Worker("CPU0");
  trace.Event(0, EventKind::kWorkerNew, {1, WorkerArch::kCuda, 0, 0, 1, 1, "CUDA0"}, 1001);
  trace.Event(0, EventKind::kWorkerReady, {1}, 1001);
  trace.Task("gpu", 0, 20, {.worker = 1, .submit_ns = 0});
  trace.Task("gpu", 20, 30, {.worker = 1, .submit_ns = 0});
  trace.Task("cpu", 0, 10, {.worker = 0, .submit_ns = 0});
  const IdleReport report = ExplainIdleness(trace.Build());
  CauseTimes of_cpu{10};  // while the last task runs
  of_cpu[static_cast<size_t>(IdleCause::kNothingForIt)] = 10;
  EXPECT_EQ(CausesOf(report, 0), of_cpu);
}

TEST(Idle, OverheadIsNotClaimedWhereTheTraceHasNoStates) {
  TestTrace trace;
  trace.Worker("CPU0");
  trace.Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 20});
  // The builder shows Overhead from 10 on, for want of any event.
  EXPECT_EQ(CausesOf(ExplainIdleness(trace.Build()), 0), (CauseTimes{10, 0, 0, 10, 0}));
}

TEST(Idle, MessageUnderWayExplainsWhyNothingIsReady) {
  TestTrace trace;
  for (uint32_t rank = 0; rank < 2; ++rank)
    trace.Rank(rank).Worker("CPU0").Event(0, EventKind::kMpiBarrier, {rank, 2, 42, 0});
  trace.Rank(0).Task("a", 0, 10, {.submit_ns = 0});
  trace.Event(10, EventKind::kMpiSend, {1, 5, 100, 0, 0, 0, 0});
  trace.Rank(1).Task("x", 0, 4, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 0});
  trace.Event(30, EventKind::kTaskReady, {2, 0});
  trace.Event(30, EventKind::kMpiReceived, {0, 5, 0, 0});
  const TraceModel model = trace.Build();
  ASSERT_EQ(model.messages.size(), 1u);
  const IdleReport report = ExplainIdleness(model);
  const uint32_t of_rank_1 = model.workers.rank_index[1] == 1 ? 1 : 0;
  EXPECT_EQ(CausesOf(report, of_rank_1), (CauseTimes{0, 6, 20, 0, 0}));
  EXPECT_EQ(report.workers[1 - of_rank_1].measured.end_ns, 40);
}

// CPU0 could have taken b at 10; CPU1 has nothing until b is over.
TEST(Idle, WhatWaitsBehindATaskThatIsKeptIsTold) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 0});
  trace.Task("c", 40, 50, {.worker = 1, .submit_ns = 0})
      .Task("x", 0, 10, {.worker = 1, .submit_ns = 0});
  trace.Dep(1, 2).Dep(2, 3);
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(CausesOf(report, 0)[static_cast<size_t>(IdleCause::kScheduler)] +
                CausesOf(report, 1)[static_cast<size_t>(IdleCause::kScheduler)],
            20);
  EXPECT_EQ(report.workers[0].behind_others_ns + report.workers[1].behind_others_ns, 20);
}

// As the readers of Paraver and Paje say it.
TestTrace& WithoutDependencies(TestTrace& trace) {
  return trace.Event(0, EventKind::kProgramInfo, {"dependencies", "not recorded"});
}

TEST(Idle, WhoKeptATaskIsNotKnownWhereNobodyTellsWhatItWaitedFor) {
  TestTrace trace;
  WithoutDependencies(trace).Worker("CPU0");
  trace.Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 18});
  // Between 10 and 18 the program had submitted nothing else: that can be seen.
  EXPECT_EQ(CausesOf(ExplainIdleness(trace.Build()), 0), (CauseTimes{8, 0, 0, 0, 0, 12}));
}

TEST(Idle, NothingIsKnownOfTasksWhoseSubmissionIsNotRecordedEither) {
  TestTrace trace;
  WithoutDependencies(trace).Worker("CPU0").Worker("CPU1");
  trace.Task("a", 0, 10).Task("b", 30, 40).Task("c", 0, 50, {.worker = 1});
  // After the last task has started there is none left, whoever submitted it when.
  EXPECT_EQ(CausesOf(ExplainIdleness(trace.Build()), 0), (CauseTimes{10, 0, 0, 0, 0, 20}));
}

TEST(Idle, ATaskWithoutDependenciesIsReadyWhenItIsSubmitted) {
  TestTrace trace;
  trace.Worker("CPU0").Task("a", 0, 10, {.submit_ns = 0}).Task("b", 30, 40, {.submit_ns = 18});
  EXPECT_EQ(CausesOf(ExplainIdleness(trace.Build()), 0), (CauseTimes{8, 0, 0, 12, 0, 0}));
}

TEST(Idle, PauseIsFoundByItsTime) {
  TestTrace trace;
  trace.Worker("CPU0").Task("a", 0, 10).Task("b", 30, 40);
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_EQ(PauseAt(report, 0, 9), nullptr);
  ASSERT_NE(PauseAt(report, 0, 10), nullptr);
  EXPECT_EQ(PauseAt(report, 0, 29)->next_task, 1u);
  EXPECT_EQ(PauseAt(report, 0, 30), nullptr);
  EXPECT_EQ(PauseAt(report, 0, 40), nullptr);
  EXPECT_EQ(PauseAt(report, 7, 10), nullptr);
}

TEST(Idle, OfNothingIsNothing) {
  const IdleReport report = ExplainIdleness(TestTrace().Build());
  EXPECT_TRUE(report.pauses.empty());
  EXPECT_TRUE(report.workers.empty());
}

// The same question asked at every nanosecond, straight from the header's list.
class BruteForce {
 public:
  explicit BruteForce(const TraceModel& model) : model_(model) {}

  std::vector<CauseTimes> Causes() {
    const auto workers = static_cast<uint32_t>(model_.workers.size());
    std::vector<CauseTimes> causes(workers);
    std::vector<int64_t> free_since(workers, kNever);
    const Span window = RunWindows(model_)[0];
    for (int64_t t = window.begin_ns; t < window.end_ns; ++t) {
      std::vector<uint32_t> free;
      for (uint32_t worker = 0; worker < workers; ++worker) {
        const int cause = OwnCause(worker, t);
        if (cause >= 0) ++causes[worker][static_cast<size_t>(cause)];
        if (cause != kFree) {
          free_since[worker] = kNever;
          continue;
        }
        if (free_since[worker] == kNever) free_since[worker] = t;
        free.push_back(worker);
      }
      std::stable_sort(free.begin(), free.end(),
                       [&](uint32_t a, uint32_t b) { return free_since[a] < free_since[b]; });
      std::vector<uint32_t> ready, waiting;
      Count(t, ready, waiting);
      const std::vector<uint32_t> kept = Kept(t, free, ready);
      for (const uint32_t worker : free) {
        const bool is_kept = std::find(kept.begin(), kept.end(), worker) != kept.end();
        ++causes[worker][static_cast<size_t>(is_kept ? IdleCause::kScheduler
                                                     : CauseOf(t, worker, ready, waiting))];
      }
    }
    return causes;
  }

 private:
  static constexpr int kFree = -1, kBusy = -2;

  int OwnCause(uint32_t worker, int64_t t) const {
    const StateTable& states = model_.states;
    const uint32_t track = model_.workers.track[worker];
    StateKind innermost = StateKind::kIdle;
    bool detailed = false;
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
      if (states.start_ns[s] <= t && t < states.end_ns[s]) innermost = states.kind[s];
      detailed |= states.kind[s] == StateKind::kScheduling ||
                  states.kind[s] == StateKind::kSleeping ||
                  states.kind[s] == StateKind::kFetchingInput;
    }
    bool taken = false;
    for (uint32_t task = 0; task < model_.tasks.size(); ++task) {
      if (model_.tasks.worker[task] != worker) continue;
      const TaskTimes times = TimesOf(model_, task);
      if (times.start_ns <= t && t < times.end_ns) return kBusy;
      taken |= times.taken_ns <= t && t < times.start_ns;
    }
    if (innermost == StateKind::kTask) return kBusy;
    if (innermost == StateKind::kFetchingInput) return static_cast<int>(IdleCause::kTransfer);
    if (taken)
      return static_cast<int>(CopyUnderWay(worker, t) ? IdleCause::kTransfer : IdleCause::kRuntime);
    if (detailed && (innermost == StateKind::kOverhead || innermost == StateKind::kCallback))
      return static_cast<int>(IdleCause::kRuntime);
    return kFree;
  }

  bool CopyUnderWay(uint32_t worker, int64_t t) const {
    const TransferTable& copies = model_.transfers;
    for (size_t i = 0; i < copies.size(); ++i)
      if (copies.target_node[i] == model_.workers.memory_node[worker] && copies.start_ns[i] <= t &&
          t < copies.end_ns[i])
        return true;
    return false;
  }

  void Count(int64_t t, std::vector<uint32_t>& ready, std::vector<uint32_t>& waiting) const {
    for (uint32_t task = 0; task < model_.tasks.size(); ++task) {
      const TaskTimes times = TimesOf(model_, task);
      if (times.submit_ns != kNever && times.submit_ns <= t && t < times.ready_ns)
        waiting.push_back(task);
      if (times.ready_ns <= t && t < times.taken_ns) ready.push_back(task);
    }
  }

  // Whether workers of the architecture ran tasks of its name.
  bool CanRun(WorkerArch arch, uint32_t task) const {
    for (uint32_t other = 0; other < model_.tasks.size(); ++other)
      if (model_.tasks.name[other] == model_.tasks.name[task] &&
          model_.workers.arch[model_.tasks.worker[other]] == arch)
        return true;
    return false;
  }

  // Whether a worker of the architecture that took the task at `t` would have ended it sooner than
  // the one that ran it: taken to be so among workers of one architecture.
  bool IsBetter(WorkerArch arch, uint32_t task, int64_t t) const {
    if (!CanRun(arch, task)) return false;
    const TaskTable& tasks = model_.tasks;
    if (model_.workers.arch[tasks.worker[task]] == arch) return true;
    double sum_ns = 0, count = 0;
    for (uint32_t other = 0; other < tasks.size(); ++other) {
      if (tasks.name[other] != tasks.name[task] || model_.workers.arch[tasks.worker[other]] != arch)
        continue;
      sum_ns += static_cast<double>(tasks.end_ns[other] - tasks.start_ns[other]);
      ++count;
    }
    return sum_ns == 0 || t < tasks.end_ns[task] - static_cast<int64_t>(sum_ns / count);
  }

  // Those of `free`, the longest free first, to which ready tasks could go: tasks for one kind of
  // worker choose first, those for both the kind whose worker comes first.
  std::vector<uint32_t> Kept(int64_t t, std::vector<uint32_t> free,
                             const std::vector<uint32_t>& ready) const {
    std::vector<uint32_t> kept;
    const auto give = [&](WorkerArch arch) {
      const auto it = std::find_if(free.begin(), free.end(), [&](uint32_t worker) {
        return model_.workers.arch[worker] == arch;
      });
      if (it == free.end()) return false;
      kept.push_back(*it);
      free.erase(it);
      return true;
    };
    const WorkerArch first = model_.workers.arch[0];
    const WorkerArch second = first == WorkerArch::kCpu ? WorkerArch::kCuda : WorkerArch::kCpu;
    for (const bool for_both : {false, true}) {
      for (const uint32_t task : ready) {
        const bool by_first = IsBetter(first, task, t), by_second = IsBetter(second, task, t);
        if ((by_first && by_second) != for_both) continue;
        if (!(by_first && give(first)) && by_second) give(second);
      }
    }
    return kept;
  }

  IdleCause CauseOf(int64_t t, uint32_t worker, const std::vector<uint32_t>& ready,
                    const std::vector<uint32_t>& waiting) const {
    const WorkerArch arch = model_.workers.arch[worker];
    const auto can_run = [&](uint32_t task) { return CanRun(arch, task); };
    if (std::any_of(waiting.begin(), waiting.end(), can_run)) return IdleCause::kNothingReady;
    bool ever = false;
    for (uint32_t task = 0; task < model_.tasks.size(); ++task) ever |= can_run(task);
    if (!ever || !std::all_of(waiting.begin(), waiting.end(), can_run) ||
        !std::all_of(ready.begin(), ready.end(),
                     [&](uint32_t task) { return IsBetter(arch, task, t); }))
      return IdleCause::kNothingForIt;
    return IdleCause::kNothingSubmitted;
  }

  const TraceModel& model_;
};

TEST(Idle, EqualsBruteForceOnRandomRuns) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const TraceModel model = RandomRun(seed);
    const IdleReport report = ExplainIdleness(model);
    const std::vector<CauseTimes> expected = BruteForce(model).Causes();
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
      ASSERT_EQ(CausesOf(report, worker), expected[worker])
          << "seed " << seed << " worker " << worker;
  }
}

TEST(Idle, EqualsBruteForceOnRandomRunsOfUnlikeWorkers) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const TraceModel model = testing::RandomRunOfUnlikeWorkers(seed);
    const IdleReport report = ExplainIdleness(model);
    const std::vector<CauseTimes> expected = BruteForce(model).Causes();
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
      ASSERT_EQ(CausesOf(report, worker), expected[worker])
          << "seed " << seed << " worker " << worker;
  }
}

TEST(Idle, AWorkerThatCanRunNothingIsIdleForNoReason) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CUDA 0");
  trace.Task("a", 5, 50, {.worker = 1, .submit_ns = 0});
  trace.Task("b", 50, 100, {.worker = 1, .submit_ns = 0});
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_FALSE(report.workers[0].counts);
  EXPECT_TRUE(report.workers[1].counts);
  CauseTimes nothing_for_it{};
  nothing_for_it[static_cast<size_t>(IdleCause::kNothingForIt)] = 100;
  EXPECT_EQ(CausesOf(report, 0), nothing_for_it);
}

// A GPU that takes 10 for a task runs two; the CPU beside it takes 50.
TEST(Idle, ATaskIsKeptFromASlowWorkerOnlyWhileThatWouldEndItSooner) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CUDA 0");
  trace.Task("a", 0, 50, {.worker = 0, .submit_ns = 0});
  for (int64_t i = 0; i < 10; ++i)
    trace.Task("a", 10 * i, 10 * i + 10, {.worker = 1, .submit_ns = 0});
  trace.Task("a", 100, 110, {.worker = 1, .submit_ns = 50});
  const IdleReport report = ExplainIdleness(trace.Build());
  // At 50 the CPU could have ended the last one at 100, from 60 on no sooner than the GPU did.
  EXPECT_EQ(CausesOf(report, 0)[static_cast<size_t>(IdleCause::kScheduler)], 10);
  EXPECT_EQ(CausesOf(report, 0)[static_cast<size_t>(IdleCause::kNothingForIt)], 40);
}

TEST(Idle, AWorkerThatHasAFunctionCouldHaveRunTheTask) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CUDA 0");
  trace.Event(0, EventKind::kCodeletWhere, {"a", uint64_t{0b11}});
  trace.Task("a", 0, 50, {.worker = 1, .submit_ns = 0});
  trace.Task("a", 50, 100, {.worker = 1, .submit_ns = 0});
  const IdleReport report = ExplainIdleness(trace.Build());
  EXPECT_TRUE(report.workers[0].counts);
  // Until the other takes the second one.
  EXPECT_EQ(CausesOf(report, 0), (CauseTimes{50, 0, 0, 50, 0}));
}

// Bound to a worker it could be another's of the kind, if the program let it; not one's of another.
TEST(Idle, ATaskThatIsBoundToAGpuKeepsNoCpu) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CUDA 0").Worker("CUDA 1");
  trace.Event(0, EventKind::kCodeletWhere, {"a", uint64_t{0b11}});
  trace.Task("a", 0, 10, {.worker = 0, .submit_ns = 0});
  trace.Task("a", 0, 50, {.worker = 1, .submit_ns = 0});
  trace.Task("a", 50, 100, {.worker = 1, .submit_ns = 0});
  trace.Event(0, EventKind::kTaskBound, {uint64_t{3}, 1u});
  const IdleReport report = ExplainIdleness(trace.Build());
  CauseTimes of_cpu{50};  // the last task runs
  of_cpu[static_cast<size_t>(IdleCause::kNothingForIt)] = 40;
  EXPECT_EQ(CausesOf(report, 0), of_cpu);
  EXPECT_EQ(CausesOf(report, 2), (CauseTimes{50, 0, 0, 50, 0}));
}

TEST(Idle, WorstPausesAreThoseInWhichAWorkerCouldHaveRunTasks) {
  const size_t ready = static_cast<size_t>(IdleCause::kNothingReady);
  const size_t for_it = static_cast<size_t>(IdleCause::kNothingForIt);
  IdleReport report;
  const auto add = [&](uint32_t worker, int64_t nothing_ready_ns, int64_t nothing_for_it_ns) {
    IdlePause pause{worker, 0, nothing_ready_ns + nothing_for_it_ns, {}};
    pause.cause_ns[ready] = nothing_ready_ns;
    pause.cause_ns[for_it] = nothing_for_it_ns;
    report.pauses.push_back(pause);
  };
  add(0, 0, 500);  // can run nothing: long, and of no interest
  add(1, 30, 5);
  add(1, 40, 0);
  add(1, 30, 100);
  const auto lengths = [&](uint32_t worker) {
    std::vector<int64_t> all;
    for (const IdlePause* pause : WorstPauses(report, worker)) all.push_back(pause->end_ns);
    return all;
  };
  EXPECT_EQ(lengths(kNone), (std::vector<int64_t>{40, 130, 35, 500}));
  EXPECT_EQ(lengths(0), (std::vector<int64_t>{500}));
}

TEST(Idle, CausesAddUpToTheIdleTime) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const TraceModel model = RandomRun(seed);
    const IdleReport report = ExplainIdleness(model);
    std::vector<int64_t> paused_ns(model.workers.size());
    int64_t last_end_ns = kNever;
    uint32_t last_worker = kNone;
    for (const IdlePause& pause : report.pauses) {
      EXPECT_LT(pause.start_ns, pause.end_ns);
      if (pause.worker == last_worker) {
        EXPECT_GT(pause.start_ns, last_end_ns);
      }
      last_worker = pause.worker;
      last_end_ns = pause.end_ns;
      EXPECT_EQ(std::accumulate(pause.cause_ns.begin(), pause.cause_ns.end(), int64_t{0}),
                pause.end_ns - pause.start_ns);
      paused_ns[pause.worker] += pause.end_ns - pause.start_ns;
    }
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
      const WorkerTime& time = report.workers[worker];
      EXPECT_EQ(time.idle_ns, paused_ns[worker]);
      EXPECT_EQ(time.busy_ns + time.idle_ns, time.measured.length_ns());
    }
  }
}

}  // namespace
}  // namespace tasklens
