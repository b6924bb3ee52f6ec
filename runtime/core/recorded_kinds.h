// SPDX-License-Identifier: Apache-2.0
// What was recorded of which kinds of workers can run tasks of a name, so that it is not recorded
// with each task.
//
// Any thread. What is forgotten is recorded again; nothing is taken for recorded that was not.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tasklens::runtime {

class RecordedKinds {
 public:
  // `text`: the recorder's number of the name, never 0; `kinds`: as KindsWithFunction() has them.
  // Whether the two have to be recorded.
  bool Add(uint32_t text, uint32_t kinds) {
    const uint64_t both = uint64_t{text} << 32 | kinds;
    return latest_[text % latest_.size()].exchange(both, std::memory_order_relaxed) != both;
  }

 private:
  std::array<std::atomic<uint64_t>, 64> latest_{};
};

}  // namespace tasklens::runtime
