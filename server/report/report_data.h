// SPDX-License-Identifier: Apache-2.0
// Everything that a self-contained page knows of a run, as bytes.
//
// Layout: the length of the header (4 bytes, little endian), the header (JSON), then columns (see
// columns.h) in the order of header.columns. All numbers of the first screen and of the tables are
// of the whole run. Of states, tasks and groups as much is kept as the limits allow: where there
// are more, stretches of the timeline share one entry (the longest state, with a count), and of the
// tasks those remain that such an entry shows or that are on the critical path, thinned evenly over
// the run where even these are too many. header.kept says what was kept of what.
//
// Pure but for the sources, which are read from the disk; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "server/session/session.h"

namespace tasklens {

struct ReportLimits {
  size_t slices = 800'000;  // entries of the timeline
  size_t tasks = 300'000;
  size_t groups = 12'000;  // nodes of each of the graph's hierarchies
  size_t counters = 200;
  uint32_t counter_points = 4'000;  // of each counter; all its changes, where it has fewer
  size_t arrows = 60'000;           // of each kind
  size_t flags = 20'000;
  size_t path = 200'000;   // stretches of the critical path
  size_t sources = 2'000;  // sites whose lines are quoted
  size_t plots = 8;        // codelets, the costliest, of which there are plots of them alone
};

// `advice` and the like are computed here: seconds for a million tasks.
std::string ReportData(const OpenTrace& trace, const ReportLimits& limits = {});

}  // namespace tasklens
