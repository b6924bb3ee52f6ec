// SPDX-License-Identifier: Apache-2.0
// Round steps of time.
#include "server/pictures/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tasklens {

int64_t TickNs(int64_t length_ns, double count) {
  const double rough = std::max(1., static_cast<double>(length_ns) / count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1., 2., 5.})
    if (step * power >= rough) return static_cast<int64_t>(step * power);
  return static_cast<int64_t>(10 * power);
}

std::vector<Tick> TicksOf(const RunClock& clock, Span range, double count) {
  struct Unit {
    double ns;
    std::string_view name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xC2\xB5s"}, {1, "ns"}};
  const auto from_ns = static_cast<double>(range.begin_ns - clock.zero_ns());
  const auto to_ns = static_cast<double>(range.end_ns - clock.zero_ns());
  const Unit* unit = kUnits;
  while (unit->ns > 1 && std::max(std::fabs(from_ns), std::fabs(to_ns)) < unit->ns) ++unit;
  const int64_t tick_ns = TickNs(range.length_ns(), count);
  const int digits = std::max(
      0, static_cast<int>(std::ceil(std::log10(unit->ns / static_cast<double>(tick_ns)) - 1e-9)));
  std::vector<Tick> ticks;
  const double first = std::ceil(from_ns / static_cast<double>(tick_ns));
  for (double number = first; number * static_cast<double>(tick_ns) <= to_ns; ++number) {
    // "+ 0." turns -0 into 0.
    const double since_ns = number * static_cast<double>(tick_ns) + 0.;
    ticks.push_back({clock.zero_ns() + static_cast<int64_t>(since_ns),
                     fmt::format("{:.{}f} {}", since_ns / unit->ns, digits, unit->name)});
  }
  return ticks;
}

}  // namespace tasklens
