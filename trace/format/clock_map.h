// SPDX-License-Identifier: Apache-2.0
// Converts ticks to nanoseconds: straight lines between samples of both clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/format/format.h"

namespace tasklens::tlt {

class ClockMap {
 public:
  // `ns_per_tick` is used if no two samples are a millisecond apart. An impossible rate is taken as
  // 1.
  ClockMap(double ns_per_tick, bool ticks_are_ns);

  // Any order. A sample that contradicts the others (time going backwards) is ignored.
  void Add(const ClockSample& sample) { samples_.push_back(sample); }
  // Call after the last Add().
  void Finish();

  // Returns CLOCK_MONOTONIC at `ticks`. Outside the samples the overall rate applies. `hint` makes
  // a run of rising ticks cheap; the caller owns it and sets it to 0 at first.
  int64_t ToNs(uint64_t ticks, size_t& hint) const {
    if (hint < segments_.size() && ticks - segments_[hint].ticks < segments_[hint].length) {
      const Segment& segment = segments_[hint];
      const auto delta = static_cast<double>(ticks - segment.ticks);
      return segment.ns + static_cast<int64_t>(delta * segment.ns_per_tick + 0.5);
    }
    return ToNsElsewhere(ticks, hint);
  }

 private:
  struct Segment {
    uint64_t ticks;
    int64_t ns;
    double ns_per_tick;
    uint64_t length;  // in ticks, to the next segment; 0: the last, or ticks are nanoseconds
  };

  int64_t ToNsElsewhere(uint64_t ticks, size_t& hint) const;

  double ns_per_tick_;
  bool ticks_are_ns_;
  std::vector<ClockSample> samples_;
  std::vector<Segment> segments_;  // the first one also serves for earlier ticks
};

}  // namespace tasklens::tlt
