// SPDX-License-Identifier: Apache-2.0
// What graph and timeline answers share.
#include "server/handlers/columns.h"

namespace tasklens {

ColourBy ReadColour(Fields& fields, ColourBy fallback) {
  std::string name(ColourByName(fallback));
  fields.Optional("colour", name);
  const std::optional<ColourBy> by = ParseColourBy(name);
  if (!by)
    fields.Fail("colour",
                "is codelet, worker, duration, waiting, slack or iteration, not '" + name + "'");
  return by.value_or(fallback);
}

json LegendJson(const Legend& legend) {
  json entries = json::array();
  for (const LegendEntry& entry : legend.entries)
    entries.push_back({{"label", entry.label},
                       {"rgb", entry.rgb},
                       {"low", entry.has_range() ? json(entry.low) : json()},
                       {"high", entry.has_range() ? json(entry.high) : json()}});
  return {{"by", legend.by}, {"unit", legend.unit}, {"entries", std::move(entries)}};
}

}  // namespace tasklens
