// SPDX-License-Identifier: Apache-2.0
// The variables OMP_*: what they change, and what is said of those that change nothing.
#include <algorithm>
#include <string>

#include "tests/runtime/in_openmp.h"

namespace tasklens {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

void ExpectSchedule(starpu_omp_sched_value kind, int chunk) {
  starpu_omp_sched_value kind_here;
  int chunk_here;
  starpu_omp_get_schedule(&kind_here, &chunk_here);
  EXPECT_EQ(kind, kind_here);
  EXPECT_EQ(chunk, chunk_here);
}

TEST(OpenmpEnvironment, WithoutVariablesDefaultsAreThoseOfStarPU) {
  {
    CaptureStderr();
    OpenMp openmp(1);
    EXPECT_EQ("", GetCapturedStderr());
  }
  OpenMp openmp(3);
  EXPECT_EQ(3, starpu_omp_get_max_threads());
  EXPECT_EQ(3, starpu_omp_get_thread_limit());
  EXPECT_EQ(3, starpu_omp_get_num_procs());
  EXPECT_EQ(1, starpu_omp_get_max_active_levels());
  EXPECT_EQ(0, starpu_omp_get_nested());
  EXPECT_EQ(0, starpu_omp_get_dynamic());
  EXPECT_EQ(0, starpu_omp_get_cancellation());
  EXPECT_EQ(0, starpu_omp_get_default_device());
  EXPECT_EQ(0, starpu_omp_get_max_task_priority());
  EXPECT_EQ(starpu_omp_proc_bind_false, starpu_omp_get_proc_bind());
  ExpectSchedule(starpu_omp_sched_static, 0);
}

TEST(OpenmpEnvironment, EachIsObeyed) {
  OpenMp openmp(3, "lws",
                {{"OMP_NUM_THREADS", "3, 2,1"},
                 {"OMP_THREAD_LIMIT", "20"},
                 {"OMP_DYNAMIC", "FALSE"},
                 {"OMP_SCHEDULE", "monotonic:dynamic , 7"},
                 {"OMP_MAX_TASK_PRIORITY", "20"},
                 {"OMP_STACKSIZE", " 1 M "}});
  EXPECT_EQ(3, starpu_omp_get_max_threads());
  EXPECT_EQ(20, starpu_omp_get_thread_limit());
  EXPECT_EQ(20, starpu_omp_get_max_task_priority());
  EXPECT_EQ(1, starpu_omp_get_nested());  // as several levels are listed
  ExpectSchedule(starpu_omp_sched_dynamic, 7);
  Parallel(0, [] {
    EXPECT_EQ(3, starpu_omp_get_num_threads());
    Parallel(0, [] {
      EXPECT_EQ(2, starpu_omp_get_num_threads());
      Parallel(0, [] { EXPECT_EQ(1, starpu_omp_get_num_threads()); });
    });
    // (More than a small stack has.)
    volatile char large[800 << 10];
    large[0] = 1;
    starpu_omp_barrier();
    EXPECT_EQ(1, large[0]);
  });
}

TEST(OpenmpEnvironment, WhatIsKeptAndHasNoEffectIsTold) {
  CaptureStderr();
  OpenMp openmp(1, "lws",
                {{"OMP_PROC_BIND", "spread, close"},
                 {"OMP_CANCELLATION", "true"},
                 {"OMP_DEFAULT_DEVICE", "3"},
                 {"OMP_PLACES", "cores"},
                 {"OMP_WAIT_POLICY", "active"},
                 {"OMP_SOMETHING_NEW", "1"}});
  const std::string said = GetCapturedStderr();
  EXPECT_EQ(1, std::count(said.begin(), said.end(), '\n')) << said;
  for (const char* name : {"OMP_PROC_BIND", "OMP_CANCELLATION", "OMP_DEFAULT_DEVICE", "OMP_PLACES",
                           "OMP_WAIT_POLICY", "OMP_SOMETHING_NEW"}) {
    EXPECT_NE(std::string::npos, said.find(name)) << said;
  }
  EXPECT_EQ(starpu_omp_proc_bind_spread, starpu_omp_get_proc_bind());
  EXPECT_EQ(1, starpu_omp_get_cancellation());
  EXPECT_EQ(3, starpu_omp_get_default_device());
  Parallel(1, [] { EXPECT_EQ(starpu_omp_proc_bind_close, starpu_omp_get_proc_bind()); });
}

TEST(OpenmpEnvironment, NonsenseIsOneLineAndTheDefault) {
  const OpenMp::Variables cases = {
      {"OMP_NUM_THREADS", "4,,2"},
      {"OMP_NUM_THREADS", "0"},
      {"OMP_THREAD_LIMIT", "0"},
      {"OMP_DYNAMIC", "maybe"},
      {"OMP_NESTED", "1"},
      {"OMP_SCHEDULE", "dynamic,0"},
      {"OMP_SCHEDULE", "often"},
      {"OMP_SCHEDULE", "a:static"},
      {"OMP_STACKSIZE", "2X"},
      {"OMP_STACKSIZE", "M"},
      {"OMP_STACKSIZE", "99999999999G"},
      {"OMP_MAX_ACTIVE_LEVELS", "-1"},
      {"OMP_MAX_TASK_PRIORITY", "high"},
      {"OMP_DISPLAY_ENV", "2"},
  };
  for (const auto& [name, value] : cases) {
    CaptureStderr();
    OpenMp openmp(1, "lws", {{name, value}});
    const std::string said = GetCapturedStderr();
    EXPECT_EQ(1, std::count(said.begin(), said.end(), '\n')) << name << ": " << said;
    EXPECT_NE(std::string::npos, said.find(std::string(name) + "='" + value + "' is ignored"))
        << said;
    EXPECT_EQ(1, starpu_omp_get_max_threads());
    EXPECT_EQ(1, starpu_omp_get_thread_limit());
    ExpectSchedule(starpu_omp_sched_static, 0);
    Parallel(0, [] { starpu_omp_barrier(); });
  }
}

TEST(OpenmpEnvironment, IsShownWhenThatIsWanted) {
  CaptureStderr();
  OpenMp openmp(
      2, "lws",
      {{"OMP_DISPLAY_ENV", "true"}, {"OMP_NUM_THREADS", "2,1"}, {"OMP_SCHEDULE", "guided,3"}});
  const std::string said = GetCapturedStderr();
  for (const char* line : {"OPENMP DISPLAY ENVIRONMENT BEGIN", "OMP_NUM_THREADS = '2,1'",
                           "OMP_SCHEDULE = 'guided,3'", "OMP_THREAD_LIMIT = '2'"}) {
    EXPECT_NE(std::string::npos, said.find(line)) << said;
  }
}

TEST(OpenmpEnvironment, APriorityIsAtMostWhatIsAllowed) {
  for (const bool is_limited : {false, true}) {
    OpenMp::Variables variables;
    if (is_limited) variables.push_back({"OMP_MAX_TASK_PRIORITY", "4"});
    OpenMp openmp(1, "prio", variables);
    starpu_omp_task_region_attr attr = {};
    static int priority;
    attr.cl.cpu_funcs[0] = [](void**, void*) { priority = starpu_task_get_current()->priority; };
    attr.if_clause = 1;
    attr.priority = 100;
    starpu_omp_task_region(&attr);
    EXPECT_EQ(is_limited ? 4 : 100, priority);
  }
}

TEST(OpenmpEnvironment, ASimulatedMachineHasNone) {
  setenv("STARPU_NSIM_CUDA", "0", 1);
  CaptureStderr();
  EXPECT_EQ(-EINVAL, starpu_omp_init());
  EXPECT_NE(std::string::npos, GetCapturedStderr().find("simulated machine"));
  unsetenv("STARPU_NSIM_CUDA");
}

}  // namespace
}  // namespace tasklens
