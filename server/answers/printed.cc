// SPDX-License-Identifier: Apache-2.0
#include "server/answers/printed.h"

#include <algorithm>
#include <cctype>

#include "server/messages/json_writer.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

struct PrintStyle {
  using Json = tasklens::Json;
  // "totalNs" becomes "total_ns".
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

template <class Message>
Json CommandJson(const Message& message) {
  return messages::JsonWriter<PrintStyle>::Of(message);
}

std::string DumpAnswer(const Json& answer) {
  Json versioned = {{"version", kAnswerVersion}};
  versioned.update(answer);
  return versioned.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

template <class Message>
std::string Dump(const Message& message) {
  return DumpAnswer(CommandJson(message));
}

template <class Row, class Message>
void DumpRows(const Message& message, const std::string& list, size_t count,
              const std::function<Row(size_t)>& row, const WriteText& write) {
  Json answer = CommandJson(message);
  const std::string empty = DumpAnswer(answer);
  if (count == 0) return write(empty);
  // A list with a row 0 shows where rows belong. The texts are equal up to "["; there this one
  // continues with "\n    ", "0" and "\n  ]...".
  answer[Json::json_pointer(list)].push_back(0);
  const std::string text = DumpAnswer(answer);
  const auto differs = std::mismatch(text.begin(), text.end(), empty.begin(), empty.end()).first;
  const auto begin = static_cast<size_t>(differs - text.begin());
  const size_t end = text.find('0', begin);
  const std::string line = text.substr(begin, end - begin);
  write(std::string_view(text).substr(0, begin));
  for (size_t i = 0; i < count; ++i) {
    std::string lines = (i > 0 ? "," : "") + line;
    for (const char c : CommandJson(row(i)).dump(2, ' ', false, Json::error_handler_t::replace)) {
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
std::string DumpLine(const Message& message) {
  return CommandJson(message).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string VersionLine() { return Json{{"version", kAnswerVersion}}.dump() + "\n"; }

template std::string Dump(const messages::Advice&);
template std::string Dump(const messages::Bound&);
template std::string Dump(const messages::PrintedCompare&);
template std::string Dump(const messages::PrintedConvert&);
template std::string Dump(const messages::PrintedConvertList&);
template std::string Dump(const messages::PrintedFlags&);
template std::string Dump(const messages::PrintedGraph&);
template std::string Dump(const messages::PrintedRun&);
template std::string Dump(const messages::PrintedStats&);
template std::string Dump(const messages::PrintedWhy&);
template std::string DumpLine(const messages::PrintedPrint&);
template void DumpRows(const messages::CriticalPath&, const std::string&, size_t,
                       const std::function<messages::PathStep(size_t)>&, const WriteText&);
template void DumpRows(const messages::IdleWorker&, const std::string&, size_t,
                       const std::function<messages::ChainLink(size_t)>&, const WriteText&);
template void DumpRows(const messages::LateTask&, const std::string&, size_t,
                       const std::function<messages::ChainLink(size_t)>&, const WriteText&);
template void DumpRows(const messages::PrintedTimeline&, const std::string&, size_t,
                       const std::function<messages::PrintedRow(size_t)>&, const WriteText&);

}  // namespace tasklens
