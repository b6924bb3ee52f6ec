// SPDX-License-Identifier: Apache-2.0
// Scheduling contexts: the order in which workers look for their tasks, tasks that move, workers
// that are booked, shares and intervals.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/own_policy.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

std::string g_order;  // written by one worker

starpu_codelet g_note = [] {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* letter) { g_order += *static_cast<char*>(letter); };
  return codelet;
}();

void Submit(unsigned context, const char* letter) {
  starpu_task* task = starpu_task_create();
  task->cl = &g_note;
  task->cl_arg = const_cast<char*>(letter);
  task->sched_ctx = context;
  ASSERT_EQ(0, starpu_task_submit(task));
}

unsigned Create(std::vector<int> workers, const char* policy = "eager") {
  return starpu_sched_ctx_create(workers.data(), static_cast<int>(workers.size()), "context",
                                 STARPU_SCHED_CTX_POLICY_NAME, policy, 0);
}

// --- Order --------------------------------------------------------------------------------------

class OrderOfContexts : public testing::Test {
 protected:
  OrderOfContexts() : started_(1), first_(Create({0})), second_(Create({0})) { g_order = ""; }
  // What the worker runs of a task of each.
  std::string Run() {
    g_order = "";
    starpu_pause();
    Submit(0, "0");
    Submit(first_, "1");
    Submit(second_, "2");
    starpu_resume();
    starpu_task_wait_for_all();
    return g_order;
  }
  void SetPriority(unsigned context, unsigned priority) {
    int worker = 0;
    starpu_sched_ctx_set_priority(&worker, 1, context, priority);
    EXPECT_EQ(priority, starpu_sched_ctx_get_priority(0, context));
  }
  Started started_;
  const unsigned first_, second_;
};

TEST_F(OrderOfContexts, HasTheFirstContextLastUntilSomebodySaysOtherwise) {
  EXPECT_EQ(0u, starpu_sched_ctx_get_priority(0, 0));
  EXPECT_EQ(1u, starpu_sched_ctx_get_priority(0, first_));
  EXPECT_EQ("120", Run());
}

TEST_F(OrderOfContexts, FollowsPriorities) {
  SetPriority(second_, 2);
  EXPECT_EQ("210", Run());
  SetPriority(0, 3);
  EXPECT_EQ("021", Run());
  SetPriority(first_, 4);
  EXPECT_EQ("102", Run());
}

TEST_F(OrderOfContexts, OfOnePriorityFollowsWhatPoliciesCount) {
  starpu_sched_ctx_list_task_counters_increment(second_, 0);
  EXPECT_EQ("210", Run());
  starpu_sched_ctx_list_task_counters_decrement(second_, 0);
  starpu_sched_ctx_list_task_counters_decrement(second_, 0);
  EXPECT_EQ("120", Run());
  starpu_sched_ctx_list_task_counters_increment_all_ctx_locked(nullptr, second_);
  EXPECT_EQ("210", Run());
  starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked(nullptr, second_);
  EXPECT_EQ("120", Run());
  starpu_sched_ctx_list_task_counters_increment(second_, 0);
  starpu_sched_ctx_list_task_counters_increment(second_, 0);
  starpu_sched_ctx_list_task_counters_reset_all(nullptr, second_);
  EXPECT_EQ("120", Run());
  starpu_sched_ctx_list_task_counters_increment(second_, 0);
  starpu_sched_ctx_list_task_counters_reset(second_, 0);
  EXPECT_EQ("120", Run());
}

TEST_F(OrderOfContexts, IsNothingForAWorkerThatIsNotThere) {
  int worker = 0;
  starpu_sched_ctx_remove_workers(&worker, 1, second_);
  EXPECT_EQ(0u, starpu_sched_ctx_get_priority(0, second_));
  EXPECT_DEATH(starpu_sched_ctx_get_priority(7, 0), "there is no worker 7");
  starpu_sched_ctx_add_workers(&worker, 1, second_);
  EXPECT_EQ(1u, starpu_sched_ctx_get_priority(0, second_));
}

// --- Tasks that move ----------------------------------------------------------------------------

unsigned g_target;

// Moves each task to another context as soon as it gets it.
starpu_sched_policy MovingPolicy() {
  starpu_sched_policy policy = OwnPolicy();
  policy.policy_name = "moving";
  policy.push_task = [](starpu_task* task) {
    starpu_sched_ctx_revert_task_counters_ctx_locked(task->sched_ctx, task->flops);
    starpu_sched_ctx_move_task_to_ctx_locked(task, g_target, 1);
    return 0;
  };
  return policy;
}

