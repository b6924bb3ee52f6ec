// SPDX-License-Identifier: Apache-2.0
// Scheduling policies: who runs what, in which order.
#include <schedulers/starpu_heteroprio.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// The arguments of tasks, in the order in which the only worker ran them.
std::vector<int>& Order() {
  static std::vector<int> order;
  return order;
}

starpu_codelet& Note() {
  static starpu_codelet codelet = [] {
    starpu_codelet made = {};
    made.cpu_funcs[0] = [](void**, void* argument) {
      Order().push_back(static_cast<int>(reinterpret_cast<intptr_t>(argument)));
    };
    return made;
  }();
  return codelet;
}

void SubmitNote(int number, int priority = 0, starpu_data_handle_t written = nullptr) {
  static starpu_codelet with_data = [] {
    starpu_codelet made = Note();
    made.nbuffers = 1;
    made.modes[0] = STARPU_RW;
    return made;
  }();
  starpu_task* task = starpu_task_create();
  task->cl = written ? &with_data : &Note();
  if (written) task->handles[0] = written;
  task->cl_arg = reinterpret_cast<void*>(static_cast<intptr_t>(number));
  task->priority = priority;
  ASSERT_EQ(0, starpu_task_submit(task));
}

// Tasks with these priorities, numbered 0, 1, ..., that one worker finds all at once.
std::vector<int> OrderOf(const char* policy, const std::vector<int>& priorities) {
  Order().clear();
  Started started(1, policy);
  starpu_pause();
  int number = 0;
  for (const int priority : priorities) SubmitNote(number++, priority);
  starpu_resume();
  EXPECT_EQ(0, starpu_task_wait_for_all());
  return Order();
}

TEST(Policies, OfOneQueueRunTasksAsTheyCome) {
  for (const char* policy : {"eager", "peager"})
    EXPECT_EQ((std::vector<int>{0, 1, 2, 3}), OrderOf(policy, {0, 2, -1, 2})) << policy;
}

TEST(Policies, WithPrioritiesRunTheHighestFirst) {
  for (const char* policy : {"prio", "lws", "ws", "random", "heteroprio"})
    EXPECT_EQ((std::vector<int>{1, 3, 0, 2}), OrderOf(policy, {0, 2, -1, 2})) << policy;
}

TEST(Policies, WithPrioritiesLetLaterTasksOvertakeThoseThatWaitAlready) {
  for (const char* policy : {"prio", "lws", "ws", "random", "heteroprio"}) {
    Order().clear();
    Started started(1, policy);
    starpu_codelet submits_more = {};
    submits_more.cpu_funcs[0] = [](void**, void*) {
      Order().push_back(0);
      SubmitNote(4, 1);
      SubmitNote(5, -1);
      SubmitNote(6, 0);
      SubmitNote(7, 1);
    };
    starpu_pause();
    starpu_task* first = starpu_task_create();
    first->cl = &submits_more;
    ASSERT_EQ(0, starpu_task_submit(first));
    for (const int number : {1, 2, 3}) SubmitNote(number);
    starpu_resume();
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ((std::vector<int>{0, 4, 7, 1, 2, 3, 6, 5}), Order()) << policy;
  }
}

// A task that waits for tasks which it submitted itself.
struct Parent {
  std::atomic<int> children_left{8};
  starpu_codelet child = {};
};

TEST(Policies, WorkersWithoutTasksStealFromThoseThatAreBusy) {
  for (const char* policy : {"ws", "lws"}) {
    Started started(3, policy);
    static Parent* parent;
    Parent the_parent;
    parent = &the_parent;
    parent->child.cpu_funcs[0] = [](void**, void*) { --parent->children_left; };
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = [](void**, void*) {
      for (int i = 0; i < 8; ++i) ASSERT_EQ(0, starpu_task_insert(&parent->child, 0));
      while (parent->children_left != 0) {
      }
    };
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(0, parent->children_left) << policy;
  }
}

TEST(Policies, RandomGivesEveryWorkerATaskAndLeavesItThere) {
  Started started(3, "random");
  static std::atomic<int> runs[3];
  for (auto& count : runs) count = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++runs[starpu_worker_get_id_check()]; };
  starpu_pause();
  for (int i = 0; i < 300; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(300, runs[0] + runs[1] + runs[2]);
  // Of 300 throws, fewer than 50 for one of three is a matter of one in 10^10.
  for (const auto& count : runs) EXPECT_GE(count, 50);
}

TEST(Policies, KeepTasksToTheWorkersThatTheyMayRunOn) {
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at) {
    SCOPED_TRACE((*at)->policy_name);
    Started started(4, (*at)->policy_name);
    static std::atomic<int> wrong;
    wrong = 0;
    starpu_codelet odd = {}, third = {};
    odd.cpu_funcs[0] = [](void**, void*) { wrong += starpu_worker_get_id() % 2 == 0; };
    odd.can_execute = [](unsigned worker, starpu_task*, unsigned) { return int(worker % 2); };
    third.cpu_funcs[0] = [](void**, void*) { wrong += starpu_worker_get_id() != 2; };
    uint32_t only_third = 1u << 2;
    for (int i = 0; i < 200; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = i % 2 ? &odd : &third;
      if (i % 2 == 0) {
        task->workerids = &only_third;
        task->workerids_len = 1;
      }
      ASSERT_EQ(0, starpu_task_submit(task));
    }
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(0, wrong);
  }
}

