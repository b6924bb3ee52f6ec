// SPDX-License-Identifier: Apache-2.0
// The run before: what each submission site cost then, so that a lens can say how it changed.
//
// The run before a trace is the newest one that ended before it, of the same program (where both
// say which), with a submission site in one of the same files: an open trace, or a kept run. Lines
// of the two are brought together through the texts they were traced from, where those are known.
//
// Threads: pure functions and values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/runs/site_totals.h"
#include "server/sources/traced_text.h"

namespace tasklens {

struct OpenTrace;
struct KeptRun;

std::vector<SiteTotals> SiteTotalsOf(const OpenTrace& trace);

struct EarlierRun {
  std::string title;                             // for people
  std::vector<std::optional<SiteTotals>> sites;  // by row of the later model's sites
};

// nullptr when there was none.
std::shared_ptr<const EarlierRun> FindEarlierRun(
    const OpenTrace& trace, const std::vector<std::shared_ptr<const OpenTrace>>& open,
    const std::vector<KeptRun>& kept);

}  // namespace tasklens
