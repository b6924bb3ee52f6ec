// SPDX-License-Identifier: Apache-2.0
// What is stored in memory comes back, side by side with what was stored in the same stream.
#include "trace/support/block_store.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tasklens {
namespace {

TEST(SegmentMemory, GivesBackWhatWasStoredInAnyStream) {
  SegmentMemory memory(/*heap_bytes=*/0);
  BlockStream* streams[] = {memory.NewStream(), memory.NewStream(), memory.NewStream()};
  std::vector<std::pair<const std::byte*, std::string>> stored;
  for (uint32_t i = 0; i < 20'000; ++i) {  // more than one segment
    const std::string text(1 + i * 37 % 9000, static_cast<char>('a' + i % 26));
    const std::byte* data = streams[i % 3]->Store(text.data(), text.size());
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 8, 0u);
    stored.emplace_back(data, text);
  }
  for (const auto& [data, text] : stored) ASSERT_EQ(std::memcmp(data, text.data(), text.size()), 0);
  EXPECT_GT(memory.size_bytes(), size_t{64} << 20);
}

TEST(SegmentMemory, PutsWhatOneStreamStoresSideBySide) {
  SegmentMemory memory(/*heap_bytes=*/0);
  BlockStream *one = memory.NewStream(), *other = memory.NewStream();
  const std::string text(1000, 'x');
  const std::byte* first = one->Store(text.data(), text.size());
  other->Store(text.data(), text.size());
  EXPECT_EQ(one->Store(text.data(), text.size()), first + 1008);
}

TEST(SegmentMemory, WhatIsStoredCanBeReplacedAndWrittenTo) {
  SegmentMemory memory(/*heap_bytes=*/0);
  BlockStream* stream = memory.NewStream();
  std::byte* data = stream->Store("old text", 8);
  ASSERT_TRUE(stream->Replace(data, "new text", 8));
  data[0] = std::byte{'N'};
  EXPECT_EQ(std::memcmp(data, "New text", 8), 0);
}

TEST(SegmentMemory, LeavesTheFirstBytesToOtherMemory) {
  SegmentMemory memory(/*heap_bytes=*/1000);
  BlockStream* stream = memory.NewStream();
  EXPECT_EQ(stream->Store(std::string(600, 'x').data(), 600), nullptr);
  EXPECT_NE(stream->Store(std::string(600, 'x').data(), 600), nullptr);
}

}  // namespace
}  // namespace tasklens
