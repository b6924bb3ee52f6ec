// SPDX-License-Identifier: Apache-2.0
// What workers call while they have nothing to do, and who is told which tasks will be ready soon.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

TEST(IdleHooks, AreCalledAgainAndAgainWhileTheySaySo) {
  Started started(2);
  static std::atomic<int> calls;
  calls = 0;
  const int id = starpu_progression_hook_register(
      [](void* argument) -> unsigned {
        ++*static_cast<std::atomic<int>*>(argument);
        return 0;
      },
      &calls);
  ASSERT_GE(id, 0);
  while (calls < 100) std::this_thread::yield();
  starpu_progression_hook_deregister(id);
}

TEST(IdleHooks, LetWorkersSleepUntilTheyAreWoken) {
  Started started(1);
  static std::atomic<int> calls;
  calls = 0;
  const int id = starpu_idle_hook_register(
      [](void*) -> unsigned {
        ++calls;
        return 1;
      },
      nullptr);
  while (calls == 0) std::this_thread::yield();
  for (const int before = calls; calls == before;) {
    starpu_wake_all_blocked_workers();
    std::this_thread::yield();
  }
  starpu_idle_hook_deregister(id);
}

TEST(IdleHooks, MaySubmitTasks) {
  Started started(1);
  static std::atomic<int> ran;
  static std::atomic<bool> submitted;
  ran = 0;
  submitted = false;
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++ran; };
  const int id = starpu_idle_hook_register(
      [](void*) -> unsigned {
        if (!submitted.exchange(true)) {
          EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
        }
        return 1;
      },
      nullptr);
  while (ran == 0) std::this_thread::yield();
  starpu_idle_hook_deregister(id);
}

TEST(IdleHooks, AreThirtyTwoAtMost) {
  Started started(1);
  std::vector<int> ids;
  const auto add = [] {
    return starpu_idle_hook_register([](void*) -> unsigned { return 1; }, nullptr);
  };
  for (int i = 0; i < 32; ++i) ids.push_back(add());
  for (const int id : ids) EXPECT_GE(id, 0);
  EXPECT_EQ(-ENOMEM, add());
  starpu_progression_hook_deregister(ids[7]);
  EXPECT_EQ(ids[7], add());
}

TEST(SleepingWorkers, SayWhenTheyFallAsleepAndWakeUp) {
  static std::atomic<int> asleep, awake;
  asleep = awake = 0;
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.precedence_over_environment_variables = 1;
  conf.callback_worker_going_to_sleep = [](unsigned worker) {
    EXPECT_EQ(0u, worker);
    ++asleep;
  };
  conf.callback_worker_waking_up = [](unsigned) { ++awake; };
  ASSERT_EQ(0, starpu_init(&conf));
  while (asleep == 0) std::this_thread::yield();
  EXPECT_EQ(0, awake);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_TASK_SYNCHRONOUS, 1, 0));
  EXPECT_EQ(1, awake);
  // Another one, in its place.
  static std::atomic<bool> other;
  other = false;
  starpu_worker_set_going_to_sleep_callback([](unsigned) { other = true; });
  while (!other) {
    starpu_wake_all_blocked_workers();
    std::this_thread::yield();
  }
  starpu_worker_set_waking_up_callback(nullptr);
  starpu_shutdown();
}

// --- Ready soon
// -----------------------------------------------------------------------------------

struct Told {
  std::mutex lock;
  std::vector<std::string> names;
};

class ReadySoon : public ::testing::Test {
 protected:
  ReadySoon() {
    model_.type = STARPU_COMMON;
    model_.symbol = "soon";
    model_.cost_function = [](starpu_task*, unsigned) { return 250.0; };
    codelet_.cpu_funcs[0] = [](void**, void*) {};
    codelet_.model = &model_;
    starpu_task_notify_ready_soon_register(
        [](void* data, starpu_task* task, double delay) {
          Told& told = *static_cast<Told*>(data);
          std::lock_guard guard(told.lock);
          told.names.push_back(std::string(task->name) + " in " +
                               std::to_string(static_cast<int>(delay)));
        },
        &told_);
  }
  starpu_task* Make(const char* name, bool works = true) {
    starpu_task* task = starpu_task_create();
    task->name = name;
    if (works) task->cl = &codelet_;
    return task;
  }
  std::vector<std::string> Run(const std::vector<starpu_task*>& tasks) {
    starpu_pause();
    for (starpu_task* task : tasks) EXPECT_EQ(0, starpu_task_submit(task));
    starpu_resume();
    EXPECT_EQ(0, starpu_task_wait_for_all());
    return told_.names;
  }

  Started started_{1};
  starpu_perfmodel model_ = {};
  starpu_codelet codelet_ = {};
  Told told_;
};

