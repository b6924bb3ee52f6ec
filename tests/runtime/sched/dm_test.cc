// SPDX-License-Identifier: Apache-2.0
// dm and its kin: each task goes where it is expected to end first.
#include <cmath>
#include <random>
#include <vector>

#include "tests/runtime/sched/fake_machine.h"

namespace tasklens::runtime {
namespace {

// Lengths and transfers of a task, by worker and by node.
struct Costs {
  std::vector<double> lengths_us, transfers_us;
};

class Dm : public ::testing::Test {
 protected:
  Dm() : machine_(2) {
    machine_.AddDevice();
    machine_.length_us = [this](const Job& job, int worker) {
      return costs_[job.task].lengths_us[static_cast<size_t>(worker)];
    };
    machine_.transfer_us = [this](const starpu_task& task, unsigned node) {
      const std::vector<double>& of_nodes = costs_[&task].transfers_us;
      return node < of_nodes.size() ? of_nodes[node] : 0;
    };
    model_.type = STARPU_PER_WORKER;
    machine_.codelet.model = &model_;
  }
  Job* NewJob(std::vector<double> lengths_us, std::vector<double> transfers_us = {},
              int priority = 0) {
    Job* const job = machine_.NewJob(priority);
    costs_[job->task] = {std::move(lengths_us), std::move(transfers_us)};
    return job;
  }

