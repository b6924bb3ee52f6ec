// SPDX-License-Identifier: Apache-2.0
// Scheduling policies of the program's own, through the public interface.
#include "tests/runtime/own_policy.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// What a policy saw, in order.
std::vector<std::string>& Log() {
  static std::vector<std::string> log;
  return log;
}

// One list under one lock, last in first out, that notes its calls.
starpu_task_list g_stack;
starpu_pthread_mutex_t g_stack_lock = STARPU_PTHREAD_MUTEX_INITIALIZER;

starpu_sched_policy Stack() {
  starpu_sched_policy policy = {};
  policy.policy_name = "stack";
  policy.init_sched = [](unsigned) {
    starpu_task_list_init(&g_stack);
    Log().push_back("init");
  };
  policy.deinit_sched = [](unsigned) { Log().push_back("deinit"); };
  policy.add_workers = [](unsigned, int*, unsigned count) {
    Log().push_back("add " + std::to_string(count));
  };
  policy.remove_workers = [](unsigned, int*, unsigned count) {
    Log().push_back("remove " + std::to_string(count));
  };
  policy.push_task = [](starpu_task* task) {
    STARPU_PTHREAD_MUTEX_LOCK(&g_stack_lock);
    starpu_task_list_push_front(&g_stack, task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&g_stack_lock);
    return 0;
  };
  policy.pop_task = [](unsigned) -> starpu_task* {
    STARPU_PTHREAD_MUTEX_LOCK(&g_stack_lock);
    starpu_task* task =
        starpu_task_list_empty(&g_stack) ? nullptr : starpu_task_list_pop_front(&g_stack);
    STARPU_PTHREAD_MUTEX_UNLOCK(&g_stack_lock);
    return task;
  };
  return policy;
}

void InitWith(starpu_sched_policy* policy, int workers) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = workers;
  conf.sched_policy = policy;
  ASSERT_EQ(0, starpu_init(&conf));
}

starpu_codelet& Noting() {
  static starpu_codelet codelet = [] {
    starpu_codelet made = {};
    made.cpu_funcs[0] = [](void**, void* argument) {
      Log().push_back(static_cast<const char*>(argument));
    };
    return made;
  }();
  return codelet;
}

int SubmitNoting(const char* text) {
  starpu_task* task = starpu_task_create();
  task->cl = &Noting();
  task->cl_arg = const_cast<char*>(text);
  return starpu_task_submit(task);
}

TEST(OwnPolicy, DecidesWhoRunsWhen) {
  Log().clear();
  starpu_sched_policy policy = Stack();
  InitWith(&policy, 1);
  EXPECT_EQ(&policy, starpu_sched_get_sched_policy());
  starpu_pause();
  for (const char* text : {"a", "b", "c"}) ASSERT_EQ(0, SubmitNoting(text));
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_shutdown();
  EXPECT_EQ((std::vector<std::string>{"init", "add 1", "c", "b", "a", "remove 1", "deinit"}),
            Log());
}

TEST(OwnPolicy, HearsOfEveryTask) {
  Log().clear();
  starpu_sched_policy policy = Stack();
  policy.submit_hook = [](starpu_task*) { Log().push_back("submit"); };
  policy.pre_exec_hook = [](starpu_task*, unsigned) { Log().push_back("before"); };
  policy.post_exec_hook = [](starpu_task*, unsigned) { Log().push_back("after"); };
  policy.push_task_notify = [](starpu_task*, int worker, int, unsigned) {
    Log().push_back("straight to " + std::to_string(worker));
  };
  policy.do_schedule = [](unsigned) { Log().push_back("schedule"); };
  InitWith(&policy, 1);
  Log().clear();
  starpu_pause();
  ASSERT_EQ(0, SubmitNoting("a"));
  starpu_resume();
  while (starpu_task_nsubmitted() != 0) {
  }
  ASSERT_EQ(0, starpu_task_insert(&Noting(), STARPU_CL_ARGS_NFREE, "b", size_t{2},
                                  STARPU_EXECUTE_ON_WORKER, 0, 0));
  while (starpu_task_nsubmitted() != 0) {
  }
  starpu_do_schedule();
  EXPECT_EQ((std::vector<std::string>{"submit", "before", "a", "after", "submit", "straight to 0",
                                      "before", "b", "after", "schedule"}),
            Log());
  starpu_shutdown();
}

