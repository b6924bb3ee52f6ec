// SPDX-License-Identifier: Apache-2.0
// Statistics: bytes sent to each rank, and how often the cache avoided a message.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tasklens::mpi {

class Statistics {
 public:
  static Statistics& Instance();

  // Starts for a world of `ranks` ranks. STARPU_MPI_STATS or STARPU_COMM_STATS: counts, and prints
  // at the end; STARPU_MPI_CACHE_STATS: prints the statistics of the cache.
  void Start(int ranks);
  void Stop(int rank);
  void Enable(bool enabled) { is_on_.store(enabled, std::memory_order_relaxed); }

  void Sent(int target, size_t bytes) {
    if (is_on_.load(std::memory_order_relaxed)) [[unlikely]]
      Count(target, bytes);
  }
  void SparedBySender() { Bump(spared_sends_); }
  void SparedByReceiver() { Bump(spared_receives_); }
  // Sets `bytes` to the bytes sent to each rank.
  void Retrieve(size_t* bytes) const;

 private:
  void Count(int target, size_t bytes);
  static void Bump(std::atomic<uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  }

  struct Target {
    std::atomic<uint64_t> bytes{0};
    std::atomic<uint64_t> messages{0};
  };
  std::atomic<bool> is_on_{false};
  bool prints_ = false, prints_cache_ = false;
  std::unique_ptr<Target[]> targets_;
  int count_ = 0;
  std::atomic<uint64_t> spared_sends_{0}, spared_receives_{0};
};

}  // namespace tasklens::mpi
