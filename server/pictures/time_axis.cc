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

std::string TickText(int64_t at_ns, int64_t tick_ns, int64_t to_ns) {
  struct Unit {
    double ns;
    std::string_view name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xC2\xB5s"}, {1, "ns"}};
  const Unit* unit = kUnits;
  while (unit->ns > 1 && static_cast<double>(to_ns) < unit->ns) ++unit;
  const double digits = std::ceil(std::log10(unit->ns / static_cast<double>(tick_ns)) - 1e-9);
  return fmt::format("{:.{}f} {}", static_cast<double>(at_ns) / unit->ns,
                     std::max(0, static_cast<int>(digits)), unit->name);
}

}  // namespace tasklens