TEST_F(ReadySoon, TellsOfTasksWhoseLastDependencyStarts) {
  starpu_task *first = Make("first"), *second = Make("second"), *last = Make("last");
  starpu_task_declare_deps(last, 2, first, second);
  EXPECT_EQ((std::vector<std::string>{"last in 250"}), Run({first, second, last}));
}

TEST_F(ReadySoon, SeesThroughTasksThatDoNothing) {
  starpu_task *first = Make("first"), *empty = Make("empty", false), *last = Make("last");
  starpu_task_declare_deps(empty, 1, first);
  starpu_task_declare_deps(last, 1, empty);
  EXPECT_EQ((std::vector<std::string>{"empty in 250", "last in 250"}), Run({first, empty, last}));
}

TEST_F(ReadySoon, KnowsWhatDataAreWaitedFor) {
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  codelet_.nbuffers = 1;
  codelet_.modes[0] = STARPU_RW;
  starpu_task *first = Make("first"), *last = Make("last");
  first->handles[0] = last->handles[0] = handle;
  EXPECT_EQ((std::vector<std::string>{"last in 250"}), Run({first, last}));
  starpu_data_unregister(handle);
}

// As many dependencies of one task on another, of which each ends with it.
TEST_F(ReadySoon, KnowsThatOneTaskIsWaitedForByMoreThanOneWay) {
  int values[2] = {};
  starpu_data_handle_t handles[2];
  for (int i = 0; i < 2; ++i) {
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<uintptr_t>(&values[i]), sizeof(values[i]));
  }
  codelet_.nbuffers = 2;
  codelet_.modes[0] = codelet_.modes[1] = STARPU_RW;
  starpu_task *first = Make("first"), *empty = Make("empty", false), *last = Make("last");
  for (starpu_task* task : {first, last}) std::copy_n(handles, 2, task->handles);
  starpu_task_declare_deps(empty, 1, first);
  starpu_task_declare_deps(last, 2, first, empty);
  EXPECT_EQ((std::vector<std::string>{"empty in 250", "last in 250"}), Run({first, empty, last}));
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
}

TEST_F(ReadySoon, KnowsTags) {
  starpu_task *first = Make("first"), *second = Make("second"), *last = Make("last");
  starpu_tag_t tag = 1;
  for (starpu_task* task : {first, second, last}) {
    task->use_tag = 1;
    task->tag_id = tag++;
  }
  starpu_tag_declare_deps(3, 2, starpu_tag_t{1}, starpu_tag_t{2});
  EXPECT_EQ((std::vector<std::string>{"last in 250"}), Run({first, second, last}));
}

TEST_F(ReadySoon, SeesThroughTagsOfTasksThatDoNothing) {
  starpu_task *first = Make("first"), *empty = Make("empty", false), *last = Make("last");
  starpu_tag_t tag = 1;
  for (starpu_task* task : {first, empty, last}) {
    task->use_tag = 1;
    task->tag_id = tag++;
  }
  starpu_tag_declare_deps(2, 1, starpu_tag_t{1});
  starpu_tag_declare_deps(3, 2, starpu_tag_t{1}, starpu_tag_t{2});
  EXPECT_EQ((std::vector<std::string>{"empty in 250", "last in 250"}), Run({first, empty, last}));
}

// A tag that the program fires itself is nobody's start.
TEST_F(ReadySoon, WaitsForTagsOfTheProgram) {
  starpu_task *first = Make("first"), *last = Make("last");
  first->use_tag = last->use_tag = 1;
  first->tag_id = 1;
  last->tag_id = 3;
  starpu_tag_declare_deps(3, 2, starpu_tag_t{1}, starpu_tag_t{2});
  starpu_pause();
  ASSERT_EQ(0, starpu_task_submit(first));
  ASSERT_EQ(0, starpu_task_submit(last));
  starpu_resume();
  EXPECT_EQ(0, starpu_tag_wait(1));
  starpu_tag_notify_from_apps(2);
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ((std::vector<std::string>{}), told_.names);
}

TEST_F(ReadySoon, KnowsDependenciesThatStay) {
  starpu_task *first = Make("first"), *last = Make("last");
  for (starpu_task* task : {first, last}) task->destroy = 0;
  starpu_task_declare_deps(last, 1, first);
  EXPECT_EQ((std::vector<std::string>{"last in 250"}), Run({first, last}));
  for (starpu_task* task : {first, last}) starpu_task_destroy(task);
}

TEST_F(ReadySoon, SaysNothingWhereTheModelKnowsNothing) {
  model_.cost_function = [](starpu_task*, unsigned) { return 0.0; };
  starpu_task *first = Make("first"), *last = Make("last");
  starpu_task_declare_deps(last, 1, first);
  EXPECT_EQ((std::vector<std::string>{}), Run({first, last}));
}

}  // namespace
}  // namespace tasklens
