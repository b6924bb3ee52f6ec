// SPDX-License-Identifier: Apache-2.0
// The first thing to see of a run: where its time went, in one answer.
//
// Pure; any thread.
#pragma once

#include <cstddef>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/idle.h"
#include "server/messages/messages.h"
#include "server/session/session.h"

namespace tasklens {

// What is known as soon as a trace is open, with the costliest `most_sites` lines. O(tasks).
messages::OverviewAnswer OverviewMessage(const OpenTrace& trace, size_t most_sites);

// Adds the members that take analyses, but for the findings. O(pauses).
void AddReasons(const TraceModel& model, const IdleReport& idle, const Bounds& bounds,
                const CriticalPath& path, messages::OverviewAnswer& overview);

// What the workers did over the measured window, in `buckets` stretches of equal length: for each
// kind the mean number of workers in each stretch. The first kind is "tasks", the others are the
// causes of idleness. A pause's causes are spread evenly over it. REQUIRES: buckets > 0.
inline constexpr size_t kProfileBuckets = 480;
messages::Profile ProfileMessage(const TraceModel& model, const IdleReport& idle,
                                 size_t buckets = kProfileBuckets);

}  // namespace tasklens
