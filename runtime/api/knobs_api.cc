// SPDX-License-Identifier: Apache-2.0
// Steering knobs (starpu_perf_steering.h): implementation of each knob.
#include <pthread.h>
#include <sched.h>
#include <starpu.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "runtime/core/runtime.h"
#include "runtime/feedback/catalogue.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

enum Order {
#define KNOB(Name, scope, type, name, help) kOrderOf##Name,
#include "runtime/api/knobs.inc"
#undef KNOB
};
constexpr int Position(Order knob) {
  return knob >= kOrderOfMaxPriorityCap ? knob - kOrderOfMaxPriorityCap
         : knob >= kOrderOfBindToPu     ? knob - kOrderOfBindToPu
                                        : knob;
}
enum KnobId {
#define KNOB(Name, scope, type, name, help) \
  k##Name = Position(kOrderOf##Name) << 4 | starpu_perf_knob_scope_##scope,
#include "runtime/api/knobs.inc"
#undef KNOB
};

constexpr ValueType kKnobTypeOf_int32 = ValueType::kInt32;
constexpr ValueType kKnobTypeOf_double = ValueType::kDouble;
constexpr CatalogueRow kKnobRows[] = {
#define KNOB(Name, scope, type, name, help) {k##Name, kKnobTypeOf_##type, name, help},
#include "runtime/api/knobs.inc"
#undef KNOB
};
constexpr ScopeName kKnobScopes[] = {{starpu_perf_knob_scope_global, "global"},
                                     {starpu_perf_knob_scope_per_worker, "per_worker"},
                                     {starpu_perf_knob_scope_per_scheduler, "per_scheduler"}};
constexpr Catalogue kKnobs(kKnobRows, kKnobScopes);

// Returns the row of a knob; aborts with a message if its scope or type differs.
const CatalogueRow& RowOf(int id, int scope, ValueType type) {
  const CatalogueRow* row = kKnobs.Find(id);
  if (!row) Fatal("starpu_perf_knob: there is no knob 0x%x", static_cast<unsigned>(id));
  if (row->scope() != scope) {
    Fatal("starpu_perf_knob: knob %s is of scope %s, not %s", row->name,
          kKnobs.NameOfScope(row->scope()), kKnobs.NameOfScope(scope));
  }
  if (row->type != type) {
    Fatal("starpu_perf_knob: knob %s is of type %s, not %s", row->name,
          kTypeNames[static_cast<int>(row->type)], kTypeNames[static_cast<int>(type)]);
  }
  return *row;
}

// --- What each does ------------------------------------------------------------------------------

