// SPDX-License-Identifier: Apache-2.0
// The queues of tasks for policies that programs write.
#include <gtest/gtest.h>
#include <schedulers/starpu_scheduler_toolbox.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

std::vector<starpu_task> SomeTasks(size_t count, std::mt19937& random) {
  std::vector<starpu_task> tasks(count);
  for (starpu_task& task : tasks) {
    starpu_task_init(&task);
    task.priority = static_cast<int>(random() % 7) - 3;
  }
  return tasks;
}

// Where a task of this priority goes in a list: behind those that are not below it.
auto Sorted(std::vector<starpu_task*>& list, int priority) {
  if (!list.empty() && list.front()->priority == priority && list.back()->priority == priority) {
    return list.end();
  }
  return std::find_if(list.begin(), list.end(),
                      [&](starpu_task* other) { return other->priority < priority; });
}

// Each of these needs no runtime: worker -1 is any.
TEST(FifoTaskQueue, DoesWhatAListDoes) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<starpu_task> tasks = SomeTasks(300, random);
    std::vector<starpu_task*> model;
    unsigned processed = 0;
    starpu_st_fifo_taskq_t fifo = starpu_st_fifo_taskq_create();
    size_t next = 0;
    while (next < tasks.size() || !model.empty()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", task " + std::to_string(next));
      const unsigned step = random() % 6;
      if (step < 3 && next < tasks.size()) {
        starpu_task* task = &tasks[next++];
        const bool sorted = step == 0 || task->priority > 0;
        if (step == 0) starpu_st_fifo_taskq_push_sorted_task(fifo, task);
        if (step == 1) starpu_st_fifo_taskq_push_task(fifo, task);
        if (step == 2) starpu_st_fifo_taskq_push_back_task(fifo, task);
        processed += sorted || step == 1;
        model.insert(sorted      ? Sorted(model, task->priority)
                     : step == 1 ? model.end()
                                 : model.begin(),
                     task);
      } else if (step == 3 && !model.empty()) {
        const size_t which = random() % model.size();
        EXPECT_EQ(1, starpu_st_fifo_taskq_pop_this_task(fifo, -1, model[which]));
        model.erase(model.begin() + static_cast<long>(which));
      } else if (step > 3) {
        starpu_task* expected = model.empty() ? nullptr : model.front();
        ASSERT_EQ(expected, step == 4 ? starpu_st_fifo_taskq_pop_task(fifo, -1)
                                      : starpu_st_fifo_taskq_pop_local_task(fifo));
        if (expected) model.erase(model.begin());
      }
      ASSERT_EQ(model.size(), starpu_st_fifo_ntasks_get(fifo));
      ASSERT_EQ(model.empty(), starpu_st_fifo_taskq_empty(fifo) != 0);
      ASSERT_EQ(processed, starpu_st_fifo_nprocessed_get(fifo));
    }
    starpu_st_fifo_taskq_destroy(fifo);
  }
}

TEST(FifoTaskQueue, KeepsTheFiguresOfThePolicy) {
  starpu_st_fifo_taskq_t fifo = starpu_st_fifo_taskq_create();
  EXPECT_EQ(starpu_st_fifo_exp_start_get(fifo), starpu_st_fifo_exp_end_get(fifo));
  starpu_st_fifo_exp_start_set(fifo, 1);
  starpu_st_fifo_exp_end_set(fifo, 2);
  starpu_st_fifo_exp_len_set(fifo, 3);
  starpu_st_fifo_exp_len_inc(fifo, -0.5);
  starpu_st_fifo_pipeline_len_set(fifo, 4);
  starpu_st_fifo_pipeline_len_inc(fifo, 0.5);
  starpu_st_fifo_ntasks_inc(fifo, 3);
  starpu_st_fifo_ntasks_inc(fifo, -1);
  starpu_st_fifo_nprocessed_inc(fifo, 5);
  EXPECT_EQ(0u, starpu_st_fifo_ntasks_per_priority_get(fifo)[TASKLENS_FIFO_PRIORITIES - 1]);
  starpu_st_fifo_ntasks_per_priority_get(fifo)[7] = 9;
  starpu_st_fifo_exp_len_per_priority_get(fifo)[7] = 2.5;
  EXPECT_EQ(1, starpu_st_fifo_exp_start_get(fifo));
  EXPECT_EQ(2, starpu_st_fifo_exp_end_get(fifo));
  EXPECT_EQ(2.5, starpu_st_fifo_exp_len_get(fifo));
  EXPECT_EQ(4.5, starpu_st_fifo_pipeline_len_get(fifo));
  EXPECT_EQ(2u, starpu_st_fifo_ntasks_get(fifo));
  EXPECT_EQ(5u, starpu_st_fifo_nprocessed_get(fifo));
  EXPECT_EQ(9u, starpu_st_fifo_ntasks_per_priority_get(fifo)[7]);
  EXPECT_EQ(2.5, starpu_st_fifo_exp_len_per_priority_get(fifo)[7]);
  starpu_st_fifo_taskq_init(fifo);
  EXPECT_EQ(0, starpu_st_fifo_exp_len_get(fifo));
  EXPECT_EQ(0u, starpu_st_fifo_ntasks_per_priority_get(fifo)[7]);
  EXPECT_TRUE(starpu_st_fifo_taskq_empty(fifo));
  starpu_st_fifo_taskq_destroy(fifo);
}

