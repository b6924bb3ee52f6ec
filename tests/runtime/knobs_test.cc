// SPDX-License-Identifier: Apache-2.0
// Steering knobs: their names, and what turning them does.
#include <sched.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

constexpr auto kGlobal = starpu_perf_knob_scope_global;
constexpr auto kPerWorker = starpu_perf_knob_scope_per_worker;
constexpr auto kPerScheduler = starpu_perf_knob_scope_per_scheduler;

constexpr int kCalibrate = 0x01, kCatchSignals = 0x11, kBind = 0x03, kEnable = 0x13,
              kMaxPriority = 0x05, kMinPriority = 0x15, kAlpha = 0x25;

TEST(Knobs, HaveStarpusNamesIdsScopesAndTypes) {
  const struct {
    starpu_perf_knob_scope scope;
    int id;
    const char* name;
    const char* type;
  } rows[] = {
      {kGlobal, 0x01, "starpu.global.g_calibrate_knob", "int32"},
      {kGlobal, 0x11, "starpu.global.g_enable_catch_signal_knob", "int32"},
      {kPerWorker, 0x03, "starpu.worker.w_bind_to_pu_knob", "int32"},
      {kPerWorker, 0x13, "starpu.worker.w_enable_worker_knob", "int32"},
      {kPerScheduler, 0x05, "starpu.task.s_max_priority_cap_knob", "int32"},
      {kPerScheduler, 0x15, "starpu.task.s_min_priority_cap_knob", "int32"},
      {kPerScheduler, 0x25, "starpu.dmda.s_alpha_knob", "double"},
      {kPerScheduler, 0x35, "starpu.dmda.s_beta_knob", "double"},
      {kPerScheduler, 0x45, "starpu.dmda.s_gamma_knob", "double"},
      {kPerScheduler, 0x55, "starpu.dmda.s_idle_power_knob", "double"},
  };
  std::map<int, int> nth;
  for (const auto& row : rows) {
    EXPECT_EQ(row.id, starpu_perf_knob_name_to_id(row.scope, row.name));
    EXPECT_STREQ(row.name, starpu_perf_knob_id_to_name(row.id));
    EXPECT_EQ(row.id, starpu_perf_knob_nth_to_id(row.scope, nth[row.scope]++));
    EXPECT_STREQ(row.type, starpu_perf_knob_type_id_to_name(static_cast<starpu_perf_knob_type>(
                               starpu_perf_knob_get_type_id(row.id))));
    EXPECT_STRNE("", starpu_perf_knob_get_help_string(row.id));
  }
  EXPECT_EQ(2, starpu_perf_knob_nb(kGlobal));
  EXPECT_EQ(2, starpu_perf_knob_nb(kPerWorker));
  EXPECT_EQ(6, starpu_perf_knob_nb(kPerScheduler));
  EXPECT_EQ(kPerScheduler, starpu_perf_knob_scope_name_to_id("per_scheduler"));
  EXPECT_STREQ("per_worker", starpu_perf_knob_scope_id_to_name(kPerWorker));
  EXPECT_EQ(starpu_perf_knob_type_double, starpu_perf_knob_type_name_to_id("double"));
  EXPECT_EQ(-1, starpu_perf_knob_name_to_id(kGlobal, "no such knob"));
  testing::internal::CaptureStdout();
  starpu_perf_knob_list_all_avail();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(std::string::npos,
            text.find("scope: per_worker\n0x00000003:starpu.worker.w_bind_to_pu_knob [int32] - "));
  testing::internal::CaptureStdout();
  starpu_perf_knob_list_avail(kGlobal);
  EXPECT_EQ(0u, text.find(testing::internal::GetCapturedStdout()));
}

TEST(Knobs, OfTheRuntimeKeepTheirValues) {
  Started started(1);
  EXPECT_EQ(0, starpu_perf_knob_get_global_int32_value(kCalibrate));
  EXPECT_EQ(1, starpu_perf_knob_get_global_int32_value(kCatchSignals));
  starpu_perf_knob_set_global_int32_value(kCalibrate, 2);
  starpu_perf_knob_set_global_int32_value(kCatchSignals, 0);
  EXPECT_EQ(2, starpu_perf_knob_get_global_int32_value(kCalibrate));
  EXPECT_EQ(0, starpu_perf_knob_get_global_int32_value(kCatchSignals));
}

