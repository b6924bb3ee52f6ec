// SPDX-License-Identifier: Apache-2.0
// Random task graphs give the results of running their tasks one after the other.
//
// Every handle holds a number. A task computes from the numbers it reads, so that any wrong order
// of two conflicting accesses changes a result; commuting and reducing tasks add, which may be done
// in any order. Beside that, each access counts itself in and out, to see overlaps that happened to
// do no harm. Out of core, the memory holds two thirds of the handles, and the rest is on a disk.
//
// TASKLENS_SEED=N runs other programs than the usual ones, for hours if need be.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/own_policy.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

constexpr int kHandles = 6;
constexpr int kMaxBuffers = 4;
constexpr size_t kBytesOutOfCore = 256 << 10;  // of each handle; the memory has room for four

uint64_t Mix(uint64_t a, uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15u;
  return a ^ a >> 29;
}

struct Cell {
  uint64_t value = 0;
  std::atomic<int> readers{0}, writers{0}, reducers{0};
};

struct Step {
  int id = 0;
  int count = 0;
  int cell[kMaxBuffers] = {};
  unsigned mode[kMaxBuffers] = {};
  Cell* cells = nullptr;
  std::atomic<bool>* overlap = nullptr;
};

bool Is(unsigned mode, unsigned bits) { return (mode & bits) == bits; }

// What a task does to the numbers behind its buffers.
void Apply(const Step& step, uint64_t* const values[]) {
  uint64_t seen = Mix(static_cast<uint64_t>(step.id), 1);
  for (int i = 0; i < step.count; ++i) {
    const unsigned mode = step.mode[i];
    if (mode == STARPU_R || mode == STARPU_RW) seen = Mix(seen, *values[i]);
  }
  for (int i = 0; i < step.count; ++i) {
    const unsigned mode = step.mode[i];
    if (mode == STARPU_W || mode == STARPU_RW) *values[i] = Mix(seen, static_cast<uint64_t>(i));
    if (Is(mode, STARPU_COMMUTE) || Is(mode, STARPU_REDUX)) *values[i] += seen;
    if (mode == STARPU_SCRATCH) *values[i] = seen;
  }
}

void Enter(const Step& step, int direction) {
  for (int i = 0; i < step.count; ++i) {
    Cell& cell = step.cells[step.cell[i]];
    const unsigned mode = step.mode[i];
    if (mode == STARPU_SCRATCH) continue;
    std::atomic<int>& mine = mode == STARPU_R       ? cell.readers
                             : mode == STARPU_REDUX ? cell.reducers
                                                    : cell.writers;
    const int before = mine.fetch_add(direction);
    if (direction < 0) continue;
    if (&mine != &cell.readers && cell.readers != 0) *step.overlap = true;
    if (&mine != &cell.reducers && cell.reducers != 0) *step.overlap = true;
    if (&mine != &cell.writers && cell.writers != 0) *step.overlap = true;
    if (&mine == &cell.writers && before != 0) *step.overlap = true;
  }
}

void Run(void* buffers[], void* argument) {
  const Step& step = **static_cast<Step**>(argument);
  uint64_t* values[kMaxBuffers];
  for (int i = 0; i < step.count; ++i) {
    values[i] = reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
  }
  Enter(step, +1);
  Apply(step, values);
  Enter(step, -1);
}

void Zero(void* buffers[], void*) {
  *reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = 0;
}
void Add(void* buffers[], void*) {
  *reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) +=
      *reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
}

starpu_codelet MakeCodelet(starpu_cpu_func_t function, int buffers) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = buffers;
  return codelet;
}

struct Program {
  starpu_codelet run = MakeCodelet(Run, STARPU_VARIABLE_NBUFFERS);
  starpu_codelet zero = MakeCodelet(Zero, 1);
  starpu_codelet add = MakeCodelet(Add, 2);
  std::mt19937 random;
  Cell cells[kHandles];
  uint64_t model[kHandles] = {};
  starpu_data_handle_t handles[kHandles];
  std::vector<std::unique_ptr<Step>> steps;
  std::atomic<bool> overlap{false};
  const bool out_of_core;

