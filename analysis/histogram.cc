// SPDX-License-Identifier: Apache-2.0
// Round borders, and interpolated quantiles.
#include "analysis/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tasklens {

double QuantileBetween(std::span<const double> sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::vector<double> RoundBorders(double low, double high, int count) {
  // If the range is tiny, the width of a cell depends on the size of the values.
  constexpr double kBias = 1.5, kBiasOfFive = 0.5 + 1.5 * kBias;
  const double size = std::max(std::fabs(low), std::fabs(high));
  const double least =
      size * (1.5 / (1 + kBiasOfFive)) * count * std::numeric_limits<double>::epsilon() * 3;
  const bool is_narrow = high - low < least || high == low;
  double cell = is_narrow ? (size == 0 ? 1 : size) : high - low;
  constexpr int kFewest = 1;  // hist() asks for one interval at least
  if (is_narrow) {
    if (cell > 10) cell = 9 + cell / 10;
    cell *= 0.75;
  } else {
    cell /= count;
  }
  cell = std::max(cell, 20 * std::numeric_limits<double>::min());
  const double base = std::pow(10, std::floor(std::log10(cell)));
  double unit = base;
  if (2 * base - cell < kBias * (cell - unit)) {
    unit = 2 * base;
    if (5 * base - cell < kBiasOfFive * (cell - unit)) {
      unit = 5 * base;
      if (10 * base - cell < kBias * (cell - unit)) unit = 10 * base;
    }
  }
  constexpr double kRounding = 1e-10;
  double first = std::floor(low / unit + kRounding), last = std::ceil(high / unit - kRounding);
  while (first * unit > low + kRounding * unit) --first;
  while (last * unit < high - kRounding * unit) ++last;
  if (const auto missing = static_cast<int>(kFewest - (0.5 + last - first)); missing > 0) {
    const int half = missing / 2, rest = missing % 2;
    if (first >= 0 && !(first == 0 && last == 0)) {
      last += half;
      first -= half + rest;
    } else {
      first -= half;
      last += half + rest;
    }
  }
  if (last <= first) last = first + 1;
  std::vector<double> borders;
  for (double i = first; i <= last; ++i) borders.push_back(i * unit);
  return borders;
}

std::vector<double> CentredBorders(double low, double high, double width) {
  std::vector<double> borders;
  // Wide enough for a double to distinguish the borders.
  width = std::max(width, 1e-12 * std::max(std::fabs(low), std::fabs(high)));
  const double first = std::floor(low / width - 0.5);
  for (double i = first;; ++i) {
    borders.push_back((i + 0.5) * width);
    if (borders.back() >= high && borders.size() > 1) return borders;
  }
}

Histogram CountBetween(std::span<const double> values, std::vector<double> borders) {
  Histogram result{std::move(borders), {}};
  result.counts.resize(result.borders.size() - 1);
  // A value that equals a border up to rounding errors belongs to the bar below it.
  std::vector<double> widths;
  for (size_t i = 0; i + 1 < result.borders.size(); ++i)
    widths.push_back(result.borders[i + 1] - result.borders[i]);
  std::nth_element(widths.begin(), widths.begin() + static_cast<ptrdiff_t>(widths.size() / 2),
                   widths.end());
  const double fuzz = 1e-7 * widths[widths.size() / 2];
  std::vector<double> ends;
  for (const double border : result.borders) ends.push_back(border + fuzz);
  for (const double value : values) {
    if (!(value >= result.borders.front() - fuzz && value <= ends.back())) continue;
    const auto above = std::lower_bound(ends.begin() + 1, ends.end(), value);
    if (above != ends.end()) ++result.counts[static_cast<size_t>(above - ends.begin()) - 1];
  }
  return result;
}

}  // namespace tasklens
