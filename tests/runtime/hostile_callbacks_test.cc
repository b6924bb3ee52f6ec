// SPDX-License-Identifier: Apache-2.0
// No code of a program is called under a lock of ours: it may submit, register, wait, change
// contexts. A lock that is held meanwhile is a test that does not end.
#include <atomic>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

std::atomic<int> g_done;

void Done(void**, void*) { ++g_done; }

starpu_codelet CodeletOf(starpu_cpu_func_t function, unsigned buffers = 0) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(buffers);
  codelet.modes[0] = STARPU_RW;
  return codelet;
}
starpu_codelet g_plain = CodeletOf(Done), g_with_data = CodeletOf(Done, 1);

// Submits a task of the codelet and waits for it.
void RunAndWait(starpu_codelet* codelet) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->detach = 0;
  EXPECT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(0, starpu_task_wait(task));
}

// All that a callback may do. A worker does not wait: it might be for a task that is its own.
void DoAnything() {
  static int64_t value;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  EXPECT_EQ(0, starpu_task_insert(&g_with_data, STARPU_RW, handle, 0));
  if (starpu_worker_get_id() < 0 && !starpu_task_get_current()) {
    RunAndWait(&g_plain);
    starpu_data_unregister(handle);
  } else {
    EXPECT_EQ(0, starpu_task_insert(&g_plain, 0));
    starpu_data_unregister_submit(handle);
  }
}

