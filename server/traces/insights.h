// SPDX-License-Identifier: Apache-2.0
// What is worked out once for an open trace, beside all other work, so that hovers, hints and
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
  // `views`: of `model`; what is worked out for them serves here as well.
  Insights(const TraceModel& model, TraceViews& views, Stop stop = nullptr);

  std::vector<SiteReport> sites;        // by row of model.sites
  std::vector<CodeletReport> codelets;  // the costliest first
  std::vector<Finding> findings;        // the most expensive first
  std::vector<WaitCost> waits;          // of lines that wait, the costliest first
};

}  // namespace tasklens