TEST(MovedTasks, AreThoseOfTheirNewContext) {
  Started started(2);
  starpu_sched_policy policy = MovingPolicy();
  int all[] = {0, 1};
  const unsigned from =
      starpu_sched_ctx_create(all, 2, "from", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  static std::atomic<int> ran, elsewhere;
  static unsigned to;
  ran = elsewhere = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    ++ran;
    elsewhere += starpu_task_get_current()->sched_ctx != g_target;
  };
  to = Create({1});
  for (const unsigned target : {to, 0u}) {
    g_target = target;
    for (int i = 0; i < 50; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &codelet;
      task->flops = 2;
      task->sched_ctx = from;
      ASSERT_EQ(0, starpu_task_submit(task));
    }
    // None is left in the context that they were submitted to.
    starpu_task_wait_for_all_in_ctx(from);
    starpu_task_wait_for_all();
    for (const unsigned context : {from, to, 0u})
      EXPECT_EQ(0, starpu_sched_ctx_get_nready_flops(context)) << context;
  }
  EXPECT_EQ(100, ran);
  EXPECT_EQ(0, elsewhere);
  starpu_sched_ctx_delete(from);
  starpu_sched_ctx_delete(to);
}

TEST(MovedTasks, HaveToBeReady) {
  Started started(1);
  starpu_task* task = starpu_task_create();
  EXPECT_DEATH(starpu_sched_ctx_move_task_to_ctx_locked(task, 0, 1), "is not ready");
  starpu_task_destroy(task);
}

// --- A context without workers ------------------------------------------------------------------

TEST(StoppedSubmission, KeepsWhatComesAfterItForLater) {
  Started started(1);
  unsigned context = Create({});
  g_order = "";
  Submit(context, "a");
  Submit(context, "b");
  starpu_sched_ctx_set_context(&context);
  starpu_sched_ctx_stop_task_submission();
  Submit(context, "c");
  int worker = 0;
  starpu_sched_ctx_add_workers(&worker, 1, context);
  starpu_task_wait_for_n_submitted_in_ctx(context, 1);
  EXPECT_EQ("ab", g_order);
  starpu_sched_ctx_stop_task_submission();  // with workers: nothing
  starpu_sched_ctx_remove_workers(&worker, 1, context);
  starpu_sched_ctx_add_workers(&worker, 1, context);
  starpu_task_wait_for_all_in_ctx(context);
  EXPECT_EQ("abc", g_order);
  starpu_sched_ctx_set_context(nullptr);
  starpu_sched_ctx_delete(context);
}

TEST(StoppedSubmission, EndsWithTheContext) {
  Started started(1);
  unsigned context = Create({});
  g_order = "";
  starpu_sched_ctx_set_context(&context);
  starpu_sched_ctx_stop_task_submission();
  starpu_sched_ctx_set_context(nullptr);
  Submit(context, "a");
  int worker = 0;
  starpu_sched_ctx_add_workers(&worker, 1, context);
  starpu_sched_ctx_delete(context);
  EXPECT_EQ("a", g_order);
}

// --- The window ---------------------------------------------------------------------------------

std::atomic<int> g_pushed, g_most;

