// SPDX-License-Identifier: Apache-2.0
#include "server/answers/printed.h"

#include <algorithm>
#include <cctype>

#include "analysis/sites.h"
#include "server/messages/json_writer.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

struct PrintStyle {
  using Json = tasklens::Json;
  // totalNs as total_ns.
  static std::string NameOf(std::string_view name) {
    std::string snake;
    for (const char c : name) {
      const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (lower != c) snake += '_';
      snake += lower;
    }
    return snake;
  }
};

}  // namespace

std::string Dump(const Json& answer) {
  Json versioned = {{"version", kAnswerVersion}};
  versioned.update(answer);
  return versioned.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void DumpRows(const Json& answer, const std::string& list, size_t count,
              const std::function<Json(size_t)>& row, const WriteText& write) {
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

template <class Message>
Json CommandJson(const Message& message) {
  return messages::JsonWriter<PrintStyle>::Of(message);
}

template <class Message>
std::string Dump(const Message& message) {
  return Dump(CommandJson(message));
}

template <class Row>
std::string DumpList(const std::string& name, const std::vector<Row>& rows) {
  return Dump(Json{{name, CommandJson(rows)}});
}

template <class Row, class Message>
void DumpRows(const Message& answer, const std::string& list, size_t count,
              const std::function<Row(size_t)>& row, const WriteText& write) {
  DumpRows(
      CommandJson(answer), list, count, [&](size_t i) { return CommandJson(row(i)); }, write);
}

template std::string Dump(const messages::Advice&);
template std::string Dump(const messages::Bound&);
template std::string DumpList(const std::string&, const std::vector<messages::Pause>&);
template Json CommandJson(const messages::Comparison&);
template Json CommandJson(const messages::Statistics&);
template Json CommandJson(const messages::TaskWithLine&);
template void DumpRows(const messages::CriticalPath&, const std::string&, size_t,
                       const std::function<messages::PathStep(size_t)>&, const WriteText&);
template void DumpRows(const messages::IdleWorker&, const std::string&, size_t,
                       const std::function<messages::ChainLink(size_t)>&, const WriteText&);
template void DumpRows(const messages::LateTask&, const std::string&, size_t,
                       const std::function<messages::ChainLink(size_t)>&, const WriteText&);

Json SummaryAnswer(const RunSummary& run) {
  return {{"tasks", run.tasks},
          {"ran", run.ran},
          {"submissions", run.submissions},
          {"executions", run.executions},
          {"dependencies", run.dependencies},
          {"workers", run.workers},
          {"ranks", run.ranks},
          {"span_ns", run.span_ns},
          {"busy_ns", run.busy_ns},
          {"efficiency", run.ran > 0 ? Json(run.Efficiency()) : Json()}};
}

}  // namespace tasklens
