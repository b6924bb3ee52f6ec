// SPDX-License-Identifier: Apache-2.0
// Formats with snprintf: never on a hot path.
#include "analysis/text.h"

#include <cmath>
#include <cstddef>
#include <cstdio>

namespace tasklens {
namespace {

// `value` with three significant digits, 1 <= |value| < 1000 (or rounding up to 1000).
std::string ThreeDigits(double value) {
  char text[32];
  const double size = std::fabs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace

std::string DurationText(int64_t ns) {
  const double size = std::fabs(static_cast<double>(ns));
  const double value = static_cast<double>(ns);
  if (size < 999.5) return std::to_string(ns) + " ns";
  if (size < 999.5e3) return ThreeDigits(value / 1e3) + " µs";
  if (size < 999.5e6) return ThreeDigits(value / 1e6) + " ms";
  if (size < 60e9) return ThreeDigits(value / 1e9) + " s";
  return ThreeDigits(value / 60e9) + " min";
}

std::string CountText(uint64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(digits.begin() + at, ',');
  return digits;
}

std::string CountText(uint64_t count, std::string_view noun) {
  return CountText(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string ShareText(double share) {
  char text[32];
  const double percent = 100 * share;
  std::snprintf(text, sizeof text, "%.*f %%", percent != 0 && std::fabs(percent) < 9.95 ? 1 : 0,
                percent);
  return text;
}

}  // namespace tasklens