TEST(OwnPolicy, MayGiveTasksToWorkersAtOnce) {
  starpu_sched_policy policy = {};
  policy.policy_name = "last worker";
  policy.push_task = [](starpu_task* task) {
    starpu_push_task_end(task);
    return starpu_push_local_task(static_cast<int>(starpu_worker_get_count()) - 1, task, 1);
  };
  InitWith(&policy, 3);
  static std::atomic<int> there, elsewhere;
  there = elsewhere = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++(starpu_worker_get_id() == 2 ? there : elsewhere); };
  for (int i = 0; i < 500; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(500, there);
  EXPECT_EQ(0, elsewhere);
  starpu_shutdown();
}

TEST(OwnPolicy, ChoosesTheImplementation) {
  starpu_sched_policy policy = Stack();
  policy.push_task = [](starpu_task* task) {
    starpu_task_set_implementation(task, 1);
    return Stack().push_task(task);
  };
  InitWith(&policy, 1);
  static int ran;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ran = 1; };
  codelet.cpu_funcs[1] = [](void**, void*) { ran = 2; };
  ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(2, ran);
  starpu_shutdown();
}

// Gives a copy of each task to the first two workers.
int PushToBoth(starpu_task* task) {
  starpu_parallel_task_barrier_init_n(task, 2);
  for (const int worker : {0, 1}) {
    starpu_task* copy = starpu_task_dup(task);
    starpu_worker_lock(worker);
    starpu_task_list_push_back(&OwnData(task->sched_ctx).lists[worker], copy);
    starpu_wake_worker_locked(worker);
    starpu_worker_unlock(worker);
  }
  return 0;
}
int PushLocallyToBoth(starpu_task* task) {
  starpu_parallel_task_barrier_init_n(task, 2);
  for (const int worker : {0, 1}) {
    EXPECT_EQ(0, starpu_push_local_task(worker, starpu_task_dup(task), 1));
  }
  return 0;
}

