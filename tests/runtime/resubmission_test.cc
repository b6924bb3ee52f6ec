// SPDX-License-Identifier: Apache-2.0
// Tasks that are submitted again and again: by callbacks, by themselves, with what they depend on.
#include <malloc.h>

#include <atomic>
#include <future>
#include <mutex>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// Four tasks of the program's own, of which one comes first and one last, in rounds.
struct Diamond {
  static constexpr int kRounds = 20;
  starpu_codelet codelet = {};
  starpu_task tasks[4];
  std::mutex lock;
  std::vector<long> order;
  std::promise<void> done;
  int round = 0;

  Diamond() {
    codelet.cpu_funcs[0] = [](void**, void* argument) {
      const starpu_task* task = starpu_task_get_current();
      auto* diamond = static_cast<Diamond*>(argument);
      std::lock_guard guard(diamond->lock);
      diamond->order.push_back(task - diamond->tasks);
    };
    for (starpu_task& task : tasks) {
      starpu_task_init(&task);
      task.cl = &codelet;
      task.cl_arg = this;
    }
    tasks[3].callback_arg = this;
  }
  ~Diamond() {
    for (starpu_task& task : tasks) starpu_task_clean(&task);
  }
  void DependOnEachOther() {
    starpu_task_declare_deps(&tasks[1], 1, &tasks[0]);
    starpu_task_declare_deps(&tasks[2], 1, &tasks[0]);
    starpu_task_declare_deps(&tasks[3], 2, &tasks[1], &tasks[2]);
  }
  bool EveryRoundIsInOrder() const {
    if (order.size() != 4 * kRounds) return false;
    for (size_t i = 0; i < order.size(); i += 4) {
      if (order[i] != 0 || order[i + 3] != 3 || order[i + 1] + order[i + 2] != 3) return false;
    }
    return true;
  }
};

TEST(Resubmission, FromACallbackKeepsTheDependenciesOfTasksThatStay) {
  Started started(2);
  Diamond diamond;
  diamond.DependOnEachOther();
  diamond.tasks[3].callback_func = [](void* argument) {
    auto* diamond = static_cast<Diamond*>(argument);
    if (++diamond->round == Diamond::kRounds) return diamond->done.set_value();
    for (starpu_task& task : diamond->tasks) EXPECT_EQ(0, starpu_task_submit(&task));
  };
  for (starpu_task& task : diamond.tasks) ASSERT_EQ(0, starpu_task_submit(&task));
  diamond.done.get_future().wait();
  starpu_task_wait_for_all();
  EXPECT_TRUE(diamond.EveryRoundIsInOrder());
}

TEST(Resubmission, OfOneTaskStartsARoundOfThoseThatRegenerate) {
  Started started(2);
  Diamond diamond;
  diamond.DependOnEachOther();
  for (int i = 1; i < 4; ++i) diamond.tasks[i].regenerate = 1;
  diamond.tasks[3].callback_func = [](void* argument) {
    auto* diamond = static_cast<Diamond*>(argument);
    if (++diamond->round < Diamond::kRounds) {
      EXPECT_EQ(0, starpu_task_submit(&diamond->tasks[0]));
      return;
    }
    diamond->tasks[3].regenerate = 0;
    diamond->done.set_value();
  };
  // The tasks in the middle stop by themselves.
  static std::atomic<int> rounds[2];
  for (int i = 0; i < 2; ++i) {
    rounds[i] = 0;
    diamond.tasks[i + 1].callback_arg = &rounds[i];
    diamond.tasks[i + 1].callback_func = [](void* argument) {
      if (++*static_cast<std::atomic<int>*>(argument) == Diamond::kRounds) {
        starpu_task_get_current()->regenerate = 0;
      }
    };
  }
  for (starpu_task& task : diamond.tasks) ASSERT_EQ(0, starpu_task_submit(&task));
  diamond.done.get_future().wait();
  starpu_task_wait_for_all();
  EXPECT_TRUE(diamond.EveryRoundIsInOrder());
}

// A stage of a pipeline: what it has done, and when it stops.
struct Stage {
  static constexpr int kRuns = 5000;
  std::atomic<int> runs{0};
  Stage* before = nullptr;
  starpu_task task;
};

