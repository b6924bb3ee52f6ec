// SPDX-License-Identifier: Apache-2.0
// The public functions on performance counters (starpu_perf_monitoring.h).
#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/feedback/counters.h"
#include "runtime/support/message.h"

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

void starpu_perf_counter_collection_start(void) { CounterState(__func__).Start(); }
void starpu_perf_counter_collection_stop(void) { CounterState(__func__).Stop(); }

CATALOGUE_FUNCTIONS(counter, CounterCatalogue())

starpu_perf_counter_set* starpu_perf_counter_set_alloc(starpu_perf_counter_scope scope) {
  if (!CounterCatalogue().NameOfScope(scope)) {
    Fatal("starpu_perf_counter_set_alloc(): there is no scope %d", static_cast<int>(scope));
  }
  return new starpu_perf_counter_set{scope, 0};
}
void starpu_perf_counter_set_free(starpu_perf_counter_set* set) { delete set; }
void starpu_perf_counter_set_enable_id(starpu_perf_counter_set* set, int id) {
  const CatalogueRow& row = RowOf(id, __func__);
  if (row.scope() != set->scope) {
    Fatal("starpu_perf_counter_set_enable_id(): counter %s is not of scope %s", row.name,
          CounterCatalogue().NameOfScope(set->scope));
  }
  set->enabled |= 1u << (id >> 4);
}
void starpu_perf_counter_set_disable_id(starpu_perf_counter_set* set, int id) {
  if (RowOf(id, __func__).scope() == set->scope) {
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
  CheckScope(listener, starpu_perf_counter_scope_global, __func__);
  PerfCounters& counters = CounterState(__func__);
  counters.Listen(counters.global(), listener);
}
void starpu_perf_counter_set_per_worker_listener(unsigned id,
                                                 starpu_perf_counter_listener* listener) {
  CheckScope(listener, starpu_perf_counter_scope_per_worker, __func__);
  CounterState(__func__).Listen(PlaceOfWorker(id, __func__), listener);
}
void starpu_perf_counter_set_all_per_worker_listeners(starpu_perf_counter_listener* listener) {
  const size_t count = CounterState(__func__).worker_count();
  for (unsigned i = 0; i < count; ++i) starpu_perf_counter_set_per_worker_listener(i, listener);
}
void starpu_perf_counter_set_per_codelet_listener(starpu_codelet* codelet,
                                                  starpu_perf_counter_listener* listener) {
  CheckScope(listener, starpu_perf_counter_scope_per_codelet, __func__);
  PerfCounters& counters = CounterState(__func__);
  counters.Listen(counters.codelet(codelet), listener);
}

void starpu_perf_counter_unset_global_listener(void) {
  PerfCounters& counters = CounterState(__func__);
  counters.Listen(counters.global(), nullptr);
}
void starpu_perf_counter_unset_per_worker_listener(unsigned id) {
  CounterState(__func__).Listen(PlaceOfWorker(id, __func__), nullptr);
}
void starpu_perf_counter_unset_all_per_worker_listeners(void) {
  const size_t count = CounterState(__func__).worker_count();
  for (unsigned i = 0; i < count; ++i) starpu_perf_counter_unset_per_worker_listener(i);
}
void starpu_perf_counter_unset_per_codelet_listener(starpu_codelet* codelet) {
  PerfCounters& counters = CounterState(__func__);
  counters.Listen(counters.codelet(codelet), nullptr);
}

#define SAMPLE_VALUE(Type, name, kind, member)                                           \
  Type starpu_perf_counter_sample_get_##name##_value(starpu_perf_counter_sample* sample, \
                                                     const int id) {                     \
    return static_cast<Type>(ValueOf(sample, id, kind).member);                          \
  }
SAMPLE_VALUE(int32_t, int32, ValueType::kInt32, integer)
SAMPLE_VALUE(int64_t, int64, ValueType::kInt64, integer)
SAMPLE_VALUE(float, float, ValueType::kFloat, real)
SAMPLE_VALUE(double, double, ValueType::kDouble, real)
#undef SAMPLE_VALUE

}  // extern "C"
