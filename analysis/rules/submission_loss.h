// SPDX-License-Identifier: Apache-2.0
// How the time came about in which workers had nothing to do for want of submitted tasks.
#pragma once

#include <cstdint>

#include "analysis/idle.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct SubmissionLoss {
  int64_t slow_ns = 0;         // the program was busy submitting, or with something else
  uint32_t slow_site = kNone;  // whose tasks ended most of that
  uint64_t long_pauses = 0;    // of workers: the longest that make up half of slow_ns
  int64_t long_pause_ns = 0;   // their mean
  // It waited for tasks, and went on submitting afterwards.
  int64_t barrier_ns = 0;
  // A limit on submitted tasks held it back; the line of what it submitted next, most of the time.
  int64_t throttled_ns = 0;
  uint32_t throttled_site = kNone;
  // Of both, while what it had submitted waited for other tasks, and what it submitted next did
  // not: this is no want of parallelism. Of workers that count.
  int64_t held_unready_ns = 0;
  uint32_t barrier_site = kNone;  // the line of the call that cost most, where the trace says so
  uint64_t barrier_calls = 0;     // of that line
  bool barrier_unpartitions = false;  // they put parts together
  uint32_t after_barrier = kNone;     // the first task submitted after the costliest wait
  int64_t end_ns = 0;                 // it had submitted its last task
};

SubmissionLoss SplitSubmission(const TraceModel& model, const IdleReport& idle);

}  // namespace tasklens
