// SPDX-License-Identifier: Apache-2.0
// SortByTime does what std::stable_sort does, whatever the times look like.
#include "analysis/sort_by_time.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace tasklens {
namespace {

struct Moment {
  int64_t time_ns;
  uint32_t number;
  bool operator==(const Moment&) const = default;
};

// `size` moments, numbered in the order before sorting.
std::vector<Moment> Moments(uint32_t size, const std::function<int64_t(uint32_t)>& time_ns) {
  std::vector<Moment> moments;
  for (uint32_t i = 0; i < size; ++i) moments.push_back({time_ns(i), i});
  return moments;
}

void ExpectSorted(std::vector<Moment> moments) {
  std::vector<Moment> expected = moments;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Moment& a, const Moment& b) { return a.time_ns < b.time_ns; });
  SortByTime(moments);
  EXPECT_EQ(moments, expected);
}

TEST(SortByTime, SortsFewAndManyMomentsOfShortAndLongRuns) {
  std::mt19937_64 random(1);
  for (const uint32_t size : {0u, 1u, 2u, 100u, 2047u, 2048u, 5000u, 300'000u})
    for (const int bits : {1, 8, 11, 12, 22, 33, 44, 63}) {
      SCOPED_TRACE(testing::Message() << size << " moments, times of " << bits << " bits");
      ExpectSorted(
          Moments(size, [&](uint32_t) { return static_cast<int64_t>(random() >> (64 - bits)); }));
    }
}

TEST(SortByTime, LeavesEqualTimesInTheirOrder) {
  ExpectSorted(Moments(10'000, [](uint32_t) { return 5; }));
  ExpectSorted(Moments(10'000, [](uint32_t i) { return i % 3; }));
}

TEST(SortByTime, SortsWhatLiesInOneCornerOfTheRun) {
  std::mt19937_64 random(2);
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  ExpectSorted(Moments(50'000, [&](uint32_t i) {
    return i == 7 ? kFar : static_cast<int64_t>(random() % 100'000);
  }));
  ExpectSorted(Moments(50'000, [&](uint32_t i) {
    return i == 7 ? 0 : kFar - static_cast<int64_t>(random() % 100'000);
  }));
}

TEST(SortByTime, SortsWhatIsInTheWrongOrder) {
  ExpectSorted(Moments(100'000, [](uint32_t i) { return int64_t{100'000 - i} * 1000; }));
}

}  // namespace
}  // namespace tasklens
