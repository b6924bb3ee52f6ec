// SPDX-License-Identifier: Apache-2.0
// Policies, contexts and parallel tasks with one another: who runs what under which policy, and
// what profiling, counters and traces say of it.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/recorded.h"
#include "tests/runtime/spin.h"

namespace tasklens {
namespace {

// By which workers tasks were run.
struct Seen {
  std::mutex lock;
  std::multiset<int> workers;
};
void See(void**, void* argument) {
  auto* seen = static_cast<Seen*>(argument);
  std::lock_guard guard(seen->lock);
  seen->workers.insert(starpu_worker_get_id());
}

starpu_codelet CodeletOf(starpu_cpu_func_t function) {
  starpu_codelet codelet = {};
  codelet.name = "in context";
  codelet.cpu_funcs[0] = function;
  return codelet;
}

void Submit(starpu_codelet* codelet, void* argument, unsigned context, int priority = 0) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->cl_arg = argument;
  task->priority = priority;
  EXPECT_EQ(0, starpu_task_submit_to_ctx(task, context));
}

TEST(PoliciesOfContexts, GiveTasksToTheContextsWorkersOnly) {
  Started started(3);
  starpu_codelet codelet = CodeletOf(See);
  int others[] = {1, 2};
  for (starpu_sched_policy** policy = starpu_sched_get_predefined_policies(); *policy; ++policy) {
    const char* name = (*policy)->policy_name;
    const unsigned context =
        starpu_sched_ctx_create(others, 2, "others", STARPU_SCHED_CTX_POLICY_NAME, name, 0);
    ASSERT_LT(context, unsigned{STARPU_NMAX_SCHED_CTXS}) << name;
    EXPECT_EQ(*policy, starpu_sched_ctx_get_sched_policy(context)) << name;
    Seen seen;
    for (int i = 0; i < 100; ++i) Submit(&codelet, &seen, context, i % 3);
    EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
    EXPECT_EQ(100u, seen.workers.size()) << name;
    EXPECT_EQ(0u, seen.workers.count(0)) << name;
    starpu_sched_ctx_delete(context);
  }
}

TEST(PoliciesOfContexts, LoseNoTaskWithAWorkerThatIsRemoved) {
  for (const char* name : {"random", "modular-random", "lws", "eager", "dmdas"}) {
    Started started(2);
    starpu_codelet codelet = CodeletOf(See);
    int both[] = {0, 1};
    const unsigned context =
        starpu_sched_ctx_create(both, 2, "both", STARPU_SCHED_CTX_POLICY_NAME, name, 0);
    Seen before, after;
    starpu_pause();
    for (int i = 0; i < 100; ++i) Submit(&codelet, &before, context);
    starpu_sched_ctx_remove_workers(both + 1, 1, context);
    starpu_resume();
    EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
    EXPECT_EQ(100u, before.workers.size()) << name;
    for (int i = 0; i < 100; ++i) {
      Submit(&codelet, &after, context);
      EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
    }
    EXPECT_EQ(100u, after.workers.size()) << name;
    if (std::string(name) == "random") {
      EXPECT_EQ(100u, after.workers.count(0));
    }
    starpu_sched_ctx_delete(context);
  }
}

// A list under a lock for each context, and a log of what the policy was told.
struct Stack {
  starpu_task_list tasks;
  std::mutex lock;
};
std::vector<std::string> g_log;
std::mutex g_log_lock;
void Log(const std::string& text) {
  std::lock_guard guard(g_log_lock);
  g_log.push_back(text);
}
Stack& StackOf(unsigned context) {
  return *static_cast<Stack*>(starpu_sched_ctx_get_policy_data(context));
}
starpu_sched_policy StackPolicy() {
  starpu_sched_policy policy = {};
  policy.policy_name = "stack";
  policy.init_sched = [](unsigned context) {
    auto* stack = new Stack;
    starpu_task_list_init(&stack->tasks);
    starpu_sched_ctx_set_policy_data(context, stack);
  };
  policy.deinit_sched = [](unsigned context) {
    Log("deinit " + std::to_string(context));
    delete &StackOf(context);
  };
  policy.add_workers = [](unsigned context, int* workers, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      Log("add " + std::to_string(workers[i]) + " to " + std::to_string(context));
    }
  };
  policy.remove_workers = [](unsigned context, int* workers, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      Log("remove " + std::to_string(workers[i]) + " from " + std::to_string(context));
    }
  };
  policy.push_task = [](starpu_task* task) {
    Stack& stack = StackOf(task->sched_ctx);
    std::lock_guard guard(stack.lock);
    starpu_task_list_push_front(&stack.tasks, task);
    starpu_push_task_end(task);
    return 0;
  };
  policy.pop_task = [](unsigned context) -> starpu_task* {
    Stack& stack = StackOf(context);
    std::lock_guard guard(stack.lock);
    return starpu_task_list_empty(&stack.tasks) ? nullptr
                                                : starpu_task_list_pop_front(&stack.tasks);
  };
  policy.pre_exec_hook = [](starpu_task*, unsigned context) {
    Log("run in " + std::to_string(context));
  };
  return policy;
}

