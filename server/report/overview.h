// SPDX-License-Identifier: Apache-2.0
// The first thing to see of a run: where its time went, in one answer.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/colours.h"
#include "analysis/critical_path.h"
#include "analysis/idle.h"
#include "analysis/sites.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// What is known as soon as a trace is open: {"tasks", "ran", "dependencies", "workers", "ranks",
// "beginNs", "endNs" (of the measured window), "durationNs" (of the trace), "wallClockNs",
// "spanNs", "busyNs", "palette", "colours": {NAME: rgb} (that the program chose for tasks of a
// name), "workerRows": [{"name", "label", "rank", "row"}] (of the timeline, -1: none),
// "sitesTotal", "sites": [{"site", "file", "line", "function", "names", "tasks", "totalNs",
// "meanNs", "share"}], the costliest `most_sites` of `costs`, which is CostBySite()}. Pure; any
// thread; O(tasks).
nlohmann::json OverviewAnswer(const TraceModel& model, const RunSummary& run,
                              std::span<const SiteCost> costs, size_t most_sites);

// What the overview says besides, which takes analyses: {"efficiency": {"total", "locality",
// "scheduling", "runtime", "parallelism", "known"}, "timesNs", "bound": {"boundNs",
// "criticalPathNs", "boundOverSpan", "whyNotFound"}, "criticalPath": {"workNs", "waitNs", "count"},
// "profile": ProfileAnswer()}. Pure; any thread; O(pauses).
nlohmann::json ReasonsAnswer(const TraceModel& model, const IdleReport& idle, const Bounds& bounds,
                             const CriticalPath& path);

// {"by", "unit", "entries": [{"label", "rgb", "stripes", "low", "high"}]}
nlohmann::json LegendJson(const Legend& legend);

// The findings as tasklens/advice answers them, each with its "site" (null: the whole run).
nlohmann::json FindingsJson(const TraceModel& model, std::span<const Finding> findings);

// What the workers did over the measured window, in `buckets` stretches of equal length:
// {"fromNs", "toNs", "workers" (at most), "kinds": [...], "shares": [[...], ...]}: for each kind
// the mean number of workers in each stretch. The first kind is "tasks", the others are the causes
// of idleness. A pause's causes are spread evenly over it. REQUIRES: buckets > 0.
inline constexpr size_t kProfileBuckets = 480;
nlohmann::json ProfileAnswer(const TraceModel& model, const IdleReport& idle,
                             size_t buckets = kProfileBuckets);

}  // namespace tasklens
