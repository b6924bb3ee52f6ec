// SPDX-License-Identifier: Apache-2.0
// Explains the time in which workers were idle because no tasks were submitted.
#pragma once

#include <cstdint>

#include "analysis/idle.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct SubmissionLoss {
  int64_t slow_ns = 0;         // the program was busy submitting, or with other work
  uint32_t slow_site = kNone;  // site of the tasks that ended most of that
  uint64_t long_pauses = 0;    // of workers: the longest ones that make up half of slow_ns
  int64_t long_pause_ns = 0;   // their mean
  // The program waited for tasks, and submitted more afterwards.
  int64_t barrier_ns = 0;
  // A limit on submitted tasks stopped it; the site is that of most of the next submissions, by
  // time.
  int64_t throttled_ns = 0;
  uint32_t throttled_site = kNone;
  // The part of both in which the submitted tasks waited for others, while the next submitted task
  // did not: this is not a lack of parallelism. For workers that count.
  int64_t held_unready_ns = 0;
  uint32_t barrier_site = kNone;      // line of the costliest call, if known
  uint64_t barrier_calls = 0;         // calls at that line
  bool barrier_unpartitions = false;  // the calls gather partitioned data
  uint32_t after_barrier = kNone;     // the first task submitted after the costliest wait
  int64_t end_ns = 0;                 // the program had submitted its last task
};

SubmissionLoss SplitSubmission(const TraceModel& model, const IdleReport& idle);

}  // namespace tasklens
