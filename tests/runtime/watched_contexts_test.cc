// SPDX-License-Identifier: Apache-2.0
// What a program is told of a scheduling context, and what it can do about it.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// What was told since the last Reset(). A hypervisor's functions have no argument of their own.
struct News {
  std::mutex lock;
  std::multiset<unsigned> submitted, popped, pushed, run, empty, deleted;
  std::set<int> idle;
  std::condition_variable idle_changed;
  size_t bytes = 0;
  double flops = 0;
  std::set<uint32_t> footprints;
  int tag = 0;
  int given[1] = {0};  // the worker that an empty context gets
} news;

#define NOTE(set, value)            \
  std::lock_guard guard(news.lock); \
  news.set.insert(value)

starpu_sched_ctx_performance_counters Functions() {
  starpu_sched_ctx_performance_counters functions = {};
  functions.notify_submitted_job = [](starpu_task* task, uint32_t footprint, size_t bytes) {
    NOTE(submitted, task->sched_ctx);
    news.footprints.insert(footprint);
    news.bytes += bytes;
  };
  functions.notify_pushed_task = [](unsigned context, int) { NOTE(pushed, context); };
  functions.notify_poped_task = [](unsigned context, int) { NOTE(popped, context); };
  functions.notify_post_exec_task = [](starpu_task* task, size_t bytes, uint32_t footprint, int tag,
                                       double flops) {
    NOTE(run, task->sched_ctx);
    news.footprints.insert(footprint);
    news.bytes += bytes;
    news.flops += flops;
    news.tag = tag;
  };
  functions.notify_idle_cycle = [](unsigned, int worker, double) {
    NOTE(idle, worker);
    news.idle_changed.notify_one();
  };
  functions.notify_empty_ctx = [](unsigned context, starpu_task*) {
    starpu_sched_ctx_add_workers(news.given, 1, context);
    NOTE(empty, context);
  };
  functions.notify_delete_context = [](unsigned context) { NOTE(deleted, context); };
  return functions;
}

void Reset() {
  std::lock_guard guard(news.lock);
  for (auto* set :
       {&news.submitted, &news.popped, &news.pushed, &news.run, &news.empty, &news.deleted})
    set->clear();
  news.idle.clear();
  news.footprints.clear();
  news.bytes = 0;
  news.flops = 0;
}

void Nothing(void**, void*) {}

TEST(WatchedContexts, TellOfEachTask) {
  Started started(2);
  Reset();
  int workers[] = {0, 1};
  const unsigned context =
      starpu_sched_ctx_create(workers, 2, "watched", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_sched_ctx_performance_counters functions = Functions();
  starpu_sched_ctx_set_perf_counters(context, &functions);
  double value[4] = {};
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(value), 4,
                              sizeof(double));
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Nothing;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  for (int i = 0; i < 10; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = handle;
    task->flops = 3;
    task->hypervisor_tag = 7;
    ASSERT_EQ(0, starpu_task_submit_to_ctx(task, context));
  }
  ASSERT_EQ(0, starpu_task_submit(starpu_task_create()));  // of context 0, which nobody watches
  starpu_task_wait_for_all();
  {
    std::lock_guard guard(news.lock);
    EXPECT_EQ(10u, news.submitted.count(context));
    EXPECT_EQ(10u, news.popped.count(context));
    EXPECT_EQ(10u, news.run.count(context));
    EXPECT_GE(news.pushed.count(context), 10u);
    EXPECT_EQ(10u, news.submitted.size());
    EXPECT_EQ(2 * 10 * sizeof(value), news.bytes);
    EXPECT_EQ(30, news.flops);
    EXPECT_EQ(7, news.tag);
    EXPECT_EQ(1u, news.footprints.size());
  }
  // Both have nothing to do from now on, and say so, asleep or not.
  {
    std::unique_lock guard(news.lock);
    news.idle_changed.wait(guard, [] { return news.idle == std::set<int>{0, 1}; });
  }
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(1u, news.deleted.count(context));
  starpu_data_unregister(handle);
}

