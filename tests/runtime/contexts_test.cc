// SPDX-License-Identifier: Apache-2.0
// Scheduling contexts and parallel tasks: which workers run what, together or alone.
#include <atomic>
#include <cerrno>
#include <future>
#include <set>
#include <string>
#include <thread>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// Starts a policy that this runtime has under another name.
struct StartedFor {
  StartedFor(int workers, const char* policy) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.sched_policy_name = policy;
    conf.precedence_over_environment_variables = 1;
    EXPECT_EQ(0, starpu_init(&conf));
  }
  ~StartedFor() { starpu_shutdown(); }
};

// Which workers ran, and how many ran at once at most.
struct Seen {
  std::mutex lock;
  std::multiset<int> workers;
  std::multiset<int> ranks;
  std::set<int> sizes;
  int now = 0, most = 0;
};
void See(void**, void* argument) {
  auto* seen = static_cast<Seen*>(argument);
  {
    std::lock_guard guard(seen->lock);
    seen->workers.insert(starpu_worker_get_id());
    seen->ranks.insert(starpu_combined_worker_get_rank());
    seen->sizes.insert(starpu_combined_worker_get_size());
    seen->most = std::max(seen->most, ++seen->now);
  }
  std::this_thread::yield();
  std::lock_guard guard(seen->lock);
  --seen->now;
}

starpu_codelet SeeCodelet(starpu_codelet_type type = STARPU_SEQ) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = See;
  codelet.type = type;
  codelet.max_parallelism = 100;
  return codelet;
}

int Submit(starpu_codelet* codelet, Seen* seen, unsigned context) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->cl_arg = seen;
  return starpu_task_submit_to_ctx(task, context);
}

TEST(Contexts, RunTasksOnTheirOwnWorkers) {
  Started started(3);
  starpu_codelet codelet = SeeCodelet();
  int first[] = {0}, others[] = {1, 2};
  const unsigned one =
      starpu_sched_ctx_create(first, 1, "one", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  const unsigned two =
      starpu_sched_ctx_create(others, 2, "two", STARPU_SCHED_CTX_POLICY_NAME, "lws", 0);
  Seen seen_one, seen_two;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(0, Submit(&codelet, &seen_one, one));
    EXPECT_EQ(0, Submit(&codelet, &seen_two, two));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(one));
  EXPECT_EQ(100u, seen_one.workers.size());
  EXPECT_EQ(100u, seen_one.workers.count(0));
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(100u, seen_two.workers.size());
  EXPECT_EQ(0u, seen_two.workers.count(0));
  starpu_sched_ctx_delete(one);
  starpu_sched_ctx_delete(two);
  EXPECT_EQ(-EINVAL, starpu_task_wait_for_all_in_ctx(one));
}

TEST(Contexts, AreChosenForAThread) {
  Started started(2);
  starpu_codelet codelet = SeeCodelet();
  int second[] = {1};
  unsigned context =
      starpu_sched_ctx_create(second, 1, "second", STARPU_SCHED_CTX_POLICY_NAME, "prio", 0);
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS}, starpu_sched_ctx_get_context());
  starpu_sched_ctx_set_context(&context);
  EXPECT_EQ(context, starpu_sched_ctx_get_context());
  Seen seen;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_CL_ARGS_NFREE, &seen, sizeof(seen), 0));
  }
  starpu_task_wait_for_all();
  EXPECT_EQ(50u, seen.workers.count(1));
  starpu_sched_ctx_set_context(nullptr);
  starpu_sched_ctx_delete(context);
}

