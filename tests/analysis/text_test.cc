// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#include "analysis/text.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

TEST(DurationText, PicksTheUnitAndKeepsThreeDigits) {
  EXPECT_EQ(DurationText(0), "0 ns");
  EXPECT_EQ(DurationText(842), "842 ns");
  EXPECT_EQ(DurationText(1234), "1.23 µs");
  EXPECT_EQ(DurationText(12'345), "12.3 µs");
  EXPECT_EQ(DurationText(123'456'789), "123 ms");
  EXPECT_EQ(DurationText(2'040'000'000), "2.04 s");
  EXPECT_EQ(DurationText(5'718'000'000'000), "95.3 min");
}

TEST(DurationText, NeverShowsAThousandOfASmallerUnit) {
  EXPECT_EQ(DurationText(999), "999 ns");
  EXPECT_EQ(DurationText(999'499), "999 µs");
  EXPECT_EQ(DurationText(999'500), "1.00 ms");
  EXPECT_EQ(DurationText(9'996), "10.0 µs");
}

TEST(DurationText, KeepsTheSign) { EXPECT_EQ(DurationText(-1500), "-1.50 µs"); }

TEST(CountText, SeparatesThousands) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(1'832'004), "1,832,004");
}

TEST(ShareText, GivesOneDecimalOnlyBelowTen) {
  EXPECT_EQ(ShareText(0), "0 %");
  EXPECT_EQ(ShareText(0.0001), "0.0 %") << "there is some";
  EXPECT_EQ(ShareText(0.047), "4.7 %");
  EXPECT_EQ(ShareText(0.0996), "10 %");
  EXPECT_EQ(ShareText(1), "100 %");
}

}  // namespace
}  // namespace tasklens
