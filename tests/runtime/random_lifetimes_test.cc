// SPDX-License-Identifier: Apache-2.0
// Handles that come and go in random ways, while tasks use them: a handle lives until the last task
// that names it has ended, whatever the access, and what outlives a run of the runtime is as it
// was.
//
// Temporaries are registered by the program, by tasks and by callbacks, used in all the ways that
// make no order as well as in order, cut into planned parts, and given back at once, lazily or
// waiting. Each task looks whether it sees a buffer of the size that it was submitted for, and
// whether somebody else writes to it. Numbers that outlive runs are added to in order.
//
// TASKLENS_SEED=N runs other programs than the usual ones, for hours if need be.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

constexpr int kNumbers = 4;
constexpr int kRuns = 3;

// What the tasks of all programs of this test tell, each program anew.
std::atomic<int> g_ran, g_wrong;
std::atomic<bool> g_go;  // the tasks that hold others up may end

// How a task names a temporary.
enum class Way {
  kScratch,          // STARPU_SCRATCH
  kOrdered,          // STARPU_RW
  kTaskUnordered,    // STARPU_RW of a task without sequential consistency
  kAccessUnordered,  // STARPU_RW, without it for this handle
  kCount
};

void Hold(void**, void*) {
  while (!g_go.load(std::memory_order_acquire)) {
  }
}

// The size that the buffer should have; all of it is this task's for as long as it runs.
void Fill(void* buffers[], void* argument) {
  int wanted = 0;
  starpu_codelet_unpack_args(argument, &wanted);
  const auto size = static_cast<int>(STARPU_VECTOR_GET_NX(buffers[1]));
  ++g_ran;
  if (size != wanted) {
    ++g_wrong;
    return;
  }
  auto* values = reinterpret_cast<volatile int*>(STARPU_VECTOR_GET_PTR(buffers[1]));
  const int mine = g_ran.load();
  for (int i = 0; i < size; ++i) values[i] = mine;
  for (int i = 0; i < size; ++i) g_wrong += values[i] != mine;
}

void AddOne(void* buffers[], void*) {
  ++*reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
}

starpu_codelet MakeCodelet(starpu_cpu_func_t function, std::vector<unsigned> modes,
                           const char* name) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(modes.size());
  for (size_t i = 0; i < modes.size(); ++i)
    codelet.modes[i] = static_cast<starpu_data_access_mode>(modes[i]);
  codelet.name = name;
  return codelet;
}

struct Codelets {
  starpu_codelet hold = MakeCodelet(Hold, {STARPU_RW}, "hold");
  starpu_codelet fill = MakeCodelet(Fill, {STARPU_R, STARPU_W}, "fill");
  starpu_codelet scratch = MakeCodelet(Fill, {STARPU_R, STARPU_SCRATCH}, "scratch");
  starpu_codelet add = MakeCodelet(AddOne, {STARPU_RW}, "add");
};
Codelets g_codelets;

// A user of a temporary; `gate` holds it up for as long as somebody writes to it.
int SubmitFill(starpu_data_handle_t gate, starpu_data_handle_t temporary, int size, Way way) {
  unsigned char ordered[2] = {1, way != Way::kAccessUnordered};
  const bool is_scratch = way == Way::kScratch;
  const int error =
      starpu_task_insert(is_scratch ? &g_codelets.scratch : &g_codelets.fill, STARPU_R, gate,
                         is_scratch ? STARPU_SCRATCH : STARPU_W, temporary, STARPU_VALUE, &size,
                         sizeof size, STARPU_SEQUENTIAL_CONSISTENCY, way != Way::kTaskUnordered,
                         STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, ordered, 0);
  return error == 0 ? 1 : 0;
}

std::atomic<int> g_submitted;

// Registers a temporary, submits users of it and gives it back, from wherever this is called.
void UseOneTemporary(starpu_data_handle_t gate, uint32_t random) {
  const int size = 1 + static_cast<int>(random % 500);
  starpu_data_handle_t temporary;
  starpu_vector_data_register(&temporary, -1, 0, static_cast<uint32_t>(size), sizeof(int));
  if (random >> 10 & 1) starpu_data_set_sequential_consistency_flag(temporary, 0);
  for (uint32_t i = 0; i <= (random >> 12) % 3; ++i) {
    const auto way = static_cast<Way>((random >> (14 + 2 * i)) % static_cast<int>(Way::kCount));
    g_submitted += SubmitFill(gate, temporary, size, way);
  }
  starpu_data_unregister_submit(temporary);
}

