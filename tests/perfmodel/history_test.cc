// SPDX-License-Identifier: Apache-2.0
// Which measures count, and when a model is trusted.
#include "perfmodel/history.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tasklens {
namespace {

constexpr CalibrationRules kRules;

struct Footprint {
  PerfmodelEntry entry;
  FeedState state;
  PerfmodelType type = PerfmodelType::kHistory;
  Fed Feed(double duration, double flops = 0) {
    return FeedEntry(entry, state, {.size_bytes = 64, .flops = flops, .duration = duration}, type,
                     kRules);
  }
};

double ExpectedOf(const Footprint& footprint) {
  return Expect({}, footprint.type, &footprint.entry, 64, kRules);
}

TEST(History, ForgetsTheFirstMeasureOfAFootprintAndTrustsAfterTenMore) {
  Footprint footprint;
  EXPECT_EQ(footprint.Feed(100), Fed::kWarmUp);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(std::isnan(ExpectedOf(footprint)));
    EXPECT_EQ(footprint.Feed(i % 2 ? 11 : 9), Fed::kTaken);
  }
  EXPECT_DOUBLE_EQ(ExpectedOf(footprint), 10);
  EXPECT_DOUBLE_EQ(footprint.entry.deviation, 1);
  EXPECT_EQ(footprint.entry.samples, 10u);
}

TEST(History, KeepsTheFirstMeasureForARegression) {
  Footprint footprint{.entry = {}, .state = {}, .type = PerfmodelType::kShiftedPowerLaw};
  EXPECT_EQ(footprint.Feed(100), Fed::kTaken);
}

TEST(History, LeavesOutliersOutUntilTheyAreTheRule) {
  Footprint footprint;
  for (int i = 0; i < 4; ++i) footprint.Feed(10);
  EXPECT_EQ(footprint.Feed(16), Fed::kOutlier);
  EXPECT_EQ(footprint.Feed(6), Fed::kOutlier);
  EXPECT_EQ(footprint.entry.samples, 3u);
  EXPECT_EQ(footprint.Feed(16), Fed::kFlushed);
  EXPECT_EQ(footprint.entry.samples, 0u);
  EXPECT_EQ(footprint.Feed(16), Fed::kTaken);
  EXPECT_DOUBLE_EQ(footprint.entry.mean, 16);
}

TEST(History, HasNoFlopsWhereTasksHadDifferentOnes) {
  Footprint footprint;
  for (int i = 0; i < 3; ++i) footprint.Feed(10, 1e6);
  EXPECT_DOUBLE_EQ(footprint.entry.flops, 1e6);
  footprint.Feed(10, 2e6);
  EXPECT_TRUE(std::isnan(footprint.entry.flops));
}

TEST(History, KeepsTheFlopsOfThoseTasksThatTellThem) {
  Footprint footprint;
  for (const double flops : {0.0, 0.0, 1e6, 0.0, 1e6 + 1}) footprint.Feed(10, flops);
  EXPECT_DOUBLE_EQ(footprint.entry.flops, 1e6);
}

PerfmodelImplementation Law(uint64_t smallest, uint64_t step, int measures, PerfmodelType type) {
  PerfmodelImplementation implementation;
  for (int i = 0; i < measures; ++i) {
    const uint64_t size = smallest + step * static_cast<uint64_t>(i);
    FeedRegression(implementation.power_law,
                   {.size_bytes = size, .duration = 0.5 * static_cast<double>(size)}, type);
  }
  return implementation;
}

TEST(Regression, IsTrustedFromTenMeasuresThatAreTenPercentApart) {
  constexpr auto kType = PerfmodelType::kPowerLaw;
  EXPECT_TRUE(std::isnan(Expect(Law(1000, 100, 9, kType), kType, nullptr, 2000, kRules)));
  EXPECT_TRUE(std::isnan(Expect(Law(1000, 10, 12, kType), kType, nullptr, 2000, kRules)));
  EXPECT_NEAR(Expect(Law(1000, 100, 10, kType), kType, nullptr, 2000, kRules), 1000, 1e-6);
}

TEST(Regression, KnowsNothingFarFromWhatWasMeasured) {
  constexpr auto kLinear = PerfmodelType::kPowerLaw, kShifted = PerfmodelType::kShiftedPowerLaw;
  PerfmodelImplementation law = Law(1000, 1000, 10, kLinear);
  law.shifted = {0.5, 1, 0};
  for (const auto type : {kLinear, kShifted}) {
    EXPECT_NEAR(Expect(law, type, nullptr, 900, kRules), 450, 1e-6);
    EXPECT_NEAR(Expect(law, type, nullptr, 11000, kRules), 5500, 1e-6);
    EXPECT_TRUE(std::isnan(Expect(law, type, nullptr, 899, kRules)));
    EXPECT_TRUE(std::isnan(Expect(law, type, nullptr, 11001, kRules)));
  }
  const PerfmodelEntry entry{.mean = 42, .samples = 10};
  EXPECT_DOUBLE_EQ(Expect(law, kShifted, &entry, 11001, kRules), 42);
}

TEST(Regression, OfShiftedPowersGivesWayToAMeasuredSize) {
  constexpr auto kType = PerfmodelType::kShiftedPowerLaw;
  PerfmodelImplementation implementation = Law(1000, 100, 20, kType);
  implementation.shifted = {2, 1, 7};
  const PerfmodelEntry entry{.mean = 42, .samples = 10};
  EXPECT_DOUBLE_EQ(Expect(implementation, kType, nullptr, 2000, kRules), 4007);
  EXPECT_DOUBLE_EQ(Expect(implementation, kType, &entry, 2000, kRules), 42);
}

TEST(Regression, OfSeveralTermsIsTheirSumAndNeverNegative) {
  const MultipleRegression multiple{{"M", "N"}, {1, 2, 3}};
  EXPECT_DOUBLE_EQ(ExpectMultiple(multiple, std::vector<double>{10, 100}), 321);
  EXPECT_DOUBLE_EQ(ExpectMultiple(multiple, std::vector<double>{-10, 0}), 0);
  EXPECT_TRUE(std::isnan(ExpectMultiple(multiple, std::vector<double>{1})));
}

}  // namespace
}  // namespace tasklens
