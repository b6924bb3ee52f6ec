// SPDX-License-Identifier: Apache-2.0
// Remembers which (task name, kinds of workers that can run it) pairs were recorded, so that they
// are not recorded with each task.
//
// May be called from any thread. A cache: a pair may be recorded again, but none is missed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tasklens::runtime {

class RecordedKinds {
 public:
  // `text`: the recorder's id of the name, never 0; `kinds`: as returned by KindsWithFunction().
  // Returns whether the pair must be recorded.
  bool Add(uint32_t text, uint32_t kinds) {
    const uint64_t both = uint64_t{text} << 32 | kinds;
    return latest_[text % latest_.size()].exchange(both, std::memory_order_relaxed) != both;
  }

 private:
  std::array<std::atomic<uint64_t>, 64> latest_{};
};

}  // namespace tasklens::runtime
