// SPDX-License-Identifier: Apache-2.0
// Parses colon-separated numbers and looks up their labels.
#include "server/handlers/paraver.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/text.h"
#include "server/handlers/markdown.h"
#include "trace/support/read_number.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr size_t kMaxLabelBytes = 4096;  // of a label that are searched for a place
constexpr size_t kMaxRows = 100;         // in a hover's table

// Parses the numbers of a record; nullopt if there is other text between the colons.
std::optional<std::vector<int64_t>> NumbersOf(std::string_view record) {
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= record.size();) {
    const size_t end = std::min(record.find(':', begin), record.size());
    int64_t number = 0;
    if (!ReadNumber(Trimmed(record.substr(begin, end - begin)), number)) return std::nullopt;
    numbers.push_back(number);
    begin = end + 1;
  }
  return numbers;
}

// Nanoseconds per unit of time, from the suffix of the duration in "#Paraver (date):9_ns:".
double UnitNs(std::string_view header) {
  const size_t date_end = header.find(')');
  if (date_end == header.npos) return 1000;
  const size_t begin = std::min(date_end + 2, header.size());
  const std::string_view time = header.substr(begin, header.find(':', begin) - begin);
  if (time.ends_with("_ns")) return 1;
  if (time.ends_with("_ms")) return 1e6;
  return 1000;  // "_us", and files without a unit
}

std::string TimeText(int64_t time, double unit_ns) {
  const double time_ns = static_cast<double>(time) * unit_ns;
  if (std::abs(time_ns) > 9e18) return std::to_string(time);
  return DurationText(std::llround(time_ns));
}

// "thread 1.2.3 on CPU 4": application, process and thread, numbered as in the file.
std::string PlaceText(const int64_t* object) {
  std::string text = "thread " + std::to_string(object[1]) + "." + std::to_string(object[2]) + "." +
                     std::to_string(object[3]);
  if (object[0] != 0) text += " on CPU " + std::to_string(object[0]);
  return text;
}

// "label (7)", or "7" if there is no label.
std::string NamedNumber(const std::map<int64_t, std::string>& labels, int64_t number) {
  const auto found = labels.find(number);
  if (found == labels.end()) return std::to_string(number);
  return Escaped(found->second) + " (" + std::to_string(number) + ")";
}

std::string StateText(const std::vector<int64_t>& n, double unit_ns, const PrvLabels& labels) {
  return "**" + NamedNumber(labels.states, n[7]) + "**: " + PlaceText(&n[1]) + "\n\nfrom " +
         TimeText(n[5], unit_ns) + " to " + TimeText(n[6], unit_ns) + ", " +
         TimeText(static_cast<int64_t>(static_cast<uint64_t>(n[6]) - static_cast<uint64_t>(n[5])),
                  unit_ns) +
         "\n";
}

std::string EventText(const std::vector<int64_t>& n, double unit_ns, const PrvLabels& labels) {
  std::string text = "at " + TimeText(n[5], unit_ns) + ", " + PlaceText(&n[1]) +
                     "\n\n| event | value |\n|---|---|\n";
  for (size_t at = 6; at + 1 < n.size(); at += 2) {
    if (at >= 6 + 2 * kMaxRows) {
      text += "| and " + CountText((n.size() - at) / 2) + " more | |\n";
      break;
    }
    const auto type = labels.types.find(n[at]);
    const bool is_known = type != labels.types.end();
    text += "| " +
            (is_known ? Cell(type->second.label) + " (" + std::to_string(n[at]) + ")"
                      : std::to_string(n[at])) +
            " | " +
            (is_known ? NamedNumber(*type->second.values, n[at + 1]) : std::to_string(n[at + 1])) +
            " |\n";
  }
  return text;
}

std::string MessageText(const std::vector<int64_t>& n, double unit_ns) {
  return "**message** of " + CountText(static_cast<uint64_t>(std::max<int64_t>(n[13], 0))) +
         " bytes, tag " + std::to_string(n[14]) + "\n\nsent at " + TimeText(n[5], unit_ns) +
         " by " + PlaceText(&n[1]) + "; received at " + TimeText(n[12], unit_ns) + " by " +
         PlaceText(&n[7]) + "\n";
}

}  // namespace