TEST(PriorityDeque, DoesWhatASortedListDoes) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<starpu_task> tasks = SomeTasks(300, random);
    std::vector<starpu_task*> model;
    starpu_st_prio_deque deque;
    starpu_st_prio_deque_init(&deque);
    size_t next = 0;
    while (next < tasks.size() || !model.empty()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", task " + std::to_string(next));
      const unsigned step = random() % 6;
      if (step < 2 && next < tasks.size()) {
        starpu_task* task = &tasks[next++];
        (step == 0 ? starpu_st_prio_deque_push_front_task : starpu_st_prio_deque_push_back_task)(
            &deque, task);
        model.insert(std::find_if(model.begin(), model.end(),
                                  [&](starpu_task* other) {
                                    return step == 0 ? other->priority <= task->priority
                                                     : other->priority < task->priority;
                                  }),
                     task);
      } else if (step == 2) {
        starpu_task* expected = model.empty() ? nullptr : model.front();
        ASSERT_EQ(expected, starpu_st_prio_deque_pop_task(&deque));
        if (expected) model.erase(model.begin());
      } else if (step == 3) {
        starpu_task* expected = model.empty() ? nullptr : model.back();
        ASSERT_EQ(expected, starpu_st_prio_deque_pop_back_task(&deque));
        if (expected) model.pop_back();
      } else if (step > 3 && !model.empty()) {
        const size_t which = random() % model.size();
        if (step == 4) starpu_st_prio_deque_erase(&deque, model[which]);
        if (step == 5) {
          EXPECT_EQ(1, starpu_st_prio_deque_pop_this_task(&deque, -1, model[which]));
        }
        model.erase(model.begin() + static_cast<long>(which));
      }
      ASSERT_EQ(model.empty(), starpu_st_prio_deque_is_empty(&deque) != 0);
      ASSERT_EQ(model.empty() ? nullptr : model.front(), starpu_st_prio_deque_highest_task(&deque));
    }
    starpu_st_prio_deque_destroy(&deque);
  }
}

int OnlyOnTheSecond(unsigned worker, starpu_task* task, unsigned) {
  return worker == 1 || !task->cl_arg;
}