TEST(Resubmission, OfStagesThatRegenerateTakesEveryEndOfTheOneBefore) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* argument) {
    const auto* stage = static_cast<Stage*>(argument);
    // The one before may be ahead, by any number of runs, never behind.
    if (stage->before) {
      EXPECT_GT(stage->before->runs.load(), stage->runs.load());
    }
  };
  Stage stages[3];
  for (int i = 0; i < 3; ++i) {
    Stage& stage = stages[i];
    starpu_task_init(&stage.task);
    stage.task.cl = &codelet;
    stage.task.cl_arg = &stage;
    stage.task.regenerate = 1;
    // Counted before those that wait for it are released.
    stage.task.epilogue_callback_arg = &stage;
    stage.task.epilogue_callback_func = [](void* argument) {
      if (++static_cast<Stage*>(argument)->runs == Stage::kRuns) {
        starpu_task_get_current()->regenerate = 0;
      }
    };
    if (i == 0) continue;
    stage.before = &stages[i - 1];
    starpu_task_declare_deps(&stage.task, 1, &stages[i - 1].task);
  }
  for (Stage& stage : stages) ASSERT_EQ(0, starpu_task_submit(&stage.task));
  starpu_task_wait_for_all();
  for (Stage& stage : stages) {
    EXPECT_EQ(Stage::kRuns, stage.runs);
    starpu_task_clean(&stage.task);
  }
}

TEST(Resubmission, WaitsForNoTaskThatWasCleaned) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  starpu_task first, second;
  starpu_task_init(&first);
  starpu_task_init(&second);
  first.cl = second.cl = &codelet;
  starpu_task_declare_deps(&second, 1, &first);
  starpu_task* succ = nullptr;
  EXPECT_EQ(1, starpu_task_get_task_succs(&first, 1, &succ));
  EXPECT_EQ(&second, succ);
  ASSERT_EQ(0, starpu_task_submit(&second));
  ASSERT_EQ(0, starpu_task_submit(&first));
  starpu_task_wait_for_all();
  starpu_task_clean(&first);
  ASSERT_EQ(0, starpu_task_submit(&second));
  starpu_task_wait_for_all();
  starpu_task_clean(&second);
}

TEST(Successors, ThatTheSchedulerWillGetAreToldApart) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  starpu_task *first = starpu_task_create(), *empty = starpu_task_create(),
              *placed = starpu_task_create(), *last = starpu_task_create();
  first->cl = placed->cl = last->cl = &codelet;
  placed->execute_on_a_specific_worker = 1;
  for (starpu_task* task : {empty, placed, last}) starpu_task_declare_deps(task, 1, first);
  starpu_task* found[3] = {};
  EXPECT_EQ(3, starpu_task_get_task_succs(first, 3, found));
  EXPECT_EQ(1, starpu_task_get_task_scheduled_succs(first, 3, found));
  EXPECT_EQ(last, found[0]);
  for (starpu_task* task : {last, placed, empty, first}) ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait_for_all());
}

// They may be gone by then, and others in their place.
TEST(Successors, OfATaskThatHasEndedAreNone) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  starpu_task* const first = starpu_task_create();
  first->cl = &codelet;
  first->destroy = 0;
  starpu_task* const second = starpu_task_create();
  second->cl = &codelet;
  starpu_task_declare_deps(second, 1, first);
  ASSERT_EQ(0, starpu_task_submit(second));
  ASSERT_EQ(0, starpu_task_submit(first));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_task* found[1] = {};
  EXPECT_EQ(0, starpu_task_get_task_succs(first, 1, found));
  EXPECT_EQ(0, starpu_task_get_task_scheduled_succs(first, 1, found));
  starpu_task_destroy(first);
}

TEST(Resubmission, OfATaskThatRegeneratesTakesItsDataAgain) {
  Started started(2);
  starpu_data_set_default_sequential_consistency_flag(0);
  long sum = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&sum),
                                sizeof(sum));
  starpu_codelet codelet = {};
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  codelet.cpu_funcs[0] = [](void** buffers, void*) {
    auto* sum = reinterpret_cast<volatile long*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
    const long before = *sum;
    for (int i = 0; i < 50; ++i) *sum = before;  // a second writer would be seen
    *sum = before + 1;
  };
  static std::atomic<int> left[4];
  starpu_task tasks[4];
  for (int i = 0; i < 4; ++i) {
    left[i] = 500;
    starpu_task_init(&tasks[i]);
    tasks[i].cl = &codelet;
    tasks[i].handles[0] = handle;
    tasks[i].regenerate = 1;
    tasks[i].callback_arg = &left[i];
    tasks[i].callback_func = [](void* argument) {
      if (--*static_cast<std::atomic<int>*>(argument) == 0) {
        starpu_task_get_current()->regenerate = 0;
      }
    };
  }
  for (starpu_task& task : tasks) ASSERT_EQ(0, starpu_task_submit(&task));
  starpu_task_wait_for_all();
  starpu_data_unregister(handle);
  for (starpu_task& task : tasks) starpu_task_clean(&task);
  EXPECT_EQ(4 * 500, sum);
}

