// SPDX-License-Identifier: Apache-2.0
// The contents of one view of a timeline: the states of all rows, and optional layers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_flags.h"
#include "analysis/timeline_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// All objects referred to must outlive this. REQUIRES: from_ns < to_ns, pixels > 0.
struct TimelineScene {
  struct Arrows {
    ArrowKind kind;
    ArrowView view;
  };

  const TraceModel& model;
  const TimelineRows& rows;
  const TimelineIndex& index;
  int64_t from_ns, to_ns;
  uint32_t pixels;
  const TimelineCurves* curves = nullptr;          // nullptr: no counters
  const TimelineFlags* flags = nullptr;            // nullptr: no flags
  const std::vector<double>* estimates = nullptr;  // EstimatesOfTasks(); nullptr: not shown
  std::span<const Arrows> arrows = {};

  // Returns the picture of one of `rows`; empty if the row has no states.
  TimelinePicture PictureOf(const TimelineRow& row) const {
    if (row.track == kNone) return {};
    return index.Picture(row.track, from_ns, to_ns, pixels);
  }
};

}  // namespace tasklens
