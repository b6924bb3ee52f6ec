// SPDX-License-Identifier: Apache-2.0
// Loops and sections of OpenMP: each iteration once, whatever the schedule; what is ordered, in
// order. TASKLENS_SEED=N runs other loops than the usual ones.
#include <atomic>
#include <climits>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/runtime/in_openmp.h"

namespace tasklens {
namespace {

using Number = unsigned long long;

constexpr starpu_omp_sched_value kSchedules[] = {
    starpu_omp_sched_undefined, starpu_omp_sched_static, starpu_omp_sched_dynamic,
    starpu_omp_sched_guided,    starpu_omp_sched_auto,   starpu_omp_sched_runtime};

unsigned Seed() {
  const char* const text = getenv("TASKLENS_SEED");
  return text ? static_cast<unsigned>(atoi(text)) : 4711;
}

// One loop, which all threads come to.
struct Loop {
  Number iterations, chunk;
  int schedule;
  bool ordered, nowait;
  int form;          // of the six functions
  Number every = 1;  // ordered parts: only of multiples of it
  std::vector<std::atomic<int>> runs{};
  std::vector<Number> in_order{};  // written by ordered parts alone, without a lock
};

void Iterate(Loop& loop, Number first, Number end) {
  for (Number i = first; i < end; ++i) {
    ++loop.runs[i];
    if (!loop.ordered || i % loop.every != 0) continue;
    if (i % 2 == 0) {
      starpu_omp_ordered_inline_begin();
      loop.in_order.push_back(i);
      starpu_omp_ordered_inline_end();
      continue;
    }
    struct Part {
      Loop& loop;
      Number i;
    } part{loop, i};
    starpu_omp_ordered(
        [](void* argument) {
          auto* const self = static_cast<Part*>(argument);
          self->loop.in_order.push_back(self->i);
        },
        &part);
  }
}

void RunInForm(Loop& loop) {
  const auto by_count = [](Number first, Number count, void* argument) {
    Iterate(*static_cast<Loop*>(argument), first, first + count);
  };
  const auto by_end = [](Number first, Number end, void* argument) {
    Iterate(*static_cast<Loop*>(argument), first, end);
  };
  Number first, other;
  switch (loop.form) {
    case 0:
      return starpu_omp_for(by_count, &loop, loop.iterations, loop.chunk, loop.schedule,
                            loop.ordered, loop.nowait);
    case 1:
      return starpu_omp_for_alt(by_end, &loop, loop.iterations, loop.chunk, loop.schedule,
                                loop.ordered, loop.nowait);
    case 2:
      if (starpu_omp_for_inline_first(loop.iterations, loop.chunk, loop.schedule, loop.ordered,
                                      &first, &other)) {
        do {
          Iterate(loop, first, first + other);
        } while (starpu_omp_for_inline_next(loop.iterations, loop.chunk, loop.schedule,
                                            loop.ordered, &first, &other));
      }
      break;
    default:
      if (starpu_omp_for_inline_first_alt(loop.iterations, loop.chunk, loop.schedule, loop.ordered,
                                          &first, &other)) {
        do {
          Iterate(loop, first, other);
        } while (starpu_omp_for_inline_next_alt(loop.iterations, loop.chunk, loop.schedule,
                                                loop.ordered, &first, &other));
      }
  }
  if (!loop.nowait) starpu_omp_barrier();
}

TEST(OpenmpLoops, RandomOnesRunEachIterationOnceAndOrderedPartsInOrder) {
  std::mt19937 random(Seed());
  const auto below = [&](unsigned n) { return random() % n; };
  for (int program = 0; program < 60; ++program) {
    const int workers = 1 + static_cast<int>(below(4));
    OpenMp openmp(workers, below(2) ? "lws" : "eager",
                  {{"OMP_SCHEDULE", below(2) ? "guided,2" : "nonmonotonic:dynamic"}});
    std::vector<Loop> loops(1 + below(8));
    for (Loop& loop : loops) {
      loop.iterations = below(4) == 0 ? below(4) : below(200);
      loop.chunk = below(3) == 0 ? 0 : 1 + below(40);
      loop.schedule = kSchedules[below(std::size(kSchedules))];
      loop.ordered = below(3) == 0;
      loop.nowait = below(2) != 0;
      loop.form = static_cast<int>(below(4));
      loop.every = 1 + below(3);
      loop.runs = std::vector<std::atomic<int>>(loop.iterations);
    }
    Parallel(1 + static_cast<int>(below(4)), [&] {
      for (Loop& loop : loops) {
        RunInForm(loop);
        if (loop.nowait) continue;
        for (const auto& run : loop.runs) EXPECT_EQ(1, run);
      }
    });
    for (const Loop& loop : loops) {
      SCOPED_TRACE(::testing::Message() << "seed " << Seed() << " program " << program << " of "
                                        << loop.iterations << " by " << loop.chunk << ", schedule "
                                        << loop.schedule << ", ordered " << loop.ordered);
      for (const auto& run : loop.runs) ASSERT_EQ(1, run);
      std::vector<Number> expected;
      for (Number i = 0; loop.ordered && i < loop.iterations; i += loop.every)
        expected.push_back(i);
      ASSERT_EQ(expected, loop.in_order);
    }
  }
}

TEST(OpenmpLoops, AStaticScheduleGivesEachThreadItsOwn) {
  OpenMp openmp(3);
  std::vector<int> by(20, -1), by_chunks(20, -1);
  Parallel(0, [&] {
    Number begin, end;
    if (starpu_omp_for_inline_first_alt(20, 0, starpu_omp_sched_static, 0, &begin, &end))
      for (Number i = begin; i < end; ++i) by[i] = starpu_omp_get_thread_num();
    starpu_omp_for_alt(
        [](Number from, Number to, void* array) {
          for (Number i = from; i < to; ++i)
            (*static_cast<std::vector<int>*>(array))[i] = starpu_omp_get_thread_num();
        },
        &by_chunks, 20, 2, starpu_omp_sched_static, 0, 0);
  });
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(i < 7 ? 0 : i < 14 ? 1 : 2, by[i]) << i;
    EXPECT_EQ(static_cast<int>(i / 2 % 3), by_chunks[i]) << i;
  }
}

TEST(OpenmpLoops, NumbersMayBeAsLargeAsTheyAre) {
  OpenMp openmp(3);
  for (const auto schedule : {starpu_omp_sched_static, starpu_omp_sched_dynamic,
                              starpu_omp_sched_guided, starpu_omp_sched_auto}) {
    for (const Number chunk : {Number{1} << 62, ULLONG_MAX, (Number{1} << 63) + 1}) {
      std::atomic<Number> sum{0};
      Parallel(0, [&] {
        Number first, count;
        if (!starpu_omp_for_inline_first(ULLONG_MAX, chunk, schedule, 0, &first, &count)) return;
        do {
          sum += count;
        } while (starpu_omp_for_inline_next(ULLONG_MAX, chunk, schedule, 0, &first, &count));
      });
      EXPECT_EQ(ULLONG_MAX, sum) << schedule << " by " << chunk;
    }
  }
}

TEST(OpenmpLoops, SectionsRunOnceEach) {
  OpenMp openmp(3);
  static std::atomic<int> runs[8];
  for (auto& run : runs) run = 0;
  Parallel(0, [] {
    void (*functions[4])(void*);
    void* arguments[4];
    for (int round = 0; round < 25; ++round) {
      for (int i = 0; i < 4; ++i) {
        functions[i] = [](void* run) { ++*static_cast<std::atomic<int>*>(run); };
        arguments[i] = &runs[i];
      }
      starpu_omp_sections(4, functions, arguments, round % 2);
      starpu_omp_sections_combined(
          4, [](Number section, void* all) { ++static_cast<std::atomic<int>*>(all)[4 + section]; },
          runs, 0);
      EXPECT_GE(runs[4], round + 1);
      starpu_omp_barrier();
    }
  });
  for (const auto& run : runs) EXPECT_EQ(25, run);
}

TEST(OpenmpLoopsDeathTest, AnOrderedPartNeedsALoopThatIsOrdered) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        OpenMp openmp(1);
        Parallel(0, [] { starpu_omp_ordered_inline_begin(); });
      },
      "outside of a loop with `ordered`");
}

}  // namespace
}  // namespace tasklens
