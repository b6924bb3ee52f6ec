// SPDX-License-Identifier: Apache-2.0
// What counters count of tasks, and how times of activities add up.
#include <gtest/gtest.h>
#include <starpu.h>

#include <numeric>

#include "runtime/feedback/activity.h"
#include "runtime/feedback/counters.h"
#include "runtime/jobs/job.h"

namespace tasklens::runtime {
namespace {

CounterValue ValueOf(CounterPlace& place, int scope, const char* name) {
  MutexLock guard(place.lock);
  return place.values[CounterCatalogue().IdOf(scope, name) >> 4];
}

class Counting : public ::testing::Test {
 protected:
  Counting() : job_(NewJob(/*with_task=*/true)) { job_->task->cl = &codelet_; }
  ~Counting() override { DestroyTask(job_->task, job_); }

  starpu_codelet codelet_ = {};
  Job* const job_;
  PerfCounters counters_{2};
};

TEST_F(Counting, ATaskIsCountedFromItsSubmissionToItsEnd) {
  counters_.Submitted(job_);
  counters_.Ready(job_);
  counters_.Taken(job_);
  counters_.Executed(/*worker=*/1, nullptr, &codelet_, 2500);
  const int global = starpu_perf_counter_scope_global,
            worker = starpu_perf_counter_scope_per_worker;
  EXPECT_EQ(ValueOf(counters_.global(), global, "starpu.task.g_total_submitted").integer, 1);
  EXPECT_EQ(ValueOf(counters_.global(), global, "starpu.task.g_peak_ready").integer, 1);
  EXPECT_EQ(ValueOf(counters_.worker(0), worker, "starpu.task.w_total_executed").integer, 0);
  EXPECT_EQ(ValueOf(counters_.worker(1), worker, "starpu.task.w_total_executed").integer, 1);
  EXPECT_DOUBLE_EQ(ValueOf(counters_.worker(1), worker, "starpu.task.w_cumul_execution_time").real,
                   2.5);
  EXPECT_EQ(ValueOf(counters_.codelet(&codelet_), starpu_perf_counter_scope_per_codelet,
                    "starpu.task.c_total_executed")
                .integer,
            1);
}

TEST_F(Counting, ATaskOfTheRuntimesOwnIsNotCounted) {
  job_->type |= STARPU_TASK_TYPE_INTERNAL;
  counters_.Submitted(job_);
  EXPECT_EQ(
      ValueOf(counters_.global(), starpu_perf_counter_scope_global, "starpu.task.g_total_submitted")
          .integer,
      0);
}

void* told_context = nullptr;
int told_times = 0;

TEST_F(Counting, AListenerOfAWorkerIsGivenItsContext) {
  starpu_perf_counter_set set = {starpu_perf_counter_scope_per_worker, 0};
  starpu_perf_counter_listener listener = {
      &set,
      [](starpu_perf_counter_listener*, starpu_perf_counter_sample*, void* context) {
        told_context = context;
        ++told_times;
      },
      nullptr};
  int context = 0;
  counters_.Listen(counters_.worker(1), &listener);
  counters_.Executed(0, nullptr, &codelet_, 1);
  EXPECT_EQ(told_times, 0) << "of another worker";
  counters_.Executed(1, &context, &codelet_, 1);
  EXPECT_EQ(told_times, 1);
  EXPECT_EQ(told_context, &context);
  counters_.Listen(counters_.worker(1), nullptr);
  counters_.Executed(1, &context, &codelet_, 1);
  EXPECT_EQ(told_times, 1) << "it does not listen any more";
}

TEST(ActivityClock, TimesByHeadingAddUpToTheTotal) {
  ActivityClock clock;
  EXPECT_EQ(clock.Read(/*restart=*/false).total_ns, 0u) << "it is off";
  clock.TurnOn();
  clock.Enter(Activity::kExecuting);
  {
    const Doing callback(clock, clock.CallbackNow());
    EXPECT_EQ(clock.CallbackNow(), Activity::kCallbackInTask);
  }
  clock.CountTask(/*flops=*/8);
  clock.Enter(Activity::kSleeping);
  const WorkerTimes times = clock.Read(/*restart=*/true);
  EXPECT_EQ(
      std::accumulate(std::begin(times.split_ns), std::end(times.split_ns), times.overhead_ns),
      times.total_ns);
  EXPECT_EQ(times.split_ns[kCallbackHeading], 0u) << "a callback in a task counts as executing";
  EXPECT_GT(times.all_ns[kCallbackHeading], 0u) << "and as a callback besides";
  EXPECT_GE(times.split_ns[kExecutingHeading], times.all_ns[kCallbackHeading]);
  EXPECT_EQ(times.tasks, 1u);
  EXPECT_EQ(times.flops, 8);
  EXPECT_EQ(clock.Read(false).tasks, 0u) << "a new interval";
}

}  // namespace
}  // namespace tasklens::runtime