TEST(Contexts, WithoutWorkersKeepTasksUntilTheyHaveSome) {
  Started started(2);
  starpu_codelet codelet = SeeCodelet();
  const unsigned context =
      starpu_sched_ctx_create(nullptr, 0, "empty", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  Seen seen;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(0, Submit(&codelet, &seen, context));
  int second[] = {1};
  starpu_sched_ctx_add_workers(second, 1, context);
  starpu_task_wait_for_all();
  EXPECT_EQ(10u, seen.workers.count(1));
  starpu_sched_ctx_delete(context);
}

TEST(Contexts, WithoutWorkersHaveTheirTasksRunAllTheSameWhenTheyAreDeleted) {
  Started started(2);
  starpu_codelet codelet = SeeCodelet();
  const unsigned context =
      starpu_sched_ctx_create(nullptr, 0, "empty", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  Seen seen;
  EXPECT_EQ(0, Submit(&codelet, &seen, context));
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(1u, seen.workers.size());
}

TEST(Contexts, LeaveTheirWorkersToTheirInheritor) {
  Started started(2);
  starpu_codelet codelet = SeeCodelet();
  int first[] = {0}, second[] = {1};
  const unsigned heir =
      starpu_sched_ctx_create(nullptr, 0, "heir", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  const unsigned deleted =
      starpu_sched_ctx_create(first, 1, "deleted", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  const unsigned finished =
      starpu_sched_ctx_create(second, 1, "done", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_sched_ctx_set_inheritor(deleted, heir);
  starpu_sched_ctx_set_inheritor(finished, heir);
  EXPECT_EQ(heir, starpu_sched_ctx_get_inheritor(deleted));
  static unsigned closed;
  closed = 0;
  starpu_sched_ctx_register_close_callback(
      deleted, [](unsigned id, void*) { closed = id; }, nullptr);
  Seen seen;
  EXPECT_EQ(0, Submit(&codelet, &seen, heir));
  EXPECT_EQ(0, Submit(&codelet, &seen, deleted));
  EXPECT_EQ(0, Submit(&codelet, &seen, finished));
  starpu_sched_ctx_delete(deleted);
  EXPECT_EQ(deleted, closed);
  starpu_sched_ctx_finished_submit(finished);
  starpu_task_wait_for_all();
  EXPECT_EQ(3u, seen.workers.size());
  int* units;
  int count;
  starpu_sched_ctx_get_available_cpuids(heir, &units, &count);
  EXPECT_EQ(2, count);
  free(units);
  starpu_sched_ctx_delete(finished);
  starpu_sched_ctx_delete(heir);
}

TEST(Contexts, WithoutPolicyGiveATaskAllTheirWorkers) {
  Started started(3);
  starpu_codelet codelet = SeeCodelet();
  int workers[] = {1, 2};
  const unsigned quiet = starpu_sched_ctx_create(workers, 2, "quiet", 0);
  Seen one;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(0, Submit(&codelet, &one, quiet));
  starpu_task_wait_for_all();
  EXPECT_EQ(20u, one.workers.count(1));  // the first, while the other waits
  EXPECT_EQ(1, one.most);
  starpu_sched_ctx_delete(quiet);
  const unsigned awake =
      starpu_sched_ctx_create(workers, 2, "awake", STARPU_SCHED_CTX_AWAKE_WORKERS, 0);
  Seen all;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(0, Submit(&codelet, &all, awake));
  starpu_task_wait_for_all();
  EXPECT_EQ(20u, all.workers.count(1));
  EXPECT_EQ(20u, all.workers.count(2));
  starpu_sched_ctx_delete(awake);
}

TEST(Contexts, GiveParallelTasksToThoseNestedInThem) {
  Started started(2);
  starpu_codelet codelet = SeeCodelet();
  int both[] = {0, 1}, second[] = {1};
  const unsigned outer =
      starpu_sched_ctx_create(both, 2, "outer", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  const unsigned inner =
      starpu_sched_ctx_create(second, 1, "inner", STARPU_SCHED_CTX_NESTED, outer, 0);
  Seen seen;
  for (int i = 0; i < 20; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &seen;
    task->possibly_parallel = 1;
    EXPECT_EQ(0, starpu_task_submit_to_ctx(task, outer));
  }
  starpu_task_wait_for_all();
  EXPECT_EQ(20u, seen.workers.count(1));
  starpu_sched_ctx_delete(inner);
  starpu_sched_ctx_delete(outer);
}

TEST(Contexts, LeaveTheirProcessorsToCodeOfTheProgram) {
  Started started(2);
  starpu_codelet codelet = SeeCodelet();
  int both[] = {0, 1};
  const unsigned context =
      starpu_sched_ctx_create(both, 2, "both", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  static Seen seen;
  static starpu_codelet* submitted;
  submitted = &codelet;
  // While it runs no worker takes the task that it submits.
  const auto code = [](void* argument) -> void* {
    EXPECT_EQ(0, Submit(submitted, &seen, *static_cast<const unsigned*>(argument)));
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    std::lock_guard guard(seen.lock);
    EXPECT_TRUE(seen.workers.empty());
    return argument;
  };
  unsigned argument = context;
  EXPECT_EQ(&argument, starpu_sched_ctx_exec_parallel_code(code, &argument, context));
  starpu_task_wait_for_all();
  EXPECT_EQ(1u, seen.workers.size());
  starpu_sched_ctx_delete(context);
}

TEST(Contexts, ThatAreNotThereAreRefused) {
  Started started(1);
  starpu_codelet codelet = SeeCodelet();
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  EXPECT_EQ(-EINVAL, starpu_task_submit_to_ctx(task, 3));
  starpu_task_destroy(task);
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS},
            starpu_sched_ctx_create(nullptr, -1, "x", STARPU_SCHED_CTX_POLICY_NAME, "no such", 0));
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS}, starpu_sched_ctx_create(nullptr, -1, "x", 12345, 0));
}

TEST(ParallelTasks, RunOnEveryWorkerOfACombinedOne) {
  StartedFor started(4, "peager");
  ASSERT_EQ(3u, starpu_combined_worker_get_count());
  starpu_codelet codelet = SeeCodelet(STARPU_SPMD);
  Seen seen;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_CL_ARGS_NFREE, &seen, sizeof(seen), 0));
  }
  starpu_task_wait_for_all();
  EXPECT_EQ((std::set<int>{4}), seen.sizes);
  for (int worker = 0; worker < 4; ++worker) {
    EXPECT_EQ(50u, seen.workers.count(worker));
    EXPECT_EQ(50u, seen.ranks.count(worker));
  }
}

