// SPDX-License-Identifier: Apache-2.0
// Histograms with bars of equal width at round numbers, and interpolated quantiles, as in R, so
// that our bars equal those of StarPU's scripts.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tasklens {

// Returns the quantile `q` (0 to 1) of sorted values, interpolated between two of them: number 7 of
// Hyndman and Fan (1996), R's default. REQUIRES: there is a value.
double QuantileBetween(std::span<const double> sorted, double q);

// Returns the borders, `count` + 1 or so, of intervals that cover low to high and whose width is 1,
// 2, 5 or 10 times a power of ten. The rule is that of R's pretty(). REQUIRES: low <= high, finite.
std::vector<double> RoundBorders(double low, double high, int count);

// Returns about `count` + 1 borders of bars `width` wide whose middles are multiples of it, as
// ggplot2's geom_histogram(binwidth = ) draws them. REQUIRES: low <= high, width > 0, finite, and
// no more than some thousands of bars.
std::vector<double> CentredBorders(double low, double high, double width);

struct Histogram {
  std::vector<double> borders;   // one more than counts
  std::vector<uint64_t> counts;  // of values in (borders[i], borders[i + 1]]; the first interval
                                 // includes its lower end
};
// Values outside of the borders are not counted. REQUIRES: borders ascend, there are two at least.
Histogram CountBetween(std::span<const double> values, std::vector<double> borders);

}  // namespace tasklens
