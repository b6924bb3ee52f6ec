// SPDX-License-Identifier: Apache-2.0
// Uses the continued fraction of the incomplete beta function, evaluated by Lentz's method.
#include "analysis/student.h"

#include <cmath>
#include <initializer_list>

namespace tasklens {

double StudentP(double t, double degrees) {
  const double a = degrees / 2, b = 0.5, x = degrees / (degrees + t * t);
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  const auto fraction = [](double p, double q, double at) {
    constexpr double kTiny = 1e-300;
    double c = 1, d = 1 - (p + q) * at / (p + 1);
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    double value = d;
    for (int m = 1; m <= 300; ++m) {
      const double even = m * (q - m) * at / ((p + 2 * m - 1) * (p + 2 * m));
      const double odd = -(p + m) * (p + q + m) * at / ((p + 2 * m) * (p + 2 * m + 1));
      for (const double term : {even, odd}) {
        d = 1 + term * d;
        d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
        c = 1 + term / c;
        if (std::fabs(c) < kTiny) c = kTiny;
        value *= d * c;
      }
      if (std::fabs(d * c - 1) < 1e-12) break;
    }
    return value;
  };
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                   : 1 - front * fraction(b, a, 1 - x) / b;
}

double StudentQuantile(double p, double degrees) {
  double low = 0, high = 1;
  while (StudentP(high, degrees) > p && high < 1e9) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (StudentP(middle, degrees) > p ? low : high) = middle;
  }
  return high;
}

}  // namespace tasklens
