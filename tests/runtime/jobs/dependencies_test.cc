// SPDX-License-Identifier: Apache-2.0
#include "runtime/jobs/dependencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace tasklens::runtime {
namespace {

JobRef RefOf(Job* job) { return {job, EnsureId(job)}; }

// Jobs that start when nothing is missing, and end when the test says so.
class Dependencies : public testing::Test {
 protected:
  Job* Make() {
    Job* const job = NewJob(/*with_task=*/false);
    EnsureId(job);
    return job;
  }
  void Start(Job* job) { started.insert(job); }
  void EndOf(Job* job) { ended.insert(job); }
  void Submit(Job* job) {
    if (job->lasting) WaitForLasting(job);
    MeetStart(job);
  }
  // The function has returned.
  void Return(Job* job) { MeetEnd(job); }
  void MeetStart(Job* job) {
    if (MeetOne(job->pending)) Start(job);
  }
  void MeetEnd(Job* job) {
    if (MeetOne(job->end_pending)) End(job);
  }
  void End(Job* job) {
    EndOf(job);
    ReleaseSuccessors(
        job, [this](Job* each) { MeetStart(each); }, [this](Job* each) { MeetEnd(each); });
  }
  // For the next submission of a job that has ended.
  void Renew(Job* job) {
    started.erase(job);
    ended.erase(job);
    job->id = 0;
    job->done = false;
    job->successors.clear();
    job->pending = 1;
    job->end_pending = 1;
    EnsureId(job);
  }

  std::set<Job*> started, ended;
};

TEST_F(Dependencies, OfRandomGraphsLetEachJobStartWhenAllItsPredecessorsHaveEndedAndNotBefore) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    started.clear();
    ended.clear();
    std::vector<Job*> jobs;
    std::vector<std::vector<Job*>> before, before_end;  // by job
    std::vector<Job*> running;
    const auto check = [&] {
      for (size_t i = 0; i < jobs.size(); ++i) {
        const auto has_ended = [&](Job* each) { return ended.count(each) > 0; };
        const bool may_start = std::all_of(before[i].begin(), before[i].end(), has_ended);
        ASSERT_EQ(started.count(jobs[i]) > 0, may_start) << "job " << i << " of round " << round;
        const bool may_end = std::all_of(before_end[i].begin(), before_end[i].end(), has_ended);
        if (!may_end) {
          ASSERT_FALSE(has_ended(jobs[i]));
        }
      }
    };
    const auto run_one = [&] {
      std::vector<Job*> can_return;
      for (Job* job : started) {
        if (!ended.count(job) && job->size_bytes == 0) can_return.push_back(job);
      }
      if (can_return.empty()) return false;
      Job* const job = can_return[random() % can_return.size()];
      job->size_bytes = 1;  // it has returned
      Return(job);
      return true;
    };
    for (int i = 0; i < 30; ++i) {
      Job* const job = Make();
      job->size_bytes = 0;
      before.emplace_back();
      before_end.emplace_back();
      for (Job* other : jobs) {
        const unsigned which = random() % 8;
        if (which == 0 && AddDependency(RefOf(other), job)) before.back().push_back(other);
        if (which == 1 && AddEndDependency(RefOf(other), job)) before_end.back().push_back(other);
      }
      jobs.push_back(job);
      Submit(job);
      check();
      if (random() % 2) run_one();
      check();
    }
    while (run_one()) check();
    ASSERT_EQ(ended.size(), jobs.size()) << "round " << round;
    for (Job* job : jobs) FreeJob(job);
  }
}

TEST_F(Dependencies, OnJobsThatHaveEndedAreNone) {
  Job* const first = Make();
  const JobRef ref = RefOf(first);
  Submit(first);
  Return(first);
  Job* const second = Make();
  EXPECT_FALSE(AddDependency(ref, second));
  FreeJob(first);
  // Its memory may be another job by now.
  Job* const third = Make();
  EXPECT_FALSE(AddDependency(ref, second));
  EXPECT_FALSE(AddEndDependency(ref, second));
  Submit(second);
  EXPECT_TRUE(started.count(second));
  Return(second);
  FreeJob(second);
  FreeJob(third);
}

TEST_F(Dependencies, ThatLastTakeOneEndOfThePredecessorForEachSubmissionOfTheSuccessor) {
  Job* const first = Make();
  Job* const second = Make();
  EXPECT_TRUE(AddLastingDependency(first, second));
  EXPECT_TRUE(AddLastingDependency(first, second)) << "said twice, it is one";
  // Two ends of the predecessor first, then two submissions of the successor: each has its end.
  for (int i = 0; i < 2; ++i) {
    Submit(first);
    Return(first);
    Renew(first);
  }
  for (int i = 0; i < 2; ++i) {
    Submit(second);
    EXPECT_TRUE(started.count(second));
    Return(second);
    Renew(second);
  }
  // The third waits for a third end.
  Submit(second);
  EXPECT_FALSE(started.count(second));
  Submit(first);
  Return(first);
  EXPECT_TRUE(started.count(second));
  Return(second);
  FreeJob(first);
  FreeJob(second);
}

TEST_F(Dependencies, ThatLastOnAJobThatHasEndedAreNotWaitedForThisTime) {
  Job* const first = Make();
  Job* const second = Make();
  Submit(first);
  Return(first);
  EXPECT_FALSE(AddLastingDependency(first, second));
  Submit(second);
  EXPECT_TRUE(started.count(second));
  Return(second);
  Renew(second);
  Submit(second);
  EXPECT_FALSE(started.count(second)) << "the next time it waits for the next end";
  Renew(first);
  Submit(first);
  Return(first);
  EXPECT_TRUE(started.count(second));
  FreeJob(first);
  FreeJob(second);
}

}  // namespace
}  // namespace tasklens::runtime
