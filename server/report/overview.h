// SPDX-License-Identifier: Apache-2.0
// The overview of a run in one answer: where its time went.
//
// Threads: pure functions.
#pragma once

#include <cstddef>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/idle.h"
#include "server/messages/messages.h"
#include "server/session/session.h"

namespace tasklens {

// The part that is known as soon as a trace is open, with the `most_sites` costliest lines.
// O(tasks).
messages::OverviewAnswer OverviewMessage(const OpenTrace& trace, size_t most_sites);

// Adds the members that need analyses, except the findings. O(pauses).
void AddReasons(const TraceModel& model, const IdleReport& idle, const Bounds& bounds,
                const CriticalPath& path, messages::OverviewAnswer& overview);

// The activity of the workers in the measured window, in `buckets` intervals of equal length: for
// each kind, the mean number of workers in each interval. The first kind is "tasks"; the others are
// the causes of idleness. The causes of a pause are spread evenly over it. REQUIRES: buckets > 0.
inline constexpr size_t kProfileBuckets = 480;
messages::Profile ProfileMessage(const TraceModel& model, const IdleReport& idle,
                                 size_t buckets = kProfileBuckets);

}  // namespace tasklens
