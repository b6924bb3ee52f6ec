// SPDX-License-Identifier: Apache-2.0
// Plots as messages: what the request of the server answers, and what a report keeps of them.
//
// Pure functions; any thread.
#pragma once

#include <span>
#include <vector>

#include "server/messages/messages.h"
#include "server/pictures/plots.h"
#include "trace/support/status.h"

namespace tasklens {

// The kinds, and the choices that each has.
std::vector<messages::PlotChoice> PlotChoices();

// The picture; where the runs have nothing of the kind, why. REQUIRES: CheckPlotOptions() is ok.
// kNotFound for a codelet that no run has.
Result<messages::PlotPicture> DrawPlot(const PlotKind& kind, std::span<const PlotRun> runs,
                                       const PlotOptions& options);

}  // namespace tasklens
