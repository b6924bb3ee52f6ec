// SPDX-License-Identifier: Apache-2.0
// GNU recutils files as tests read them: see recutils.h.
#include "tests/testing/recutils.h"

namespace tasklens::testing {

std::string RecRecord::Get(std::string_view name) const {
  for (const auto& [field, value] : fields)
    if (field == name) return value;
  return "";
}

bool RecRecord::Has(std::string_view name) const {
  for (const auto& [field, value] : fields)
    if (field == name) return true;
  return false;
}

std::vector<RecRecord> ParseRecords(std::string_view text, std::vector<std::string>* errors) {
  std::vector<RecRecord> records;
  bool inside = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == text.npos ? "" : text.substr(end + 1);
    if (line.empty()) {
      inside = false;
      continue;
    }
    if (line[0] == '#' || line[0] == '%') continue;
    if (line[0] == '+' && inside) {
      records.back().fields.back().second += '\n';
      records.back().fields.back().second += line.substr(line.starts_with("+ ") ? 2 : 1);
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) {
      if (errors) errors->push_back(std::string(line));
      continue;
    }
    if (!inside) records.emplace_back();
    inside = true;
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    records.back().fields.emplace_back(line.substr(0, colon), value);
  }
  return records;
}

std::string PartedAfterEndDependencies(std::string text) {
  for (size_t at = 0; (at = text.find("\nEndDependencies:", at)) != text.npos;) {
    at = text.find('\n', at + 1);
    if (at == text.npos) break;
    text.replace(at - 1, 1, "\n");
  }
  return text;
}

}  // namespace tasklens::testing
