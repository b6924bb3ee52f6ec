// SPDX-License-Identifier: Apache-2.0
// One clock: zero is the first submission, and what is printed as a moment is found again.
#include "analysis/run_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

TEST(RunClock, CountsFromTheFirstSubmissionOfATaskThatRan) {
  TestTrace trace;
  trace.Worker("CPU0");
  trace.Task("a", 2'000'000, 3'000'000, {.submit_ns = 1'500'000});
  trace.Task("b", 2'500'000, 3'500'000, {.submit_ns = 1'200'000});
  const RunClock clock(trace.Build());
  EXPECT_EQ(clock.zero(), RunClock::Zero::kFirstSubmission);
  EXPECT_EQ(clock.Text(clock.zero_ns()), "0 ms");
  EXPECT_EQ(clock.Text(clock.zero_ns() + 1'300'000), "1.3 ms");
  EXPECT_EQ(clock.Text(clock.zero_ns() - 200'000), "-200 µs");
}

TEST(RunClock, CountsFromTheFirstEventWhereThereIsNoTask) {
  const RunClock clock(TestTrace().Worker("CPU0").Build());
  EXPECT_EQ(clock.zero(), RunClock::Zero::kFirstEvent);
  EXPECT_EQ(clock.zero_ns(), 0);
  EXPECT_EQ(clock.ZeroText(), "the first event");
}

TEST(RunClock, RefusesANumberWithoutAUnit) {
  const RunClock clock(TestTrace().Build());
  for (const char* text : {"70", "1e3", "-5", "1.5"}) {
    const Result<int64_t> time = clock.Parse(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_NE(time.status().message().find("no unit"), std::string::npos) << text;
  }
  for (const char* text : {"", "ms", "x", "1 parsec", "1e30s", "nan ms"})
    EXPECT_FALSE(clock.Parse(text).ok()) << text;
  EXPECT_EQ(*clock.Parse("0"), 0);
  EXPECT_EQ(*clock.Parse("1.5us"), 1500);
  EXPECT_EQ(*clock.Parse("1.5 µs"), 1500);
  EXPECT_EQ(*clock.Parse("-2ms"), -2'000'000);
  EXPECT_EQ(*clock.Parse("1min"), 60'000'000'000);
}

TEST(RunClock, TellsNoMoreDigitsThanTheLengthNeeds) {
  const RunClock clock(TestTrace().Build());
  EXPECT_EQ(clock.Text(123'456'789, 1'000'000), "123.457 ms");
  EXPECT_EQ(clock.Text(123'456'789, 1'000'000'000), "123 ms");
  EXPECT_EQ(clock.Text(999'999'999, 1'000'000), "1 s");
  EXPECT_EQ(clock.Text(Span{1'234'567, 9'876'543}), "1.235 ms to 9.876 ms");
}

// Both ends of whatever stretch, as they are printed, are moments of it when they are read again.
TEST(RunClock, WhatIsPrintedLandsInTheSameStretch) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const auto magnitude = [&](int most) {
      int64_t size = 1;
      for (int digits = static_cast<int>(random() % static_cast<uint64_t>(most)); digits > 0;
           --digits)
        size *= 10;
      return size;
    };
    static const RunClock clock(TestTrace().Build());
    const int64_t begin_ns = static_cast<int64_t>(random() % 1000) * magnitude(12) +
                             static_cast<int64_t>(random() % 1000) - 500'000;
    const int64_t length_ns = 1 + static_cast<int64_t>(random() % 1000) * magnitude(9);
    const Span stretch{begin_ns, begin_ns + length_ns};
    const std::string text = clock.Text(stretch);
    const size_t to = text.find(" to ");
    ASSERT_NE(to, text.npos);
    const Result<int64_t> from_ns = clock.Parse(text.substr(0, to));
    const Result<int64_t> to_ns = clock.Parse(text.substr(to + 4));
    ASSERT_TRUE(from_ns.ok() && to_ns.ok()) << text;
    EXPECT_GE(*from_ns, stretch.begin_ns) << text;
    EXPECT_LT(*from_ns, stretch.end_ns) << text;
    EXPECT_LE(*to_ns, stretch.end_ns) << text;
    EXPECT_GT(*to_ns, stretch.begin_ns) << text;
    EXPECT_LE(*from_ns - stretch.begin_ns, length_ns / 500 + 1) << text;
    EXPECT_LE(stretch.end_ns - *to_ns, length_ns / 500 + 1) << text;
    EXPECT_EQ(*clock.Parse(clock.Text(begin_ns)), begin_ns) << "exact without a length";
  }
}

}  // namespace
}  // namespace tasklens
