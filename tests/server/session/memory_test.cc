// SPDX-License-Identifier: Apache-2.0
// What a thread freed is given back, also what lies at the end of its heap.
#include "server/session/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace tasklens {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// So many bytes that are really there.
void* Taken(size_t bytes) { return std::memset(std::malloc(bytes), 1, bytes); }

TEST(GiveMemoryBack, LeavesNothingOfWhatTheThreadFreed) {
  if (std::getenv("TASKLENS_SANITIZER") != nullptr)
    GTEST_SKIP() << "a sanitizer keeps what was freed";
  uint64_t before = 0, taken = 0, after = 0;
  // The heaps of other threads than the main one are special.
  std::thread([&] {
    std::free(Taken(30 * kMiB));  // from now on such blocks lie in the heap
    before = OwnMemoryBytes();
    std::vector<void*> blocks(450);
    for (void*& block : blocks) block = Taken(kMiB / 10);
    taken = OwnMemoryBytes();
    for (void* block : blocks) std::free(block);
    GiveMemoryBack();
    after = OwnMemoryBytes();
  }).join();
  EXPECT_GT(taken, before + 40 * kMiB);
  EXPECT_LT(after, before + 4 * kMiB);
}

}  // namespace
}  // namespace tasklens
