// SPDX-License-Identifier: Apache-2.0
#include "server/answers/diagnostics.h"

#include <string_view>

namespace tasklens {
namespace {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kDataLoss: return "dataLoss";
  }
  return "";
}

}  // namespace

std::vector<messages::Diagnostic> DiagnosticMessages(const Diagnostics& diagnostics) {
  std::vector<messages::Diagnostic> rows;
  for (const auto& [name, count] : diagnostics.counts()) {
    const DiagnosticKind* kind = FindDiagnosticKind(name);
    const Severity severity = kind ? kind->severity : Severity::kWarning;
    rows.push_back({.kind = name,
                    .severity = std::string(SeverityName(severity)),
                    .count = count.count,
                    .first = count.first_where,
                    .text = std::string(kind ? kind->text : "")});
  }
  return rows;
}

}  // namespace tasklens