std::optional<ParaverLabel> ParseParaverLabel(std::string_view line) {
  const size_t end = std::min(line.find_first_of(kBlanks), line.size());
  ParaverLabel found;
  if (!ReadNumber(line.substr(0, end), found.number)) return std::nullopt;
  found.label = Trimmed(line.substr(end));
  return found;
}

bool IsParaverSection(std::string_view line) {
  const std::string_view title = Trimmed(line);
  for (const std::string_view known :
       {"DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES", "STATES_COLOR", "EVENT_TYPE",
        "GRADIENT_COLOR", "GRADIENT_NAMES"})
    if (title == known) return true;
  return false;
}

std::optional<ParaverPlace> PlaceInLabel(std::string_view label) {
  label = label.substr(0, kMaxLabelBytes);
  // "42 (chol.c, /path/chol.c)": the path if given, else the name.
  if (const auto numbered = ParseParaverLabel(label);
      numbered && numbered->number > 0 && numbered->number <= UINT32_MAX &&
      numbered->label.starts_with('(') && numbered->label.ends_with(')')) {
    const std::string_view inside = numbered->label.substr(1, numbered->label.size() - 2);
    const size_t comma = inside.rfind(", ");
    const std::string_view file = comma == inside.npos ? inside : inside.substr(comma + 2);
    if (!file.empty())
      return ParaverPlace{std::string(file), static_cast<uint32_t>(numbered->number), 0,
                          label.size()};
  }
  // "potrf (chol.c:42)", "chol.c:42 in main".
  for (size_t colon = label.find(':'); colon != label.npos; colon = label.find(':', colon + 1)) {
    const size_t end = std::min(label.find_first_not_of(kDigits, colon + 1), label.size());
    const size_t word = label.find_last_of(" \t([<\"", colon);
    const size_t begin = word == label.npos ? 0 : word + 1;
    int64_t line = 0;
    if (begin < colon && ReadNumber(label.substr(colon + 1, end - colon - 1), line) && line > 0 &&
        line <= UINT32_MAX && label.substr(begin, colon - begin).find('.') != label.npos)
      return ParaverPlace{std::string(label.substr(begin, colon - begin)),
                          static_cast<uint32_t>(line), begin, end};
  }
  return std::nullopt;
}

std::optional<ParaverPlace> PlaceInRecord(std::string_view record, const PrvLabels& labels) {
  const auto numbers = NumbersOf(record);
  if (!numbers || numbers->size() < 8 || (*numbers)[0] != 2) return std::nullopt;
  for (size_t at = 6; at + 1 < numbers->size(); at += 2) {
    const auto type = labels.types.find((*numbers)[at]);
    if (type == labels.types.end()) continue;
    const std::string* value = type->second.LabelOf((*numbers)[at + 1]);
    if (value == nullptr) continue;
    auto place = PlaceInLabel(*value);
    if (!place) continue;
    size_t begin = 0;
    for (size_t field = 0; field < at; ++field) begin = record.find(':', begin) + 1;
    const size_t colon = record.find(':', begin);
    place->begin = begin;
    place->end = std::min(record.find(':', colon + 1), record.size());
    return place;
  }
  return std::nullopt;
}

std::string ParaverText(std::string_view line, std::string_view header, const PrvLabels& labels) {
  line = Trimmed(line);
  if (line.starts_with("#Paraver")) return "**a trace of Paraver**\n\n" + Escaped(line) + "\n";
  const auto numbers = NumbersOf(line);
  if (!numbers) return "";
  const double unit_ns = UnitNs(header);
  if ((*numbers)[0] == 1 && numbers->size() == 8) return StateText(*numbers, unit_ns, labels);
  if ((*numbers)[0] == 2 && numbers->size() >= 8) return EventText(*numbers, unit_ns, labels);
  if ((*numbers)[0] == 3 && numbers->size() == 15) return MessageText(*numbers, unit_ns);
  return "";
}

}  // namespace tasklens
