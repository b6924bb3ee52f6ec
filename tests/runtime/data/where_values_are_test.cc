// SPDX-License-Identifier: Apache-2.0
// Values go to devices and disks and come back, and leave memory that others need.
#include <gtest/gtest.h>
#include <starpu.h>

#include <numeric>
#include <utility>
#include <vector>

#include "runtime/data/contributions.h"
#include "tests/runtime/data/fake_run.h"

namespace tasklens::runtime {
namespace {

constexpr uint32_t kCount = 1000;
constexpr size_t kBytes = kCount * sizeof(int);
using Copies = std::vector<std::pair<unsigned, unsigned>>;

class WhereValuesAre : public ::testing::Test {
 protected:
  // Of the program's memory; of the runtime's, which is made when it is needed.
  Handle* VectorOf(std::vector<int>& numbers) {
    Handle* handle = nullptr;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(numbers.data()), kCount, sizeof(int));
    return handle;
  }
  Handle* OwnVector() {
    Handle* handle = nullptr;
    starpu_vector_data_register(&handle, -1, 0, kCount, sizeof(int));
    return handle;
  }
  // One that counts from `first` on.
  Handle* OwnVectorFrom(int first) {
    Handle* const handle = OwnVector();
    EnsureAllocated(run_.residency, handle);
    std::iota(NumbersOn(handle, STARPU_MAIN_RAM), NumbersOn(handle, STARPU_MAIN_RAM) + kCount,
              first);
    handle->initialized = true;
    return handle;
  }
  int* NumbersOn(Handle* handle, unsigned node) {
    const auto* vector = static_cast<starpu_vector_interface*>(InterfaceOn(handle, node));
    return reinterpret_cast<int*>(vector->ptr);
  }
  void UseOn(unsigned node, const Use& use) {
    Arrivals arrivals;
    run_.residency.PinOn(node, {&use, 1}, arrivals);
    run_.residency.UnpinOn(node, use.handle);
  }
  void ReadOn(unsigned node, Handle* handle) { UseOn(node, {handle, true, false}); }
  void WriteOn(unsigned node, Handle* handle) { UseOn(node, {handle, true, true}); }

