// SPDX-License-Identifier: Apache-2.0
// The tables of durations as DATA_TREEs: by codelet, line, worker and state, over the whole run.
#include "analysis/statistics.h"

#include <cmath>

#include "server/tsp/outputs.h"

namespace tasklens::tsp {
namespace {

template <StatisticsBy by>
Result<json> Tree(const Asked& asked) {
  const auto rows = asked.trace.views->StatisticsOf(by, false, asked.stop);
  if (!rows) return Cancelled();
  json entries = json::array();
  for (size_t i = 0; i < rows->size(); ++i) {
    const StatisticsRow& row = (*rows)[i];
    const DurationSummary& durations = row.durations;
    entries.push_back(
        Entry(static_cast<int64_t>(i), -1,
              {StatisticsLabel(asked.model(), by, row.key), std::to_string(row.tasks),
               std::to_string(durations.total_ns), std::to_string(std::llround(durations.mean_ns)),
               std::to_string(durations.min_ns), std::to_string(durations.max_ns)},
              true));
  }
  json headers =
      json::array({{{"name", "Name"}, {"tooltip", "what is counted"}, {"dataType", "STRING"}},
                   {{"name", "Count"},
                    {"tooltip", "tasks or states, also those that did not run"},
                    {"dataType", "NUMBER"}}});
  for (const auto& [name, tooltip] : {std::pair{"Total", "all durations together"},
                                      {"Mean", "mean duration"},
                                      {"Shortest", "the shortest duration"},
                                      {"Longest", "the longest duration"}})
    headers.push_back({{"name", name}, {"tooltip", tooltip}, {"dataType", "DURATION"}});
  return json{{"headers", std::move(headers)}, {"entries", std::move(entries)}};
}

template <StatisticsBy by>
constexpr OutputSpec::Question kQuestions[] = {{"tree", &Tree<by>}, {"style", &NoStyle}};

template <StatisticsBy by>
constexpr OutputSpec Table(std::string_view id, std::string_view name,
                           std::string_view description) {
  return {id, name, description, "DATA_TREE", "data", kQuestions<by>};
}

}  // namespace

extern constexpr OutputSpec kCodelets =
    Table<StatisticsBy::kCodelet>("codelets", "Codelets", "Durations of the tasks of each codelet");
extern constexpr OutputSpec kSites = Table<StatisticsBy::kSite>(
    "lines", "Submitting lines", "Durations of the tasks that each line of source submitted");
extern constexpr OutputSpec kWorkers =
    Table<StatisticsBy::kWorker>("workers", "Workers", "Durations of the tasks on each worker");
extern constexpr OutputSpec kStates =
    Table<StatisticsBy::kState>("states", "States", "Durations of what workers do besides tasks");

}  // namespace tasklens::tsp