TEST(Policies, OfAProgramThatAsksForNoneIsLws) {
  starpu_conf conf;
  ASSERT_EQ(0, starpu_conf_init(&conf));
  conf.ncpus = 1;
  conf.ncuda = 0;
  ASSERT_EQ(0, starpu_init(&conf));
  EXPECT_STREQ(starpu_sched_ctx_get_sched_policy(0)->policy_name, "lws");
  EXPECT_STREQ(starpu_sched_get_predefined_policies()[0]->policy_name, "lws");
  starpu_shutdown();
}

TEST(Policies, ListThemselves) {
  std::set<std::string> names;
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at) {
    names.insert((*at)->policy_name);
    EXPECT_STRNE("", (*at)->policy_description);
  }
  for (const char* name :
       {"eager", "random", "prio", "ws", "lws", "peager", "pprio", "heteroprio", "graph_test"})
    EXPECT_TRUE(names.count(name)) << name;
}

// CPUs look into bucket 2, then 0, then 1.
std::vector<int> OrderOfBuckets(const std::vector<int>& buckets) {
  Order().clear();
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.sched_policy_name = "heteroprio";
  conf.sched_policy_callback = [](unsigned context) {
    starpu_heteroprio_set_nb_prios(context, STARPU_CPU_IDX, 3);
    for (unsigned rank = 0; rank < 3; ++rank) {
      starpu_heteroprio_set_mapping(context, STARPU_CPU_IDX, rank, (rank + 2) % 3);
      starpu_heteroprio_set_faster_arch(context, STARPU_CPU_IDX, rank);
    }
    starpu_heteroprio_set_nb_prios(context, STARPU_CUDA_IDX, 1);
    starpu_heteroprio_set_mapping(context, STARPU_CUDA_IDX, 0, 1);
    starpu_heteroprio_set_arch_slow_factor(context, STARPU_CPU_IDX, 1, 4.0f);
  };
  EXPECT_EQ(0, starpu_init(&conf));
  starpu_pause();
  int number = 0;
  for (const int bucket : buckets) SubmitNote(number++, bucket);
  starpu_resume();
  EXPECT_EQ(0, starpu_task_wait_for_all());
  starpu_shutdown();
  return Order();
}

TEST(Heteroprio, LooksIntoTheBucketsInTheOrderThatTheProgramGave) {
  EXPECT_EQ((std::vector<int>{1, 3, 2, 4, 0}), OrderOfBuckets({1, 2, 0, 2, 0}));
}

TEST(Heteroprio, TakesTasksOfNoBucketLast) {
  testing::internal::CaptureStderr();
  EXPECT_EQ((std::vector<int>{2, 0, 1}), OrderOfBuckets({7, -1, 2}));
  EXPECT_NE(std::string::npos,
            testing::internal::GetCapturedStderr().find("no worker looks into bucket 7"));
}

TEST(HeteroprioDeathTest, RefusesWhatItCannotMean) {
  Started started(1, "heteroprio");
  EXPECT_DEATH(starpu_heteroprio_set_mapping(0, STARPU_CPU_IDX, 5, 0), "no priority 5");
  EXPECT_DEATH(starpu_heteroprio_set_nb_prios(0, STARPU_CPU_IDX, 101), "101 are more than 100");
  EXPECT_DEATH(starpu_heteroprio_set_mapping(0, STARPU_CPU_IDX, 0, 100), "bucket 100");
}

TEST(HeteroprioDeathTest, IsNotAnotherPolicy) {
  Started started(1, "eager");
  EXPECT_DEATH(starpu_heteroprio_set_nb_prios(0, STARPU_CPU_IDX, 1), "policy is not heteroprio");
}

TEST(GraphTest, RunsTheLongestChainFirst) {
  Order().clear();
  Started started(1, "graph_test");
  double a = 0, b = 0;
  starpu_data_handle_t of_two, of_four;
  starpu_variable_data_register(&of_two, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&a), 8);
  starpu_variable_data_register(&of_four, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&b), 8);
  SubmitNote(0);
  SubmitNote(1);
  for (int i = 0; i < 2; ++i) SubmitNote(10 + i, 0, of_two);
  for (int i = 0; i < 4; ++i) SubmitNote(20 + i, 0, of_four);
  EXPECT_TRUE(Order().empty());  // nothing starts before the program waits
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ((std::vector<int>{20, 21, 22, 10, 23, 0, 1, 11}).size(), Order().size());
  EXPECT_EQ(20, Order()[0]);
  EXPECT_EQ(21, Order()[1]);
  // Two chains of two are left, and then the rest.
  EXPECT_EQ((std::set<int>{10, 22}), (std::set<int>{Order()[2], Order()[3]}));
  starpu_data_unregister(of_two);
  starpu_data_unregister(of_four);
}

TEST(GraphTest, StartsWhenItIsTold) {
  Order().clear();
  Started started(1, "graph_test");
  starpu_task* task = starpu_task_create();
  task->cl = &Note();
  task->detach = 0;
  task->destroy = 0;
  ASSERT_EQ(0, starpu_task_submit(task));
  EXPECT_FALSE(starpu_task_finished(task));
  starpu_do_schedule();
  while (!starpu_task_finished(task)) {
  }
  EXPECT_EQ(1u, Order().size());
  starpu_task_destroy(task);
}

}  // namespace
}  // namespace tasklens
