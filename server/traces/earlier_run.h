// SPDX-License-Identifier: Apache-2.0
// The run before: the cost of each submission site then, so that a code lens can show the change.
//
// The run before a trace is the newest run, open or kept, that ended before it, is of the same
// program (if both runs record it) and has a submission site in one of the same files. Lines of the
// two runs are matched through the source texts that they were traced from, if those are known.
//
// Threads: pure functions and values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/runs/site_totals.h"

namespace tasklens {

struct OpenTrace;
struct KeptRun;

std::vector<SiteTotals> SiteTotalsOf(const OpenTrace& trace);

struct EarlierRun {
  std::string title;                             // for people
  std::vector<std::optional<SiteTotals>> sites;  // by row of the later model's sites
};

// Returns nullptr if there is no earlier run.
std::shared_ptr<const EarlierRun> FindEarlierRun(
    const OpenTrace& trace, const std::vector<std::shared_ptr<const OpenTrace>>& open,
    const std::vector<KeptRun>& kept);

}  // namespace tasklens