TEST(OwnPolicy, RunsATaskOnSeveralWorkersTogether) {
  for (int (*push)(starpu_task*) : {PushToBoth, PushLocallyToBoth}) {
    starpu_sched_policy policy = OwnPolicy();
    policy.push_task = push;
    // Without stealing: two workers that wait for each other's copies of two tasks wait for ever.
    policy.pop_task = [](unsigned context) {
      const unsigned self = starpu_worker_get_id_check();
      return TakeFrom(OwnData(context).lists[self], self);
    };
    InitWith(&policy, 2);
    static starpu_pthread_barrier_t both;
    STARPU_PTHREAD_BARRIER_INIT(&both, nullptr, 2);
    static std::atomic<int> ranks, callbacks;
    ranks = callbacks = 0;
    starpu_codelet codelet = {};
    codelet.type = STARPU_SPMD;
    codelet.max_parallelism = 2;
    codelet.cpu_funcs[0] = [](void**, void*) {
      EXPECT_EQ(2, starpu_combined_worker_get_size());
      ranks += 1 + starpu_combined_worker_get_rank();
      STARPU_PTHREAD_BARRIER_WAIT(&both);
    };
    for (int i = 0; i < 20; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &codelet;
      task->callback_func = [](void*) { ++callbacks; };
      ASSERT_EQ(0, starpu_task_submit(task));
    }
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(20 * 3, ranks);
    EXPECT_EQ(20, callbacks);
    // Of this kind one worker runs the function, and the other leaves it its processor.
    static std::atomic<int> calls;
    calls = 0;
    codelet.type = STARPU_FORKJOIN;
    codelet.cpu_funcs[0] = [](void**, void*) { calls += starpu_combined_worker_get_size(); };
    for (int i = 0; i < 20; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(20 * 2, calls);
    starpu_shutdown();
    STARPU_PTHREAD_BARRIER_DESTROY(&both);
  }
}

TEST(OwnPolicy, IsNotAskedForATaskWhileTheRuntimeIsPaused) {
  static starpu_sched_policy stack;
  stack = Stack();
  starpu_sched_policy policy = stack;
  static std::atomic<bool> asked, goes_on, answered;
  asked = goes_on = answered = false;
  policy.pop_task = [](unsigned context) {
    asked = true;
    while (!goes_on) std::this_thread::yield();
    starpu_task* task = stack.pop_task(context);
    answered = true;
    return task;
  };
  InitWith(&policy, 1);
  while (!asked) std::this_thread::yield();
  bool was_answered = false;
  std::thread pausing([&was_answered] {
    starpu_pause();
    was_answered = answered;
  });
  while (!starpu_is_paused()) std::this_thread::yield();
  goes_on = true;
  pausing.join();
  EXPECT_TRUE(was_answered);
  starpu_resume();
  starpu_shutdown();
}

TEST(OwnPolicyDeathTest, GivesNoTaskToSeveralSimulatedWorkers) {
  EXPECT_DEATH(
      {
        setenv("STARPU_NSIM_CUDA", "1", 1);
        starpu_sched_policy policy = OwnPolicy();
        policy.push_task = PushToBoth;
        InitWith(&policy, 2);
        starpu_perfmodel model = {};
        model.type = STARPU_COMMON;
        model.cost_function = [](starpu_task*, unsigned) { return 10.; };
        starpu_codelet codelet = Noting();
        codelet.type = STARPU_SPMD;
        codelet.max_parallelism = 2;
        codelet.model = &model;
        codelet.name = "spread";
        starpu_task_insert(&codelet, 0);
      },
      "starpu_parallel_task_barrier_init_n\\(\\): on a simulated machine task 'spread' is one of "
      "one worker");
}

TEST(OwnPolicyDeathTest, IsHeldToItsWord) {
  EXPECT_DEATH(
      {
        starpu_sched_policy policy = Stack();
        InitWith(&policy, 2);
        starpu_codelet codelet = Noting();
        // Accepted while some worker can run it; then none can.
        static bool accepted = false;
        codelet.can_execute = [](unsigned, starpu_task*, unsigned) { return int(!accepted); };
        starpu_pause();
        if (starpu_task_insert(&codelet, STARPU_NAME, "picky", 0) != 0) exit(1);
        accepted = true;
        starpu_resume();
        starpu_task_wait_for_all();
      },
      "policy 'stack' gave task 'picky' to worker ., which cannot run it");
  EXPECT_DEATH(
      {
        starpu_sched_policy policy = Stack();
        policy.push_task = [](starpu_task*) { return -1; };
        InitWith(&policy, 1);
        if (SubmitNoting("a") != 0) exit(1);
        starpu_task_wait_for_all();
      },
      "'stack' did not take task 'unknown': push_task returned -1");
}

TEST(OwnPolicy, NeedsAFunctionThatTakesTasks) {
  starpu_sched_policy policy = {};
  policy.policy_name = "empty";
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.sched_policy = &policy;
  testing::internal::CaptureStderr();
  EXPECT_EQ(-EINVAL, starpu_init(&conf));
  EXPECT_EQ("tasklens: starpu_init(): scheduling policy 'empty' has no push_task function\n",
            testing::internal::GetCapturedStderr());
  // By its name, one that is there.
  conf.sched_policy = starpu_sched_get_predefined_policies()[1];
  ASSERT_EQ(0, starpu_init(&conf));
  EXPECT_EQ(conf.sched_policy, starpu_sched_get_sched_policy());
  starpu_shutdown();
}

TEST(OwnPolicy, MayComeFromALibrary) {
  setenv("STARPU_SCHED_LIB", "tests/runtime/libpolicy.so", 1);
  setenv("STARPU_SCHED", "of-a-library", 1);
  {
    Started started(2, nullptr);
    EXPECT_STREQ("of-a-library", starpu_sched_get_sched_policy()->policy_name);
    static std::atomic<int> runs;
    runs = 0;
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) { ++runs; };
    for (int i = 0; i < 100; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(100, runs);
  }
  setenv("STARPU_SCHED", "eager", 1);  // which the library has not
  {
    Started started(1, nullptr);
    EXPECT_STREQ("eager", starpu_sched_get_sched_policy()->policy_name);
    int worker = 0;
    const unsigned context = starpu_sched_ctx_create(
        &worker, 1, "of a library", STARPU_SCHED_CTX_POLICY_NAME, "of-a-library", 0);
    EXPECT_STREQ("of-a-library", starpu_sched_get_sched_policy_in_ctx(context)->policy_name);
    starpu_sched_ctx_delete(context);
    // Who asks for one that is not there is told of those of the library, too.
    testing::internal::CaptureStderr();
    EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS},
              starpu_sched_ctx_create(&worker, 1, "none", STARPU_SCHED_CTX_POLICY_NAME, "help", 0));
    EXPECT_NE(std::string::npos, testing::internal::GetCapturedStderr().find(" of-a-library"));
  }
  setenv("STARPU_SCHED_LIB", "no/such/library.so", 1);
  testing::internal::CaptureStderr();
  starpu_conf conf;
  starpu_conf_init(&conf);
  EXPECT_EQ(-EINVAL, starpu_init(&conf));
  EXPECT_NE(std::string::npos,
            testing::internal::GetCapturedStderr().find("STARPU_SCHED_LIB: no/such/library.so"));
  unsetenv("STARPU_SCHED_LIB");
  unsetenv("STARPU_SCHED");
}