struct Inner {
  starpu_data_handle_t gate;
  uint32_t random;
};
void UseInner(void* argument) {
  const auto* inner = static_cast<Inner*>(argument);
  UseOneTemporary(inner->gate, inner->random);
}
void UseInTask(void**, void* argument) { UseInner(argument); }

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) { inner_.reserve(1000); }

  // Those that outlive runs.
  void RegisterNumbers() {
    for (int i = 0; i < kNumbers; ++i)
      starpu_variable_data_register(&handles_[i], STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(&numbers_[i]), sizeof(int));
  }
  void UnregisterNumbers() {
    for (int i = 0; i < kNumbers; ++i) {
      starpu_data_unregister(handles_[i]);
      EXPECT_EQ(expected_[i], numbers_[i]) << "number " << i;
    }
  }

  void Run(int steps) {
    int held = 0;
    g_go = false;
    starpu_variable_data_register(&gate_, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&held),
                                  sizeof held);
    starpu_task_insert(&g_codelets.hold, STARPU_RW, gate_, 0);
    for (int i = 0; i < steps; ++i) Step();
    Open();
    starpu_task_wait_for_all();
    starpu_data_unregister(gate_);
    for (int i = 0; i < kNumbers; ++i) {
      ASSERT_EQ(0, starpu_data_acquire(handles_[i], STARPU_R));
      EXPECT_EQ(expected_[i], numbers_[i]) << "number " << i;
      starpu_data_release(handles_[i]);
    }
  }

 private:
  uint32_t Below(uint32_t n) { return random_() % n; }
  void Open() { g_go.store(true, std::memory_order_release); }

  void Step() {
    switch (Below(6)) {
      case 0: return UseOneTemporary(gate_, random_());
      case 1: return UseAndWait();
      case 2: return UseParts();
      case 3: {  // by a task
        static starpu_codelet in_task = MakeCodelet(UseInTask, {}, "in task");
        Inner* const inner = NewInner();
        starpu_task_insert(&in_task, STARPU_CL_ARGS_NFREE, inner, sizeof *inner, 0);
        return;
      }
      case 4: {  // by a callback
        const uint32_t i = Below(kNumbers);
        ++expected_[i];
        starpu_task_insert(&g_codelets.add, STARPU_RW, handles_[i], STARPU_CALLBACK_WITH_ARG_NFREE,
                           UseInner, NewInner(), 0);
        return;
      }
      default: {
        const uint32_t i = Below(kNumbers);
        ++expected_[i];
        starpu_task_insert(&g_codelets.add, STARPU_RW, handles_[i], 0);
      }
    }
  }

  // A temporary whose end is waited for.
  void UseAndWait() {
    const int size = 1 + static_cast<int>(Below(500));
    starpu_data_handle_t temporary;
    starpu_vector_data_register(&temporary, -1, 0, static_cast<uint32_t>(size), sizeof(int));
    const uint32_t users = Below(3);
    for (uint32_t i = 0; i < users; ++i)
      g_submitted += SubmitFill(gate_, temporary, size,
                                static_cast<Way>(Below(static_cast<uint32_t>(Way::kCount))));
    Open();
    if (Below(2))
      starpu_data_unregister(temporary);
    else
      starpu_data_unregister_no_coherency(temporary);
  }

  // A temporary that is cut by a plan, and given back with its parts or after them.
  void UseParts() {
    constexpr uint32_t kParts = 3;
    const int of_part = 1 + static_cast<int>(Below(100));
    starpu_data_handle_t whole, parts[kParts];
    starpu_vector_data_register(&whole, -1, 0, static_cast<uint32_t>(of_part) * kParts,
                                sizeof(int));
    g_submitted += SubmitFill(gate_, whole, of_part * static_cast<int>(kParts), Way::kScratch);
    starpu_data_filter filter = {};
    filter.filter_func = starpu_vector_filter_block;
    filter.nchildren = kParts;
    starpu_data_partition_plan(whole, &filter, parts);
    for (starpu_data_handle_t part : parts) {
      const auto way = static_cast<Way>(Below(static_cast<uint32_t>(Way::kCount)));
      g_submitted += SubmitFill(gate_, part, of_part, way);
    }
    if (Below(2)) starpu_data_partition_clean(whole, kParts, parts);
    starpu_data_unregister_submit(whole);
  }

  Inner* NewInner() {
    inner_.push_back({gate_, static_cast<uint32_t>(random_())});
    return &inner_.back();
  }

  std::mt19937 random_;
  starpu_data_handle_t gate_ = nullptr;
  starpu_data_handle_t handles_[kNumbers] = {};
  int numbers_[kNumbers] = {}, expected_[kNumbers] = {};
  std::vector<Inner> inner_;  // does not move
};

class RandomLifetimes : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(RandomLifetimes, EndWhenTheLastTaskHasEnded) {
  const auto [policy, workers] = GetParam();
  const char* const given = getenv("TASKLENS_SEED");
  const unsigned first = given ? static_cast<unsigned>(atoi(given)) : 1;
  for (unsigned seed = first; seed < first + 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    g_ran = g_wrong = g_submitted = 0;
    Program program(seed * 100 + static_cast<unsigned>(workers));
    for (int run = 0; run < kRuns; ++run) {
      Started started(workers, policy.c_str());
      if (run == 0) program.RegisterNumbers();
      program.Run(100);
      if (run == kRuns - 1) program.UnregisterNumbers();
    }
    EXPECT_EQ(g_submitted, g_ran);
    EXPECT_EQ(0, g_wrong);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, RandomLifetimes,
                         testing::Combine(testing::Values("lws", "eager", "dmda", "prio"),
                                          testing::Values(1, 2, 4)));

}  // namespace
}  // namespace tasklens
