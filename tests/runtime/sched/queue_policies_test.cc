// SPDX-License-Identifier: Apache-2.0
// Policies of queues: in which order tasks come, and from whom a worker without tasks steals.
#include <set>

#include "runtime/sched/heteroprio.h"
#include "tests/runtime/sched/fake_machine.h"

namespace tasklens::runtime {
namespace {

using Jobs = std::vector<Job*>;

TEST(Eager, GivesTasksInTheOrderInWhichTheyCame) {
  FakeMachine machine(2);
  Scheduler scheduler(kEagerPolicy, machine);
  const Jobs jobs = {machine.NewJob(0), machine.NewJob(5), machine.NewJob(1)};
  for (Job* job : jobs) EXPECT_EQ(kAnyWorker, scheduler->Push(job, -1));
  EXPECT_EQ(jobs, scheduler.PopAll(1));
}

TEST(Eager, PassesOverWhatAWorkerCannotRun) {
  FakeMachine machine(2);
  Scheduler scheduler(kEagerPolicy, machine);
  Job* const of_one = machine.NewJobFor({1});
  Job* const of_all = machine.NewJob();
  scheduler->Push(of_one, -1);
  scheduler->Push(of_all, -1);
  EXPECT_EQ(Jobs{of_all}, scheduler.PopAll(0));
  EXPECT_EQ(Jobs{of_one}, scheduler.PopAll(1));
}

TEST(Prio, GivesTheHighestPriorityFirstAndEqualsInTurn) {
  FakeMachine machine(1);
  Scheduler scheduler(kPrioPolicy, machine);
  Job* const low = machine.NewJob(-3);
  Job* const high = machine.NewJob(9);
  Job* const first = machine.NewJob(2);
  Job* const second = machine.NewJob(2);
  for (Job* job : {low, first, high, second}) scheduler->Push(job, -1);
  EXPECT_EQ((Jobs{high, first, second, low}), scheduler.PopAll(0));
}

TEST(Lws, KeepsATaskWithTheWorkerThatMadeItReadyUntilANeighbourHasNone) {
  FakeMachine machine(4);
  Scheduler scheduler(kLwsPolicy, machine);
  Job* const own = machine.NewJob();
  Job* const next = machine.NewJob();
  Job* const far = machine.NewJob();
  scheduler->Push(far, 3);
  scheduler->Push(next, 2);
  scheduler->Push(own, 1);
  // Its own first, then the nearest neighbour's.
  EXPECT_EQ((Jobs{own, next, far}), scheduler.PopAll(1));
}

TEST(Ws, RobsEachOfTheOthersInTurn) {
  FakeMachine machine(3);
  Scheduler scheduler(kWsPolicy, machine);
  for (const int owner : {1, 1, 2, 2}) {
    Job* const job = machine.NewJob();
    job->task->tag_id = static_cast<starpu_tag_t>(owner);
    scheduler->Push(job, owner);
  }
  std::vector<int> robbed;
  for (const Job* job : scheduler.PopAll(0)) robbed.push_back(static_cast<int>(job->task->tag_id));
  EXPECT_EQ((std::vector<int>{1, 2, 1, 2}), robbed);
}

TEST(Ws, GivesWhatComesFromOutsideToOneWorkerAfterTheOther) {
  FakeMachine machine(3);
  Scheduler scheduler(kWsPolicy, machine);
  for (int i = 0; i < 3; ++i) scheduler->Push(machine.NewJob(), -1);
  // Each finds its own first: none has to steal.
  for (int worker = 0; worker < 3; ++worker) EXPECT_NE(nullptr, scheduler->Pop(worker));
  EXPECT_EQ(0u, scheduler->Size());
}

TEST(Random, GivesATaskToAnEnabledWorkerOfTheContextWhereThereIsOne) {
  FakeMachine machine(4);
  machine.strangers = {0};
  machine.workers[1].enabled = false;
  Scheduler scheduler(kRandomPolicy, machine);
  std::set<int> chosen;
  for (int i = 0; i < 100; ++i) chosen.insert(scheduler->Push(machine.NewJob(), -1));
  EXPECT_EQ((std::set<int>{2, 3}), chosen);
  // Only one that is not enabled can run this.
  EXPECT_EQ(1, scheduler->Push(machine.NewJobFor({1}), -1));
}

TEST(Heteroprio, LooksIntoBucketsInTheOrderThatTheProgramGaveEachKind) {
  FakeMachine machine(1);
  const int device = machine.AddDevice();
  Scheduler scheduler(kHeteroprioPolicy, machine);
  auto& heteroprio = dynamic_cast<Heteroprio&>(*scheduler);
  for (const auto kind : {STARPU_CPU_WORKER, STARPU_CUDA_WORKER}) heteroprio.SetPriorities(kind, 2);
  for (const unsigned rank : {0u, 1u}) {
    EXPECT_TRUE(heteroprio.SetBucket(STARPU_CPU_WORKER, rank, rank));
    EXPECT_TRUE(heteroprio.SetBucket(STARPU_CUDA_WORKER, rank, 1 - rank));
  }
  EXPECT_FALSE(heteroprio.SetBucket(STARPU_CPU_WORKER, 2, 0));
  Job* const in_first = machine.NewJob(0);
  Job* const in_second = machine.NewJob(1);
  scheduler->Push(in_first, -1);
  scheduler->Push(in_second, -1);
  EXPECT_EQ(in_second, scheduler->Pop(device));
  EXPECT_EQ(in_first, scheduler->Pop(0));
}

TEST(Heteroprio, LeavesTheLastTasksOfABucketToItsFasterKind) {
  FakeMachine machine(1);
  const int device = machine.AddDevice();
  Scheduler scheduler(kHeteroprioPolicy, machine);
  auto& heteroprio = dynamic_cast<Heteroprio&>(*scheduler);
  for (const auto kind : {STARPU_CPU_WORKER, STARPU_CUDA_WORKER}) {
    heteroprio.SetPriorities(kind, 1);
    heteroprio.SetBucket(kind, 0, 0);
  }
  heteroprio.SetFaster(STARPU_CUDA_WORKER, 0);
  heteroprio.SetSlowFactor(STARPU_CPU_WORKER, 0, 2);
  for (int i = 0; i < 3; ++i) scheduler->Push(machine.NewJob(0), -1);
  EXPECT_NE(nullptr, scheduler->Pop(0)) << "there are more than twice as many as devices";
  scheduler->Pop(device);
  EXPECT_EQ(nullptr, scheduler->Pop(0));
  EXPECT_NE(nullptr, scheduler->Pop(device));
}

TEST(GraphTest, GivesNothingAwayUntilTheProgramWaits) {
  FakeMachine machine(1);
  Scheduler scheduler(kGraphTestPolicy, machine);
  Job* const alone = machine.NewJob();
  Job* const has_successor = machine.NewJob();
  has_successor->successors.push_back(reinterpret_cast<uintptr_t>(machine.NewJob()));
  scheduler->Push(alone, -1);
  scheduler->Push(has_successor, -1);
  EXPECT_EQ(nullptr, scheduler->Pop(0));
  EXPECT_TRUE(scheduler->DoSchedule());
  EXPECT_EQ((Jobs{has_successor, alone}), scheduler.PopAll(0));
}

}  // namespace
}  // namespace tasklens::runtime