TEST(TaskQueues, GiveAWorkerWhatItCanRun) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.can_execute = OnlyOnTheSecond;
  std::vector<starpu_task> tasks(4);
  for (starpu_task& task : tasks) {
    starpu_task_init(&task);
    task.cl = &codelet;
  }
  tasks[0].cl_arg = tasks[3].cl_arg = &tasks;
  starpu_st_prio_deque deque;
  starpu_st_prio_deque_init(&deque);
  for (starpu_task& task : tasks) starpu_st_prio_deque_push_back_task(&deque, &task);
  starpu_task* skipped;
  EXPECT_EQ(0, starpu_st_prio_deque_pop_this_task(&deque, 0, &tasks[0]));
  EXPECT_EQ(&tasks[1], starpu_st_prio_deque_pop_task_for_worker(&deque, 0, &skipped));
  EXPECT_EQ(&tasks[0], skipped);
  EXPECT_EQ(&tasks[2], starpu_st_prio_deque_deque_task_for_worker(&deque, 0, &skipped));
  EXPECT_EQ(&tasks[3], skipped);
  EXPECT_EQ(nullptr, starpu_st_prio_deque_pop_task_for_worker(&deque, 0, nullptr));
  EXPECT_EQ(&tasks[3], starpu_st_prio_deque_deque_task_for_worker(&deque, 1, &skipped));
  EXPECT_EQ(nullptr, skipped);
  EXPECT_EQ(&tasks[0], starpu_st_prio_deque_deque_first_ready_task(&deque, 1));
  EXPECT_EQ(nullptr, starpu_st_prio_deque_deque_first_ready_task(&deque, 1));
  starpu_st_prio_deque_destroy(&deque);

  starpu_st_fifo_taskq_t fifo = starpu_st_fifo_taskq_create();
  for (starpu_task& task : tasks) starpu_st_fifo_taskq_push_task(fifo, &task);
  EXPECT_EQ(&tasks[1], starpu_st_fifo_taskq_pop_task(fifo, 0));
  EXPECT_EQ(&tasks[2], starpu_st_fifo_taskq_pop_task(fifo, 0));
  EXPECT_EQ(nullptr, starpu_st_fifo_taskq_pop_task(fifo, 0));
  EXPECT_EQ(&tasks[0], starpu_st_fifo_taskq_pop_task(fifo, 1));
  starpu_st_fifo_taskq_destroy(fifo);
}

TEST(TaskQueues, PreferTasksWhoseDataAreThere) {
  Started started(1);
  int value = 0;
  starpu_data_handle_t there, nowhere;
  starpu_variable_data_register(&there, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof value);
  starpu_variable_data_register(&nowhere, -1, 0, sizeof value);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_R;
  std::vector<starpu_task> tasks(3);
  for (starpu_task& task : tasks) {
    starpu_task_init(&task);
    task.cl = &codelet;
    task.handles[0] = nowhere;
    task.sched_ctx = 0;
  }
  tasks[1].handles[0] = tasks[2].handles[0] = there;
  tasks[2].priority = -1;
  size_t not_ready, not_loading, not_allocated;
  starpu_st_non_ready_buffers_size(&tasks[0], 0, &not_ready, &not_loading, &not_allocated);
  EXPECT_EQ(sizeof value, not_ready);
  EXPECT_EQ(sizeof value, not_loading);
  EXPECT_EQ(sizeof value, not_allocated);
  EXPECT_EQ(1, starpu_st_non_ready_buffers_count(&tasks[0], 0));
  EXPECT_EQ(0, starpu_st_non_ready_buffers_count(&tasks[1], 0));

  starpu_st_fifo_taskq_t fifo = starpu_st_fifo_taskq_create();
  for (starpu_task& task : tasks) starpu_st_fifo_taskq_push_task(fifo, &task);
  // The default scale is from -5 to 5: priority 0 is the fifth of eleven.
  for (int i = 0; i < 11; ++i) starpu_st_fifo_ntasks_per_priority_get(fifo)[i] = 10;
  starpu_sched_ctx_set_min_priority(0, -5);
  starpu_sched_ctx_set_max_priority(0, 5);
  EXPECT_EQ(&tasks[1], starpu_st_fifo_taskq_pop_first_ready_task(fifo, 0, 11));
  EXPECT_EQ(9u, starpu_st_fifo_ntasks_per_priority_get(fifo)[5]);
  EXPECT_EQ(10u, starpu_st_fifo_ntasks_per_priority_get(fifo)[6]);
  // The third one's data are there, but its priority is lower.
  EXPECT_EQ(&tasks[0], starpu_st_fifo_taskq_pop_first_ready_task(fifo, 0, -1));
  EXPECT_EQ(&tasks[2], starpu_st_fifo_taskq_pop_first_ready_task(fifo, 0, -1));
  EXPECT_EQ(nullptr, starpu_st_fifo_taskq_pop_first_ready_task(fifo, 0, -1));
  starpu_st_fifo_taskq_destroy(fifo);

  starpu_st_prio_deque deque;
  starpu_st_prio_deque_init(&deque);
  for (starpu_task& task : tasks) starpu_st_prio_deque_push_back_task(&deque, &task);
  EXPECT_EQ(&tasks[1], starpu_st_prio_deque_deque_first_ready_task(&deque, 0));
  EXPECT_EQ(&tasks[0], starpu_st_prio_deque_deque_first_ready_task(&deque, 0));
  starpu_st_prio_deque_destroy(&deque);

  EXPECT_EQ(0, starpu_st_normalize_prio(-5, 3, 0));
  EXPECT_EQ(1, starpu_st_normalize_prio(0, 3, 0));
  EXPECT_EQ(2, starpu_st_normalize_prio(5, 3, 0));
  EXPECT_EQ(2, starpu_st_normalize_prio(99, 3, 0));
  starpu_sched_ctx_set_min_priority(0, 5);
  EXPECT_EQ(0, starpu_st_normalize_prio(5, 3, 0));
  starpu_data_unregister_no_coherency(nowhere);
  starpu_data_unregister(there);
}

