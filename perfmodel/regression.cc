// SPDX-License-Identifier: Apache-2.0
// Least squares.
#include "perfmodel/regression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tasklens {

void AddToPowerLaw(PowerLaw& law, uint64_t size_bytes, double duration) {
  if (size_bytes == 0 || !(duration > 0)) return;
  const double x = std::log(static_cast<double>(size_bytes)), y = std::log(duration);
  law.sum_ln_x += x;
  law.sum_ln_x2 += x * x;
  law.sum_ln_y += y;
  law.sum_ln_x_ln_y += x * y;
  law.min_x = law.samples == 0 ? size_bytes : std::min(law.min_x, size_bytes);
  law.max_x = law.samples == 0 ? size_bytes : std::max(law.max_x, size_bytes);
  ++law.samples;
}

void SolvePowerLaw(PowerLaw& law) {
  const double n = static_cast<double>(law.samples);
  const double spread = n * law.sum_ln_x2 - law.sum_ln_x * law.sum_ln_x;
  law.alpha = law.beta = NAN;
  if (law.samples < 2 || law.min_x == law.max_x || !(spread > 0)) return;
  law.beta = (n * law.sum_ln_x_ln_y - law.sum_ln_x * law.sum_ln_y) / spread;
  law.alpha = std::exp((law.sum_ln_y - law.beta * law.sum_ln_x) / n);
}

namespace {

// For a given exponent the law is linear in a and c, with each point weighed by 1 / duration^2. The
// sizes are taken relative to the largest, so that no power overflows.
struct Fit {
  double a = 0, c = 0, error = 0;
};
Fit FitWithExponent(std::span<const MeasuredSize> points, double largest, double b) {
  double s11 = 0, s1p = 0, spp = 0, sy1 = 0, syp = 0;
  for (const MeasuredSize& point : points) {
    const double weight = 1 / (point.duration * point.duration);
    const double power = std::pow(point.size_bytes / largest, b);
    s11 += weight;
    s1p += weight * power;
    spp += weight * power * power;
    sy1 += weight * point.duration;
    syp += weight * point.duration * power;
  }
  Fit fit;
  const double determinant = s11 * spp - s1p * s1p;
  if (determinant > 1e-12 * s11 * spp) {
    fit.a = (s11 * syp - s1p * sy1) / determinant;
    fit.c = (spp * sy1 - s1p * syp) / determinant;
  }
  if (determinant <= 1e-12 * s11 * spp || fit.c < 0) {  // the best one is at the border
    fit.a = syp / spp;
    fit.c = 0;
  } else if (fit.a < 0) {
    fit.a = 0;
    fit.c = sy1 / s11;
  }
  for (const MeasuredSize& point : points) {
    const double expected = fit.a * std::pow(point.size_bytes / largest, b) + fit.c;
    const double error = expected / point.duration - 1;
    fit.error += error * error;
  }
  return fit;
}

}  // namespace

ShiftedPowerLaw FitShiftedPowerLaw(std::span<const MeasuredSize> points) {
  constexpr double kLeast = 0.01, kMost = 8, kStep = 0.05;
  std::vector<MeasuredSize> usable;
  std::set<double> sizes;
  for (const MeasuredSize& point : points) {
    if (!(point.size_bytes > 0) || !(point.duration > 0) || !std::isfinite(point.duration))
      continue;
    usable.push_back(point);
    sizes.insert(point.size_bytes);
  }
  if (sizes.size() < 3) return {};
  const double largest = *sizes.rbegin();
  // The error may have more than one valley over b: the deepest of a grid, then narrowed.
  double best = kLeast, least = std::numeric_limits<double>::infinity();
  for (double b = kLeast; b <= kMost; b += kStep) {
    const double error = FitWithExponent(usable, largest, b).error;
    if (error < least) {
      least = error;
      best = b;
    }
  }
  double low = std::max(kLeast / 2, best - kStep), high = best + kStep;
  for (int i = 0; i < 80; ++i) {
    const double third = (high - low) / 3;
    if (FitWithExponent(usable, largest, low + third).error <
        FitWithExponent(usable, largest, high - third).error) {
      high -= third;
    } else {
      low += third;
    }
  }
  const double b = (low + high) / 2;
  const Fit fit = FitWithExponent(usable, largest, b);
  return {fit.a / std::pow(largest, b), b, fit.c};
}

std::vector<double> FitLinear(std::span<const double> rows, size_t terms,
                              std::span<const double> durations) {
  const size_t n = durations.size(), columns = terms + 1;
  if (n < columns) return {};
  // Householder's reflections on the matrix with a column of ones in front, each column scaled
  // to 1.
  std::vector<std::vector<double>> a(columns, std::vector<double>(n, 1));
  std::vector<double> y(durations.begin(), durations.end()), scale(columns, 1);
  for (size_t j = 1; j < columns; ++j) {
    double most = 0;
    for (size_t i = 0; i < n; ++i) most = std::max(most, std::fabs(rows[i * terms + j - 1]));
    if (!(most > 0) || !std::isfinite(most)) return {};
    scale[j] = most;
    for (size_t i = 0; i < n; ++i) a[j][i] = rows[i * terms + j - 1] / most;
  }
  std::vector<double> diagonal(columns);
  for (size_t j = 0; j < columns; ++j) {
    double norm2 = 0;
    for (size_t i = j; i < n; ++i) norm2 += a[j][i] * a[j][i];
    const double norm = std::sqrt(norm2);
    if (!(norm > 1e-9 * std::sqrt(static_cast<double>(n)))) return {};
    diagonal[j] = a[j][j] > 0 ? -norm : norm;
    std::vector<double> v(a[j].begin() + static_cast<ptrdiff_t>(j), a[j].end());
    v[0] -= diagonal[j];
    double v2 = 0;
    for (const double x : v) v2 += x * x;
    const auto reflect = [&](std::vector<double>& column) {
      double dot = 0;
      for (size_t i = j; i < n; ++i) dot += v[i - j] * column[i];
      for (size_t i = j; i < n; ++i) column[i] -= 2 * dot / v2 * v[i - j];
    };
    for (size_t k = j + 1; k < columns; ++k) reflect(a[k]);
    reflect(y);
  }
  std::vector<double> solution(columns);
  for (size_t j = columns; j-- > 0;) {
    double rest = y[j];
    for (size_t k = j + 1; k < columns; ++k) rest -= a[k][j] * solution[k];
    solution[j] = rest / diagonal[j];
  }
  for (size_t j = 0; j < columns; ++j) solution[j] /= scale[j];
  return solution;
}

}  // namespace tasklens