void BindTo(Runtime& runtime, Worker& worker, int unit) {
  const auto& units = runtime.topology().units();
  if (unit < 0 || static_cast<size_t>(unit) >= units.size()) {
    Fatal("starpu_perf_knob: worker %d cannot be bound to processing unit %d: there are %zu",
          worker.id, unit, units.size());
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(units[static_cast<size_t>(unit)], &set);
  if (const int error = pthread_setaffinity_np(worker.thread.native_handle(), sizeof(set), &set)) {
    Fatal("starpu_perf_knob: worker %d cannot be bound to processing unit %d: %s", worker.id, unit,
          strerror(error));
  }
  worker.cpu = unit;
  worker.os_cpu = units[static_cast<size_t>(unit)];
}

int32_t GlobalValue(Runtime& runtime, int id) {
  return id == kCalibrate ? Calibration() : runtime.settings.catch_signals;
}
void SetGlobal(Runtime& runtime, int id, int32_t value) {
  if (id == kCalibrate) return SetCalibration(value);
  runtime.settings.catch_signals = value;
}

int32_t WorkerValue(const Worker& worker, int id) {
  return id == kBindToPu ? worker.cpu : worker.enabled.load();
}
void SetWorker(Runtime& runtime, Worker& worker, int id, int32_t value) {
  if (id == kBindToPu) return BindTo(runtime, worker, value);
  runtime.Enable(worker, value != 0);
}

// Priorities and weights belong to the running policy: warns if that is not `policy`.
void CheckPolicy(Runtime& runtime, int id, const char* policy) {
  const char* const own = runtime.public_policy().policy_name;
  if (policy && own && strcmp(policy, own) == 0) return;
  Warn("starpu_perf_knob: %s of policy '%s' has no effect: the policy is '%s'",
       kKnobs.Find(id)->name, policy ? policy : "(null)", own ? own : "(no name)");
}

int32_t PriorityCap(Runtime& runtime, int id) {
  if (id == kMaxPriorityCap) {
    const int cap = runtime.settings.priority_ceiling.load();
    return cap == INT_MAX ? runtime.policy_context(0)->max_priority : cap;
  }
  const int cap = runtime.settings.priority_floor.load();
  return cap == INT_MIN ? runtime.policy_context(0)->min_priority : cap;
}

double& DmdaWeight(Runtime& runtime, int id) {
  switch (id) {
    case kDmdaAlpha: return runtime.settings.dmda_weights.alpha;
    case kDmdaBeta: return runtime.settings.dmda_weights.beta;
    case kDmdaGamma: return runtime.settings.dmda_weights.gamma;
    default: return runtime.settings.dmda_weights.idle_power;
  }
}

// --- The accessors, by scope ---------------------------------------------------------------------

constexpr int kGlobal = starpu_perf_knob_scope_global;
constexpr int kPerWorker = starpu_perf_knob_scope_per_worker;
constexpr int kPerScheduler = starpu_perf_knob_scope_per_scheduler;

Runtime& TheRuntime() { return Runtime::Get("starpu_perf_knob"); }

Worker& WorkerOf(unsigned id) {
  Worker* worker = TheRuntime().worker(static_cast<int>(id));
  if (!worker) Fatal("starpu_perf_knob: there is no worker %u", id);
  return *worker;
}

template <class T>
T GetGlobal(int id, ValueType type) {
  (void)RowOf(id, kGlobal, type);
  return static_cast<T>(GlobalValue(TheRuntime(), id));
}
template <class T>
void SetGlobalAs(int id, ValueType type, T value) {
  (void)RowOf(id, kGlobal, type);
  SetGlobal(TheRuntime(), id, static_cast<int32_t>(value));
}
template <class T>
T GetPerWorker(int id, ValueType type, unsigned worker) {
  (void)RowOf(id, kPerWorker, type);
  return static_cast<T>(WorkerValue(WorkerOf(worker), id));
}
template <class T>
void SetPerWorker(int id, ValueType type, unsigned worker, T value) {
  (void)RowOf(id, kPerWorker, type);
  SetWorker(TheRuntime(), WorkerOf(worker), id, static_cast<int32_t>(value));
}
template <class T>
T GetPerScheduler(int id, ValueType type) {
  (void)RowOf(id, kPerScheduler, type);
  Runtime& runtime = TheRuntime();
  if (type == ValueType::kInt32) return static_cast<T>(PriorityCap(runtime, id));
  return static_cast<T>(DmdaWeight(runtime, id));
}
template <class T>
void SetPerScheduler(int id, ValueType type, const char* policy, T value) {
  (void)RowOf(id, kPerScheduler, type);
  Runtime& runtime = TheRuntime();
  CheckPolicy(runtime, id, policy);
  if (type == ValueType::kInt32) {
    (id == kMaxPriorityCap ? runtime.settings.priority_ceiling : runtime.settings.priority_floor) =
        static_cast<int>(value);
  } else {
    DmdaWeight(runtime, id) = static_cast<double>(value);
  }
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

CATALOGUE_FUNCTIONS(knob, kKnobs)

#define ACCESSORS(Type, name, kind)                                                                \
  Type starpu_perf_knob_get_global_##name##_value(const int id) {                                  \
    return GetGlobal<Type>(id, kind);                                                              \
  }                                                                                                \
  void starpu_perf_knob_set_global_##name##_value(const int id, Type value) {                      \
    SetGlobalAs<Type>(id, kind, value);                                                            \
  }                                                                                                \
  Type starpu_perf_knob_get_per_worker_##name##_value(const int id, unsigned worker) {             \
    return GetPerWorker<Type>(id, kind, worker);                                                   \
  }                                                                                                \
  void starpu_perf_knob_set_per_worker_##name##_value(const int id, unsigned worker, Type value) { \
    SetPerWorker<Type>(id, kind, worker, value);                                                   \
  }                                                                                                \
  Type starpu_perf_knob_get_per_scheduler_##name##_value(const int id, const char*) {              \
    return GetPerScheduler<Type>(id, kind);                                                        \
  }                                                                                                \
  void starpu_perf_knob_set_per_scheduler_##name##_value(const int id, const char* policy,         \
                                                         Type value) {                             \
    SetPerScheduler<Type>(id, kind, policy, value);                                                \
  }
ACCESSORS(int32_t, int32, ValueType::kInt32)
ACCESSORS(int64_t, int64, ValueType::kInt64)
ACCESSORS(float, float, ValueType::kFloat)
ACCESSORS(double, double, ValueType::kDouble)
#undef ACCESSORS

}  // extern "C"
