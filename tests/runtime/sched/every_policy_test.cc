// SPDX-License-Identifier: Apache-2.0
// What every policy keeps: no task is lost, or given twice, or to a worker that cannot run it.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "tests/runtime/sched/fake_machine.h"

namespace tasklens::runtime {
namespace {

constexpr const PolicySpec* kPolicies[] = {
#define POLICY(Name) &k##Name##Policy,
#include "runtime/sched/policies.inc"
#undef POLICY
};

class EveryPolicy : public ::testing::TestWithParam<const PolicySpec*> {
 protected:
  // Two CPUs and two devices, on which tasks take different times.
  EveryPolicy() : machine_(2) {
    machine_.AddDevice();
    machine_.AddDevice();
    machine_.length_us = [](const Job& job, int worker) {
      return static_cast<double>(1 + job.id.load() % 7 * static_cast<uint64_t>(1 + worker));
    };
  }
  Job* AnyJob(std::mt19937& random) {
    const int priority = static_cast<int>(random() % 3);
    if (random() % 2) return machine_.NewJob(priority);
    std::set<int> able = {static_cast<int>(random() % 4), static_cast<int>(random() % 4)};
    return machine_.NewJobFor(able, priority);
  }

  FakeMachine machine_;
};

TEST_P(EveryPolicy, GivesEachTaskOnceAndToAWorkerThatCanRunIt) {
  std::mt19937 random(7);
  Scheduler scheduler(*GetParam(), machine_);
  std::multiset<Job*> pushed, popped;
  const auto pop = [&](int worker) {
    Job* const job = scheduler->Pop(worker);
    if (!job) return false;
    EXPECT_TRUE(machine_.IsFor(*job, worker)) << "worker " << worker;
    popped.insert(job);
    return true;
  };
  for (int step = 0; step < 2000; ++step) {
    if (random() % 2) {
      Job* const job = AnyJob(random);
      pushed.insert(job);
      scheduler->Push(job, static_cast<int>(random() % 5) - 1);
    } else {
      pop(static_cast<int>(random() % 4));
    }
    if (step % 100 == 0) scheduler->DoSchedule();
  }
  scheduler->DoSchedule();
  EXPECT_EQ(pushed.size() - popped.size(), scheduler->Size());
  for (int worker = 0; worker < 4; ++worker)
    while (pop(worker)) continue;
  EXPECT_EQ(pushed, popped);
  EXPECT_EQ(0u, scheduler->Size());
}

TEST_P(EveryPolicy, FindsNothingForAWorkerForWhichItHasNone) {
  std::mt19937 random(11);
  Scheduler scheduler(*GetParam(), machine_);
  for (int i = 0; i < 20; ++i) scheduler->Push(AnyJob(random), -1);
  scheduler->DoSchedule();
  for (int worker = 0; worker < 4; ++worker) {
    EXPECT_LE(scheduler->SizeFor(worker), scheduler->Size());
    if (scheduler->SizeFor(worker) == 0) {
      EXPECT_EQ(nullptr, scheduler->Pop(worker));
    }
  }
}

TEST_P(EveryPolicy, LosesNoTaskAmongThreads) {
  constexpr int kThreads = 4, kJobs = 500;
  Scheduler scheduler(*GetParam(), machine_);
  scheduler->DoSchedule();
  std::vector<std::vector<Job*>> jobs(kThreads);
  for (auto& own : jobs)
    for (int i = 0; i < kJobs; ++i) own.push_back(machine_.NewJob(i % 2));
  std::mutex lock;
  std::multiset<Job*> popped;
  std::atomic<int> left{kThreads * kJobs};
  std::vector<std::thread> threads;
  for (int worker = 0; worker < kThreads; ++worker) {
    threads.emplace_back([&, worker] {
      for (Job* job : jobs[static_cast<size_t>(worker)]) {
        scheduler->Push(job, worker);
        if (Job* found = scheduler->Pop(worker)) {
          --left;
          std::lock_guard guard(lock);
          popped.insert(found);
        }
      }
      while (left > 0) {
        Job* const found = scheduler->Pop(worker);
        if (!found) {
          std::this_thread::yield();
          continue;
        }
        --left;
        std::lock_guard guard(lock);
        popped.insert(found);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::multiset<Job*> all;
  for (const auto& own : jobs) all.insert(own.begin(), own.end());
  EXPECT_EQ(all, popped);
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, EveryPolicy, ::testing::ValuesIn(kPolicies),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace tasklens::runtime
