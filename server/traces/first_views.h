// SPDX-License-Identifier: Apache-2.0
// What every trace that opens is asked for first, made of its model and kept beside what is saved
// of it (converters/saved_trace.h): making them takes longer than loading both.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/sites.h"
#include "analysis/timeline.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

struct FirstViews {
  RunSummary summary;
  std::vector<SiteCost> costs;                    // CostBySite()
  std::shared_ptr<const TimelineIndex> timeline;  // nullptr: not made yet
};

// All but the timeline.
FirstViews SummarizeForViews(const TraceModel& model);

// REQUIRES: the timeline is made.
void SaveViews(const FirstViews& views, const std::function<void(std::string_view)>& write);

// The views of `model` that were saved in `bytes`, which must be aligned for 8 bytes and live as
// long as the model, as must the views. Untrusted input: what they name exists, or kCorrupt.
Result<FirstViews> LoadViews(const TraceModel& model, std::span<const std::byte> bytes);

}  // namespace tasklens
