// SPDX-License-Identifier: Apache-2.0
#include "runtime/feedback/activity.h"

#include "runtime/support/clock.h"

namespace tasklens::runtime {
namespace {

struct ActivityRow {
  Heading split;
  uint8_t all;  // bits of Heading
};
constexpr uint8_t Bits(std::initializer_list<Heading> headings) {
  uint8_t bits = 0;
  for (const Heading heading : headings) bits |= static_cast<uint8_t>(1u << heading);
  return bits;
}
constexpr ActivityRow kActivities[kActivityCount] = {
    /* kOverhead */ {kOverheadHeading, 0},
    /* kScheduling */ {kSchedulingHeading, Bits({kSchedulingHeading})},
    /* kSearching */ {kSleepingHeading, Bits({kSleepingHeading, kSchedulingHeading})},
    /* kSleeping */ {kSleepingHeading, Bits({kSleepingHeading})},
    /* kWaiting */ {kWaitingHeading, Bits({kWaitingHeading})},
    /* kExecuting */ {kExecutingHeading, Bits({kExecutingHeading})},
    /* kCallback */ {kCallbackHeading, Bits({kCallbackHeading})},
    /* kCallbackInTask */ {kExecutingHeading, Bits({kExecutingHeading, kCallbackHeading})},
};

}  // namespace

void ActivityClock::Switch(Activity activity) {
  MutexLock guard(lock_);
  if (on_) Book(NowNs());
  activity_.store(activity, std::memory_order_relaxed);
}

void ActivityClock::Book(uint64_t now_ns) {
  spent_ns_[static_cast<size_t>(activity_.load(std::memory_order_relaxed))] += now_ns - since_ns_;
  since_ns_ = now_ns;
}

void ActivityClock::CountTask(double flops) {
  if (!on_.load(std::memory_order_relaxed)) return;
  MutexLock guard(lock_);
  ++tasks_;
  flops_ += flops;
}

void ActivityClock::TurnOn() {
  MutexLock guard(lock_);
  if (on_) return;
  start_ns_ = since_ns_ = NowNs();
  for (uint64_t& spent : spent_ns_) spent = 0;
  tasks_ = 0;
  flops_ = 0;
  on_ = true;
}

void ActivityClock::TurnOff() {
  MutexLock guard(lock_);
  if (!on_) return;
  stop_ns_ = NowNs();
  Book(stop_ns_);
  on_ = false;
}

WorkerTimes ActivityClock::Read(bool restart) {
  MutexLock guard(lock_);
  if (on_) {
    stop_ns_ = NowNs();
    Book(stop_ns_);
  }
  WorkerTimes times;
  times.start_ns = start_ns_;
  times.total_ns = stop_ns_ - start_ns_;
  times.tasks = tasks_;
  times.flops = flops_;
  for (size_t i = 0; i < kActivityCount; ++i) {
    const ActivityRow& row = kActivities[i];
    (row.split == kOverheadHeading ? times.overhead_ns : times.split_ns[row.split]) += spent_ns_[i];
    for (size_t heading = 0; heading < kHeadingCount; ++heading) {
      if (row.all & (1u << heading)) times.all_ns[heading] += spent_ns_[i];
    }
  }
  if (restart) {
    start_ns_ = stop_ns_;
    for (uint64_t& spent : spent_ns_) spent = 0;
    tasks_ = 0;
    flops_ = 0;
  }
  return times;
}

}  // namespace tasklens::runtime
