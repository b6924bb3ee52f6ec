// SPDX-License-Identifier: Apache-2.0
// Pieces of answers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "analysis/statistics.h"
#include "server/answers/whole_ns.h"

namespace tasklens {

nlohmann::ordered_json TimeOrNull(int64_t time_ns);
// Count, total, mean, deviation, quantiles.
nlohmann::ordered_json DurationsAnswer(const DurationSummary& durations);

}  // namespace tasklens
