// SPDX-License-Identifier: Apache-2.0
// The views that clients request of every trace when it opens. They are made from the model and
// saved with it (converters/saved_trace.h), because making them takes longer than loading the model
// and the views.
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

// Makes all views but the timeline.
FirstViews SummarizeForViews(const TraceModel& model);

// REQUIRES: the timeline is made.
void SaveViews(const FirstViews& views, const std::function<void(std::string_view)>& write);

// Loads the views of `model` that were saved in `bytes`. `bytes` must be aligned to 8 bytes and
// outlive the views, as must the model. The input is untrusted: returns kCorrupt if a view refers
// to a row that the model does not have.
Result<FirstViews> LoadViews(const TraceModel& model, std::span<const std::byte> bytes);

}  // namespace tasklens