  FakeRun run_;
  std::vector<int> numbers_ = std::vector<int>(kCount, 7);
};

TEST_F(WhereValuesAre, WhatIsReadOnADeviceIsCopiedThereOnce) {
  const unsigned device = run_.AddDevice(/*limit_bytes=*/0);
  Handle* const handle = VectorOf(numbers_);
  ReadOn(device, handle);
  ReadOn(device, handle);
  EXPECT_EQ(run_.carried, (Copies{{STARPU_MAIN_RAM, device}}));
  EXPECT_TRUE(run_.residency.IsOn(handle, device));
  EXPECT_FALSE(handle->away);
  EXPECT_EQ(NumbersOn(handle, device)[kCount - 1], 7);
}

TEST_F(WhereValuesAre, WhatIsWrittenOnADeviceComesBackWhenItIsRead) {
  const unsigned device = run_.AddDevice(/*limit_bytes=*/0);
  Handle* const handle = VectorOf(numbers_);
  WriteOn(device, handle);
  NumbersOn(handle, device)[0] = 8;
  EXPECT_TRUE(handle->away);
  EXPECT_EQ(numbers_[0], 7);
  ReadOn(STARPU_MAIN_RAM, handle);
  EXPECT_FALSE(handle->away);
  EXPECT_EQ(numbers_[0], 8);
  EXPECT_EQ(run_.carried, (Copies{{STARPU_MAIN_RAM, device}, {device, STARPU_MAIN_RAM}}));
  WriteOn(STARPU_MAIN_RAM, handle);
  EXPECT_FALSE(run_.residency.IsOn(handle, device));
}

TEST_F(WhereValuesAre, WhatADeviceUsedLongestAgoLeavesItForOthers) {
  const unsigned device = run_.AddDevice(2 * kBytes);
  std::vector<int> more(kCount, 1), most(kCount, 2);
  Handle* const first = VectorOf(numbers_);
  Handle* const second = VectorOf(more);
  Handle* const third = VectorOf(most);
  WriteOn(device, first);
  NumbersOn(first, device)[0] = 8;
  ReadOn(device, second);
  ReadOn(device, third);
  EXPECT_FALSE(run_.residency.IsOn(first, device));
  EXPECT_TRUE(run_.residency.IsOn(second, device));
  EXPECT_TRUE(run_.residency.IsOn(third, device));
  EXPECT_FALSE(first->away);
  EXPECT_EQ(numbers_[0], 8);
}

TEST_F(WhereValuesAre, WhatTheMainMemoryHasNoRoomForWaitsOnADisk) {
  const unsigned disk = run_.AddDisk();
  run_.memory.SetLimit(kBytes + kBytes / 2);
  Handle* const first = OwnVectorFrom(100);
  Handle* const second = OwnVectorFrom(200);
  EXPECT_TRUE(first->away);
  EXPECT_FALSE(first->allocated);
  EXPECT_TRUE(run_.residency.IsOn(first, disk));
  ReadOn(STARPU_MAIN_RAM, first);
  EXPECT_EQ(NumbersOn(first, STARPU_MAIN_RAM)[kCount - 1], 100 + static_cast<int>(kCount) - 1);
  EXPECT_TRUE(second->away);
  EXPECT_TRUE(run_.residency.IsOn(second, disk));
}

TEST_F(WhereValuesAre, WhatIsPinnedStays) {
  run_.AddDisk();
  run_.memory.SetLimit(kBytes);
  Handle* const handle = OwnVectorFrom(1);
  run_.residency.Pin({handle, /*reads=*/true, /*writes=*/false});
  handle->used_lately = false;
  EXPECT_FALSE(run_.residency.Reclaim(kBytes));
  EXPECT_TRUE(handle->allocated);
  run_.residency.Unpin(handle);
  EXPECT_TRUE(run_.residency.Reclaim(kBytes));
  EXPECT_FALSE(handle->allocated);
}

TEST_F(WhereValuesAre, ScratchThatNobodyUsesMakesRoom) {
  run_.memory.SetLimit(kBytes);
  Handle* const handle = OwnVector();
  ASSERT_NE(ScratchInterface(run_.residency, handle, /*worker=*/3), nullptr);
  EXPECT_FALSE(run_.residency.Reclaim(kBytes));
  EXPECT_TRUE(HasScratch(handle, 3));
  ReleaseScratch(handle, 3);
  EXPECT_TRUE(run_.residency.Reclaim(kBytes));
  EXPECT_FALSE(HasScratch(handle, 3));
}

TEST_F(WhereValuesAre, AContributionBeginsWithTheNeutralElement) {
  static starpu_codelet zero = {};
  zero.cpu_funcs[0] = [](void** buffers, void* argument) {
    auto* const first = reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0]));
    std::fill(first, first + STARPU_VECTOR_GET_NX(buffers[0]), *static_cast<int*>(argument));
  };
  int neutral = 1;
  Handle* const handle = VectorOf(numbers_);
  SetReduction(handle, {nullptr, nullptr, &zero, &neutral});
  Handle* const contribution = ContributionTo(run_.residency, handle, /*worker=*/5);
  EXPECT_EQ(ContributionTo(run_.residency, handle, 5), contribution);
  EXPECT_FALSE(contribution->initialized);
  EnsureAllocated(run_.residency, contribution);
  EXPECT_TRUE(EnsureInitialized(run_.residency, contribution));
  EXPECT_EQ(NumbersOn(contribution, STARPU_MAIN_RAM)[kCount - 1], 1);
  EXPECT_EQ(numbers_[kCount - 1], 7);
}

}  // namespace
}  // namespace tasklens::runtime
