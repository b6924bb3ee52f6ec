// SPDX-License-Identifier: Apache-2.0
// Parses the sections and lines of .pcf and .row.
#include "converters/readers/prv_labels.h"

#include <algorithm>

#include "trace/support/words.h"

namespace tasklens {
namespace {

// Removes the next line from `text` and returns it without surrounding blanks.
std::string_view NextLine(std::string_view& text) { return Trimmed(TakeUpTo('\n', text)); }

// Removes the number at the start of `line` and the blanks after it, and returns the number.
std::optional<int64_t> NumberAt(std::string_view& line) {
  int64_t number = 0;
  if (!TakeNumber(line, number)) return std::nullopt;
  if (!line.empty() && line[0] != ' ' && line[0] != '\t') return std::nullopt;
  line = Trimmed(line);
  return number;
}

bool IsTitle(std::string_view line) {
  return !line.empty() && line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == line.npos;
}

}  // namespace

void ReadPcf(std::string_view text, PrvLabels& labels) {
  std::string_view section;
  // values of the types before them
  auto values = std::make_shared<std::map<int64_t, std::string>>();
  std::vector<int64_t> group;  // these types
  while (!text.empty()) {
    std::string_view line = NextLine(text);
    if (IsTitle(line)) {
      section = line;
      if (section == "EVENT_TYPE") {
        values = std::make_shared<std::map<int64_t, std::string>>();
        group.clear();
      }
      continue;
    }
    constexpr int64_t kMostPrecision = 18;
    if (Take("PRECISION ", line)) {
      line = Trimmed(line);
      const int64_t precision = NumberAt(line).value_or(0);
      if (precision >= 0 && precision <= kMostPrecision)
        for (const int64_t type : group)
          labels.types[type].precision = static_cast<uint32_t>(precision);
      continue;
    }
    std::optional<int64_t> number = NumberAt(line);
    if (!number) continue;
    if (section == "STATES") {
      labels.states.emplace(*number, line);
    } else if (section == "EVENT_TYPE") {
      number = NumberAt(line);  // after the gradient colour
      if (!number) continue;
      labels.types[*number] = {std::string(line), 0, values};
      group.push_back(*number);
    } else if (section == "VALUES") {
      values->emplace(*number, line);
    }
  }
}

void ReadRow(std::string_view text, PrvLabels& labels) {
  constexpr std::string_view kThreads = "LEVEL THREAD ";
  while (!text.empty()) {
    std::string_view line = NextLine(text);
    if (!line.starts_with(kThreads)) continue;
    line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
    const int64_t size = NumberAt(line).value_or(0);
    for (int64_t i = 0; i < size && !text.empty(); ++i) labels.threads.emplace_back(NextLine(text));
    return;
  }
}

std::optional<PrvPlace> PlaceOfLabel(std::string_view label) {
  PrvPlace place;
  if (!TakeNumber(label, place.line) || place.line == 0 || !label.starts_with(" (") ||
      !label.ends_with(')'))
    return std::nullopt;
  label = label.substr(2, label.size() - 3);
  const size_t comma = label.find(", ");
  place.file = comma == label.npos ? label : label.substr(comma + 2);
  if (place.file.empty()) return std::nullopt;
  return place;
}

}  // namespace tasklens
