// SPDX-License-Identifier: Apache-2.0
#include "runtime/feedback/counters.h"

#include <algorithm>

#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// The order of the counters, by name.
namespace at {
#define COUNTER(Name, scope, type, name, help) k##Name,
enum Order {
#include "runtime/feedback/counters.inc"
};
#undef COUNTER
}  // namespace at
constexpr size_t Position(at::Order counter) {
  return counter >= at::kCodeletTotalSubmitted ? counter - at::kCodeletTotalSubmitted
         : counter >= at::kWorkerTotalExecuted ? counter - at::kWorkerTotalExecuted
                                               : counter;
}

constexpr ValueType kTypeOf_int64 = ValueType::kInt64;
constexpr ValueType kTypeOf_double = ValueType::kDouble;

#define COUNTER(Name, scope, type, name, help)                                       \
  {static_cast<int>(Position(at::k##Name)) << 4 | starpu_perf_counter_scope_##scope, \
   kTypeOf_##type, name, help},
constexpr CatalogueRow kRows[] = {
#include "runtime/feedback/counters.inc"
};
#undef COUNTER

constexpr ScopeName kScopes[] = {{starpu_perf_counter_scope_global, "global"},
                                 {starpu_perf_counter_scope_per_worker, "per_worker"},
                                 {starpu_perf_counter_scope_per_codelet, "per_codelet"}};

CounterValue& Value(CounterPlace& place, at::Order counter) {
  return place.values[Position(counter)];
}
void Peak(CounterPlace& place, at::Order counter, int64_t now) {
  int64_t& peak = Value(place, counter).integer;
  peak = std::max(peak, now);
}

// Calls the listener with the values of the place. The listener may submit tasks, so further calls
// may become due while it runs, also on other threads: they are made after it has returned. `guard`
// holds place.lock before and after, but not during the calls. `context`: the worker or codelet of
// the place.
void Call(CounterPlace& place, MutexLock<Mutex>& guard, void* context) NO_THREAD_SAFETY_ANALYSIS {
  if (!place.listener) return;
  ++place.news;
  if (place.caller) return;
  place.caller = &ThisThread();
  starpu_perf_counter_listener* const listener = place.listener;
  for (; place.news > 0 && place.listener == listener; --place.news) {
    CounterValue values[kMaxCountersOfScope];
    std::copy(std::begin(place.values), std::end(place.values), values);
    starpu_perf_counter_sample sample = {listener->set, values};
    guard.unlock();
    listener->callback(listener, &sample, context);
    guard.lock();
  }
  place.caller = nullptr;
}

bool IsOfProgram(const Job* job) { return !(job->type & STARPU_TASK_TYPE_INTERNAL); }

}  // namespace

const Catalogue& CounterCatalogue() {
  static constexpr Catalogue catalogue(kRows, kScopes);
  return catalogue;
}

void PerfCounters::Submitted(Job* job) {
  if (!IsOfProgram(job)) return;
  job->counted_as = Counted::kSubmitted;
  const int64_t now = crowd_.submitted.fetch_add(1) + 1;
  {
    MutexLock guard(global_.lock);
    ++Value(global_, at::kTotalSubmitted).integer;
    Peak(global_, at::kPeakSubmitted, now);
    Call(global_, guard, nullptr);
  }
  if (!job->task->cl) return;
  OfCodelet& codelet = Of(job->task->cl);
  const int64_t of_codelet = codelet.crowd.submitted.fetch_add(1) + 1;
  MutexLock guard(codelet.place.lock);
  ++Value(codelet.place, at::kCodeletTotalSubmitted).integer;
  Peak(codelet.place, at::kCodeletPeakSubmitted, of_codelet);
  Call(codelet.place, guard, job->task->cl);
}

void PerfCounters::Ready(Job* job) {
  if (job->counted_as != Counted::kSubmitted) return;
  job->counted_as = Counted::kReady;
  crowd_.submitted.fetch_sub(1);
  const int64_t now = crowd_.ready.fetch_add(1) + 1;
  {
    MutexLock guard(global_.lock);
    Peak(global_, at::kPeakReady, now);
  }
  if (!job->task->cl) return;
  OfCodelet& codelet = Of(job->task->cl);
  codelet.crowd.submitted.fetch_sub(1);
  const int64_t of_codelet = codelet.crowd.ready.fetch_add(1) + 1;
  MutexLock guard(codelet.place.lock);
  Peak(codelet.place, at::kCodeletPeakReady, of_codelet);
}

void PerfCounters::Taken(Job* job) {
  if (job->counted_as != Counted::kReady) return;
  job->counted_as = Counted::kNot;
  crowd_.ready.fetch_sub(1);
  if (job->task->cl) Of(job->task->cl).crowd.ready.fetch_sub(1);
}

void PerfCounters::Executed(size_t id, void* context, starpu_codelet* codelet, uint64_t ns) {
  const double us = static_cast<double>(ns) * 1e-3;
  {
    CounterPlace& place = worker(id);
    MutexLock guard(place.lock);
    ++Value(place, at::kWorkerTotalExecuted).integer;
    Value(place, at::kWorkerExecutionTime).real += us;
    Call(place, guard, context);
  }
  CounterPlace& place = Of(codelet).place;
  MutexLock guard(place.lock);
  ++Value(place, at::kCodeletTotalExecuted).integer;
  Value(place, at::kCodeletExecutionTime).real += us;
  Call(place, guard, codelet);
}

void PerfCounters::ProgramWaits() {
  MutexLock guard(global_.lock);
  Call(global_, guard, nullptr);
}

void PerfCounters::Listen(CounterPlace& place, starpu_perf_counter_listener* listener) {
  MutexLock guard(place.lock);
  place.listener = listener;
  place.news = 0;
  while (place.caller && place.caller != &ThisThread()) {
    guard.unlock();
    LetOthersRun();
    guard.lock();
  }
}

CounterPlace& PerfCounters::codelet(starpu_codelet* codelet) { return Of(codelet).place; }

PerfCounters::OfCodelet& PerfCounters::Of(starpu_codelet* codelet) {
  MutexLock guard(codelets_lock_);
  std::unique_ptr<OfCodelet>& found = codelets_[codelet];
  if (!found) found = std::make_unique<OfCodelet>();
  return *found;
}

}  // namespace tasklens::runtime
