// SPDX-License-Identifier: Apache-2.0
// A program of several ranks to which something happens: `unlucky killed` (rank 1, with SIGKILL, in
// a task, while the others are in theirs), `unlucky full` (the disk, for rank 1's trace, after the
// start), `unlucky idle` (the last rank owns nothing). Every value is checked as if nothing were.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

void Add(void** buffers, void*) {
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) +=
      *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
}
void Die(void**, void*) {
  if (my_rank == 1) raise(SIGKILL);
  for (;;) pause();  // until mpirun ends this rank, too
}

starpu_codelet Codelet(void (*kernel)(void**, void*), const char* name) {
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = kernel;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.name = name;
  return codelet;
}
starpu_codelet add = Codelet(&Add, "add"), die = Codelet(&Die, "die");

// The kernel refuses every byte of a file beyond this, as a full disk would.
void FillTheDisk() {
  const rlimit most{.rlim_cur = 1 << 18, .rlim_max = RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &most), 0);
}

// `rounds` times each of the data, which the first `owners` ranks have, gets the next one's value.
void PassRound(int owners, int rounds) {
  const auto count = static_cast<size_t>(owners);
  std::vector<int64_t> values(count, 1), expected(count, 1);
  const std::vector<starpu_data_handle_t> handles = RegisterAtRanks(values);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < count; ++i) {
      const size_t next = (i + 1) % count;
      starpu_mpi_task_insert(MPI_COMM_WORLD, &add, STARPU_RW, handles[i], STARPU_R, handles[next],
                             0);
      expected[i] = static_cast<int64_t>(static_cast<uint64_t>(expected[i]) +
                                         static_cast<uint64_t>(expected[next]));
    }
  }
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  if (my_rank < owners)
    CHECK_EQUAL(values[static_cast<size_t>(my_rank)], expected[static_cast<size_t>(my_rank)]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  Start(&argc, &argv);
  if (what == "full" && my_rank == 1) FillTheDisk();
  PassRound(what == "idle" ? ranks - 1 : ranks, what == "full" ? 1500 : 50);
  if (what == "killed") {
    starpu_task_insert(&die, 0);
    starpu_task_wait_for_all();
  }
  starpu_mpi_barrier(MPI_COMM_WORLD);
  if (my_rank == 0) puts("all values are right");
  End();
}
