// SPDX-License-Identifier: Apache-2.0
// The loops for this processor and those for any give the same, and what a loop of one line gives.
#include "trace/model/block_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace tasklens {
namespace {

constexpr size_t kRows = BlockCodes::kRows;
constexpr uint64_t kEmpty = 77;

// Codes of `width` bytes, as in a block: 0 for a row that is empty.
struct Block {
  unsigned width;
  uint64_t base;
  alignas(8) std::array<std::byte, kRows * 8> codes{};

  uint64_t Code(size_t row) const {
    uint64_t code = 0;
    std::memcpy(&code, codes.data() + row * width, width);
    return code;
  }
  uint64_t Word(size_t row) const { return Code(row) == 0 ? kEmpty : base + Code(row); }
  void Set(size_t row, uint64_t code) { std::memcpy(codes.data() + row * width, &code, width); }
};

// Blocks with and without empty rows, that rise and do not, of codes small and as large as can be.
std::vector<Block> Blocks() {
  std::mt19937_64 random(1);
  std::vector<Block> blocks;
  for (const unsigned width : {1u, 2u, 4u, 8u}) {
    const uint64_t largest = ~uint64_t{0} >> (64 - 8 * width);
    for (const bool with_empty : {false, true}) {
      for (const bool rising : {false, true}) {
        Block& block = blocks.emplace_back(Block{width, width == 8 ? kEmpty : random()});
        std::vector<uint64_t> codes(kRows);
        for (uint64_t& code : codes)
          code = random() % 3 == 0 && with_empty ? 0 : std::max<uint64_t>(1, random() & largest);
        codes[random() % kRows] = largest;
        if (rising) std::sort(codes.begin(), codes.end());
        for (size_t row = 0; row < kRows; ++row) block.Set(row, codes[row]);
      }
    }
    blocks.push_back(Block{width, random()});  // nothing in it
  }
  return blocks;
}

class BlockCodesOf : public testing::TestWithParam<const BlockCodes*> {};

TEST_P(BlockCodesOf, UnpackAndEncodeAreEachOthersInverse) {
  for (const Block& block : Blocks()) {
    std::array<uint64_t, kRows> words;
    GetParam()->unpack(block.width, block.codes.data(), kEmpty, block.base, words.data());
    for (size_t row = 0; row < kRows; ++row) ASSERT_EQ(words[row], block.Word(row)) << row;
    Block again{block.width, block.base};
    GetParam()->encode(block.width, words.data(), kEmpty, block.base, again.codes.data());
    for (size_t row = 0; row < kRows; ++row) {
      // A word that happens to be the empty one has no other code.
      const uint64_t expected = words[row] == kEmpty ? 0 : block.Code(row);
      ASSERT_EQ(again.Code(row), expected) << row;
    }
  }
}

TEST_P(BlockCodesOf, TheRangeOfCodesLeavesEmptyRowsOut) {
  for (const Block& block : Blocks()) {
    uint64_t least = ~uint64_t{0}, most = 0;
    bool any_empty = false;
    for (size_t row = 0; row < kRows; ++row) {
      const uint64_t code = block.Code(row);
      any_empty |= code == 0;
      if (code != 0) least = std::min(least, code);
      most = std::max(most, code);
    }
    const CodeRange range = GetParam()->range_of(block.width, block.codes.data());
    EXPECT_EQ(range.most, most);
    EXPECT_EQ(range.any_empty, any_empty);
    if (most != 0) {
      EXPECT_EQ(range.least, least);
    }
  }
}

TEST_P(BlockCodesOf, TheRangeOfWordsLeavesEmptyOnesOut) {
  for (const Block& block : Blocks()) {
    std::array<uint64_t, kRows> words;
    WordRange expected;
    for (size_t row = 0; row < kRows; ++row) {
      words[row] = block.Word(row);
      expected.any_empty |= words[row] == kEmpty;
      if (words[row] == kEmpty) continue;
      expected.least = std::min(expected.least, words[row]);
      expected.most = std::max(expected.most, words[row]);
    }
    const WordRange range = GetParam()->range_of_words(words.data(), kEmpty);
    EXPECT_EQ(range.least, expected.least);
    EXPECT_EQ(range.most, expected.most);
    EXPECT_EQ(range.any_empty, expected.any_empty);
  }
}

TEST_P(BlockCodesOf, AFallIsSeenWhereverItIs) {
  for (Block block : Blocks()) {
    std::vector<uint64_t> codes(kRows);
    for (size_t row = 0; row < kRows; ++row) codes[row] = block.Code(row);
    const auto fall = std::is_sorted_until(codes.begin(), codes.end()) - codes.begin();
    const auto never_falls = [&](size_t count) {
      return GetParam()->never_fall(block.width, block.codes.data(), count);
    };
    for (const size_t count : {size_t{0}, size_t{1}, static_cast<size_t>(fall)})
      EXPECT_TRUE(never_falls(count)) << count;
    if (static_cast<size_t>(fall) < kRows) {
      EXPECT_FALSE(never_falls(static_cast<size_t>(fall) + 1));
      EXPECT_FALSE(never_falls(kRows));
    }
    for (size_t row = 0; row < kRows; ++row) block.Set(row, row / 8 + 1);
    EXPECT_TRUE(never_falls(kRows));
    block.Set(kRows - 1, 1);
    EXPECT_FALSE(never_falls(kRows));
    EXPECT_TRUE(never_falls(kRows - 1));
  }
}

TEST_P(BlockCodesOf, OneWordThatIsLargerThanItsLimitIsSeen) {
  std::mt19937_64 random(2);
  std::array<uint64_t, kRows> words, limits;
  for (size_t row = 0; row < kRows; ++row) limits[row] = words[row] = random() | 1;
  EXPECT_TRUE(GetParam()->at_most(words.data(), limits.data(), kRows));
  for (const size_t row : {size_t{0}, kRows / 2, kRows - 1}) {
    --limits[row];
    EXPECT_FALSE(GetParam()->at_most(words.data(), limits.data(), kRows));
    EXPECT_TRUE(GetParam()->at_most(words.data(), limits.data(), row));
    ++limits[row];
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, BlockCodesOf, testing::Values(&CodesAnywhere(), &CodesHere()),
                         [](const auto& of) { return of.index == 0 ? "Any" : "This"; });

}  // namespace
}  // namespace tasklens
