// SPDX-License-Identifier: Apache-2.0
// The plots that a report keeps: every one of the whole run, and of its costliest codelets alone
// those that have no other choice. They are pictures for a page (kPagePlot of plot_canvas.h), so
// that one serves both themes.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "server/session/session.h"

namespace tasklens {

// {"kinds": PlotChoices(), "pictures": rows of DrawPlot() with "by" and "codelet"}; "codelet" is
// null for all. At most `most_codelets` have pictures of their own.
nlohmann::json ReportPlots(const OpenTrace& trace, size_t most_codelets);

}  // namespace tasklens