// A successor may end while the callback of the task before it still runs.
TEST(Destruction, OfATaskWhoseSuccessorHasRunWaitsForItsCallback) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  for (int round = 0; round < 100; ++round) {
    static std::atomic<int> called;
    called = 0;
    starpu_task* first = starpu_task_create();
    starpu_task* second = starpu_task_create();
    first->cl = &codelet;
    second->cl = round % 2 ? &codelet : nullptr;
    first->destroy = second->destroy = 0;
    second->detach = 0;
    first->callback_func = [](void*) { ++called; };
    second->callback_func = [](void* task) {
      starpu_task_destroy(static_cast<starpu_task*>(task));
    };
    second->callback_arg = first;
    starpu_task_declare_deps(second, 1, first);
    EXPECT_EQ(0, starpu_task_submit(second));
    EXPECT_EQ(0, starpu_task_submit(first));
    EXPECT_EQ(0, starpu_task_wait(second));
    starpu_task_destroy(second);
    starpu_task_wait_for_all();
    EXPECT_EQ(1, called);
  }
}

TEST(Resubmission, OfATaskByItsOwnCallbackIsForWhenItHasEnded) {
  Started started(2);
  static int runs;
  runs = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++runs; };
  starpu_task task;
  starpu_task_init(&task);
  task.cl = &codelet;
  task.callback_func = [](void*) {
    if (runs < 10) {
      EXPECT_EQ(0, starpu_task_submit(starpu_task_get_current()));
    }
  };
  ASSERT_EQ(0, starpu_task_submit(&task));
  starpu_task_wait_for_all();
  starpu_task_clean(&task);
  EXPECT_EQ(10, runs);
}

TEST(WorkerOrder, IsTheOrderOfTheTasksOfAWorkerHoweverTheyAreSubmitted) {
  Started started(2);
  static std::vector<unsigned> order;
  order.clear();
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    order.push_back(starpu_task_get_current()->workerorder);
  };
  for (unsigned number = 50; number > 0; --number) {
    EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_EXECUTE_ON_WORKER, 1, STARPU_WORKER_ORDER,
                                    number, 0));
  }
  starpu_task_wait_for_all();
  ASSERT_EQ(50u, order.size());
  for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(i + 1, order[i]);
}

TEST(Callbacks, BeforeAWorkerRunsItAreCalledForATaskWithoutCodelet) {
  Started started(1);
  static int called;
  called = 0;
  const auto count = [](void*) { ++called; };
  EXPECT_EQ(0, starpu_task_insert(nullptr, STARPU_PROLOGUE_CALLBACK_POP,
                                  static_cast<void (*)(void*)>(count), 0));
  starpu_task_wait_for_all();
  EXPECT_EQ(1, called);
}

// The two may meet at any moment; whichever it is, the second one starts.
TEST(Dependencies, ThatStayMayBeDeclaredWhileTheFirstTaskEnds) {
  Started started(2);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  for (int round = 0; round < 3000; ++round) {
    starpu_task *first = starpu_task_create(), *second = starpu_task_create();
    for (starpu_task* task : {first, second}) {
      task->cl = &codelet;
      task->destroy = 0;
      task->detach = 0;
    }
    ASSERT_EQ(0, starpu_task_submit(first));
    for (int i = 0; i < 50 * (round % 40); ++i) asm volatile("");
    starpu_task_declare_deps(second, 1, first);
    ASSERT_EQ(0, starpu_task_submit(second));
    ASSERT_EQ(0, starpu_task_wait(second));
    ASSERT_EQ(0, starpu_task_wait(first));
    starpu_task_destroy(second);
    starpu_task_destroy(first);
  }
}

// (Sanitizers have allocators of their own, of which this tells nothing.)
size_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Dependencies, ThatStayCostNothingOnceOneOfTheTasksIsGone) {
  Started started(1);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  starpu_task kept;
  starpu_task_init(&kept);
  kept.cl = &codelet;
  for (const bool comes_first : {true, false}) {
    const size_t before = AllocatedBytes();
    for (int i = 0; i < 20'000; ++i) {
      starpu_task other;
      starpu_task_init(&other);
      other.cl = &codelet;
      comes_first ? starpu_task_declare_deps(&other, 1, &kept)
                  : starpu_task_declare_deps(&kept, 1, &other);
      starpu_task_clean(&other);
    }
    EXPECT_LE(AllocatedBytes(), before + 100'000);
  }
  starpu_task* succ = nullptr;
  EXPECT_EQ(0, starpu_task_get_task_succs(&kept, 1, &succ));
  ASSERT_EQ(0, starpu_task_submit(&kept));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_task_clean(&kept);
}

// Neither lost nor freed twice.
TEST(Tasks, MayBeGivenUpWhileTheyEnd) {
  Started started(2);
  static std::atomic<int> ended;
  ended = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  constexpr int kTasks = 5000;
  for (int i = 0; i < kTasks; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->destroy = 0;
    task->callback_func = [](void*) { ++ended; };
    ASSERT_EQ(0, starpu_task_submit(task));
    for (int j = 0; j < 50 * (i % 40); ++j) asm volatile("");
    starpu_task_set_destroy(task);
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(kTasks, ended);
}

}  // namespace
}  // namespace tasklens
