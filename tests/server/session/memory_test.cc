// SPDX-License-Identifier: Apache-2.0
// What a thread freed is given back, also what lies at the end of its heap.
#include "server/session/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <thread>
#include <vector>

namespace tasklens {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// So many bytes that are really there.
void* Taken(size_t bytes) { return std::memset(std::malloc(bytes), 1, bytes); }

TEST(GiveMemoryBack, LeavesNothingOfWhatThreadsFreed) {
  if (std::getenv("TASKLENS_SANITIZER") != nullptr)
    GTEST_SKIP() << "a sanitizer keeps what was freed";
  const uint64_t before = OwnMemoryBytes();
  uint64_t taken = 0;
  std::barrier together(2, [&]() noexcept { taken = std::max(taken, OwnMemoryBytes()); });
  const auto work = [&] {
    std::free(Taken(30 * kMiB));  // from now on such blocks lie in the heap
    std::vector<void*> blocks(450);
    for (void*& block : blocks) block = Taken(kMiB / 10);
    together.arrive_and_wait();
    for (void* block : blocks) std::free(block);
    together.arrive_and_wait();
    GiveMemoryBack();
  };
  // The heaps of other threads than the main one are special.
  std::thread one(work), other(work);
  one.join();
  other.join();
  EXPECT_GT(taken, before + 80 * kMiB);
  EXPECT_LT(OwnMemoryBytes(), before + 4 * kMiB);
}

}  // namespace
}  // namespace tasklens