TEST(WatchedContexts, WithoutWorkersAskForSome) {
  Started started(2);
  Reset();
  const unsigned context =
      starpu_sched_ctx_create(nullptr, 0, "empty", STARPU_SCHED_CTX_POLICY_NAME, "prio", 0);
  starpu_sched_ctx_performance_counters functions = Functions();
  starpu_sched_ctx_set_perf_counters(context, &functions);
  static std::atomic<int> ran_on;
  ran_on = -1;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ran_on = starpu_worker_get_id(); };
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  ASSERT_EQ(0, starpu_task_submit_to_ctx(task, context));
  EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
  EXPECT_EQ(news.given[0], ran_on);
  EXPECT_EQ(1u, news.empty.count(context));
  starpu_sched_ctx_delete(context);
}

TEST(WatchedContexts, ThatAreNoLongerWatchedTellNothing) {
  Started started(1);
  Reset();
  int workers[] = {0};
  const unsigned context =
      starpu_sched_ctx_create(workers, 1, "watched", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_sched_ctx_performance_counters functions = Functions();
  starpu_sched_ctx_set_perf_counters(context, &functions);
  starpu_sched_ctx_set_perf_counters(context, nullptr);
  ASSERT_EQ(0, starpu_task_submit_to_ctx(starpu_task_create(), context));
  starpu_task_wait_for_all();
  EXPECT_TRUE(news.submitted.empty());
  starpu_sched_ctx_delete(context);
}

TEST(WatchedContexts, KnowWhetherTheProgramHasAHypervisor) {
  Started started(1);
  EXPECT_EQ(0u, starpu_sched_ctx_check_if_hypervisor_exists());
  starpu_sched_ctx_notify_hypervisor_exists();
  EXPECT_EQ(1u, starpu_sched_ctx_check_if_hypervisor_exists());
}

TEST(Contexts, CountWhatIsReady) {
  Started started(2);
  int workers[] = {1};
  const unsigned context =
      starpu_sched_ctx_create(workers, 1, "small", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Nothing;
  starpu_pause();
  for (int i = 0; i < 6; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->flops = 2;
    ASSERT_EQ(0, starpu_task_submit_to_ctx(task, i < 4 ? context : 0));
  }
  EXPECT_EQ(4, starpu_sched_ctx_get_nready_tasks(context));
  EXPECT_EQ(8, starpu_sched_ctx_get_nready_flops(context));
  EXPECT_EQ(2, starpu_sched_ctx_get_nready_tasks(0));
  EXPECT_EQ(4, starpu_sched_ctx_get_nready_flops(0));
  starpu_resume();
  EXPECT_EQ(0, starpu_task_wait_for_n_submitted_in_ctx(context, 2));
  EXPECT_LE(starpu_sched_ctx_get_nready_tasks(context), 2);
  starpu_task_wait_for_all();
  EXPECT_EQ(0, starpu_sched_ctx_get_nready_tasks(context));
  EXPECT_EQ(0, starpu_sched_ctx_get_nready_flops(context));
  EXPECT_EQ(0, starpu_sched_ctx_get_nready_flops(0));
  EXPECT_EQ(-EINVAL, starpu_task_wait_for_n_submitted_in_ctx(context + 1, 0));
  starpu_sched_ctx_delete(context);
}

TEST(Contexts, SayWhoTheCallingWorkerIsInThem) {
  Started started(3);
  static unsigned context;
  static int rank[3], member[3];
  int workers[] = {0, 2};
  context = starpu_sched_ctx_create(workers, 2, "outer", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_execute_on_each_worker(
      [](void*) {
        const int self = starpu_worker_get_id();
        rank[self] = starpu_sched_ctx_get_worker_rank(context);
        member[self] = static_cast<int>(starpu_sched_ctx_worker_get_id(context));
      },
      nullptr, STARPU_CPU);
  EXPECT_EQ(0, rank[0]);
  EXPECT_EQ(-1, rank[1]);
  EXPECT_EQ(1, rank[2]);
  EXPECT_EQ(2, member[2]);
  EXPECT_EQ(-1, member[1]);
  EXPECT_EQ(-1, starpu_sched_ctx_get_worker_rank(context));
  unsigned awake = 2;
  EXPECT_EQ(1u, starpu_sched_ctx_has_starpu_scheduler(context, &awake));
  EXPECT_EQ(0u, awake);
  starpu_sched_ctx_delete(context);
  context = starpu_sched_ctx_create(workers, 2, "own", STARPU_SCHED_CTX_AWAKE_WORKERS, 0);
  EXPECT_EQ(0u, starpu_sched_ctx_has_starpu_scheduler(context, &awake));
  EXPECT_EQ(1u, awake);
  starpu_sched_ctx_delete(context);
}

}  // namespace
}  // namespace tasklens