TEST(TaskQueues, SayHowLongATaskWouldWait) {
  Started started(1);
  starpu_perfmodel model = {};
  model.type = STARPU_PER_ARCH;
  model.arch_cost_function = [](starpu_task*, starpu_perfmodel_arch*, unsigned) { return 10.0; };
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.model = &model;
  std::vector<starpu_task> tasks(3);
  for (starpu_task& task : tasks) {
    starpu_task_init(&task);
    task.cl = &codelet;
    task.sched_ctx = 0;
  }
  tasks[0].priority = 2;
  tasks[2].priority = 1;
  starpu_st_fifo_taskq_t fifo = starpu_st_fifo_taskq_create();
  starpu_st_fifo_pipeline_len_set(fifo, 5);
  starpu_st_fifo_exp_len_set(fifo, 70);
  int count = -1;
  const auto wait_us = [&](starpu_task& task) {
    return starpu_st_fifo_taskq_get_exp_len_prev_task_list(fifo, &task, 0, 0, &count);
  };
  EXPECT_EQ(5, wait_us(tasks[2]));
  EXPECT_EQ(-1, count);
  starpu_st_fifo_taskq_push_sorted_task(fifo, &tasks[1]);
  starpu_st_fifo_taskq_push_sorted_task(fifo, &tasks[0]);
  EXPECT_EQ(15, wait_us(tasks[2]));  // behind the first of two
  EXPECT_EQ(1, count);
  tasks[2].priority = 0;
  EXPECT_EQ(70, wait_us(tasks[2]));  // at the end
  EXPECT_EQ(2, count);
  tasks[2].priority = 3;
  EXPECT_EQ(5, wait_us(tasks[2]));
  starpu_st_fifo_taskq_destroy(fifo);
}

// A policy of one queue under one lock.
starpu_st_prio_deque g_deque;
starpu_pthread_mutex_t g_lock = STARPU_PTHREAD_MUTEX_INITIALIZER;
std::vector<int> g_ran;

TEST(TaskQueues, AreWhatAPolicyIsMadeOf) {
  starpu_sched_policy policy = {};
  policy.policy_name = "of a deque";
  policy.init_sched = [](unsigned) { starpu_st_prio_deque_init(&g_deque); };
  policy.deinit_sched = [](unsigned) { starpu_st_prio_deque_destroy(&g_deque); };
  policy.push_task = [](starpu_task* task) {
    STARPU_PTHREAD_MUTEX_LOCK(&g_lock);
    starpu_st_prio_deque_push_back_task(&g_deque, task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&g_lock);
    return 0;
  };
  policy.pop_task = [](unsigned) {
    STARPU_PTHREAD_MUTEX_LOCK(&g_lock);
    starpu_task* task = starpu_st_prio_deque_pop_task_for_worker(
        &g_deque, static_cast<int>(starpu_worker_get_id_check()), nullptr);
    STARPU_PTHREAD_MUTEX_UNLOCK(&g_lock);
    return task;
  };
  Started started(1, nullptr, &policy);
  starpu_sched_ctx_set_min_priority(0, 0);
  starpu_sched_ctx_set_max_priority(0, 9);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    g_ran.push_back(starpu_task_get_current()->priority);
  };
  starpu_pause();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_PRIORITY, i * 7 % 10, 0));
  }
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(200u, g_ran.size());
  EXPECT_TRUE(std::is_sorted(g_ran.rbegin(), g_ran.rend()));
}

}  // namespace
}  // namespace tasklens