TEST(ParallelTasks, OfTheForkJoinKindRunOnceForAll) {
  StartedFor started(4, "pheft");
  starpu_codelet codelet = SeeCodelet(STARPU_FORKJOIN);
  codelet.max_parallelism = 2;
  Seen seen;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_CL_ARGS_NFREE, &seen, sizeof(seen), 0));
  }
  starpu_task_wait_for_all();
  EXPECT_EQ(50u, seen.workers.size());
  EXPECT_EQ((std::set<int>{2}), seen.sizes);
}

TEST(ParallelTasks, AreSentToCombinedWorkersByNumberAmidOthers) {
  StartedFor started(4, "peager");
  starpu_codelet parallel = SeeCodelet(STARPU_SPMD), single = SeeCodelet();
  const int second_pair = 5;
  EXPECT_TRUE(starpu_worker_is_combined_worker(second_pair));
  EXPECT_FALSE(starpu_worker_is_combined_worker(3));
  int size, *members;
  ASSERT_EQ(0, starpu_combined_worker_get_description(second_pair, &size, &members));
  ASSERT_EQ(2, size);
  EXPECT_EQ(2, members[0]);
  EXPECT_EQ(3, members[1]);
  EXPECT_EQ(-EINVAL, starpu_combined_worker_get_description(0, &size, &members));
  Seen pair, all, alone;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(0, starpu_task_insert(&parallel, STARPU_CL_ARGS_NFREE, &pair, sizeof(pair),
                                    STARPU_EXECUTE_ON_WORKER, second_pair, 0));
    EXPECT_EQ(0, starpu_task_insert(&parallel, STARPU_CL_ARGS_NFREE, &all, sizeof(all), 0));
    EXPECT_EQ(0, starpu_task_insert(&single, STARPU_CL_ARGS_NFREE, &alone, sizeof(alone), 0));
  }
  starpu_task_wait_for_all();
  EXPECT_EQ(400u, pair.workers.size());
  EXPECT_EQ(200u, pair.workers.count(3));
  EXPECT_EQ(800u, all.workers.size());
  EXPECT_EQ(200u, alone.workers.size());
  EXPECT_EQ((std::set<int>{1}), alone.sizes);
}

TEST(ParallelTasks, UseTheirDataOnce) {
  StartedFor started(3, "peager");
  static std::atomic<int> calls;
  calls = 0;
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  starpu_codelet codelet = {};
  codelet.type = STARPU_SPMD;
  codelet.max_parallelism = 3;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  codelet.cpu_funcs[0] = [](void** buffers, void*) {
    ++calls;
    if (starpu_combined_worker_get_rank() != 0) return;
    ++*reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  };
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_RW, handle, 0));
  }
  starpu_data_unregister(handle);
  EXPECT_EQ(100, value);
  EXPECT_EQ(300, calls);
}

TEST(Contexts, TellWhoServesThem) {
  Started started(3);
  int first_two[] = {0, 1}, last_two[] = {1, 2};
  const unsigned one = starpu_sched_ctx_create(first_two, 2, "one", 0);
  const unsigned other = starpu_sched_ctx_create(last_two, 2, "other", 0);
  EXPECT_EQ(1u, starpu_sched_ctx_get_nshared_workers(one, other));
  EXPECT_EQ(2u, starpu_sched_ctx_get_nshared_workers(0, other));
  EXPECT_EQ(1u, starpu_sched_ctx_contains_type_of_worker(STARPU_CPU_WORKER, one));
  EXPECT_EQ(0u, starpu_sched_ctx_contains_type_of_worker(STARPU_CUDA_WORKER, one));
  EXPECT_EQ(0u, starpu_sched_ctx_overlapping_ctxs_on_worker(0));
  EXPECT_EQ(1u, starpu_sched_ctx_overlapping_ctxs_on_worker(1));
  unsigned* contexts = nullptr;
  ASSERT_EQ(2u, starpu_worker_get_sched_ctx_list(2, &contexts));
  EXPECT_EQ(std::make_pair(0u, other), std::make_pair(contexts[0], contexts[1]));
  free(contexts);
  starpu_sched_ctx_delete(other);
  starpu_sched_ctx_delete(one);
}

}  // namespace
}  // namespace tasklens