std::atomic<int> g_runs[4];
starpu_codelet& Counting() {
  static starpu_codelet codelet = [] {
    starpu_codelet counting = {};
    counting.cpu_funcs[0] = [](void**, void*) { ++g_runs[starpu_worker_get_id_check()]; };
    return counting;
  }();
  return codelet;
}
void RunTasks(int count) {
  for (auto& runs : g_runs) runs = 0;
  for (int i = 0; i < count; ++i) ASSERT_EQ(0, starpu_task_insert(&Counting(), 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
}

TEST(Knobs, KeepAWorkerFromTasksUnderEveryPolicy) {
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at) {
    SCOPED_TRACE((*at)->policy_name);
    Started started(3, (*at)->policy_name);
    EXPECT_EQ(1, starpu_perf_knob_get_per_worker_int32_value(kEnable, 1));
    starpu_perf_knob_set_per_worker_int32_value(kEnable, 1, 0);
    EXPECT_EQ(0, starpu_perf_knob_get_per_worker_int32_value(kEnable, 1));
    RunTasks(300);
    EXPECT_EQ(300, g_runs[0] + g_runs[2]);
    EXPECT_EQ(0, g_runs[1]);
    // Except for those that are given to it.
    ASSERT_EQ(0, starpu_task_insert(&Counting(), STARPU_EXECUTE_ON_WORKER, 1, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(1, g_runs[1]);
    starpu_perf_knob_set_per_worker_int32_value(kEnable, 1, 1);
    starpu_perf_knob_set_per_worker_int32_value(kEnable, 0, 0);
    starpu_perf_knob_set_per_worker_int32_value(kEnable, 2, 0);
    RunTasks(100);
    EXPECT_EQ(100, g_runs[1]);
    for (const unsigned worker : {0u, 2u})
      starpu_perf_knob_set_per_worker_int32_value(kEnable, worker, 1);
  }
}

TEST(Knobs, TurnedWhileTasksRunLoseNone) {
  Started started(3);
  for (int round = 0; round < 50; ++round) {
    const unsigned worker = static_cast<unsigned>(round) % 3;
    starpu_perf_knob_set_per_worker_int32_value(kEnable, worker, 0);
    RunTasks(100);
    for (int i = 0; i < 50; ++i) ASSERT_EQ(0, starpu_task_insert(&Counting(), 0));
    starpu_perf_knob_set_per_worker_int32_value(kEnable, worker, 1);
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(150, g_runs[0] + g_runs[1] + g_runs[2]);
  }
}

TEST(Knobs, BindAWorkerToAProcessingUnit) {
  Started started(1);
  const int other = starpu_get_pu_os_index(1) < 0 ? 0 : 1;  // where there is another
  static std::atomic<int> cpu;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { cpu = sched_getcpu(); };
  for (const int unit : {other, 0, other}) {
    starpu_perf_knob_set_per_worker_int32_value(kBind, 0, unit);
    EXPECT_EQ(unit, starpu_perf_knob_get_per_worker_int32_value(kBind, 0));
    EXPECT_EQ(unit, starpu_worker_get_bindid(0));
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(starpu_get_pu_os_index(static_cast<unsigned>(unit)), cpu);
  }
}

TEST(Knobs, CapThePrioritiesOfTasks) {
  Started started(1, "prio");
  EXPECT_EQ(STARPU_MAX_PRIO, starpu_perf_knob_get_per_scheduler_int32_value(kMaxPriority, "prio"));
  EXPECT_EQ(STARPU_MIN_PRIO, starpu_perf_knob_get_per_scheduler_int32_value(kMinPriority, "prio"));
  starpu_perf_knob_set_per_scheduler_int32_value(kMaxPriority, "prio", 2);
  starpu_perf_knob_set_per_scheduler_int32_value(kMinPriority, "prio", -1);
  EXPECT_EQ(2, starpu_perf_knob_get_per_scheduler_int32_value(kMaxPriority, "prio"));
  static std::vector<int> priorities;
  priorities.clear();
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    priorities.push_back(starpu_task_get_current()->priority);
  };
  starpu_pause();
  for (const int priority : {5, 1, -4}) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_PRIORITY, priority, 0));
  }
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ((std::vector<int>{2, 1, -1}), priorities);
}

TEST(Knobs, OfAPolicyThatDoesNotRunSaySo) {
  Started started(1, "eager");
  testing::internal::CaptureStderr();
  starpu_perf_knob_set_per_scheduler_double_value(kAlpha, "dmda", 3.5);
  EXPECT_EQ(
      "tasklens: starpu_perf_knob: starpu.dmda.s_alpha_knob of policy 'dmda' has no effect: the "
      "policy is 'eager'\n",
      testing::internal::GetCapturedStderr());
  EXPECT_EQ(3.5, starpu_perf_knob_get_per_scheduler_double_value(kAlpha, "dmda"));
}

TEST(KnobsDeathTest, RefuseWhatTheyAreNot) {
  Started started(1);
  EXPECT_DEATH(starpu_perf_knob_get_global_double_value(kCalibrate),
               "g_calibrate_knob is of type int32, not double");
  EXPECT_DEATH(starpu_perf_knob_get_global_int32_value(kEnable), "of scope per_worker, not global");
  EXPECT_DEATH(starpu_perf_knob_get_per_worker_int32_value(kEnable, 9), "there is no worker 9");
  EXPECT_DEATH(starpu_perf_knob_set_per_worker_int32_value(kBind, 0, 9999),
               "cannot be bound to processing unit 9999");
  EXPECT_DEATH(starpu_perf_knob_get_global_int32_value(0x777), "there is no knob 0x777");
}

}  // namespace
}  // namespace tasklens
