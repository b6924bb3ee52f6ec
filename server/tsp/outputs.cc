// SPDX-License-Identifier: Apache-2.0
// The table of outputs, and shared helpers.
#include "server/tsp/outputs.h"

#include <algorithm>
#include <cstdio>

#include "analysis/text.h"

namespace tasklens::tsp {

namespace {

// The limit of samples in one answer, summed over all entries.
constexpr uint64_t kMostSamples = 4'000'000;
constexpr uint32_t kDefaultSamples = 1000;

}  // namespace

extern const OutputSpec kTimeline, kCounters;
extern const OutputSpec kCodelets, kSites, kWorkers, kStates;

std::span<const OutputSpec* const> Outputs() {
  static constexpr const OutputSpec* kAll[] = {&kTimeline, &kCounters, &kCodelets,
                                               &kSites,    &kWorkers,  &kStates};
  return kAll;
}

Result<Samples> Asked::RequestedSamples(size_t things) const {
  const int64_t duration_ns = std::max<int64_t>(model().duration_ns, 1);
  const TimeRange& range = parameters.range;
  Samples samples{{0, duration_ns}, range.count > 0 ? range.count : kDefaultSamples};
  if (range.start > range.end)
    return Status(ErrorCode::kInvalidArgument,
                  "parameters.requested_timerange.start must not be after its end");
  if (uint64_t{samples.count} * std::max<size_t>(things, 1) > kMostSamples)
    return Status(ErrorCode::kInvalidArgument, "nbTimes times requested_items must be at most " +
                                                   CountText(kMostSamples) +
                                                   "; ask for fewer entries");
  if (range.start == 0 && range.end == 0) return samples;
  // Clamped before the subtraction, which could overflow.
  const int64_t origin = origin_ns();
  const auto within = [&](int64_t time_ns) {
    return std::clamp(time_ns, origin, origin + duration_ns) - origin;
  };
  samples.begin_ns = std::min(within(range.start), duration_ns - 1);
  samples.end_ns = std::max(within(range.end), samples.begin_ns + 1);
  return samples;
}

std::string ColourText(uint32_t rgb) {
  char text[8];
  std::snprintf(text, sizeof text, "#%06x", rgb & 0xffffff);
  return text;
}

json Entry(int64_t id, int64_t parent, std::vector<std::string> labels, bool has_data) {
  return {{"id", id}, {"parentId", parent}, {"labels", std::move(labels)}, {"hasData", has_data}};
}

}  // namespace tasklens::tsp
