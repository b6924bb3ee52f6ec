// SPDX-License-Identifier: Apache-2.0
// Plots as JSON: what the request of the server answers, and what a report keeps of them.
//
// Pure functions; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "server/pictures/plots.h"
#include "trace/support/status.h"

namespace tasklens {

// Rows of {"name", "summary", "by": [...], "codelets"}: the kinds, and the choices that each has.
nlohmann::json PlotKindsAnswer();

// {"kind", "svg", "missing"}: the picture, or where the runs have nothing of the kind, null and
// why. REQUIRES: CheckPlotOptions() is ok. kNotFound for a codelet that no run has.
Result<nlohmann::json> PlotAnswer(const PlotKind& kind, std::span<const PlotRun> runs,
                                  const PlotOptions& options);

}  // namespace tasklens
