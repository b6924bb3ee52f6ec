// SPDX-License-Identifier: Apache-2.0
// Memory of handles, and what is known of each without a look at it.
#include "runtime/data/handle_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "runtime/data/handle.h"

namespace tasklens::runtime {
namespace {

// More than lie together.
constexpr size_t kMany = 300;

std::vector<Handle*> MakeMany() {
  std::vector<Handle*> handles;
  for (size_t i = 0; i < kMany; ++i) handles.push_back(new Handle);
  return handles;
}

TEST(HandleMemory, KnowsOfEachHandleWhetherItIsRegistered) {
  const std::vector<Handle*> handles = MakeMany();
  for (size_t i = 0; i < kMany; i += 2) delete handles[i];
  for (size_t i = 0; i < kMany; ++i) EXPECT_EQ(IsRegistered(handles[i]), i % 2 == 1) << i;
  for (size_t i = 1; i < kMany; i += 2) delete handles[i];
}

TEST(HandleMemory, TakesWhatHasBeenFreeForLongest) {
  const std::vector<Handle*> handles = MakeMany();
  for (Handle* handle : handles) delete handle;
  // All that was free before these has to go first.
  std::vector<Handle*> later{new Handle};
  while (later.back() != handles.front()) later.push_back(new Handle);
  for (size_t i = 1; i < kMany; ++i) {
    later.push_back(new Handle);
    EXPECT_EQ(later.back(), handles[i]) << i;
  }
  for (Handle* handle : later) delete handle;
}

TEST(HandleMemory, KeepsAPointerOfALibraryForEachHandleOfEightInALine) {
  const std::vector<Handle*> handles = MakeMany();
  std::set<uintptr_t> lines;
  for (Handle* handle : handles) {
    EXPECT_EQ(CommunicationOf(handle).load(), nullptr);
    CommunicationOf(handle).store(handle);
    lines.insert(reinterpret_cast<uintptr_t>(&CommunicationOf(handle)) / kCacheLine);
  }
  for (Handle* handle : handles) {
    EXPECT_EQ(CommunicationOf(handle).exchange(nullptr), handle);
    delete handle;
  }
  EXPECT_LT(lines.size(), kMany / 4);
}

}  // namespace
}  // namespace tasklens::runtime
