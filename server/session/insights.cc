// SPDX-License-Identifier: Apache-2.0
// Calls the analyses.
#include "server/session/insights.h"

namespace tasklens {

Insights::Insights(const TraceModel& model)
    : sites(ReportSites(model)),
      codelets(Statistics(model, StatisticsBy::kCodelet)),
      findings(Advise(model)) {}

}  // namespace tasklens
