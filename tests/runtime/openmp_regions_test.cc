// SPDX-License-Identifier: Apache-2.0
// Regions of OpenMP: their threads, barriers, and what one thread of them does.
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/in_openmp.h"

namespace tasklens {
namespace {

TEST(OpenmpRegions, EachThreadHasANumberAndAWorkerOfItsOwn) {
  for (const int workers : {1, 2, 4}) {
    OpenMp openmp(workers);
    std::mutex lock;
    std::set<int> numbers, of_workers;
    Parallel(0, [&] {
      std::lock_guard guard(lock);
      numbers.insert(starpu_omp_get_thread_num());
      of_workers.insert(starpu_worker_get_id());
      EXPECT_EQ(workers, starpu_omp_get_num_threads());
      EXPECT_EQ(workers > 1, starpu_omp_in_parallel() != 0);
      EXPECT_EQ(1, starpu_omp_get_level());
    });
    EXPECT_EQ(static_cast<size_t>(workers), numbers.size());
    EXPECT_EQ(0, *numbers.begin());
    EXPECT_EQ(static_cast<size_t>(workers), of_workers.size());
    EXPECT_EQ(0, starpu_omp_get_level());
    EXPECT_EQ(1, starpu_omp_get_num_threads());
  }
}

thread_local int of_thread = 0;

TEST(OpenmpRegions, TheFirstThreadIsTheOneThatCameToTheRegion) {
  OpenMp openmp(3);
  of_thread = 7;
  const auto self = std::this_thread::get_id();
  for (int i = 0; i < 20; ++i) {
    Parallel(0, [&] {
      const bool is_first = starpu_omp_get_thread_num() == 0;
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(is_first, std::this_thread::get_id() == self);
        EXPECT_EQ(is_first ? 7 : 0, of_thread);
        EXPECT_EQ(is_first, starpu_omp_master_inline() != 0);
        starpu_omp_barrier();
      }
    });
    EXPECT_EQ(-1, starpu_worker_get_id());
  }
}

TEST(OpenmpRegions, BetweenThemWorkersRunOrdinaryTasks) {
  OpenMp openmp(1);
  static std::atomic<int> runs;
  runs = 0;
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++runs; };
  for (int i = 1; i <= 10; ++i) {
    Parallel(0, [] { starpu_omp_barrier(); });
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    ASSERT_EQ(0, starpu_task_wait_for_all());
    EXPECT_EQ(i, runs);
  }
}

TEST(OpenmpRegions, TwoThreadsOfTheProgramTakeTurns) {
  OpenMp openmp(2);
  std::atomic<int> entered{0};
  const auto program = [&] {
    for (int i = 0; i < 20; ++i) {
      Parallel(0, [&] {
        ++entered;
        starpu_omp_barrier();
        EXPECT_EQ(2, starpu_omp_get_num_threads());
      });
    }
  };
  std::thread other(program);
  program();
  other.join();
  EXPECT_EQ(80, entered);
}

TEST(OpenmpRegions, ABarrierHoldsAllThreadsUntilTheLastHasCome) {
  for (const char* policy : {"lws", "eager", "graph_test"}) {
    OpenMp openmp(4, policy);
    constexpr int kRounds = 50;
    std::vector<std::atomic<int>> come(kRounds);
    Parallel(0, [&] {
      for (std::atomic<int>& here : come) {
        ++here;
        starpu_omp_barrier();
        EXPECT_EQ(4, here);
      }
    });
  }
}

TEST(OpenmpRegions, ABarrierAndTheEndOfARegionWaitForItsTasks) {
  for (const int workers : {1, 3}) {
    OpenMp openmp(workers);
    std::atomic<int> done{0};
    Parallel(0, [&] {
      for (int i = 0; i < 10; ++i) MakeTask([&] { MakeTask([&] { ++done; }); });
      starpu_omp_barrier();
      EXPECT_EQ(10 * workers, done);
      starpu_omp_barrier();
      for (int i = 0; i < 10; ++i) MakeTask([&] { MakeTask([&] { ++done; }); });
    });
    EXPECT_EQ(20 * workers, done);
  }
}

TEST(OpenmpRegions, ASingleIsOfOneThreadEachTime) {
  OpenMp openmp(4);
  constexpr int kRounds = 100;
  std::vector<std::atomic<int>> runs(kRounds);
  Parallel(0, [&] {
    for (int i = 0; i < kRounds; ++i) {
      if (i % 3 == 0) {
        if (starpu_omp_single_inline()) ++runs[static_cast<size_t>(i)];
        continue;
      }
      starpu_omp_single([](void* run) { ++*static_cast<std::atomic<int>*>(run); },
                        &runs[static_cast<size_t>(i)], i % 3 == 1);
      if (i % 3 == 2) {
        EXPECT_EQ(1, runs[static_cast<size_t>(i)]);
      }
    }
  });
  for (const auto& run : runs) EXPECT_EQ(1, run);
}

TEST(OpenmpRegions, CopyprivateGivesAllThreadsWhatTheOneHas) {
  OpenMp openmp(4);
  Parallel(0, [&] {
    for (int i = 0; i < 30; ++i) {
      int value = -1;
      starpu_omp_single_copyprivate(
          [](void* number, void* data, unsigned long long) {
            *static_cast<int*>(data) = *static_cast<int*>(number);
          },
          &i, &value, sizeof(value));
      EXPECT_EQ(i, value);
      void* const other = starpu_omp_single_copyprivate_inline_begin(&value);
      if (other)
        value = *static_cast<int*>(other);
      else
        value = 1000 + i;
      starpu_omp_single_copyprivate_inline_end();
      EXPECT_EQ(1000 + i, value);
    }
  });
}

