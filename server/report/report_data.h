// SPDX-License-Identifier: Apache-2.0
// The data of a run for a self-contained page, as bytes.
//
// Layout: the length of the header (4 bytes, little endian), the header (JSON), then the columns
// (see columns.h) in the order of header.columns. The numbers of the first screen and of the tables
// cover the whole run. States, tasks and groups are limited: beyond the limit, adjacent intervals
// of the timeline are merged into one entry (the longest state, with a count), and only tasks that
// are shown by such an entry or lie on the critical path are kept; if these are still too many,
// they are thinned evenly over the run. header.kept gives the numbers kept and the totals.
//
// Threads: any. A pure function, except that it reads the sources from the disk.
#pragma once

#include <cstddef>
#include <string>

#include "server/session/session.h"

namespace tasklens {

struct ReportLimits {
  size_t slices = 800'000;  // entries of the timeline
  size_t tasks = 300'000;
  size_t groups = 12'000;  // nodes in each hierarchy of the graph
  size_t counters = 200;
  uint32_t counter_points = 4'000;  // per counter; if it has fewer changes, all of them
  size_t arrows = 60'000;           // per kind
  size_t flags = 20'000;
  size_t path = 200'000;   // stretches of the critical path
  size_t sources = 2'000;  // sites whose lines are quoted
  size_t plots = 8;        // number of codelets, the costliest, with plots of their own
};

// Computes the advice and other analyses: seconds for a million tasks.
std::string ReportData(const OpenTrace& trace, const ReportLimits& limits = {});

}  // namespace tasklens
