// SPDX-License-Identifier: Apache-2.0
// Calls the analyses.
#include "server/session/insights.h"

namespace tasklens {

Insights::Insights(const TraceModel& model, Stop stop)
    : sites(ReportSites(model, stop)),
      codelets(ReportCodelets(model, stop)),
      findings(Advise(model, stop)) {}

}  // namespace tasklens