TEST(OpenmpRegions, WithinARegionThereIsOneThreadUnlessLevelsAreWanted) {
  OpenMp openmp(4);
  Parallel(2, [] {
    const int outer = starpu_omp_get_thread_num();
    Parallel(2, [outer] {
      EXPECT_EQ(1, starpu_omp_get_num_threads());
      EXPECT_EQ(0, starpu_omp_get_thread_num());
      EXPECT_EQ(2, starpu_omp_get_level());
      EXPECT_EQ(1, starpu_omp_get_active_level());
      EXPECT_EQ(outer, starpu_omp_get_ancestor_thread_num(1));
      EXPECT_EQ(2, starpu_omp_get_team_size(1));
      EXPECT_EQ(-1, starpu_omp_get_team_size(3));
    });
  });
  starpu_omp_set_nested(1);
  std::atomic<int> threads{0};
  Parallel(2, [&] {
    const int outer = starpu_omp_get_thread_num();
    std::mutex lock;
    std::set<int> of_workers;
    starpu_omp_barrier();
    Parallel(2, [&] {
      EXPECT_EQ(outer, starpu_omp_get_ancestor_thread_num(1));
      EXPECT_EQ(outer, starpu_omp_get_thread_num() == 0 ? starpu_worker_get_id() : outer);
      starpu_omp_barrier();
      ++threads;
      std::lock_guard guard(lock);
      of_workers.insert(starpu_worker_get_id());
    });
    EXPECT_EQ(2u, of_workers.size());
  });
  EXPECT_EQ(4, threads);
}

TEST(OpenmpRegions, ALimitBeyondTheWorkersLetsThreadsShareThem) {
  OpenMp openmp(2, "lws", {{"OMP_THREAD_LIMIT", "9"}});
  std::atomic<int> come{0};
  Parallel(7, [&] {
    ++come;
    starpu_omp_barrier();
    EXPECT_EQ(7, come);
  });
  Parallel(20, [] { EXPECT_EQ(9, starpu_omp_get_num_threads()); });
  starpu_omp_set_dynamic(1);
  Parallel(20, [] { EXPECT_EQ(2, starpu_omp_get_num_threads()); });
  Parallel(
      2, [] { EXPECT_EQ(1, starpu_omp_get_num_threads()); }, /*if_clause=*/false);
}

TEST(OpenmpRegions, WhatATaskSetsIsItsOwn) {
  OpenMp openmp(3);
  starpu_omp_set_num_threads(2);
  Parallel(0, [] {
    EXPECT_EQ(2, starpu_omp_get_num_threads());
    EXPECT_EQ(2, starpu_omp_get_max_threads());
    starpu_omp_set_num_threads(1);
    starpu_omp_set_schedule(starpu_omp_sched_guided, 5);
    starpu_omp_barrier();
    EXPECT_EQ(1, starpu_omp_get_max_threads());
  });
  EXPECT_EQ(2, starpu_omp_get_max_threads());
  starpu_omp_sched_value kind;
  int chunk;
  starpu_omp_get_schedule(&kind, &chunk);
  EXPECT_EQ(starpu_omp_sched_static, kind);
  EXPECT_EQ(0, chunk);
}

TEST(OpenmpRegions, AnExceptionThatIsBeingHandledIsTheThreadsOwnAcrossAPause) {
  OpenMp openmp(1, "lws", {{"OMP_THREAD_LIMIT", "4"}});
  std::atomic<int> right{0};
  Parallel(4, [&] {
    const std::string own = std::to_string(starpu_omp_get_thread_num());
    try {
      throw std::runtime_error(own);
    } catch (const std::exception&) {
      starpu_omp_barrier();
      try {
        throw;
      } catch (const std::exception& again) {
        starpu_omp_barrier();
        if (again.what() == own) ++right;
      }
    }
    EXPECT_EQ(nullptr, std::current_exception());
  });
  EXPECT_EQ(4, right);
}

TEST(OpenmpRegions, InitAndShutdownCount) {
  OpenMp openmp(2);
  ASSERT_EQ(0, starpu_omp_init());
  starpu_omp_shutdown();
  std::atomic<int> threads{0};
  Parallel(0, [&] { ++threads; });
  EXPECT_EQ(2, threads);
}

TEST(OpenmpRegionsDeathTest, WhatCannotGoOnIsOneLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(starpu_omp_barrier(), "starpu_omp_barrier.. was called without a successful");
  EXPECT_DEATH(
      {
        OpenMp openmp(2);
        Parallel(0, [] { MakeTask([] { starpu_omp_barrier(); }); });
      },
      "starpu_omp_barrier.. was called in an explicit task");
  EXPECT_DEATH(
      {
        OpenMp openmp(2);
        starpu_codelet codelet = {};
        codelet.cpu_funcs[0] = [](void**, void*) { Parallel(0, [] {}); };
        starpu_task_insert(&codelet, 0);
        starpu_task_wait_for_all();
      },
      "only tasks of OpenMP's own may wait");
}

}  // namespace
}  // namespace tasklens
