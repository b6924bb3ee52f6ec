// SPDX-License-Identifier: Apache-2.0
// Least squares, on made-up laws and on StarPU's own numbers.
#include "perfmodel/regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "perfmodel/file.h"
#include "tests/perfmodel/real_files.h"

namespace tasklens {
namespace {

TEST(PowerLaw, IsFoundFromItsPoints) {
  PowerLaw law;
  for (uint64_t size = 16; size < 100000; size *= 3)
    AddToPowerLaw(law, size, 0.25 * std::pow(static_cast<double>(size), 1.5));
  SolvePowerLaw(law);
  EXPECT_NEAR(law.alpha, 0.25, 1e-9);
  EXPECT_NEAR(law.beta, 1.5, 1e-9);
  EXPECT_EQ(law.min_x, 16u);
  EXPECT_EQ(law.max_x, 16u * 3 * 3 * 3 * 3 * 3 * 3 * 3);
}

TEST(PowerLaw, IsStarPUsFromTheSameSums) {
  size_t laws = 0;
  for (const auto& [path, text] : testing::AllFiles()) {
    if (path.find("codelets/45/") == std::string::npos) continue;
    const auto file = ParsePerfmodel(text, path);
    if (!file.ok()) continue;  // (file_test.cc knows which)
    for (const PerfmodelCombination& combination : file->model.combinations)
      for (const PerfmodelImplementation& implementation : combination.implementations) {
        PowerLaw law = implementation.power_law;
        if (law.samples == 0) continue;
        SolvePowerLaw(law);  // from sums that are written with seven digits
        EXPECT_NEAR(law.alpha / implementation.power_law.alpha, 1, 1e-3) << path;
        EXPECT_NEAR(law.beta / implementation.power_law.beta, 1, 1e-3) << path;
        ++laws;
      }
  }
  EXPECT_EQ(laws, 7u);
}

TEST(PowerLaw, IsUnknownForOneSizeAndWithoutPoints) {
  PowerLaw law;
  SolvePowerLaw(law);
  EXPECT_TRUE(std::isnan(law.alpha));
  for (int i = 0; i < 5; ++i) AddToPowerLaw(law, 1024, 3.0 + i);
  AddToPowerLaw(law, 0, 1);
  AddToPowerLaw(law, 8, 0);
  SolvePowerLaw(law);
  EXPECT_EQ(law.samples, 5u);
  EXPECT_TRUE(std::isnan(law.alpha) && std::isnan(law.beta));
}

double RelativeError(const ShiftedPowerLaw& law, std::span<const MeasuredSize> points) {
  double sum = 0;
  for (const MeasuredSize& point : points) {
    const double expected = law.a * std::pow(point.size_bytes, law.b) + law.c;
    sum += std::pow(expected / point.duration - 1, 2);
  }
  return std::sqrt(sum / static_cast<double>(points.size()));
}

TEST(ShiftedPowerLaw, IsFoundFromItsPoints) {
  std::vector<MeasuredSize> points;
  for (double size = 4; size < 1e8; size *= 2)
    points.push_back({size, 3e-6 * std::pow(size, 1.2) + 0.7});
  const ShiftedPowerLaw law = FitShiftedPowerLaw(points);
  EXPECT_NEAR(law.a / 3e-6, 1, 1e-4);
  EXPECT_NEAR(law.b, 1.2, 1e-5);
  EXPECT_NEAR(law.c, 0.7, 1e-5);
}

TEST(ShiftedPowerLaw, FitsStarPUsMeasuresAtLeastAsWellAsStarPUsOwn) {
  for (const char* path : {"sampling/codelets/45/non_linear_memset_regression_based.node0",
                           "sampling_1_3/codelets/45/my_nl.node0"}) {
    const auto file = ReadPerfmodel(testing::kPerfmodels + path);
    ASSERT_TRUE(file.ok());
    for (const auto& implementation : file->model.combinations[0].implementations) {
      std::vector<MeasuredSize> points;
      for (const PerfmodelEntry& entry : implementation.entries)
        points.push_back({static_cast<double>(entry.size_bytes), entry.mean});
      const ShiftedPowerLaw ours = FitShiftedPowerLaw(points);
      EXPECT_LE(RelativeError(ours, points), RelativeError(implementation.shifted, points));
      EXPECT_GE(ours.a, 0);
      EXPECT_GE(ours.c, 0);
    }
  }
}

TEST(ShiftedPowerLaw, IsFoundFromFourSizes) {
  std::vector<MeasuredSize> points;
  for (const double size : {1e3, 4e3, 16e3, 64e3}) points.push_back({size, 10.2 + 0.02 * size});
  const ShiftedPowerLaw law = FitShiftedPowerLaw(points);
  EXPECT_NEAR(law.a * std::pow(2e3, law.b) + law.c, 50.2, 1e-3);
  // What StarPU 1.3.10 writes of these points.
  const ShiftedPowerLaw starpus{7.449017e-03, 1.085925, 56.35938};
  EXPECT_NEAR(starpus.a * std::pow(2e3, starpus.b) + starpus.c, 85.0, 0.1);
  EXPECT_LT(RelativeError(law, points), 1e-6);
  EXPECT_GT(RelativeError(starpus, points), 0.5);
}

TEST(ShiftedPowerLaw, WantsThreeSizes) {
  const MeasuredSize points[] = {{1, 1}, {2, 2}, {2, 3}, {0, 1}, {5, NAN}};
  EXPECT_TRUE(std::isnan(FitShiftedPowerLaw(points).a));
}

TEST(LinearFit, FindsTheCoefficientsOfUnlikeTerms) {
  std::vector<double> rows, durations;
  for (int m = 10; m < 140; m += 20)
    for (int n = 10; n < 100; n += 20) {
      const double terms[] = {double(m) * m * n, double(n) * n * n * (m % 3 + 1)};
      rows.insert(rows.end(), terms, terms + 2);
      durations.push_back(5 + 0.002 * terms[0] + 3e-5 * terms[1]);
    }
  const std::vector<double> found = FitLinear(rows, 2, durations);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0], 5, 1e-6);
  EXPECT_NEAR(found[1], 0.002, 1e-9);
  EXPECT_NEAR(found[2], 3e-5, 1e-11);
}

TEST(LinearFit, SaysWhenTheMeasuresDoNotTellTheTermsApart) {
  EXPECT_TRUE(
      FitLinear(std::vector<double>{1, 2, 2, 4, 3, 6}, 2, std::vector<double>{1, 2, 3}).empty());
  EXPECT_TRUE(FitLinear(std::vector<double>{1}, 1, std::vector<double>{1}).empty());
  EXPECT_TRUE(FitLinear(std::vector<double>{0, 0, 0}, 1, std::vector<double>{1, 2, 3}).empty());
}

}  // namespace
}  // namespace tasklens
