// SPDX-License-Identifier: Apache-2.0
// Counting, and calling listeners.
#include "runtime/feedback/counters.h"

#include <algorithm>

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

struct starpu_perf_counter_set {
  int scope;
  uint32_t enabled;  // a bit for each position in the scope
};
struct starpu_perf_counter_listener {
  starpu_perf_counter_set* set;
  void (*callback)(starpu_perf_counter_listener*, starpu_perf_counter_sample*, void*);
  void* argument;  // for the listener itself: StarPU's callbacks are not given it either
};
struct starpu_perf_counter_sample {
  const starpu_perf_counter_set* set;
  const tasklens::runtime::CounterValue* values;
};

namespace tasklens::runtime {
namespace {

// The position of each counter within its scope, under its name.
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

// Lets the listener see what the place counts. It may submit tasks, and so be about to be called
// while it runs, also by other threads: it is then called once more for each when it has returned.
// `guard` holds place.lock, and lets go of it meanwhile. `context` is what the place belongs to.
// `guard` holds its lock, before and after.
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

bool IsOfProgram(const Job* job) { return !(job->type & kTypeInternal); }

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

void PerfCounters::Executed(Worker& executor, starpu_codelet* codelet, uint64_t ns) {
  const double us = static_cast<double>(ns) * 1e-3;
  {
    CounterPlace& place = worker(static_cast<size_t>(executor.id));
    MutexLock guard(place.lock);
    ++Value(place, at::kWorkerTotalExecuted).integer;
    Value(place, at::kWorkerExecutionTime).real += us;
    Call(place, guard, &executor);
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

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

PerfCounters& CounterState(const char* function) { return Runtime::Get(function).perf_counters(); }

const CatalogueRow& RowOf(int id, const char* function) {
  const CatalogueRow* row = CounterCatalogue().Find(id);
  if (!row) Fatal("%s(): there is no counter 0x%x", function, static_cast<unsigned>(id));
  return *row;
}

void CheckScope(const starpu_perf_counter_listener* listener, int scope, const char* function) {
  if (listener->set->scope == scope) return;
  Fatal("%s(): the listener's set is of scope %s, not %s", function,
        CounterCatalogue().NameOfScope(listener->set->scope),
        CounterCatalogue().NameOfScope(scope));
}

CounterPlace& PlaceOfWorker(unsigned id, const char* function) {
  PerfCounters& counters = CounterState(function);
  if (id >= counters.worker_count()) Fatal("%s(): there is no worker %u", function, id);
  return counters.worker(id);
}

const CounterValue& ValueOf(const starpu_perf_counter_sample* sample, int id, ValueType type) {
  constexpr const char* kFunction = "starpu_perf_counter_sample_get_..._value";
  const CatalogueRow& row = RowOf(id, kFunction);
  if (row.type != type) {
    Fatal("%s(): counter %s is of type %s, not %s", kFunction, row.name,
          kTypeNames[static_cast<int>(row.type)], kTypeNames[static_cast<int>(type)]);
  }
  const unsigned position = static_cast<unsigned>(id >> 4);
  if (row.scope() != sample->set->scope || !(sample->set->enabled >> position & 1)) {
    Fatal("%s(): counter %s is not enabled in the sample's set", kFunction, row.name);
  }
  return sample->values[position];
}

}  // namespace

extern "C" {

void starpu_perf_counter_collection_start(void) {
  CounterState("starpu_perf_counter_collection_start").Start();
}
void starpu_perf_counter_collection_stop(void) {
  CounterState("starpu_perf_counter_collection_stop").Stop();
}

int starpu_perf_counter_scope_name_to_id(const char* name) {
  return CounterCatalogue().ScopeOf(name);
}
const char* starpu_perf_counter_scope_id_to_name(starpu_perf_counter_scope scope) {
  return CounterCatalogue().NameOfScope(scope);
}
int starpu_perf_counter_type_name_to_id(const char* name) { return Catalogue::TypeOf(name); }
const char* starpu_perf_counter_type_id_to_name(starpu_perf_counter_type type) {
  return Catalogue::NameOfType(type);
}
int starpu_perf_counter_nb(starpu_perf_counter_scope scope) {
  return CounterCatalogue().Count(scope);
}
int starpu_perf_counter_name_to_id(starpu_perf_counter_scope scope, const char* name) {
  return CounterCatalogue().IdOf(scope, name);
}
int starpu_perf_counter_nth_to_id(starpu_perf_counter_scope scope, int nth) {
  return CounterCatalogue().Nth(scope, nth);
}
const char* starpu_perf_counter_id_to_name(int id) {
  const CatalogueRow* row = CounterCatalogue().Find(id);
  return row ? row->name : nullptr;
}
int starpu_perf_counter_get_type_id(int id) {
  const CatalogueRow* row = CounterCatalogue().Find(id);
  return row ? static_cast<int>(row->type) : -1;
}
const char* starpu_perf_counter_get_help_string(int id) {
  const CatalogueRow* row = CounterCatalogue().Find(id);
  return row ? row->help : nullptr;
}
void starpu_perf_counter_list_avail(starpu_perf_counter_scope scope) {
  CounterCatalogue().Print(scope);
}
void starpu_perf_counter_list_all_avail(void) { CounterCatalogue().PrintAll(); }

starpu_perf_counter_set* starpu_perf_counter_set_alloc(starpu_perf_counter_scope scope) {
  if (!CounterCatalogue().NameOfScope(scope)) {
    Fatal("starpu_perf_counter_set_alloc(): there is no scope %d", static_cast<int>(scope));
  }
  return new starpu_perf_counter_set{scope, 0};
}
void starpu_perf_counter_set_free(starpu_perf_counter_set* set) { delete set; }
void starpu_perf_counter_set_enable_id(starpu_perf_counter_set* set, int id) {
  const CatalogueRow& row = RowOf(id, "starpu_perf_counter_set_enable_id");
  if (row.scope() != set->scope) {
    Fatal("starpu_perf_counter_set_enable_id(): counter %s is not of scope %s", row.name,
          CounterCatalogue().NameOfScope(set->scope));
  }
  set->enabled |= 1u << (id >> 4);
}
void starpu_perf_counter_set_disable_id(starpu_perf_counter_set* set, int id) {
  if (RowOf(id, "starpu_perf_counter_set_disable_id").scope() == set->scope) {
    set->enabled &= ~(1u << (id >> 4));
  }
}

starpu_perf_counter_listener* starpu_perf_counter_listener_init(
    starpu_perf_counter_set* set,
    void (*callback)(starpu_perf_counter_listener*, starpu_perf_counter_sample*, void*),
    void* argument) {
  return new starpu_perf_counter_listener{set, callback, argument};
}
void starpu_perf_counter_listener_exit(starpu_perf_counter_listener* listener) { delete listener; }

void starpu_perf_counter_set_global_listener(starpu_perf_counter_listener* listener) {
  constexpr const char* kFunction = "starpu_perf_counter_set_global_listener";
  CheckScope(listener, starpu_perf_counter_scope_global, kFunction);
  PerfCounters& counters = CounterState(kFunction);
  counters.Listen(counters.global(), listener);
}
void starpu_perf_counter_set_per_worker_listener(unsigned id,
                                                 starpu_perf_counter_listener* listener) {
  constexpr const char* kFunction = "starpu_perf_counter_set_per_worker_listener";
  CheckScope(listener, starpu_perf_counter_scope_per_worker, kFunction);
  CounterState(kFunction).Listen(PlaceOfWorker(id, kFunction), listener);
}
void starpu_perf_counter_set_all_per_worker_listeners(starpu_perf_counter_listener* listener) {
  const size_t count =
      CounterState("starpu_perf_counter_set_all_per_worker_listeners").worker_count();
  for (unsigned i = 0; i < count; ++i) starpu_perf_counter_set_per_worker_listener(i, listener);
}
void starpu_perf_counter_set_per_codelet_listener(starpu_codelet* codelet,
                                                  starpu_perf_counter_listener* listener) {
  constexpr const char* kFunction = "starpu_perf_counter_set_per_codelet_listener";
  CheckScope(listener, starpu_perf_counter_scope_per_codelet, kFunction);
  PerfCounters& counters = CounterState(kFunction);
  counters.Listen(counters.codelet(codelet), listener);
}

void starpu_perf_counter_unset_global_listener(void) {
  PerfCounters& counters = CounterState("starpu_perf_counter_unset_global_listener");
  counters.Listen(counters.global(), nullptr);
}
void starpu_perf_counter_unset_per_worker_listener(unsigned id) {
  constexpr const char* kFunction = "starpu_perf_counter_unset_per_worker_listener";
  CounterState(kFunction).Listen(PlaceOfWorker(id, kFunction), nullptr);
}
void starpu_perf_counter_unset_all_per_worker_listeners(void) {
  const size_t count =
      CounterState("starpu_perf_counter_unset_all_per_worker_listeners").worker_count();
  for (unsigned i = 0; i < count; ++i) starpu_perf_counter_unset_per_worker_listener(i);
}
void starpu_perf_counter_unset_per_codelet_listener(starpu_codelet* codelet) {
  PerfCounters& counters = CounterState("starpu_perf_counter_unset_per_codelet_listener");
  counters.Listen(counters.codelet(codelet), nullptr);
}

int32_t starpu_perf_counter_sample_get_int32_value(starpu_perf_counter_sample* sample,
                                                   const int id) {
  return static_cast<int32_t>(ValueOf(sample, id, ValueType::kInt32).integer);
}
int64_t starpu_perf_counter_sample_get_int64_value(starpu_perf_counter_sample* sample,
                                                   const int id) {
  return ValueOf(sample, id, ValueType::kInt64).integer;
}
float starpu_perf_counter_sample_get_float_value(starpu_perf_counter_sample* sample, const int id) {
  return static_cast<float>(ValueOf(sample, id, ValueType::kFloat).real);
}
double starpu_perf_counter_sample_get_double_value(starpu_perf_counter_sample* sample,
                                                   const int id) {
  return ValueOf(sample, id, ValueType::kDouble).real;
}

}  // extern "C"
