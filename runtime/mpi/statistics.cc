// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/statistics.h"

#include <starpu_mpi.h>

#include <cstdio>
#include <string>

namespace tasklens::mpi {

Statistics& Statistics::Instance() {
  static Statistics* const statistics = new Statistics;
  return *statistics;
}

void Statistics::Start(int ranks) {
  prints_ = starpu_getenv_number_default("STARPU_MPI_STATS", 0) > 0 ||
            starpu_getenv_number_default("STARPU_COMM_STATS", 0) > 0;
  prints_cache_ = starpu_getenv_number_default("STARPU_MPI_CACHE_STATS", 0) > 0;
  targets_ = std::make_unique<Target[]>(static_cast<size_t>(ranks));
  count_ = ranks;
  spared_sends_ = spared_receives_ = 0;
  if (prints_) Enable(true);
}

void Statistics::Count(int target, size_t bytes) {
  if (target < 0 || target >= count_) return;
  targets_[static_cast<size_t>(target)].bytes.fetch_add(bytes, std::memory_order_relaxed);
  Bump(targets_[static_cast<size_t>(target)].messages);
}

void Statistics::Retrieve(size_t* bytes) const {
  for (int i = 0; i < count_; ++i)
    bytes[i] = targets_[static_cast<size_t>(i)].bytes.load(std::memory_order_relaxed);
}

// Prints whole lines, as the output of several ranks mixes.
void Statistics::Stop(int rank) {
  if (prints_) {
    std::string text;
    for (int i = 0; i < count_; ++i) {
      const Target& target = targets_[static_cast<size_t>(i)];
      if (target.messages == 0) continue;
      text += "[" + std::to_string(rank) + "] sent to rank " + std::to_string(i) + ": " +
              std::to_string(target.messages) + " messages, " + std::to_string(target.bytes) +
              " bytes\n";
    }
    fputs(text.c_str(), stderr);
  }
  if (prints_cache_) {
    fprintf(stderr, "[%d] the cache spared %llu sends and %llu receives\n", rank,
            static_cast<unsigned long long>(spared_sends_.load()),
            static_cast<unsigned long long>(spared_receives_.load()));
  }
  Enable(false);
}

}  // namespace tasklens::mpi

using tasklens::mpi::Statistics;

extern "C" {

void starpu_mpi_comm_stats_enable(void) { Statistics::Instance().Enable(true); }
void starpu_mpi_comm_stats_disable(void) { Statistics::Instance().Enable(false); }
void starpu_mpi_comm_stats_retrieve(size_t* comm_stats) {
  Statistics::Instance().Retrieve(comm_stats);
}
void starpu_mpi_comm_amounts_retrieve(size_t* comm_amounts) {
  Statistics::Instance().Retrieve(comm_amounts);
}

}  // extern "C"
