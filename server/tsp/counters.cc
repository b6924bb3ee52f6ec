// SPDX-License-Identifier: Apache-2.0
// The counters as a TREE_TIME_XY. Entry 0 is the run; then come the rows of TimelineRows, of which
// those with counters are shown; then the counters.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "analysis/timeline_curves.h"
#include "analysis/timeline_rows.h"
#include "server/tsp/outputs.h"

namespace tasklens::tsp {
namespace {

// Viewers parse a number of more than 15 characters as an integer, even if it has a decimal point.
json Short(double value) {
  if (std::fabs(value) >= 1e6 && std::fabs(value) < 1e15) return std::llround(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

Result<json> Tree(const Asked& asked) {
  const auto rows = asked.trace.views->Rows(asked.stop);
  const auto curves = asked.trace.views->Curves(asked.stop);
  if (!rows || !curves) return Cancelled();
  json entries = json::array({Entry(0, -1, {asked.trace.title, ""}, false)});
  const auto first_curve = static_cast<int64_t>(1 + rows->rows.size());
  std::set<uint32_t> known;
  for (size_t i = 0; i < curves->curves().size(); ++i) {
    const Curve& curve = curves->curves()[i];
    const TimelineRow& row = rows->rows[curve.row];
    if (known.insert(curve.row).second)
      entries.push_back(Entry(1 + curve.row, 0, {row.name, ""}, false));
    json entry = Entry(first_curve + static_cast<int64_t>(i), 1 + curve.row,
                       {curve.name, std::string(curve.unit)}, true);
    // Counters of single workers are too many to be shown by default.
    entry["isDefault"] =
        row.kind == TimelineRowKind::kScheduler || row.kind == TimelineRowKind::kMemoryNode;
    entries.push_back(std::move(entry));
  }
  return json{{"headers",
               {{{"name", "Counter"}, {"tooltip", "what is counted"}},
                {{"name", "Unit"}, {"tooltip", "of its values"}}}},
              {"autoExpandLevel", -1},
              {"entries", std::move(entries)}};
}

// All series have the same points in time: the middles of equal intervals. A value is the mean over
// its interval.
Result<json> Values(const Asked& asked) {
  const auto rows = asked.trace.views->Rows(asked.stop);
  const auto curves = asked.trace.views->Curves(asked.stop);
  if (!rows || !curves) return Cancelled();
  const auto first_curve = static_cast<int64_t>(1 + rows->rows.size());
  const Result<Samples> range = asked.RequestedSamples(asked.parameters.items.size());
  if (!range.ok()) return range.status();
  std::vector<int64_t> moments;
  for (uint32_t i = 0; i < range->count; ++i)
    moments.push_back(
        range->begin_ns +
        static_cast<int64_t>(static_cast<double>(range->length_ns()) * (i + 0.5) / range->count));
  json::array_t x;
  for (const int64_t at : moments) x.emplace_back(asked.origin_ns() + at);
  json series = json::array();
  for (const int64_t item : asked.parameters.items) {
    if (Stopped(asked.stop)) return Cancelled();
    const int64_t i = item - first_curve;
    if (i < 0 || i >= static_cast<int64_t>(curves->curves().size())) continue;
    const Curve& curve = curves->curves()[static_cast<size_t>(i)];
    const std::vector<CurveSlice> slices =
        curves->Slices(static_cast<size_t>(i), range->begin_ns, range->end_ns, range->count);
    json::array_t y;
    size_t slice = 0;
    for (const int64_t at : moments) {
      while (slice + 1 < slices.size() && slices[slice].end_ns <= at) ++slice;
      y.push_back(Short(slices.empty() ? 0. : slices[slice].mean));
    }
    const std::string name = rows->rows[curve.row].name + ", " + curve.name;
    series.push_back(
        {{"seriesId", item},
         {"seriesName", name},
         {"style", {{"values", {{"series-type", "area"}}}}},
         {"xValues", x},
         {"yValues", std::move(y)},
         {"xValuesDescription", {{"label", "Time"}, {"unit", "ns"}, {"dataType", "TIMESTAMP"}}},
         {"yValuesDescription",
          {{"label", curve.name}, {"unit", curve.unit}, {"dataType", "NUMBER"}}}});
  }
  return json{{"title", "Counters"}, {"series", std::move(series)}};
}

constexpr OutputSpec::Question kQuestions[] = {
    {"tree", &Tree}, {"xy", &Values}, {"style", &NoStyle}};

}  // namespace

extern constexpr OutputSpec kCounters = {
    "counters",     "Counters", "Ready tasks, GFlop/s, memory, bandwidth and PAPI over time",
    "TREE_TIME_XY", "XY",       kQuestions};

}  // namespace tasklens::tsp
