// SPDX-License-Identifier: Apache-2.0
// Rank 0 has more to do than the others, until load balancing moves some of its data. Each rank
// says how many of its tasks ran; values and owners at the end are as without load balancing.
#include <starpu_mpi_lb.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

constexpr int kData = 12, kRounds = 40;

std::vector<starpu_data_handle_t> handles(kData);
std::atomic<int> ran{0};
int asked = 0;

void Neighbors(int** ids, int* count) {
  *count = ranks > 2 ? 2 : ranks - 1;
  *ids = static_cast<int*>(malloc(2 * sizeof(int)));
  (*ids)[0] = (my_rank + 1) % ranks;
  (*ids)[1] = (my_rank + ranks - 1) % ranks;
}

// The first of ours.
void Unit(starpu_data_handle_t** unit, int* count, int target) {
  ++asked;
  CHECK(target != my_rank);
  *count = 0;
  for (starpu_data_handle_t handle : handles) {
    if (starpu_mpi_data_get_rank(handle) != my_rank) continue;
    *unit = static_cast<starpu_data_handle_t*>(malloc(sizeof **unit));
    **unit = handle;
    *count = 1;
    return;
  }
}

uint64_t Next(uint64_t value, uint64_t other) {
  for (int i = 0; i < 200'000; ++i) value = value * 6364136223846793005u + other + 1;
  return value;
}

int OwnerAtFirst(int i, bool one_is_slow) { return one_is_slow ? i % ranks : 0; }

bool is_slow = false;
std::atomic<uint64_t> wasted{0};

void Work(void* buffers[], void*) {
  auto* const value = reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  for (int i = 0; is_slow && i < 8; ++i) wasted = Next(wasted, 1);
  *value = Next(*value, *reinterpret_cast<uint64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1])));
  ++ran;
}

}  // namespace

// Rank 0 owns all data (with the argument "tags" tasks have them); or, "slow", each rank owns as
// many, nobody waits for another, and a task takes rank 0 nine times as long.
int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const bool has_tags = how == "tags", one_is_slow = how == "slow";
  Start(&argc, &argv);
  is_slow = one_is_slow && my_rank == 0;
  std::vector<uint64_t> values(kData), expected(kData);
  for (int i = 0; i < kData; ++i) {
    const auto at = static_cast<size_t>(i);
    const int owner = OwnerAtFirst(i, one_is_slow);
    values[at] = expected[at] = static_cast<uint64_t>(i);
    starpu_variable_data_register(&handles[at], my_rank == owner ? STARPU_MAIN_RAM : -1,
                                  reinterpret_cast<uintptr_t>(&values[at]), sizeof(uint64_t));
    starpu_mpi_data_register(handles[at], i, owner);
  }
  starpu_mpi_lb_conf conf{&Neighbors, &Unit};
  starpu_mpi_lb_init("heat", &conf);
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = &Work;
  codelet.nbuffers = 2;
  codelet.modes[0] = STARPU_RW;
  codelet.modes[1] = STARPU_R;
  const auto distance = static_cast<size_t>(one_is_slow ? ranks : 1);  // of what a task reads
  starpu_tag_t number = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kData; ++i) {
      const size_t other = (i + distance) % kData;
      int error;
      if (has_tags)
        error = starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handles[i], STARPU_R,
                                       handles[other], STARPU_TAG_ONLY, number++, 0);
      else
        error = starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handles[i], STARPU_R,
                                       handles[other], 0);
      CHECK_EQUAL(error, 0);
    }
  }
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  starpu_mpi_lb_shutdown();
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kData; ++i)
      expected[i] = Next(expected[i], expected[(i + distance) % kData]);
  }
  for (size_t i = 0; i < kData; ++i) {
    const int owner = OwnerAtFirst(static_cast<int>(i), one_is_slow);
    CHECK_EQUAL(starpu_mpi_data_get_rank(handles[i]), owner);
    starpu_data_unregister(handles[i]);
    if (my_rank == owner) CHECK(values[i] == expected[i]);
  }
  printf("rank %d ran %d tasks and was asked %d times\n", my_rank, ran.load(), asked);
  fflush(stdout);
  End();
}
