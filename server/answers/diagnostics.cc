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

nlohmann::json DiagnosticsAnswer(const Diagnostics& diagnostics) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [name, count] : diagnostics.counts()) {
    const DiagnosticKind* kind = FindDiagnosticKind(name);
    rows.push_back({{"kind", name},
                    {"severity", SeverityName(kind ? kind->severity : Severity::kWarning)},
                    {"count", count.count},
                    {"first", count.first_where},
                    {"text", kind ? kind->text : ""}});
  }
  return rows;
}

}  // namespace tasklens