TEST(PoliciesOfContexts, MayBeTheProgramsOwn) {
  g_log.clear();
  starpu_sched_policy policy = StackPolicy();
  Started started(2);
  starpu_codelet codelet = CodeletOf(See);
  int first[] = {0}, second[] = {1};
  const unsigned one =
      starpu_sched_ctx_create(first, 1, "one", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  const unsigned two = starpu_sched_ctx_create(second, 1, "two", STARPU_SCHED_CTX_POLICY_STRUCT,
                                               &policy, STARPU_SCHED_CTX_POLICY_MAX_PRIO, 7, 0);
  ASSERT_EQ(1u, one);
  ASSERT_EQ(2u, two);
  EXPECT_EQ(&policy, starpu_sched_ctx_get_sched_policy(two));
  EXPECT_EQ(7, starpu_sched_ctx_get_max_priority(two));
  EXPECT_FALSE(starpu_sched_ctx_max_priority_is_set(one));
  EXPECT_EQ(1u, starpu_sched_ctx_get_nworkers(two));
  EXPECT_TRUE(starpu_sched_ctx_contains_worker(1, two));
  EXPECT_FALSE(starpu_sched_ctx_contains_worker(0, two));
  EXPECT_TRUE(starpu_sched_ctx_contains_worker(0, 0));
  Seen in_one, in_two, in_none;
  Submit(&codelet, &in_one, one);
  Submit(&codelet, &in_two, two);
  Submit(&codelet, &in_none, 0);  // no policy of the program's hears of it
  starpu_task_wait_for_all();
  EXPECT_EQ((std::multiset<int>{0}), in_one.workers);
  EXPECT_EQ((std::multiset<int>{1}), in_two.workers);
  EXPECT_EQ(1u, in_none.workers.size());
  starpu_sched_ctx_delete(one);
  starpu_sched_ctx_delete(two);
  EXPECT_EQ(
      (std::multiset<std::string>{"add 0 to 1", "add 1 to 2", "run in 1", "run in 2",
                                  "remove 0 from 1", "deinit 1", "remove 1 from 2", "deinit 2"}),
      (std::multiset<std::string>(g_log.begin(), g_log.end())));
}

TEST(PoliciesOfContexts, ThatWereNotDeletedEndWithTheRuntime) {
  g_log.clear();
  starpu_sched_policy policy = StackPolicy();
  {
    Started started(2);
    int workers[] = {1};
    ASSERT_EQ(1u, starpu_sched_ctx_create(workers, 1, "left", STARPU_SCHED_CTX_POLICY_STRUCT,
                                          &policy, 0));
    ASSERT_EQ(2u, starpu_sched_ctx_create(workers, 1, "no policy", 0));
  }
  EXPECT_EQ((std::vector<std::string>{"add 1 to 1", "remove 1 from 1", "deinit 1"}), g_log);
}

TEST(Contexts, DeletedByOneOfTheirTasksGoWhenTheLastHasEnded) {
  Started started(2);
  static std::atomic<unsigned> context, closed;
  closed = 0;
  starpu_codelet deleting = CodeletOf([](void**, void*) { starpu_sched_ctx_delete(context); });
  starpu_codelet codelet = CodeletOf(See);
  int second[] = {1};
  context = starpu_sched_ctx_create(second, 1, "second", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_sched_ctx_register_close_callback(
      context, [](unsigned id, void*) { closed = id; }, nullptr);
  Seen seen;
  starpu_pause();
  Submit(&deleting, nullptr, context);
  for (int i = 0; i < 10; ++i) Submit(&codelet, &seen, context);
  starpu_resume();
  starpu_task_wait_for_all();
  EXPECT_EQ(10u, seen.workers.count(1));
  EXPECT_EQ(context, closed);
}

// A parallel task on both workers, and one of a context.
void RunTogetherAndInContext() {
  static starpu_codelet together, alone;
  together = CodeletOf([](void**, void*) { SpinUs(5000); });
  together.name = "together";
  together.type = STARPU_SPMD;
  together.max_parallelism = 2;
  alone = CodeletOf([](void**, void*) { SpinUs(5000); });
  int second[] = {1};
  const unsigned context =
      starpu_sched_ctx_create(second, 1, "second", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  EXPECT_EQ(0, starpu_task_insert(&together, 0));
  Submit(&alone, nullptr, context);
  starpu_task_wait_for_all();
  starpu_sched_ctx_delete(context);
}

TEST(TeamsAndContexts, AreSeenByProfilingAndCounters) {
  Started started(2, "peager");
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  static std::atomic<int64_t> executed;
  executed = 0;
  static const int id = starpu_perf_counter_name_to_id(starpu_perf_counter_scope_per_worker,
                                                       "starpu.task.w_total_executed");
  starpu_perf_counter_set* set =
      starpu_perf_counter_set_alloc(starpu_perf_counter_scope_per_worker);
  starpu_perf_counter_set_enable_id(set, id);
  starpu_perf_counter_listener* listener = starpu_perf_counter_listener_init(
      set,
      [](starpu_perf_counter_listener*, starpu_perf_counter_sample* sample, void*) {
        executed =
            std::max(executed.load(), starpu_perf_counter_sample_get_int64_value(sample, id));
      },
      nullptr);
  starpu_perf_counter_collection_start();
  starpu_perf_counter_set_per_worker_listener(1, listener);
  RunTogetherAndInContext();
  EXPECT_EQ(0, starpu_task_nready());
  starpu_perf_counter_collection_stop();
  starpu_perf_counter_unset_per_worker_listener(1);
  starpu_perf_counter_listener_exit(listener);
  starpu_perf_counter_set_free(set);
  // The task of the context; a parallel one counts for the first of its workers.
  EXPECT_EQ(1, executed);
  starpu_profiling_worker_info info[2];
  for (int worker = 0; worker < 2; ++worker) {
    ASSERT_EQ(0, starpu_profiling_worker_get_info(worker, &info[worker]));
    EXPECT_EQ(1, info[worker].executed_tasks);
  }
  // Both ran the parallel one.
  EXPECT_GE(starpu_timing_timespec_to_us(&info[0].executing_time), 5000);
  EXPECT_GE(starpu_timing_timespec_to_us(&info[1].executing_time), 10000);
}

TEST(TeamsAndContexts, AreRecorded) {
  const TraceModel model =
      Recorded({.name = "teams", .policy = "peager"}, [] { RunTogetherAndInContext(); });
  ASSERT_EQ(2u, model.tasks.size());
  for (size_t task = 0; task < 2; ++task) {
    const bool in_context = model.str(model.tasks.name[task]) == "in context";
    EXPECT_EQ(in_context ? 1u : 0u, model.tasks.ctx[task]);
    EXPECT_NE(kNever, model.tasks.end_ns[task]);
  }
  // Both workers ran the parallel one, and the second the other.
  size_t runs = 0;
  for (size_t state = 0; state < model.states.size(); ++state) {
    runs += model.states.kind[state] == StateKind::kTask;
  }
  EXPECT_EQ(3u, runs);
}

}  // namespace
}  // namespace tasklens
