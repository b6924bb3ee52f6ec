// SPDX-License-Identifier: Apache-2.0
// Pieces of answers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "analysis/statistics.h"

namespace tasklens {

// A duration that was computed, as answers have it: no answer has parts of a nanosecond.
int64_t WholeNs(double ns);
nlohmann::ordered_json TimeOrNull(int64_t time_ns);
// Count, total, mean, deviation, quantiles.
nlohmann::ordered_json DurationsAnswer(const DurationSummary& durations);

}  // namespace tasklens