  Program(unsigned seed, bool out_of_core) : random(seed), out_of_core(out_of_core) {
    zero.modes[0] = STARPU_W;
    add.modes[0] = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
    add.modes[1] = STARPU_R;
    for (int i = 0; i < kHandles; ++i) {
      if (out_of_core) {
        starpu_variable_data_register(&handles[i], -1, 0, kBytesOutOfCore);
        EXPECT_EQ(0, starpu_data_acquire(handles[i], STARPU_W));
        *ValueOf(i) = 0;
        starpu_data_release(handles[i]);
        continue;
      }
      starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(&cells[i].value), sizeof(uint64_t));
      starpu_data_set_reduction_methods(handles[i], &add, &zero);
    }
  }

  // Of a handle that is acquired.
  uint64_t* ValueOf(int i) { return static_cast<uint64_t*>(starpu_data_get_local_ptr(handles[i])); }

  int Below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  Step* NextStep() {
    static constexpr unsigned kModes[] = {STARPU_R,     STARPU_R,      STARPU_W,
                                          STARPU_RW,    STARPU_RW,     STARPU_RW | STARPU_COMMUTE,
                                          STARPU_REDUX, STARPU_SCRATCH};
    auto step = std::make_unique<Step>();
    step->id = static_cast<int>(steps.size());
    step->count = Below(kMaxBuffers + 1);
    step->cells = cells;
    step->overlap = &overlap;
    for (int i = 0; i < step->count; ++i) {
      bool fresh;
      do {
        step->cell[i] = Below(kHandles);
        fresh = true;
        for (int j = 0; j < i; ++j) fresh = fresh && step->cell[j] != step->cell[i];
      } while (!fresh);
      // Workers' own copies never leave the memory.
      step->mode[i] = kModes[Below(out_of_core ? 6 : 8)];
    }
    steps.push_back(std::move(step));
    return steps.back().get();
  }

  void ApplyToModel(const Step& step) {
    uint64_t* values[kMaxBuffers];
    uint64_t scratch[kMaxBuffers];
    for (int i = 0; i < step.count; ++i) {
      values[i] = step.mode[i] == STARPU_SCRATCH ? &scratch[i] : &model[step.cell[i]];
    }
    Apply(step, values);
  }

  void Submit(Step* step) {
    starpu_data_descr data[kMaxBuffers];
    for (int i = 0; i < step->count; ++i) {
      data[i] = {handles[step->cell[i]], static_cast<starpu_data_access_mode>(step->mode[i])};
    }
    // Some may only run on one worker.
    const bool pinned = Below(8) == 0;
    const int worker = Below(static_cast<int>(starpu_worker_get_count()));
    ASSERT_EQ(0, starpu_task_insert(&run, STARPU_DATA_MODE_ARRAY, data, step->count, STARPU_CL_ARGS,
                                    Boxed(step), sizeof(void*), STARPU_PRIORITY, Below(7) - 3,
                                    pinned ? STARPU_EXECUTE_ON_WORKER : 0, worker, 0));
  }
  static void* Boxed(Step* step) {
    Step** box = static_cast<Step**>(malloc(sizeof(*box)));
    *box = step;
    return box;
  }

  void CheckOne() {
    const int i = Below(kHandles);
    const auto mode = Below(2) ? STARPU_R : STARPU_RW;
    ASSERT_EQ(0, starpu_data_acquire(handles[i], mode));
    EXPECT_EQ(model[i], *ValueOf(i)) << "handle " << i << " after " << steps.size() << " tasks";
    if (mode == STARPU_RW) model[i] = *ValueOf(i) = Mix(model[i], 77);
    starpu_data_release(handles[i]);
    if (out_of_core && Below(2)) starpu_data_wont_use(handles[i]);
    if (out_of_core && Below(2)) starpu_data_evict_from_node(handles[i], STARPU_MAIN_RAM);
  }

  void RunSteps(int count) {
    for (int n = 0; n < count; ++n) {
      Step* step = NextStep();
      ApplyToModel(*step);
      Submit(step);
      if (Below(40) == 0) CheckOne();
      if (Below(200) == 0) {
        EXPECT_EQ(0, starpu_task_wait_for_all());
      }
    }
    for (int i = 0; out_of_core && i < kHandles; ++i) {
      ASSERT_EQ(0, starpu_data_acquire(handles[i], STARPU_R));
      cells[i].value = *ValueOf(i);
      starpu_data_release(handles[i]);
    }
    for (int i = 0; i < kHandles; ++i) starpu_data_unregister(handles[i]);
    EXPECT_EQ(0, starpu_task_wait_for_all());  // those without data
    for (int i = 0; i < kHandles; ++i) EXPECT_EQ(model[i], cells[i].value) << "handle " << i;
    EXPECT_FALSE(overlap) << "two accesses that exclude each other ran at once";
  }
};

std::vector<std::string> AllPolicies() {
  std::vector<std::string> names;
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at)
    names.push_back((*at)->policy_name);
  names.push_back("own");
  return names;
}

class RandomPrograms : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

unsigned FirstSeed() {
  const char* given = getenv("TASKLENS_SEED");
  return given ? static_cast<unsigned>(atoi(given)) : 1;
}

TEST_P(RandomPrograms, GiveTheResultsOfOneAfterTheOther) {
  const auto [policy, workers] = GetParam();
  for (unsigned seed = FirstSeed(); seed < FirstSeed() + 8; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    starpu_sched_policy own = OwnPolicy();
    Started started(workers, policy.c_str(), policy == "own" ? &own : nullptr);
    Program program(seed * 100 + static_cast<unsigned>(workers), /*out_of_core=*/false);
    program.RunSteps(400);
    if (HasFailure()) return;
  }
}

TEST_P(RandomPrograms, DoSoOutOfCore) {
  const auto [policy, workers] = GetParam();
  testing::on_disk::Folder folder;
  setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
  for (unsigned seed = FirstSeed(); seed < FirstSeed() + 2; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    starpu_sched_policy own = OwnPolicy();
    Started started(workers, policy.c_str(), policy == "own" ? &own : nullptr);
    ASSERT_EQ(1, starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1));
    Program program(seed * 100 + static_cast<unsigned>(workers), /*out_of_core=*/true);
    program.RunSteps(200);
    if (HasFailure()) break;
  }
  unsetenv("STARPU_LIMIT_CPU_MEM");
}

INSTANTIATE_TEST_SUITE_P(Everywhere, RandomPrograms,
                         ::testing::Combine(::testing::ValuesIn(AllPolicies()),
                                            ::testing::Values(1, 2, 4)));

}  // namespace
}  // namespace tasklens
