// SPDX-License-Identifier: Apache-2.0
// Analyses that are computed once for an open trace, in the background, so that hovers, hints and
// diagnostics are answered from memory.
//
// Threads: an immutable value.
#pragma once

#include <vector>

#include "analysis/advice.h"
#include "analysis/call_sites.h"
#include "analysis/site_reports.h"
#include "server/traces/trace_views.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct Insights {
  // `views` are the views of `model`; what they cache is used here as well.
  Insights(const TraceModel& model, TraceViews& views, Stop stop = nullptr);

  std::vector<SiteReport> sites;        // by row of model.sites
  std::vector<CodeletReport> codelets;  // the costliest first
  std::vector<Finding> findings;        // the most expensive first
  std::vector<WaitCost> waits;          // of lines that wait for tasks, the costliest first
};

}  // namespace tasklens
