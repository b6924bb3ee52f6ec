// SPDX-License-Identifier: Apache-2.0
// The plots in a report: all plots of the whole run, and for each of the costliest codelets the
// plots that have no further choice. They use the colours of the page (kPagePlot of plot_canvas.h),
// so that one picture serves both themes.
//
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "server/session/session.h"

namespace tasklens {

// {"kinds": PlotChoices(), "pictures": results of DrawPlot() with "by" and "codelet"}; "codelet" is
// null for the whole run. At most `most_codelets` codelets have pictures of their own.
nlohmann::json ReportPlots(const OpenTrace& trace, size_t most_codelets);

}  // namespace tasklens
