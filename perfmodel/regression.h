// SPDX-License-Identifier: Apache-2.0
// Least squares: what a duration depends on, from measures. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfmodel/model.h"

namespace tasklens {

// Adds a measure to the sums. Sizes and durations of 0 have no logarithm and are left out.
void AddToPowerLaw(PowerLaw& law, uint64_t size_bytes, double duration);
// Alpha and beta from the sums; NaN where all sizes are equal.
void SolvePowerLaw(PowerLaw& law);

struct MeasuredSize {
  double size_bytes;
  double duration;
};
// a * size ^ b + c with the smallest sum of squared relative errors, a >= 0, c >= 0; NaN for fewer
// than three different sizes.
//
// StarPU looks for the c with which logarithms correlate best, from the points above 2c only. Of
// the same measures of 11 laws (ten sizes each or fewer, 2 to 30 % noise) this one is 0.0 to 4.7 %
// off in the mean over the sizes, where StarPU's is 0.5 to 26 %, 226 % with three sizes, and not
// there at all for a constant; with 10 + 0.02 size us at 1, 4, 16 and 64 thousand it says 50.2 us
// for 2 thousand, and StarPU's 85.0.
ShiftedPowerLaw FitShiftedPowerLaw(std::span<const MeasuredSize> points);

// One row per measure: `terms` values each, row by row. The coefficients of 1 and of each term,
// with the smallest sum of squared errors; empty where the measures do not tell them apart.
std::vector<double> FitLinear(std::span<const double> rows, size_t terms,
                              std::span<const double> durations);

}  // namespace tasklens
