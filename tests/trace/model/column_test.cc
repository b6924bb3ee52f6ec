// SPDX-License-Identifier: Apache-2.0
// Packed columns hold what was written into them, in few bytes.
#include "trace/model/column.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "trace/support/scratch_file.h"

namespace tasklens {
namespace {

template <class T>
void ExpectEqual(const Column<T>& column, const std::vector<T>& expected, T default_value) {
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(column[i], expected[i]) << "row " << i;
  EXPECT_EQ(column[expected.size() + 5000], default_value);
}

// Values of every width, near each other or far apart, and the extremes.
template <class T>
T RandomValue(std::mt19937_64& random, unsigned style) {
  const uint64_t bits = random();
  switch (style) {
    case 0: return static_cast<T>(bits % 200);
    case 1: return static_cast<T>(1'000'000 + bits % 60'000);
    case 2: return static_cast<T>(bits % 3 == 0 ? std::numeric_limits<T>::max() : T{0});
    case 3: return static_cast<T>(bits % 3 == 0 ? std::numeric_limits<T>::min() : T{7});
    case 4: return static_cast<T>(bits >> 30);
    default: return static_cast<T>(bits);
  }
}

template <class T>
void WriteAtRandom(T default_value, ScratchFile* scratch = nullptr) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const unsigned style = static_cast<unsigned>(random() % 6);
    const size_t rows = 1 + random() % 5000;
    Column<T> column(default_value);
    column.UseStore(scratch);
    std::vector<T> expected(rows, default_value);
    for (size_t n = 0; n < 2 * rows; ++n) {
      const size_t row = style % 2 ? n % rows : random() % rows;
      const T value =
          random() % 8 == 0 ? default_value : RandomValue<T>(random, random() % 50 ? style : 5);
      column.Set(row, value);
      expected[row] = value;
      if (n == rows) column.ShrinkToFit();  // it can be written to afterwards as well
    }
    ExpectEqual(column, expected, default_value);
    column.ShrinkToFit();
    ExpectEqual(column, expected, default_value);
  }
}

TEST(Column, HoldsWhateverIsWrittenInAnyOrder) {
  WriteAtRandom<int64_t>(std::numeric_limits<int64_t>::min());
  WriteAtRandom<int64_t>(-1);
  WriteAtRandom<uint64_t>(0);
  WriteAtRandom<uint32_t>(0xffffffff);
  WriteAtRandom<int32_t>(-1);
  WriteAtRandom<uint8_t>(0);
}

TEST(Column, HoldsTheSameInAScratchFile) {
  ScratchFile scratch(::testing::TempDir(), /*heap_bytes=*/0);
  WriteAtRandom<int64_t>(-1, &scratch);
  scratch.Forget();
  WriteAtRandom<uint32_t>(0xffffffff, &scratch);
}

// A block may be complete more than once, when rows are taken back from the one after it.
TEST(Column, GrowsAndShrinksAcrossBlocksInAStore) {
  SegmentMemory memory(/*heap_bytes=*/0);
  Column<uint32_t> column;
  column.UseStore(&memory);
  std::vector<uint32_t> expected;
  for (uint32_t round = 0; round < 5; ++round) {
    while (expected.size() < 5000) {
      expected.push_back(static_cast<uint32_t>(expected.size() * 7 + round));
      column.push_back(expected.back());
    }
    while (expected.size() > 2000 + round) {
      column.Resize(expected.size() - 1);
      expected.pop_back();
    }
    EXPECT_EQ(column, expected);
  }
}

TEST(Column, ChangesAllItsValuesAndTheirOrderInAScratchFile) {
  constexpr uint32_t kRows = 10'000;
  ScratchFile scratch(::testing::TempDir(), /*heap_bytes=*/0);
  Column<int64_t> column;
  column.UseStore(&scratch);
  for (uint32_t row = 0; row < kRows; ++row) column.push_back(row);
  column.Transform([](size_t, int64_t value) { return value * 1000; });
  column.ShrinkToFit();
  scratch.Forget();
  std::vector<uint32_t> backwards;
  for (uint32_t row = kRows; row-- > 0;) backwards.push_back(row);
  column.Reorder(backwards);
  column.Transform([](size_t, int64_t value) { return value + 1; });
  for (uint32_t row = 0; row < kRows; ++row)
    ASSERT_EQ(column[row], (kRows - 1 - row) * int64_t{1000} + 1);
}

TEST(Column, AddsToAllItsValuesButTheDefault) {
  std::mt19937_64 random(3);
  for (const uint64_t range : {1ull, 100ull, 50'000ull, 1ull << 30, 1ull << 60}) {
    Column<int64_t> column(-7);
    std::vector<int64_t> expected;
    for (size_t row = 0; row < 5000; ++row) {
      const bool is_default = row % 1500 < 200;
      expected.push_back(is_default ? -7 : 1'000'000 + static_cast<int64_t>(random() % range));
      column.push_back(expected.back());
    }
    column.AddToAll(-1'000'000);
    for (int64_t& value : expected)
      if (value != -7) value -= 1'000'000;
    ExpectEqual(column, expected, int64_t{-7});
    for (size_t row = 0; row < 5000; row += 3) {  // it can be written to afterwards as well
      expected[row] = static_cast<int64_t>(random());
      column.Set(row, expected[row]);
    }
    ExpectEqual(column, expected, int64_t{-7});
  }
}

TEST(Column, TakesLittleMemoryBesideAScratchFile) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own malloc does not count";
#endif
  ScratchFile scratch(::testing::TempDir(), /*heap_bytes=*/0);
  const auto heap_bytes = [&](ScratchFile* where) {
    const size_t before = mallinfo2().uordblks;
    Column<int64_t> column;
    column.UseStore(where);
    for (int64_t row = 0; row < 1'000'000; ++row) column.push_back(row * 1'000'003 % 4'000'000'007);
    return mallinfo2().uordblks - before;
  };
  EXPECT_GT(heap_bytes(nullptr), 4'000'000u);
  EXPECT_LT(heap_bytes(&scratch), 200'000u);
}

TEST(Column, HoldsDoubles) {
  Column<double> column;
  const std::vector<double> values = {0, -0.0, 1, 5e9, 0.1, -3.25, HUGE_VAL, 1e-310};
  for (const double value : values) column.push_back(value);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(column[i], values[i]);
    EXPECT_EQ(std::signbit(column[i]), std::signbit(values[i]));
  }
}

TEST(Column, HoldsNumbersInAsManyBytesAsTheyNeed) {
  constexpr size_t kRows = 100 * 1024;
  const auto bytes_a_row = [](auto value_of) {
    Column<int64_t> column;
    for (size_t i = 0; i < kRows; ++i) column.push_back(value_of(static_cast<int64_t>(i)));
    column.ShrinkToFit();
    return static_cast<double>(column.MemoryBytes()) / kRows;
  };
  EXPECT_LT(bytes_a_row([](int64_t) { return 5; }), 0.1);
  EXPECT_LT(bytes_a_row([](int64_t i) { return i % 200; }), 1.1);
  EXPECT_LT(bytes_a_row([](int64_t i) { return (int64_t{1} << 40) + 10 * i; }), 2.1);
  EXPECT_LT(bytes_a_row([](int64_t i) { return (int64_t{1} << 60) + 100'000 * i; }), 4.1);
}

TEST(Column, CostsNothingWhileAllIsDefault) {
  Column<int> column(-1);
  column.Set(1'000'000, -1);
  EXPECT_TRUE(column.AllDefault());
  EXPECT_EQ(column.MemoryBytes(), 0u);
  EXPECT_EQ(column[5], -1);
  column.Set(3, 7);
  EXPECT_FALSE(column.AllDefault());
  EXPECT_EQ(column[2], -1);
  EXPECT_EQ(column[3], 7);
  EXPECT_EQ(column[4], -1);
  column.Set(3, -1);
  EXPECT_EQ(column[3], -1);
}

TEST(Column, FollowsANewOrderOfItsRows) {
  Column<int> column(-1);
  column.Set(1, 10);  // row 2 is beyond its end
  const std::vector<uint32_t> order = {2, 1, 0};
  column.Reorder(order);
  EXPECT_EQ(column[0], -1);
  EXPECT_EQ(column[1], 10);
  EXPECT_EQ(column[2], -1);
}

TEST(Column, LosesRowsAndGrowsAgain) {
  Column<uint32_t> column;
  for (uint32_t i = 0; i < 3000; ++i) column.push_back(i);
  column.Resize(1500);
  column.Resize(2000);
  EXPECT_EQ(column[1499], 1499u);
  EXPECT_EQ(column[1500], 0u);
}

TEST(Column, TakesBlocksAsItTakesRows) {
  constexpr size_t kRows = PackedWords::kRows;
  SegmentMemory memory(/*heap_bytes=*/0);
  for (const bool in_store : {false, true}) {
    Column<int64_t> blocks(-1), rows(-1);
    if (in_store) blocks.UseStore(&memory);
    // All of one value, those of a byte, of eight, with the default among them, and all of it.
    const auto value = [](size_t block, size_t i) -> int64_t {
      const auto n = static_cast<int64_t>(i);
      switch (block) {
        case 0: return 5;
        case 1: return n % 200 - 100;
        case 2: return n * (int64_t{1} << 50);
        case 3: return i % 3 == 0 ? -1 : n;
        default: return -1;
      }
    };
    for (size_t block = 0; block < 5; ++block) {
      blocks.AppendBlock([&](size_t i) { return value(block, i); });
      for (size_t i = 0; i < kRows; ++i) rows.push_back(value(block, i));
    }
    ASSERT_EQ(blocks.size(), 5 * kRows);
    EXPECT_EQ(blocks, rows);
    // And goes on with rows, also changed ones.
    for (Column<int64_t>* column : {&blocks, &rows}) {
      column->push_back(77);
      column->Set(3, int64_t{1} << 60);
      column->Set(kRows, -1);
    }
    EXPECT_EQ(blocks, rows);
    rows.ShrinkToFit();
    blocks.ShrinkToFit();
    EXPECT_EQ(blocks.MemoryBytes(), rows.MemoryBytes());
  }
}

TEST(Column, IsFilledValueByValue) {
  for (const size_t size : {size_t{0}, size_t{1}, PackedWords::kRows, 3 * PackedWords::kRows + 7}) {
    Column<int64_t> filled, pushed;
    ColumnFiller<int64_t> filler(filled);
    for (size_t i = 0; i < size; ++i) {
      const int64_t value = static_cast<int64_t>(i % 5) * 1000 - 1000;
      filler.Add(value);
      pushed.push_back(value);
    }
    filler.Finish();
    EXPECT_EQ(filled.size(), size);
    EXPECT_TRUE(filled == pushed);
    EXPECT_LE(filled.MemoryBytes(), pushed.MemoryBytes());
  }
}

TEST(Column, IsSearchedLikeAnArray) {
  Column<int64_t> column;
  for (int64_t i = 0; i < 5000; ++i) column.push_back(3 * i);
  EXPECT_TRUE(std::is_sorted(column.begin(), column.end()));
  EXPECT_EQ(std::lower_bound(column.begin(), column.end(), 3001) - column.begin(), 1001);
}

TEST(Column, ChangesAllItsValues) {
  Column<int64_t> times(-1);
  times.Set(10, 4);
  times.Transform(
      [](size_t row, int64_t time) { return time == -1 ? -1 : time + 1000 * int64_t(row); });
  EXPECT_EQ(times[10], 10'004);
  EXPECT_EQ(times[9], -1);
}

struct Pair {
  uint32_t number = 9;
  int64_t time = -1;
  bool operator==(const Pair&) const = default;
};

TEST(Records, HoldStructsFieldByField) {
  Records<Pair, &Pair::number, &Pair::time> records;
  for (uint32_t i = 0; i < 2000; ++i) records.push_back({i % 10, int64_t{i} * 1000});
  records.Set(2500, {1, 2});
  EXPECT_EQ(records.size(), 2501u);
  EXPECT_EQ(records[1999], (Pair{9, 1'999'000}));
  EXPECT_EQ(records[2000], Pair());
  EXPECT_EQ(records[2500], (Pair{1, 2}));
}

TEST(PackedLists, GiveTheItemsOfARow) {
  PackedLists<Column<uint32_t>> lists;
  EXPECT_EQ(lists.size(), 0u);
  EXPECT_TRUE(lists[0].empty());
  for (uint32_t row = 0; row < 3000; ++row) {
    for (uint32_t i = 0; i < row % 3; ++i) lists.items.push_back(row + i);
    lists.offsets.push_back(static_cast<uint32_t>(lists.items.size()));
  }
  ASSERT_EQ(lists.size(), 3000u);
  EXPECT_TRUE(lists[2997].empty());
  const std::vector<uint32_t> row(lists[2999].begin(), lists[2999].end());
  EXPECT_EQ(row, (std::vector<uint32_t>{2999, 3000}));
  EXPECT_EQ(lists[2999].first(1).size(), 1u);
}

}  // namespace
}  // namespace tasklens