TEST(Window, KeepsTasksOutsideOfAPolicyThatExpectsThemToEndLate) {
  setenv("STARPU_WINDOW_TIME_SIZE", "1", 1);
  g_pushed = g_most = 0;
  Started started(1);
  starpu_sched_policy policy = OwnPolicy();
  static int (*push)(starpu_task*);
  static starpu_task* (*pop)(unsigned);
  push = policy.push_task;
  pop = policy.pop_task;
  policy.push_task = [](starpu_task* task) {
    const int pushed = ++g_pushed;
    if (pushed > g_most) g_most = pushed;
    return push(task);
  };
  policy.pop_task = [](unsigned context) {
    starpu_task* task = pop(context);
    if (task) --g_pushed;
    return task;
  };
  // Each task before it takes half a second, as it says.
  policy.simulate_push_task = [](starpu_task*) { return 1e9 + 5e5 * (1 + g_pushed); };
  int worker = 0;
  const unsigned context =
      starpu_sched_ctx_create(&worker, 1, "window", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  starpu_sched_ctx_update_start_resizing_sample(context, 1e9);
  g_order = "";
  starpu_pause();
  for (int i = 0; i < 10; ++i) Submit(context, "x");
  EXPECT_EQ(2, g_pushed);  // the third would end after a second and a half
  starpu_resume();
  starpu_task_wait_for_all_in_ctx(context);
  EXPECT_EQ(std::string(10, 'x'), g_order);
  EXPECT_LE(g_most, 2);
  starpu_sched_ctx_delete(context);
  unsetenv("STARPU_WINDOW_TIME_SIZE");
}

// --- Booked workers -----------------------------------------------------------------------------

TEST(BookedWorkers, DoNothingUntilTheyAreFreeAgain) {
  static std::atomic<unsigned> seen;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { seen |= 1u << starpu_worker_get_id(); };
  Started started(4);
  int workers[] = {1, 2, 3};
  EXPECT_EQ(1, starpu_sched_ctx_book_workers_for_task(0, workers, 3));
  EXPECT_EQ(-1, starpu_sched_ctx_book_workers_for_task(0, &workers[2], 1));
  seen = 0;
  for (int i = 0; i < 200; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(0u, seen & 0b1100u);
  starpu_sched_ctx_unbook_workers_for_task(0, 1);
  // Each of them runs tasks again.
  for (int worker = 0; worker < 4; ++worker)
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_EXECUTE_ON_WORKER, worker, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(0b1111u, seen);
}

TEST(BookedWorkers, AreThoseOfATaskThatBooksThem) {
  static std::atomic<int> master;
  master = -2;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    int workers[] = {0, 1};
    master = starpu_sched_ctx_book_workers_for_task(0, workers, 2);
    starpu_sched_ctx_unbook_workers_for_task(0, master);
  };
  Started started(2);
  ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_EXECUTE_ON_WORKER, 1, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, master);
}

TEST(BookedWorkers, AreFreeWhenTheContextOrTheRunEnds) {
  Started started(3);
  const unsigned context = Create({0, 1});
  int workers[] = {0, 1};
  EXPECT_EQ(0, starpu_sched_ctx_book_workers_for_task(context, workers, 2));
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(0, starpu_sched_ctx_book_workers_for_task(0, workers, 2));
}

TEST(BookedWorkers, HaveToBeTheContexts) {
  Started started(2);
  const unsigned context = Create({0});
  int workers[] = {0, 1}, twice[] = {0, 0};
  testing::internal::CaptureStderr();
  EXPECT_EQ(-1, starpu_sched_ctx_book_workers_for_task(context, workers, 2));
  EXPECT_EQ(-1, starpu_sched_ctx_book_workers_for_task(context, twice, 2));
  starpu_sched_ctx_unbook_workers_for_task(context, 0);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(std::string::npos, told.find("worker 1 is none of context"));
  EXPECT_NE(std::string::npos, told.find("nothing is booked for worker 0"));
  starpu_sched_ctx_delete(context);
}

// --- Masters, shares, intervals, collections ----------------------------------------------------

TEST(Masters, AreTheFirstWorkersOfContextsWithoutAPolicy) {
  Started started(4);
  int all[] = {0, 1, 2, 3}, some[] = {2, 3};
  const unsigned outer =
      starpu_sched_ctx_create(all, 4, "outer", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  const unsigned inner =
      starpu_sched_ctx_create(some, 2, "inner", STARPU_SCHED_CTX_NESTED, outer, 0);
  EXPECT_EQ(inner, starpu_sched_ctx_master_get_context(2));
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS}, starpu_sched_ctx_master_get_context(0));
  EXPECT_EQ(inner, starpu_sched_ctx_worker_is_master_for_child_ctx(2, outer));
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS},
            starpu_sched_ctx_worker_is_master_for_child_ctx(3, outer));
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS},
            starpu_sched_ctx_worker_is_master_for_child_ctx(2, 0));
  starpu_sched_ctx_delete(inner);
  starpu_sched_ctx_delete(outer);
}

