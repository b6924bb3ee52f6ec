// SPDX-License-Identifier: Apache-2.0
// Groups of workers that run parallel tasks together. A group never changes once added, so readers
// need no lock while the program adds more.
#pragma once

#include <starpu_config.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class CombinedWorkers {
 public:
  // Room for all groups of 2, 4, 8... neighbours of STARPU_NMAXWORKERS workers, and as many groups
  // of the program's own.
  static constexpr size_t kMost = 2 * STARPU_NMAXWORKERS;

  size_t size() const { return count_.load(std::memory_order_acquire); }
  // Returns the ids of the workers of a group. REQUIRES: index < size().
  const std::vector<int>& operator[](size_t index) const { return groups_[index]; }

  // Returns the index of the group with these workers, added if needed; nullopt if there are kMost
  // groups already.
  std::optional<size_t> Add(std::vector<int> members) {
    MutexLock guard(lock_);
    groups_.reserve(kMost);  // adding must not move groups
    const auto same = std::ranges::find(groups_, members);
    if (same == groups_.end()) {
      if (groups_.size() == kMost) return std::nullopt;
      groups_.push_back(std::move(members));
      count_.store(groups_.size(), std::memory_order_release);
      return groups_.size() - 1;
    }
    return static_cast<size_t>(same - groups_.begin());
  }

 private:
  Mutex lock_;
  std::vector<std::vector<int>> groups_;
  std::atomic<size_t> count_{0};
};

}  // namespace tasklens::runtime