  FakeMachine machine_;
  starpu_perfmodel model_ = {};
  std::map<const starpu_task*, Costs> costs_;
};

TEST_F(Dm, PutsEachTaskWhereItIsExpectedToEndFirst) {
  for (const PolicySpec* spec : {&kDmPolicy, &kDmdaPolicy, &kDmdapPolicy, &kDmdasPolicy}) {
    std::mt19937 random(3);
    Scheduler scheduler(*spec, machine_);
    std::vector<double> ends_us(3, machine_.now_us);
    for (int i = 0; i < 200; ++i) {
      std::vector<double> lengths_us;
      for (int worker = 0; worker < 3; ++worker) lengths_us.push_back(1 + random() % 1000);
      const auto worker = static_cast<size_t>(scheduler->Push(NewJob(lengths_us), -1));
      for (size_t other = 0; other < 3; ++other)
        EXPECT_LE(ends_us[worker] + lengths_us[worker], ends_us[other] + lengths_us[other])
            << spec->name << ", task " << i;
      ends_us[worker] += lengths_us[worker];
    }
    for (int worker = 0; worker < 3; ++worker) scheduler.PopAll(worker);
  }
}

TEST_F(Dm, SaysWhatItExpected) {
  Scheduler scheduler(kDmdaPolicy, machine_);
  Job* const first = NewJob({10, 50, 50});
  Job* const second = NewJob({10, 50, 50});
  scheduler->Push(first, -1);
  scheduler->Push(second, -1);
  EXPECT_EQ(10, first->task->predicted);
  EXPECT_EQ(machine_.now_us, first->task->predicted_start);
  EXPECT_EQ(machine_.now_us + 10, second->task->predicted_start);
}

TEST_F(Dm, OnlyDmdaMindsTransfers) {
  // The device computes twice as fast, and waits ten times as long for the data.
  const auto chosen = [this](const PolicySpec& spec) {
    Scheduler scheduler(spec, machine_);
    const int worker = scheduler->Push(NewJob({100, 100, 50}, {0, 500}), -1);
    scheduler.PopAll(worker);
    return worker;
  };
  EXPECT_EQ(2, chosen(kDmPolicy));
  EXPECT_EQ(0, chosen(kDmdaPolicy));
  machine_.cost_weights.beta = 0;
  EXPECT_EQ(2, chosen(kDmdaPolicy)) << "transfers weigh nothing";
}

TEST_F(Dm, MindsEnergyAsMuchAsItsWeightSays) {
  starpu_perfmodel energy = {};
  machine_.codelet.energy_model = &energy;
  machine_.energy_j = [](const Job&, int worker) { return worker == 2 ? 9 : 1; };
  Scheduler scheduler(kDmdaPolicy, machine_);
  EXPECT_NE(2, scheduler->Push(NewJob({100, 100, 50}), -1));
  machine_.cost_weights.gamma = 0;
  EXPECT_EQ(2, scheduler->Push(NewJob({100, 100, 50}), -1));
}

TEST_F(Dm, SendsTheDataToTheWorkersMemory) {
  Scheduler scheduler(kDmdaPolicy, machine_);
  Job* const job = NewJob({100, 100, 1});
  ASSERT_EQ(2, scheduler->Push(job, -1));
  ASSERT_EQ(1u, machine_.sent.size());
  EXPECT_EQ(job->task, machine_.sent[0].first);
  EXPECT_EQ(1u, machine_.sent[0].second);
}

TEST_F(Dm, GivesWhatItsModelDoesNotKnowToTheWorkerWithTheFewestTasks) {
  Scheduler scheduler(kDmdaPolicy, machine_);
  std::vector<int> counts(3);
  for (int i = 0; i < 9; ++i)
    ++counts[static_cast<size_t>(scheduler->Push(NewJob({NAN, NAN, NAN}), -1))];
  EXPECT_EQ((std::vector<int>{3, 3, 3}), counts);
}

TEST_F(Dm, MeasuresATaskOnTheOneWorkerThatIsNotKnown) {
  Scheduler scheduler(kDmdaPolicy, machine_);
  EXPECT_EQ(1, scheduler->Push(NewJob({10, NAN, 10}), -1));
}

TEST_F(Dm, UsesAWorkerThatIsNotEnabledOnlyWhereThereIsNoOther) {
  machine_.workers[0].enabled = false;
  Scheduler scheduler(kDmdaPolicy, machine_);
  EXPECT_EQ(1, scheduler->Push(NewJob({1, 10, 10}), -1));
  machine_.workers[1].enabled = machine_.workers[2].enabled = false;
  EXPECT_EQ(0, scheduler->Push(NewJob({1, 10, 10}), -1));
}

TEST_F(Dm, LeavesTheWorkersOfOtherContextsAlone) {
  machine_.strangers = {0};
  Scheduler scheduler(kDmdaPolicy, machine_);
  EXPECT_NE(0, scheduler->Push(NewJob({1, 10, 10}), -1));
}

TEST_F(Dm, TakesTheRunningTaskIntoAccount) {
  Scheduler scheduler(kDmdaPolicy, machine_);
  scheduler->Push(NewJob({100, 1000, 1000}), -1);
  ASSERT_NE(nullptr, scheduler->Pop(0));
  // It runs until 1100: at 1090 the next begins in 10 microseconds.
  machine_.now_us = 1090;
  Job* const next = NewJob({50, 61, 61});
  EXPECT_EQ(0, scheduler->Push(next, -1));
  EXPECT_EQ(1100, next->task->predicted_start);
}

TEST_F(Dm, RunsAWorkersTasksByPriorityWhereItsNameSaysSo) {
  const auto priorities = [this](const PolicySpec& spec) {
    Scheduler scheduler(spec, machine_);
    for (const int priority : {0, 2, 1})
      EXPECT_EQ(0, scheduler->Push(NewJob({1, 1000, 1000}, {}, priority), -1));
    std::vector<int> order;
    for (const Job* job : scheduler.PopAll(0)) order.push_back(job->task->priority);
    return order;
  };
  EXPECT_EQ((std::vector<int>{0, 2, 1}), priorities(kDmdaPolicy));
  EXPECT_EQ((std::vector<int>{2, 1, 0}), priorities(kDmdapPolicy));
  EXPECT_EQ((std::vector<int>{2, 1, 0}), priorities(kDmdasPolicy));
}

TEST_F(Dm, RunsFirstWhatHasItsDataWhereItsNameSaysSo) {
  const starpu_task* away = nullptr;
  machine_.has_data = [&](const starpu_task& task, unsigned) { return &task != away; };
  const auto first = [&](const PolicySpec& spec) {
    Scheduler scheduler(spec, machine_);
    Job* const without = NewJob({1, 1000, 1000});
    Job* const with = NewJob({1, 1000, 1000});
    away = without->task;
    scheduler->Push(without, -1);
    scheduler->Push(with, -1);
    const std::vector<Job*> popped = scheduler.PopAll(0);
    return popped.size() == 2 && popped[0] == with;
  };
  EXPECT_FALSE(first(kDmdaPolicy));
  EXPECT_TRUE(first(kDmdarPolicy));
}

TEST_F(Dm, DmdasdDoesNotWaitForTasksOfALowerPriority) {
  const auto chosen = [this](const PolicySpec& spec) {
    Scheduler scheduler(spec, machine_);
    scheduler->Push(NewJob({100, 1000, 1000}, {}, /*priority=*/0), -1);
    const int worker = scheduler->Push(NewJob({50, 60, 60}, {}, /*priority=*/1), -1);
    for (const int one : {0, 1, 2}) scheduler.PopAll(one);
    return worker;
  };
  EXPECT_EQ(1, chosen(kDmdasPolicy));
  EXPECT_EQ(0, chosen(kDmdasdPolicy));
}

TEST_F(Dm, PheftTakesATeamWhereTheTaskEndsSoonerOnIt) {
  ASSERT_TRUE(machine_.groups.Add({0, 1}));
  machine_.codelet.max_parallelism = 2;
  Scheduler scheduler(kPheftPolicy, machine_);
  machine_.team_length_us = [](const Job&, size_t members) { return members == 2 ? 60 : NAN; };
  EXPECT_EQ(1, scheduler->ChooseTeam(NewJob({100, 100, 100})));
  // The team is busy now until 1060.
  EXPECT_EQ(0, scheduler->ChooseTeam(NewJob({100, 100, 100})));
  machine_.now_us = 1060;
  EXPECT_EQ(1, scheduler->ChooseTeam(NewJob({100, 100, 100})));
  EXPECT_EQ(0, scheduler->ChooseTeam(NewJob({10, 10, 10})));
}

}  // namespace
}  // namespace tasklens::runtime
