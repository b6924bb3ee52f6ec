// SPDX-License-Identifier: Apache-2.0
// Plots as messages: the answer of the server's request, and the plots in a report.
//
// Threads: pure functions.
#pragma once

#include <span>
#include <vector>

#include "server/messages/messages.h"
#include "server/pictures/plots.h"
#include "trace/support/status.h"

namespace tasklens {

// The kinds of plots with their choices.
std::vector<messages::PlotChoice> PlotChoices();

// Draws the plot; if the runs have no data for it, the answer says why. REQUIRES:
// CheckPlotOptions() is ok. Returns kNotFound for a codelet that no run has.
Result<messages::PlotPicture> DrawPlot(const PlotKind& kind, std::span<const PlotRun> runs,
                                       const PlotOptions& options);

}  // namespace tasklens
