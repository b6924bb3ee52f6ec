// SPDX-License-Identifier: Apache-2.0
// A pyramid finds what a look at every value finds.
#include "analysis/max_pyramid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace tasklens {
namespace {

TEST(MaxPyramid, FindsTheFirstOfTheLargestInEveryRange) {
  std::mt19937 random(1);
  for (const int different : {1, 3, 1000})
    for (const size_t size : {1u, 4u, 5u, 16u, 17u, 63u, 64u, 65u, 150u}) {
      std::vector<int64_t> values(size);
      for (int64_t& value : values) value = -static_cast<int64_t>(random() % different);
      const auto value = [&](uint32_t i) { return values[i]; };
      const MaxPyramid<int64_t> pyramid(size, value);
      for (size_t first = 0; first < size; ++first)
        for (size_t last = first + 1; last <= size; ++last) {
          const auto largest = std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                                values.begin() + static_cast<std::ptrdiff_t>(last));
          ASSERT_EQ(pyramid.Largest(first, last, value), largest - values.begin())
              << first << " to " << last << " of " << size;
        }
    }
}

TEST(MaxPyramid, IsTheSameFromItsColumnsAndRefusesThoseOfAnother) {
  for (const size_t size : {1u, 4u, 5u, 20u, 5000u}) {
    const auto value = [](uint32_t i) { return uint64_t{i} * 7919 % 1000; };
    const MaxPyramid<uint64_t> pyramid(size, value);
    std::vector<std::vector<uint64_t>> columns;
    const auto keep = [&](const auto& column) {
      columns.emplace_back(column.begin(), column.end());
    };
    pyramid.VisitColumns(keep);

    size_t next = 0;
    const auto load = [&]<class T>(Column<T>& column) {
      column.Clear();
      if (next < columns.size())
        for (const uint64_t word : columns[next]) column.push_back(static_cast<T>(word));
      ++next;
    };
    MaxPyramid<uint64_t> loaded;
    ASSERT_TRUE(loaded.LoadColumns(size, load));
    EXPECT_EQ(next, columns.size());
    EXPECT_EQ(loaded.Largest(0, size, value), pyramid.Largest(0, size, value));
    EXPECT_EQ(loaded.Largest(size / 3, size, value), pyramid.Largest(size / 3, size, value));

    next = 0;
    EXPECT_FALSE(MaxPyramid<uint64_t>().LoadColumns(size + 4, load));
    if (columns.empty()) continue;
    columns[0][0] = size;  // the index of a value that is not there
    next = 0;
    EXPECT_FALSE(MaxPyramid<uint64_t>().LoadColumns(size, load));
  }
}

TEST(MaxPyramid, OrdersValuesAsItIsTold) {
  const auto value = [](uint32_t i) { return uint64_t{i} * 7919 % 1000; };
  const MaxPyramid<uint64_t, std::greater<uint64_t>> smallest(500, value);
  uint32_t expected = 100;
  for (uint32_t i = 100; i < 400; ++i)
    if (value(i) < value(expected)) expected = i;
  EXPECT_EQ(smallest.Largest(100, 400, value), expected);
}

TEST(MaxPyramid, AsksForFewValues) {
  const MaxPyramid<uint64_t> pyramid(100'000, [](uint32_t i) { return uint64_t{i} * 7919 % 1000; });
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    const size_t a = random() % 100'000, b = random() % 100'000;
    int asked = 0;
    pyramid.Largest(std::min(a, b), std::max(a, b) + 1, [&](uint32_t i) {
      ++asked;
      return uint64_t{i} * 7919 % 1000;
    });
    EXPECT_LE(asked, 6);
  }
}

}  // namespace
}  // namespace tasklens
