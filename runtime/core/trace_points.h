// SPDX-License-Identifier: Apache-2.0
// What the runtime records, in its own words. Each is a load and a branch while nothing is
// recorded.
#pragma once

#include <cstdint>

#include "runtime/core/bound.h"
#include "runtime/core/job.h"
#include "runtime/recorder/recorder.h"
#include "trace/events/events.h"

namespace tasklens::runtime::trace {

// Whether a run is being recorded, in any category but the constant facts.
inline bool On() { return Recorder::Enabled<EventKind::kTaskSubmit>(); }

enum DependencyLabel { kDepTask, kDepGhost, kDepTag };
void DependencySlow(uint64_t predecessor, const Job* successor, DependencyLabel label);
inline void Dependency(uint64_t predecessor, const Job* successor, DependencyLabel label) {
  if (Recorder::Enabled<EventKind::kTaskDep>()) DependencySlow(predecessor, successor, label);
  if (Bound::WithDependencies()) Bound::Depends(predecessor, successor);
}

// All that is known of a task at its submission.
void SubmitSlow(const Job* job);
inline void Submit(const Job* job) {
  if (On()) SubmitSlow(job);
}
// What is known when it runs: parameters, sizes, footprint.
void DetailsSlow(Job* job);
inline void Details(Job* job) {
  if (On()) DetailsSlow(job);
}

inline void Ready(const Job* job) {
  Record<EventKind::kTaskReady>(job->id.load(std::memory_order_relaxed), job->task->priority);
}
inline void Popped(const Job* job) {
  Record<EventKind::kTaskPop>(job->id.load(std::memory_order_relaxed), job->task->priority);
}
inline void Start(const Job* job, int worker) {
  Record<EventKind::kTaskStart>(job->id.load(std::memory_order_relaxed),
                                static_cast<uint32_t>(worker), 0u, 0u);
}
void EndSlow(const Job* job, int worker);
inline void End(const Job* job, int worker) {
  if (Recorder::Enabled<EventKind::kTaskEnd>()) EndSlow(job, worker);
}
inline void Done(const Job* job) {
  Record<EventKind::kTaskDone>(job->id.load(std::memory_order_relaxed));
}

inline void State(StateKind state) { Record<EventKind::kStateSet>(static_cast<uint32_t>(state)); }
inline void Push(StateKind state) { Record<EventKind::kStatePush>(static_cast<uint32_t>(state)); }
inline void Pop() { Record<EventKind::kStatePop>(); }

// A state for the time of a block.
class Within {
 public:
  explicit Within(StateKind state) { Push(state); }
  ~Within() { Pop(); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
};

inline void Steal(int thief, int victim) {
  Record<EventKind::kSteal>(static_cast<uint32_t>(thief), static_cast<uint32_t>(victim));
}

void NewData(const Handle* handle);

// Starts and ends the trace of this run, and converts it, as the environment asks. `id`:
// starpu_profiling_set_id()'s, or the rank.
void StartRun(int id, bool paused);
void RecordScheduler(const char* name);
void StopRun(int id);

}  // namespace tasklens::runtime::trace
