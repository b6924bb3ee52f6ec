// SPDX-License-Identifier: Apache-2.0
// The tasks of one rank of many that are not there: `one_of_many` prints how many ran here.
#include <atomic>
#include <cstdint>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

std::atomic<int> ran{0};
void Count(void**, void*) { ++ran; }

}  // namespace

int main(int argc, char** argv) {
  Start(&argc, &argv);
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = &Count;
  codelet.nbuffers = 2;
  codelet.modes[0] = STARPU_RW;
  codelet.modes[1] = STARPU_R;
  codelet.name = "count";
  std::vector<int64_t> values(static_cast<size_t>(ranks));
  const std::vector<starpu_data_handle_t> handles = RegisterAtRanks(values);
  // Each rank reads what the next one has, three times.
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < handles.size(); ++i)
      starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handles[i], STARPU_R,
                             handles[(i + 1) % handles.size()], 0);
  }
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  starpu_mpi_barrier(MPI_COMM_WORLD);
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  printf("rank %d of %d ran %d tasks\n", my_rank, ranks, ran.load());
  End();
}
