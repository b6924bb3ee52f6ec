// SPDX-License-Identifier: Apache-2.0
// Explicit tasks of OpenMP: in what order they run, who waits for whom, and the locks between them.
// TASKLENS_SEED=N runs other graphs of tasks than the usual ones.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "tests/runtime/in_openmp.h"

namespace tasklens {
namespace {

unsigned Seed() {
  const char* const text = getenv("TASKLENS_SEED");
  return text ? static_cast<unsigned>(atoi(text)) : 4711;
}

template <class F>
void InSingle(const F& function) {
  starpu_omp_single([](void* f) { (*static_cast<const F*>(f))(); },
                    const_cast<void*>(static_cast<const void*>(&function)), /*nowait=*/1);
}

int Fibonacci(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
  MakeTask([&a, n] { a = Fibonacci(n - 1); });
  MakeTask([&b, n] { b = Fibonacci(n - 2); });
  starpu_omp_taskwait();
  return a + b;
}

TEST(OpenmpTasks, ATaskWaitsForItsChildrenOnAnyNumberOfWorkers) {
  for (const int workers : {1, 2, 4}) {
    for (const char* policy : {"lws", "prio", "graph_test"}) {
      OpenMp openmp(workers, policy);
      int result = 0;
      Parallel(0, [&] { InSingle([&] { result = Fibonacci(10); }); });
      EXPECT_EQ(55, result);
    }
  }
}

TEST(OpenmpTasks, VeryManyThatWaitAtOnceDoNotNeedAStackEach) {
  OpenMp openmp(2, "eager", {{"OMP_STACKSIZE", "64K"}});
  int result = 0;
  Parallel(0, [&] { InSingle([&] { result = Fibonacci(17); }); });
  EXPECT_EQ(1597, result);
}

TEST(OpenmpTasks, AGroupWaitsForAllThatItsTasksMake) {
  for (const int workers : {1, 3}) {
    OpenMp openmp(workers);
    std::atomic<int> done{0};
    Parallel(0, [&] {
      InSingle([&] {
        for (int round = 1; round <= 5; ++round) {
          starpu_omp_taskgroup_inline_begin();
          MakeTask([&] {
            starpu_omp_taskgroup_inline_begin();
            for (int i = 0; i < 3; ++i)
              MakeTask([&] { MakeTask([&] { MakeTask([&] { ++done; }); }); });
            if (starpu_omp_get_thread_num() >= 0) starpu_omp_taskgroup_inline_end();
            EXPECT_EQ(0, done % 3);
            MakeTask([&] { MakeTask([&] { done += 3; }); });
          });
          starpu_omp_taskgroup_inline_end();
          EXPECT_EQ(6 * round, done);
        }
      });
    });
  }
}

TEST(OpenmpTasks, OneThatIsNotDeferredHasEndedWhenItsMakerGoesOn) {
  for (const int workers : {1, 3}) {
    OpenMp openmp(workers);
    Parallel(0, [&] {
      for (int i = 0; i < 20; ++i) {
        int done = 0;
        MakeTask([&] { ++done; }, {.if_clause = false});
        EXPECT_EQ(1, done);
        MakeTask([&] { ++done; }, {.if_clause = false, .is_mergeable = true});
        EXPECT_EQ(2, done);
      }
    });
    // Outside of all regions none is.
    int done = 0;
    MakeTask([&] { MakeTask([&] { ++done; }); });
    EXPECT_EQ(1, done);
  }
}

TEST(OpenmpTasks, AFinalTaskRunsWhatItMakesItself) {
  OpenMp openmp(2);
  std::atomic<int> done{0};
  Parallel(0, [&] {
    EXPECT_FALSE(starpu_omp_in_final());
    MakeTask(
        [&] {
          EXPECT_TRUE(starpu_omp_in_final());
          const int worker = starpu_worker_get_id();
          starpu_omp_set_num_threads(7);
          for (int i = 0; i < 3; ++i) {
            int own = 0;
            MakeTask([&] {
              EXPECT_TRUE(starpu_omp_in_final());
              EXPECT_EQ(worker, starpu_worker_get_id());
              EXPECT_EQ(7, starpu_omp_get_max_threads());
              starpu_omp_set_num_threads(1);
              MakeTask([&] { ++own; });
              EXPECT_EQ(1, own);
              ++own;
            });
            EXPECT_EQ(2, own);
            EXPECT_EQ(7, starpu_omp_get_max_threads());
            done += own;
          }
        },
        {.is_final = true});
  });
  EXPECT_EQ(12, done);
}

TEST(OpenmpTasks, TheNumberOfItsThreadIsNobodyElsesMeanwhile) {
  OpenMp openmp(4);
  for (const int threads : {1, 2, 3}) {
    std::vector<std::atomic<int>> inside(static_cast<size_t>(threads));
    Parallel(threads, [&] {
      for (int i = 0; i < 100; ++i) {
        MakeTask([&] {
          const int number = starpu_omp_get_thread_num();
          ASSERT_GE(number, 0);
          ASSERT_LT(number, threads);
          EXPECT_EQ(1, ++inside[static_cast<size_t>(number)]);
          EXPECT_EQ(threads, starpu_omp_get_num_threads());
          --inside[static_cast<size_t>(number)];
        });
      }
    });
  }
}

// Numbers that tasks add up in an order that changes the result.
struct Cell {
  uint64_t value = 1;
  starpu_data_handle_t handle = nullptr;
};

TEST(OpenmpTasks, RandomGraphsGiveWhatTheirOrderGives) {
  std::mt19937 random(Seed());
  const auto below = [&](unsigned n) { return random() % n; };
  constexpr const char* kPolicies[] = {"lws", "eager", "prio", "ws", "modular-eager", "dmda"};
  for (int program = 0; program < 40; ++program) {
    SCOPED_TRACE(::testing::Message() << "seed " << Seed() << " program " << program);
    struct Step {
      unsigned from, to;
      uint64_t factor;
      bool deferred, has_child;
    };
    std::vector<Step> steps(1 + below(60));
    for (Step& step : steps) {
      step = {static_cast<unsigned>(below(6)), static_cast<unsigned>(below(6)), 1 + below(9),
              below(8) != 0, below(4) == 0};
    }
    std::vector<uint64_t> expected(6, 1);
    for (const Step& step : steps)
      expected[step.to] = expected[step.to] * step.factor + expected[step.from];
    OpenMp openmp(1 + static_cast<int>(below(4)), kPolicies[below(std::size(kPolicies))]);
    std::vector<Cell> cells(6);
    std::atomic<int> children{0};
    int wanted_children = 0;
    for (const Step& step : steps) wanted_children += step.has_child;
    Parallel(0, [&] {
      InSingle([&] {
        for (Cell& cell : cells) {
          starpu_variable_data_register(&cell.handle, STARPU_MAIN_RAM,
                                        reinterpret_cast<uintptr_t>(&cell.value),
                                        sizeof(cell.value));
          starpu_omp_handle_register(cell.handle);
          EXPECT_EQ(cell.handle, starpu_omp_data_lookup(&cell.value));
        }
        for (const Step& step : steps) {
          TaskClauses clauses{.if_clause = step.deferred};
          clauses.data.push_back({cells[step.to].handle, STARPU_RW});
          if (step.from != step.to) clauses.data.push_back({cells[step.from].handle, STARPU_R});
          MakeTask(
              [&cells, &children, step] {
                if (step.has_child) {
                  MakeTask([&] { ++children; });
                  starpu_omp_taskwait();
                }
                cells[step.to].value = cells[step.to].value * step.factor + cells[step.from].value;
              },
              clauses);
        }
      });
    });
    // The region has unregistered its data.
    for (size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(expected[i], cells[i].value);
    EXPECT_EQ(wanted_children, children);
  }
}

TEST(OpenmpTasks, WhatATaskRegistersByAddressIsItsOwnAndEndsWithIt) {
  OpenMp openmp(2);
  int value = 1;
  Parallel(0, [&] {
    InSingle([&] {
      starpu_data_handle_t outer;
      starpu_variable_data_register(&outer, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                    sizeof(value));
      starpu_omp_handle_register(outer);
      MakeTask(
          [&] {
            EXPECT_EQ(nullptr, starpu_omp_data_lookup(&value));
            starpu_data_handle_t inner;
            starpu_variable_data_register(&inner, STARPU_MAIN_RAM,
                                          reinterpret_cast<uintptr_t>(&value), sizeof(value));
            starpu_omp_handle_register(inner);
            EXPECT_EQ(inner, starpu_omp_data_lookup(&value));
            for (int i = 0; i < 5; ++i)
              MakeTask([&] { value *= 3; }, {.data = {{inner, STARPU_RW}}});
          },
          {.data = {{outer, STARPU_RW}}});
      EXPECT_EQ(outer, starpu_omp_data_lookup(&value));
      starpu_omp_handle_unregister(outer);
      EXPECT_EQ(nullptr, starpu_omp_data_lookup(&value));
      starpu_omp_taskwait();
      starpu_data_unregister_submit(outer);
    });
  });
  EXPECT_EQ(243, value);
}

TEST(OpenmpTasks, ALoopOfThemHasEachIterationOnce) {
  OpenMp openmp(3);
  struct Shape {
    unsigned long long iterations, grainsize;
    int tasks;
  };
  for (const bool is_inside : {true, false}) {
    for (const Shape& shape : std::vector<Shape>{
             {100, 0, 0}, {100, 30, 0}, {100, 0, 7}, {3, 0, 8}, {5, 9, 0}, {0, 0, 4}}) {
      static std::vector<std::atomic<int>> runs;
      runs = std::vector<std::atomic<int>>(shape.iterations);
      static std::atomic<int> tasks;
      tasks = 0;
      const auto loop = [&] {
        starpu_omp_task_region_attr attr = {};
        attr.cl.cpu_funcs[0] = [](void**, void* argument) {
          const auto& own = *static_cast<starpu_omp_task_region_attr*>(argument);
          ++tasks;
          EXPECT_EQ(own.chunk, own.end_i - own.begin_i);
          if (own.grainsize && own.nb_iterations >= own.grainsize) {
            EXPECT_GE(own.chunk, own.grainsize);
          }
          for (auto i = own.begin_i; i < own.end_i; ++i) ++runs[i];
        };
        attr.cl.where = STARPU_CPU;
        attr.cl_arg = &attr;
        attr.if_clause = 1;
        attr.nb_iterations = shape.iterations;
        attr.grainsize = shape.grainsize;
        attr.num_tasks = shape.tasks;
        starpu_omp_taskloop_inline_begin(&attr);
        starpu_omp_taskloop_inline_end(&attr);
        for (const auto& run : runs) EXPECT_EQ(1, run);
      };
      if (is_inside)
        Parallel(0, [&] { InSingle(loop); });
      else
        loop();
      if (shape.tasks) {
        EXPECT_EQ(std::min<int>(shape.tasks, static_cast<int>(shape.iterations)), tasks);
      }
    }
  }
}

TEST(OpenmpTasks, OneThatWaitsForALockLeavesItsWorkerToTheOneThatHasIt) {
  for (const int workers : {1, 2, 4}) {
    OpenMp openmp(workers);
    starpu_omp_lock_t lock;
    starpu_omp_init_lock(&lock);
    int inside = 0, done = 0;
    Parallel(0, [&] {
      for (int i = 0; i < 25; ++i) {
        MakeTask([&] {
          starpu_omp_set_lock(&lock);
          EXPECT_EQ(0, starpu_omp_test_lock(&lock));
          EXPECT_EQ(1, ++inside);
          MakeTask([] {});
          starpu_omp_taskwait();  // others come to the lock meanwhile
          --inside;
          ++done;
          starpu_omp_unset_lock(&lock);
        });
      }
    });
    EXPECT_EQ(25 * workers, done);
    EXPECT_NE(0, starpu_omp_test_lock(&lock));
    starpu_omp_unset_lock(&lock);
    starpu_omp_destroy_lock(&lock);
    EXPECT_EQ(nullptr, lock.internal);
  }
}

TEST(OpenmpTasks, ANestableLockIsATasksNotAWorkers) {
  OpenMp openmp(1);
  starpu_omp_nest_lock_t lock;
  starpu_omp_init_nest_lock(&lock);
  int inside = 0;
  Parallel(0, [&] {
    for (int i = 0; i < 10; ++i) {
      MakeTask([&] {
        starpu_omp_set_nest_lock(&lock);
        EXPECT_EQ(2, starpu_omp_test_nest_lock(&lock));
        EXPECT_EQ(1, ++inside);
        MakeTask([&] { EXPECT_EQ(0, starpu_omp_test_nest_lock(&lock)); });
        starpu_omp_taskwait();
        --inside;
        starpu_omp_unset_nest_lock(&lock);
        starpu_omp_unset_nest_lock(&lock);
      });
    }
  });
  starpu_omp_destroy_nest_lock(&lock);
}

TEST(OpenmpTasks, CriticalSectionsExcludeThoseOfTheirNameOnly) {
  OpenMp openmp(3);
  int unnamed = 0, named = 0, atomic = 0;
  Parallel(0, [&] {
    for (int i = 0; i < 200; ++i) {
      starpu_omp_critical([](void* n) { ++*static_cast<int*>(n); }, &unnamed, nullptr);
      starpu_omp_critical_inline_begin("a");
      ++named;
      // Another section may be in it.
      starpu_omp_critical([](void* n) { ++*static_cast<int*>(n); }, &unnamed, nullptr);
      starpu_omp_critical_inline_end("a");
      starpu_omp_atomic_fallback_inline_begin();
      ++atomic;
      starpu_omp_atomic_fallback_inline_end();
    }
  });
  EXPECT_EQ(1200, unnamed);
  EXPECT_EQ(600, named);
  EXPECT_EQ(600, atomic);
}

TEST(OpenmpTasks, AThreadOutsideOfRegionsWaitsForALockAsWell) {
  OpenMp openmp(2);
  starpu_omp_lock_t lock;
  starpu_omp_init_lock(&lock);
  int done = 0;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      starpu_omp_set_lock(&lock);
      ++done;
      starpu_omp_unset_lock(&lock);
    }
  });
  Parallel(0, [&] {
    for (int i = 0; i < 100; ++i) {
      starpu_omp_set_lock(&lock);
      ++done;
      starpu_omp_unset_lock(&lock);
    }
  });
  other.join();
  EXPECT_EQ(300, done);
  starpu_omp_destroy_lock(&lock);
}

}  // namespace
}  // namespace tasklens