// Half of the tasks become ready on workers, as each waits for the one before.
void RunMany(starpu_codelet* codelet) {
  int64_t value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  codelet->nbuffers = STARPU_VARIABLE_NBUFFERS;
  for (int i = 0; i < 20; ++i) {
    if (i % 2)
      EXPECT_EQ(0, starpu_task_insert(codelet, STARPU_RW, handle, STARPU_PRIORITY, i % 3, 0));
    else
      EXPECT_EQ(0, starpu_task_insert(codelet, STARPU_PRIORITY, i % 3, 0));
  }
  starpu_data_unregister(handle);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

class HostileCallbacks : public testing::TestWithParam<std::string> {};

TEST_P(HostileCallbacks, MaySayWhoCanRunATask) {
  Started started(3, GetParam().c_str());
  static std::atomic<int> wrong, ran;
  wrong = ran = 0;
  starpu_codelet codelet = CodeletOf([](void**, void*) {
    wrong += starpu_worker_get_id() == 0;
    ++ran;
  });
  codelet.can_execute = [](unsigned worker, starpu_task*, unsigned) {
    DoAnything();
    return int(worker != 0);
  };
  RunMany(&codelet);
  EXPECT_EQ(20, ran);
  EXPECT_EQ(0, wrong);
}

TEST_P(HostileCallbacks, MayBePerformanceModels) {
  starpu_perfmodel model = {}, measured = {};
  model.type = STARPU_COMMON;
  model.cost_function = [](starpu_task*, unsigned) {
    DoAnything();
    return 1.0;
  };
  measured.type = STARPU_REGRESSION_BASED;
  measured.size_base = [](starpu_task*, unsigned) -> size_t {
    DoAnything();
    return 1;
  };
  measured.footprint = [](starpu_task*) -> uint32_t {
    DoAnything();
    return 1;
  };
  {
    Started started(3, GetParam().c_str());
    static std::atomic<int> ran;
    ran = 0;
    starpu_codelet codelet = CodeletOf([](void**, void*) { ++ran; });
    codelet.energy_model = &model;
    for (starpu_perfmodel* each : {&model, &measured}) {
      codelet.model = each;
      RunMany(&codelet);
    }
    EXPECT_EQ(40, ran);
  }
}

TEST_P(HostileCallbacks, MayBeThoseOfTasks) {
  Started started(3, GetParam().c_str());
  static std::atomic<int> ran, called;
  ran = called = 0;
  starpu_codelet codelet = CodeletOf([](void**, void*) {
    DoAnything();
    ++ran;
  });
  const auto callback = [](void*) {
    DoAnything();
    ++called;
  };
  for (int i = 0; i < 20; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->prologue_callback_func = task->prologue_callback_pop_func = callback;
    task->epilogue_callback_func = task->callback_func = callback;
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(20, ran);
  EXPECT_EQ(4 * 20, called);
}

std::vector<std::string> AllPolicies() {
  std::vector<std::string> names;
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at)
    names.push_back((*at)->policy_name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Under, HostileCallbacks, testing::ValuesIn(AllPolicies()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// Under a lock of its own, as policies are.
struct List {
  starpu_task_list tasks;
  starpu_pthread_mutex_t lock;
};
List& ListOf(unsigned context) {
  return *static_cast<List*>(starpu_sched_ctx_get_policy_data(context));
}
starpu_sched_policy ListPolicy() {
  starpu_sched_policy policy = {};
  policy.policy_name = "list";
  policy.init_sched = [](unsigned context) {
    auto* list = new List;
    starpu_task_list_init(&list->tasks);
    STARPU_PTHREAD_MUTEX_INIT(&list->lock, nullptr);
    starpu_sched_ctx_set_policy_data(context, list);
  };
  policy.deinit_sched = [](unsigned context) {
    DoAnything();
    delete &ListOf(context);
  };
  policy.push_task = [](starpu_task* task) {
    List& list = ListOf(task->sched_ctx);
    STARPU_PTHREAD_MUTEX_LOCK(&list.lock);
    starpu_task_list_push_back(&list.tasks, task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&list.lock);
    return 0;
  };
  policy.pop_task = [](unsigned context) -> starpu_task* {
    List& list = ListOf(context);
    STARPU_PTHREAD_MUTEX_LOCK(&list.lock);
    starpu_task* const task =
        starpu_task_list_empty(&list.tasks) ? nullptr : starpu_task_list_pop_front(&list.tasks);
    STARPU_PTHREAD_MUTEX_UNLOCK(&list.lock);
    return task;
  };
  return policy;
}

unsigned g_context;
int g_first[] = {0}, g_second[] = {1}, g_third[] = {2};

TEST(HostilePolicies, MayDoAnythingAsWorkersComeAndGo) {
  Started started(3);
  // A task that changes the workers of the context, too, while those who wait for it are told of
  // such a change.
  static starpu_codelet changes =
      CodeletOf([](void**, void*) { starpu_sched_ctx_add_workers(g_third, 1, g_context); });
  static int depth, added, removed;
  depth = added = removed = 0;
  starpu_sched_policy policy = ListPolicy();
  policy.add_workers = [](unsigned context, int*, unsigned count) {
    added += static_cast<int>(count);
    g_context = context;
    DoAnything();
    if (depth++ == 0) starpu_sched_ctx_add_workers(g_second, 1, context);
    if (added < 3) RunAndWait(&changes);
  };
  policy.remove_workers = [](unsigned context, int*, unsigned count) {
    removed += static_cast<int>(count);
    DoAnything();
    if (removed == 1) starpu_sched_ctx_remove_workers(g_second, 1, context);
  };
  const unsigned context =
      starpu_sched_ctx_create(g_first, 1, "it", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  ASSERT_EQ(g_context, context);
  EXPECT_EQ(3u, starpu_sched_ctx_get_nworkers(context));
  g_done = 0;
  for (int i = 0; i < 50; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &g_plain;
    EXPECT_EQ(0, starpu_task_submit_to_ctx(task, context));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
  EXPECT_EQ(50, g_done);
  starpu_sched_ctx_remove_workers(g_first, 1, context);
  EXPECT_EQ(1u, starpu_sched_ctx_get_nworkers(context));
  EXPECT_EQ(2, removed);
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(3, removed);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

TEST(HostilePolicies, MayMoveWorkersAsTheyAreGivenATask) {
  Started started(2);
  starpu_sched_policy policy = ListPolicy();
  policy.push_task = [](starpu_task* task) {
    const unsigned context = task->sched_ctx;
    starpu_sched_ctx_remove_workers(g_second, 1, context);
    DoAnything();
    const int error = ListPolicy().push_task(task);
    starpu_sched_ctx_add_workers(g_second, 1, context);
    return error;
  };
  policy.pop_task = [](unsigned context) -> starpu_task* {
    starpu_task* const task = ListPolicy().pop_task(context);
    if (task) DoAnything();
    return task;
  };
  int both[] = {0, 1};
  const unsigned context =
      starpu_sched_ctx_create(both, 2, "it", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  static std::atomic<int> ran;
  ran = 0;
  starpu_codelet codelet = CodeletOf([](void**, void*) { ++ran; });
  for (int i = 0; i < 50; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    EXPECT_EQ(0, starpu_task_submit_to_ctx(task, context));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
  EXPECT_EQ(50, ran);
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

TEST(HostilePoliciesDeathTest, CannotDeleteTheirOwnContext) {
  EXPECT_DEATH(
      {
        Started started(1);
        starpu_sched_policy policy = ListPolicy();
        policy.push_task = [](starpu_task* task) {
          starpu_sched_ctx_delete(task->sched_ctx);
          return 0;
        };
        const unsigned context =
            starpu_sched_ctx_create(g_first, 1, "it", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
        starpu_task* task = starpu_task_create();
        task->cl = &g_plain;
        starpu_task_submit_to_ctx(task, context);
      },
      "starpu_sched_ctx_delete\\(\\): a function of context 1's own policy cannot delete it");
}

}  // namespace
}  // namespace tasklens
