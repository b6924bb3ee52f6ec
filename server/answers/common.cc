// SPDX-License-Identifier: Apache-2.0
// What several answers share.
#include "server/answers/common.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "server/answers/answers.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& answer) {
  Json versioned = {{"version", kAnswerVersion}};
  versioned.update(answer);
  return versioned.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void DumpRows(const Json& answer, const std::string& list, size_t count,
              const std::function<Json(size_t)>& row,
              const std::function<void(std::string_view)>& write) {
  const std::string empty = Dump(answer);
  if (count == 0) return write(empty);
  // With a row the text differs from there on: "[" "\n    " "0" "\n  ]...".
  Json with_row = answer;
  with_row[Json::json_pointer(list)].push_back(0);
  const std::string text = Dump(with_row);
  const auto differs = std::mismatch(text.begin(), text.end(), empty.begin(), empty.end()).first;
  const auto begin = static_cast<size_t>(differs - text.begin());
  const size_t end = text.find('0', begin);
  const std::string line = text.substr(begin, end - begin);
  write(std::string_view(text).substr(0, begin));
  for (size_t i = 0; i < count; ++i) {
    std::string lines = (i > 0 ? "," : "") + line;
    for (const char c : row(i).dump(2, ' ', false, Json::error_handler_t::replace)) {
      if (c == '\n')
        lines += line;
      else
        lines += c;
    }
    write(lines);
  }
  write(std::string_view(text).substr(end + 1));
}

namespace {

std::string CamelCase(const std::string& key) {
  std::string camel;
  for (size_t i = 0; i < key.size(); ++i) {
    const bool starts_word = key[i] == '_' && i > 0 && i + 1 < key.size();
    camel += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(key[++i])))
                         : key[i];
  }
  return camel;
}

}  // namespace

nlohmann::json CamelCase(const Json& answer) {
  if (answer.is_object()) {
    nlohmann::json camel = nlohmann::json::object();
    for (const auto& [key, value] : answer.items()) camel[CamelCase(key)] = CamelCase(value);
    return camel;
  }
  if (answer.is_array()) {
    nlohmann::json camel = nlohmann::json::array();
    for (const Json& value : answer) camel.push_back(CamelCase(value));
    return camel;
  }
  return answer;
}

Json TimeOrNull(int64_t time_ns) { return time_ns == kNever ? Json() : Json(time_ns); }

Json TaskAnswer(const TraceModel& model, uint32_t task) {
  if (task == kNone) return nullptr;
  const TaskTable& tasks = model.tasks;
  const uint32_t site = tasks.site[task], worker = tasks.worker[task];
  const bool has_site = site < model.sites.size();
  return {{"task", task},
          {"rank", model.ranks.rank[tasks.rank_index[task]]},
          {"job", tasks.job[task]},
          {"name", model.TaskNameOf(task)},
          {"worker", worker < model.workers.size()
                         ? Json(StatisticsLabel(model, StatisticsBy::kWorker, worker))
                         : Json()},
          {"site", has_site ? Json(site) : Json()},
          {"file", has_site ? Json(model.str(model.sites.file[site])) : Json()},
          {"line", has_site ? Json(model.sites.line[site]) : Json()},
          {"submit_ns", TimeOrNull(tasks.submit_ns[task])},
          {"start_ns", TimeOrNull(tasks.start_ns[task])},
          {"end_ns", TimeOrNull(tasks.end_ns[task])},
          {"own_rgb", tasks.rgb[task] == kNone ? Json() : Json(tasks.rgb[task] & 0xFFFFFF)}};
}

int64_t WholeNs(double ns) { return std::llround(std::clamp(ns, -9e18, 9e18)); }

Json DurationsAnswer(const DurationSummary& durations) {
  Json quantiles = Json::object();
  for (size_t i = 0; i < kQuantiles.size(); ++i)
    quantiles["q" + std::to_string(static_cast<int>(kQuantiles[i] * 100 + 0.5))] =
        durations.quantile_ns[i];
  return {{"count", durations.count},
          {"total_ns", durations.total_ns},
          {"mean_ns", WholeNs(durations.mean_ns)},
          {"stddev_ns", WholeNs(durations.stddev_ns)},
          {"min_ns", durations.min_ns},
          {"median_ns", durations.median_ns()},
          {"max_ns", durations.max_ns},
          {"quantiles_ns", std::move(quantiles)}};
}

}  // namespace tasklens
