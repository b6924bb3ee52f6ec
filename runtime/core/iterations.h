// SPDX-License-Identifier: Apache-2.0
// The iterations that a program says it is in (starpu_iteration_push).
#pragma once

#include <atomic>
#include <cstdint>

namespace tasklens::runtime {

// A stack, of which a trace keeps the two outermost levels. Any thread may call.
class Iterations {
 public:
  void Push(int64_t iteration) {
    const int depth = depth_.fetch_add(1);
    if (depth < kKept) levels_[depth].store(iteration);
  }
  // False where nothing was pushed.
  bool Pop() {
    const int depth = depth_.fetch_sub(1) - 1;
    if (depth >= 0 && depth < kKept) levels_[depth].store(-1);
    return depth >= 0;
  }
  // -1: none.
  int32_t Outer() const { return At(0); }
  int32_t Inner() const { return At(1); }

 private:
  static constexpr int kKept = 2;

  int32_t At(int depth) const {
    return static_cast<int32_t>(levels_[depth].load(std::memory_order_relaxed));
  }

  std::atomic<int64_t> levels_[kKept] = {-1, -1};
  std::atomic<int> depth_{0};
};

}  // namespace tasklens::runtime
