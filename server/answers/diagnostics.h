// SPDX-License-Identifier: Apache-2.0
// What was wrong with a trace, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "trace/support/diagnostics.h"

namespace tasklens {

// A row a kind: "kind", "severity" ("info", "warning", "dataLoss"), "count", "first" (where),
// "text".
nlohmann::json DiagnosticsAnswer(const Diagnostics& diagnostics);

}  // namespace tasklens