TEST(Shares, OfADeviceAreTheNextThatNobodyHas) {
  Started started(2);
  const auto create = [](int worker, int count) {
    return starpu_sched_ctx_create(&worker, 1, "share", STARPU_SCHED_CTX_CUDA_NSMS, count,
                                   STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  };
  const unsigned first = create(0, 6), second = create(1, 7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS}, create(0, 1));
  EXPECT_NE(std::string::npos, testing::internal::GetCapturedStderr().find("0 that are free"));
  EXPECT_EQ(7, starpu_sched_ctx_get_nsms(second));
  EXPECT_EQ(0, starpu_sched_ctx_get_nsms(0));
  EXPECT_EQ(1, starpu_sched_ctx_get_stream_worker(second));
  EXPECT_EQ(second, starpu_worker_get_sched_ctx_id_stream(1));
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS}, starpu_worker_get_sched_ctx_id_stream(9));
  int begin, end;
  starpu_sched_ctx_get_sms_interval(1, &begin, &end);
  EXPECT_EQ(6, begin);
  EXPECT_EQ(13, end);
  starpu_sched_ctx_delete(first);
  starpu_sched_ctx_get_sms_interval(0, &begin, &end);
  EXPECT_EQ(0, begin);
  EXPECT_EQ(13, end);
  starpu_sched_ctx_delete(second);
}

TEST(Intervals, TakeFreeWorkersFirstAndThenWhatOthersCanSpare) {
  Started started(6);
  const auto create = [](int least, int most, unsigned overlap) {
    return starpu_sched_ctx_create_inside_interval("eager", "some", least, most, 0, 0, overlap);
  };
  const unsigned a = create(1, 4, 0);
  EXPECT_EQ(4u, starpu_sched_ctx_get_nworkers(a));
  const unsigned b = create(3, 6, 0);  // two are free
  EXPECT_EQ(3u, starpu_sched_ctx_get_nworkers(b));
  EXPECT_EQ(3u, starpu_sched_ctx_get_nworkers(a));
  EXPECT_EQ(0u, starpu_sched_ctx_get_nshared_workers(a, b));
  const unsigned c = create(2, 2, 1);  // shared, of what the first has beyond one
  EXPECT_EQ(2u, starpu_sched_ctx_get_nworkers(c));
  EXPECT_EQ(2u, starpu_sched_ctx_get_nshared_workers(a, c));
  EXPECT_EQ(3u, starpu_sched_ctx_get_nworkers(a));
  testing::internal::CaptureStderr();
  EXPECT_EQ(unsigned{STARPU_NMAX_SCHED_CTXS}, create(3, 2, 0));
  EXPECT_NE(std::string::npos, testing::internal::GetCapturedStderr().find("3 to 2 CPUs"));
  for (const unsigned context : {a, b, c}) starpu_sched_ctx_delete(context);
}

TEST(Intervals, BeyondWhatThereIsAreSharesOfIt) {
  Started started(4);
  const unsigned a = starpu_sched_ctx_create_inside_interval("eager", "a", 4, 4, 0, 0, 0);
  const unsigned b = starpu_sched_ctx_create_inside_interval("eager", "b", 4, 4, 0, 0, 0);
  EXPECT_EQ(2u, starpu_sched_ctx_get_nworkers(a));
  EXPECT_EQ(2u, starpu_sched_ctx_get_nworkers(b));
  starpu_sched_ctx_delete(a);
  starpu_sched_ctx_delete(b);
}

TEST(Collections, OfAContextMayBeMadeAnew) {
  Started started(3);
  const unsigned context = Create({2, 0});
  starpu_worker_collection* tree =
      starpu_sched_ctx_create_worker_collection(context, STARPU_WORKER_TREE);
  EXPECT_EQ(STARPU_WORKER_TREE, tree->type);
  EXPECT_EQ(2u, tree->nworkers);
  EXPECT_EQ(tree, starpu_sched_ctx_get_worker_collection(context));
  starpu_sched_ctx_delete_worker_collection(context);
  EXPECT_EQ(nullptr, starpu_sched_ctx_get_worker_collection(context));
  EXPECT_EQ(2u, starpu_sched_ctx_get_nworkers(context));
  EXPECT_EQ(STARPU_WORKER_LIST,
            starpu_sched_ctx_create_worker_collection(context, STARPU_WORKER_LIST)->type);
  starpu_sched_ctx_delete(context);
}

TEST(Policies, OfContextsAreTold) {
  Started started(1, "prio");
  const unsigned context = Create({0});
  EXPECT_STREQ("prio", starpu_sched_get_sched_policy_in_ctx(0)->policy_name);
  EXPECT_STREQ("eager", starpu_sched_get_sched_policy_in_ctx(context)->policy_name);
  starpu_sched_ctx_delete(context);
}

}  // namespace
}  // namespace tasklens
