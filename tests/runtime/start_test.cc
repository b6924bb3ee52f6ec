// SPDX-License-Identifier: Apache-2.0
// Start and stop: what the configuration and the environment say, and what is refused.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

TEST(Start, GivesTheWorkersAskedFor) {
  for (int workers : {1, 2, 5}) {
    Started started(workers);
    EXPECT_EQ(static_cast<unsigned>(workers), starpu_worker_get_count());
    EXPECT_EQ(static_cast<unsigned>(workers), starpu_cpu_worker_get_count());
    EXPECT_EQ(0u, starpu_cuda_worker_get_count());
    int ids[8];
    EXPECT_EQ(static_cast<unsigned>(workers),
              starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, 8));
    char name[32];
    starpu_worker_get_name(workers - 1, name, sizeof(name));
    EXPECT_EQ("CPU " + std::to_string(workers - 1), name);
    EXPECT_EQ(-1, starpu_worker_get_id());
    EXPECT_EQ(-1, starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0));
  }
}

TEST(Start, TellsWhichWorkersShareWhat) {
  Started started(1);
  int ids[8];
  EXPECT_EQ(1, starpu_worker_get_stream_workerids(0, ids, STARPU_CPU_WORKER));
  EXPECT_EQ(0, ids[0]);
  EXPECT_EQ(0, starpu_worker_get_stream_workerids(1, ids, STARPU_CPU_WORKER));
  EXPECT_EQ(0, starpu_worker_get_stream_workerids(0, ids, STARPU_CUDA_WORKER));
  int* bound = nullptr;
  const int unit = starpu_worker_get_bindid(0);
  if (unit >= 0) {
    ASSERT_EQ(1, starpu_bindid_get_workerids(unit, &bound));
    EXPECT_EQ(0, bound[0]);
  }
  EXPECT_EQ(0, starpu_bindid_get_workerids(12345, &bound));
}

TEST(Start, ListensToTheEnvironment) {
  setenv("STARPU_NCPU", "3", 1);
  setenv("STARPU_SCHED", "prio", 1);
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.sched_policy_name = "eager";
  ASSERT_EQ(0, starpu_init(&conf));
  EXPECT_EQ(3u, starpu_worker_get_count());
  EXPECT_STREQ("prio", starpu_sched_get_sched_policy()->policy_name);
  starpu_shutdown();
  conf.precedence_over_environment_variables = 1;
  ASSERT_EQ(0, starpu_init(&conf));
  EXPECT_EQ(1u, starpu_worker_get_count());
  EXPECT_STREQ("eager", starpu_sched_get_sched_policy()->policy_name);
  starpu_shutdown();
  unsetenv("STARPU_NCPU");
  unsetenv("STARPU_SCHED");
}

TEST(Start, RefusesWhatCannotBe) {
  starpu_conf conf;
  EXPECT_EQ(-EINVAL, starpu_conf_init(nullptr));
  memset(&conf, 0, sizeof(conf));
  EXPECT_EQ(-EINVAL, starpu_init(&conf));  // never initialised
  starpu_conf_init(&conf);
  conf.sched_policy_name = "no-such-policy";
  EXPECT_EQ(-EINVAL, starpu_init(&conf));
  starpu_conf_init(&conf);
  starpu_conf_noworker(&conf);
  EXPECT_EQ(-ENODEV, starpu_init(&conf));
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(Start, NestsAndCanBeRepeated) {
  for (int i = 0; i < 20; ++i) {
    Started outer(2);
    {
      Started inner(2);
      EXPECT_TRUE(starpu_is_initialized());
    }
    EXPECT_TRUE(starpu_is_initialized());
    EXPECT_EQ(0, starpu_task_wait_for_all());
  }
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(Start, ListsThePolicies) {
  std::vector<std::string> names;
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at) {
    names.push_back((*at)->policy_name);
  }
  EXPECT_EQ("lws", names.at(0));  // the default comes first
}

TEST(Stop, WaitsForTasksInFlight) {
  static int runs;
  runs = 0;
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++runs; };
  {
    Started started(1);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  }
  EXPECT_EQ(1000, runs);
}

TEST(Workers, AreEachGivenAFunction) {
  Started started(3);
  static int called[3];
  starpu_execute_on_each_worker([](void*) { ++called[starpu_worker_get_id_check()]; }, nullptr,
                                STARPU_CPU);
  for (const int count : called) EXPECT_EQ(1, count);
}

TEST(Limits, HoldSubmissionBack) {
  setenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS", "100", 1);
  setenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS", "50", 1);
  {
    Started started(2);
    static starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) {};
    int most = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
      most = std::max(most, starpu_task_nsubmitted());
    }
    EXPECT_LE(most, 100);
    // Also of tasks that wait for each other.
    starpu_data_handle_t chain;
    starpu_void_data_register(&chain);
    static starpu_codelet link = {};
    link.cpu_funcs[0] = [](void**, void*) {};
    link.nbuffers = 1;
    link.modes[0] = STARPU_RW;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(0, starpu_task_insert(&link, STARPU_RW, chain, 0));
      most = std::max(most, starpu_task_nsubmitted());
    }
    EXPECT_LE(most, 100);
    starpu_data_unregister(chain);
  }
  unsetenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS");
  unsetenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS");
}

TEST(Shutdown, IsNotInTheWayOfTasksThatFork) {
  static std::atomic<int> status;
  status = -1;
  {
    Started started(1);
    static starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) {
      // Time for the program to get there. (The outcome is the same without.)
      for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
      const pid_t child = fork();
      if (child == 0) _exit(3);
      int how = 0;
      if (waitpid(child, &how, 0) == child) status = WEXITSTATUS(how);
    };
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  }
  EXPECT_EQ(3, status);
}

}  // namespace
}  // namespace tasklens
