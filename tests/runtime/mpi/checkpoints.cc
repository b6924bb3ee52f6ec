// SPDX-License-Identifier: Apache-2.0
// Checkpoints: each rank's data and a number of its own are kept by the next rank, as they were at
// the cut. What is kept is printed.
#include <starpu_mpi_ft.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

void Add(void** buffers, void*) {
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) += 0x10;
}

int KeeperOf(int rank) { return (rank + 1) % ranks; }

}  // namespace

int main(int argc, char** argv) {
  Start(&argc, &argv);
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = &Add;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  const auto count = static_cast<size_t>(ranks);
  std::vector<int64_t> values(count);
  std::vector<starpu_data_handle_t> handles(count);
  for (size_t i = 0; i < count; ++i) {
    const int owner = static_cast<int>(i);
    values[i] = 1 + owner;
    starpu_variable_data_register(&handles[i], owner == my_rank ? STARPU_MAIN_RAM : -1,
                                  reinterpret_cast<uintptr_t>(&values[i]), sizeof(int64_t));
    starpu_mpi_data_register(handles[i], 100 + owner, owner);
  }
  const auto all_add = [&] {
    for (starpu_data_handle_t handle : handles)
      CHECK_EQUAL(starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handle, 0), 0);
  };
  int32_t stage = 0xa0 + my_rank;
  constexpr starpu_mpi_tag_t kStageTag = 300;

  // Of one rank's data, its stage with it; and, in another domain, of all data by the last rank.
  starpu_mpi_checkpoint_template_t own = nullptr, all = nullptr;
  CHECK_EQUAL(starpu_mpi_checkpoint_template_register(&own, 7, 0, STARPU_R, handles[0], KeeperOf(0),
                                                      STARPU_VALUE, &stage, sizeof stage, kStageTag,
                                                      &KeeperOf, 0),
              0);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_create(&all, 8, 1), 0);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_submit(all, 0), -EINVAL);  // it is not frozen
  CHECK_EQUAL(starpu_mpi_checkpoint_template_add_entry(&all, STARPU_DATA_ARRAY, handles.data(),
                                                       ranks, ranks - 1),
              0);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_add_entry(&all, STARPU_R, handles[0], ranks), -EINVAL);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_freeze(&all), ranks);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_freeze(&all), -EINVAL);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_add_entry(&all, STARPU_R, handles[0], 0), -EINVAL);
  starpu_data_handle_t nobodys;
  starpu_variable_data_register(&nobodys, -1, 0, sizeof(int64_t));
  starpu_mpi_data_register(nobodys, 200, STARPU_MPI_PER_NODE);
  starpu_mpi_checkpoint_template_t other = nullptr;
  CHECK_EQUAL(starpu_mpi_checkpoint_template_register(&other, 9, 0, STARPU_R, nobodys, 0, 0),
              -EINVAL);
  starpu_data_unregister(nobodys);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_register(&other, 7, 0, STARPU_R, handles[0], 0, 0),
              -EINVAL);  // the number is taken

  all_add();
  CHECK_EQUAL(starpu_mpi_checkpoint_template_submit(own, 0), 0);  // 1
  CHECK_EQUAL(starpu_mpi_checkpoint_template_submit(all, 1), 0);  // 2
  stage += 0x10;
  all_add();
  // The owner changes, and with it who sends.
  starpu_mpi_data_migrate(MPI_COMM_WORLD, handles[0], ranks - 1);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_submit(own, 0), 0);  // 3, instead of 1
  starpu_mpi_ft_turn_off();
  CHECK_EQUAL(starpu_mpi_checkpoint_template_submit(own, 0), 0);
  starpu_mpi_ft_turn_on();
  all_add();
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_print(own), 0);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_print(all), 0);

  // Many in a row, of which the last counts.
  for (int i = 0; i < 50; ++i) {
    all_add();
    CHECK_EQUAL(starpu_mpi_checkpoint_template_submit(i % 2 ? own : all, i % 3), 0);
  }
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  CHECK_EQUAL(starpu_mpi_checkpoint_template_print(own), 0);
  for (size_t i = 0; i < count; ++i) starpu_data_unregister(handles[i]);
  End();
}