TEST(WorkerLock, KeepsAWorkerOutOfItsPolicy) {
  starpu_sched_policy policy = OwnPolicy();
  InitWith(&policy, 1);
  static std::atomic<int> runs;
  runs = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++runs; };
  starpu_worker_lock(0);
  EXPECT_EQ(EBUSY, starpu_worker_trylock(0));
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  starpu_worker_unlock(0);
  // (The worker has its lock itself while it asks the policy for a task.)
  while (starpu_worker_trylock(0) != 0) std::this_thread::yield();
  starpu_worker_unlock(0);
  EXPECT_EQ(0, starpu_worker_sched_op_pending());
  starpu_worker_relax_on();  // nothing, in a thread that is no worker
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, runs);
  starpu_shutdown();
}

TEST(WorkerCollection, IsAListWithoutRepetition) {
  starpu_worker_collection workers = starpu_worker_list;
  workers.init(&workers);
  EXPECT_EQ(3, workers.add(&workers, 3));
  EXPECT_EQ(1, workers.add(&workers, 1));
  EXPECT_EQ(-1, workers.add(&workers, 3));
  EXPECT_EQ(5, workers.add(&workers, 5));
  EXPECT_EQ(3, workers.remove(&workers, 3));
  EXPECT_EQ(-1, workers.remove(&workers, 3));
  std::vector<int> found;
  starpu_sched_ctx_iterator it;
  workers.init_iterator(&workers, &it);
  while (workers.has_next(&workers, &it)) found.push_back(workers.get_next(&workers, &it));
  EXPECT_EQ((std::vector<int>{1, 5}), found);
  EXPECT_EQ(-1, workers.get_next(&workers, &it));
  workers.deinit(&workers);
}

TEST(WorkerCollection, HasInAPassOnceWhoeverStaysWhileOthersGo) {
  starpu_worker_collection workers = starpu_worker_list;
  workers.init(&workers);
  for (int worker = 0; worker < 4; ++worker) workers.add(&workers, worker);
  starpu_sched_ctx_iterator it;
  workers.init_iterator(&workers, &it);
  ASSERT_TRUE(workers.has_next(&workers, &it));
  workers.remove(&workers, 0);
  EXPECT_EQ(0, workers.get_next(&workers, &it));  // has_next() has promised it
  std::vector<int> found;
  while (workers.has_next(&workers, &it)) found.push_back(workers.get_next(&workers, &it));
  std::sort(found.begin(), found.end());
  EXPECT_EQ((std::vector<int>{1, 2, 3}), found);
  workers.deinit(&workers);
}

TEST(Context, TellsOfItsWorkersAndPriorities) {
  Started started(3);
  int* ids = nullptr;
  EXPECT_EQ(3u, starpu_sched_ctx_get_workers_list(0, &ids));
  EXPECT_EQ(2, ids[2]);
  free(ids);
  EXPECT_TRUE(starpu_sched_ctx_contains_worker(2, 0));
  EXPECT_FALSE(starpu_sched_ctx_contains_worker(3, 0));
  EXPECT_FALSE(starpu_sched_ctx_max_priority_is_set(0));
  starpu_sched_ctx_set_max_priority(0, 20);
  EXPECT_TRUE(starpu_sched_ctx_max_priority_is_set(0));
  EXPECT_EQ(20, STARPU_MAX_PRIO);
  EXPECT_EQ(20, starpu_sched_ctx_get_max_priority(0));
  EXPECT_DEATH(starpu_sched_ctx_get_nworkers(4), "no scheduling context 4");
}

}  // namespace
}  // namespace tasklens
