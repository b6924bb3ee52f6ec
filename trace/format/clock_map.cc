// SPDX-License-Identifier: Apache-2.0
// Piecewise linear conversion that tolerates the samples of a damaged file.
#include "trace/format/clock_map.h"

#include <algorithm>
#include <cmath>

namespace tasklens::tlt {
namespace {

constexpr double kEarliestNs = -4e18, kLatestNs = 4e18;  // within int64_t, with room for sums
constexpr uint64_t kLatestTicksNs = 4'000'000'000'000'000'000;
constexpr int64_t kShortNs = 1'000'000;

int64_t Clamp(double ns) { return static_cast<int64_t>(std::clamp(ns, kEarliestNs, kLatestNs)); }

// Times of real machines are far below 2^62.
bool Plausible(const ClockSample& sample) {
  return sample.monotonic_ns >= 0 && sample.monotonic_ns < int64_t{1} << 62;
}

}  // namespace

ClockMap::ClockMap(double ns_per_tick, bool ticks_are_ns)
    : ns_per_tick_(
          std::isfinite(ns_per_tick) && ns_per_tick > 1e-6 && ns_per_tick < 1e6 ? ns_per_tick : 1),
      ticks_are_ns_(ticks_are_ns) {}

void ClockMap::Finish() {
  std::erase_if(samples_, [](const ClockSample& s) { return !Plausible(s); });
  std::sort(samples_.begin(), samples_.end(),
            [](const ClockSample& a, const ClockSample& b) { return a.ticks < b.ticks; });
  for (const ClockSample& sample : samples_) {
    if (!segments_.empty()) {
      Segment& last = segments_.back();
      if (sample.ticks == last.ticks || sample.monotonic_ns <= last.ns) continue;
      last.ns_per_tick = static_cast<double>(sample.monotonic_ns - last.ns) /
                         static_cast<double>(sample.ticks - last.ticks);
    }
    segments_.push_back({sample.ticks, sample.monotonic_ns, ns_per_tick_, 0});
  }
  samples_.clear();
  if (segments_.empty()) segments_.push_back({0, 0, ns_per_tick_, 0});
  if (!ticks_are_ns_)
    for (size_t i = 0; i + 1 < segments_.size(); ++i)
      segments_[i].length = segments_[i + 1].ticks - segments_[i].ticks;
  const Segment &first = segments_.front(), &last = segments_.back();
  if (last.ns - first.ns < kShortNs) return;
  // Behind the last sample the best rate is that of the whole file.
  segments_.back().ns_per_tick =
      static_cast<double>(last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks);
}

int64_t ClockMap::ToNsElsewhere(uint64_t ticks, size_t& hint) const {
  if (ticks_are_ns_) return static_cast<int64_t>(std::min<uint64_t>(ticks, kLatestTicksNs));
  hint = std::min(hint, segments_.size() - 1);
  const auto inside = [&](size_t i) {
    return (i == 0 || segments_[i].ticks <= ticks) &&
           (i + 1 == segments_.size() || ticks < segments_[i + 1].ticks);
  };
  if (!inside(hint)) {
    const auto after = std::upper_bound(
        segments_.begin(), segments_.end(), ticks,
        [](uint64_t value, const Segment& segment) { return value < segment.ticks; });
    hint = after == segments_.begin() ? 0 : static_cast<size_t>(after - segments_.begin()) - 1;
  }
  const Segment& segment = segments_[hint];
  const double delta = ticks >= segment.ticks ? static_cast<double>(ticks - segment.ticks)
                                              : -static_cast<double>(segment.ticks - ticks);
  const double ns = delta * segment.ns_per_tick;
  if (std::abs(ns) > 2e18) return Clamp(static_cast<double>(segment.ns) + ns);
  return segment.ns + static_cast<int64_t>(std::llround(ns));
}

}  // namespace tasklens::tlt
