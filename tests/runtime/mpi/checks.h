// SPDX-License-Identifier: Apache-2.0
// What the programs of these tests have in common: start, end, data of one value a rank, and checks
// that say which rank failed.
#pragma once

#include <starpu_mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline int my_rank = 0, ranks = 1;

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: rank %d: %s does not hold\n", __FILE__, __LINE__, my_rank, \
              #condition);                                                               \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                      \
    }                                                                                    \
  } while (0)
#define CHECK_EQUAL(one, other)                                                                  \
  do {                                                                                           \
    const auto one_ = static_cast<long long>(one);                                               \
    const auto other_ = static_cast<long long>(other);                                           \
    if (one_ != other_) {                                                                        \
      fprintf(stderr, "%s:%d: rank %d: %s is %lld, not %s, %lld\n", __FILE__, __LINE__, my_rank, \
              #one, one_, #other, other_);                                                       \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
    }                                                                                            \
  } while (0)

inline void Start(int* argc, char*** argv) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  CHECK_EQUAL(starpu_mpi_init_conf(argc, argv, 1, MPI_COMM_WORLD, &conf), 0);
  my_rank = starpu_mpi_world_rank();
  ranks = starpu_mpi_world_size();
}
inline void End() { CHECK_EQUAL(starpu_mpi_shutdown(), 0); }

// Of each value the rank of its index has the data, with its index as tag.
inline std::vector<starpu_data_handle_t> RegisterAtRanks(std::vector<int64_t>& values) {
  std::vector<starpu_data_handle_t> handles(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int owner = static_cast<int>(i);
    const bool is_ours = owner == my_rank;
    starpu_variable_data_register(&handles[i], is_ours ? STARPU_MAIN_RAM : -1,
                                  is_ours ? reinterpret_cast<uintptr_t>(&values[i]) : 0,
                                  sizeof(values[i]));
    starpu_mpi_data_register(handles[i], owner, owner);
  }
  return handles;
}
