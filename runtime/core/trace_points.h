// SPDX-License-Identifier: Apache-2.0
// What the runtime records, in its own words. Each is a load and a branch while nothing is
// recorded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/core/bound.h"
#include "runtime/data/records.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/recorder/recorder.h"
#include "trace/events/events.h"

namespace tasklens::runtime::trace {

// Whether a run is being recorded, in any category but the constant facts.
inline bool On() { return Recorder::Enabled<EventKind::kTaskSubmit>(); }

enum DependencyLabel : uint8_t { kDepTask, kDepGhost };
// What one job waits for. Recorded when this ends, in records of several; what several data ask for
// once. REQUIRES: it ends before the job can be ready.
class Dependencies {
 public:
  explicit Dependencies(const Job* successor) : successor_(successor) {}
  ~Dependencies() {
    if (count_ > 0) Write();
  }
  Dependencies(const Dependencies&) = delete;
  Dependencies& operator=(const Dependencies&) = delete;

  // `bytes`: of the data that the successor waits for.
  void Add(uint64_t predecessor, DependencyLabel label, uint64_t bytes = 0) {
    // Those on tasks that have ended already are StarPU's verbose ones.
    const Category category = label == kDepGhost ? Category::kTaskVerbose : Category::kTask;
    if (Recorder::EnabledIn(CategoryBit(category))) AddSlow(predecessor, label);
    if (Bound::WithDependencies()) Bound::Depends(predecessor, successor_, bytes);
  }

 private:
  void AddSlow(uint64_t predecessor, DependencyLabel label);
  void Write();
  void WriteThose(DependencyLabel label);

  const Job* const successor_;
  size_t count_ = 0;
  std::array<uint32_t, tlt::kMaxJointDependencies> predecessors_;
  std::array<DependencyLabel, tlt::kMaxJointDependencies> labels_;
};

// All that is known of a task at its submission.
void SubmitSlow(const Job* job);
inline void Submit(const Job* job) {
  if (On()) SubmitSlow(job);
}

inline void Ready(const Job* job) {
  Record<EventKind::kTaskReady>(job->id.load(std::memory_order_relaxed), job->task->priority);
}
// The function begins. `first`: on the first worker of a parallel task, or the only one; then what
// is known now is told, too: parameters, sizes, footprint.
// What events of a task say of its data. Of one that several workers run, before the first does:
// each tells it at its end.
void NoteData(Job* job);
void StartSlow(Job* job, int worker, bool first);
inline void Start(Job* job, int worker, bool first) {
  constexpr uint32_t kCategories = CategoryBit(Category::kTask) | CategoryBit(Category::kData) |
                                   CategoryBit(Category::kTaskVerbose) |
                                   CategoryBit(Category::kTaskVerboseExtra);
  if (Recorder::EnabledIn(kCategories)) StartSlow(job, worker, first);
}
// The function ends. `pushes`: from this moment on the worker gives back what the task used, which
// may be told in the same record; true: it is.
bool EndSlow(const Job* job, int worker, bool pushes);
inline bool End(const Job* job, int worker, bool pushes = false) {
  return Recorder::Enabled<EventKind::kTaskEnd>() && EndSlow(job, worker, pushes);
}
// The function pauses, which is an end until it goes on.
inline void Pause(const Job* job, int worker) { End(job, worker); }
void ContinueSlow(const Job* job, int worker);
inline void Continue(const Job* job, int worker) {
  if (Recorder::Enabled<EventKind::kTaskResume>()) ContinueSlow(job, worker);
}
inline void Done(const Job* job) {
  Record<EventKind::kTaskDone>(job->id.load(std::memory_order_relaxed));
}
// The same, and from this moment on the worker goes for its next job, in one record. False: not all
// of that is wanted, and nothing was recorded.
inline bool DoneToSchedule(const Job* job) {
  constexpr uint32_t kCategories = CategoryBit(Category::kTask) | CategoryBit(Category::kDsm) |
                                   CategoryBit(Category::kWorkerVerbose);
  if (!Recorder::EnabledInAll(kCategories)) return false;
  RecordJointAt<tlt::Joint::kDone>(Recorder::Now(), job->id.load(std::memory_order_relaxed));
  return true;
}

// StarPU has events of their own for most states, in these categories.
constexpr Category CategoryOf(StateKind state) {
  switch (state) {
    case StateKind::kSleeping: return Category::kWorker;
    case StateKind::kThrottling: return Category::kTask;
    case StateKind::kBuildingTask:
    case StateKind::kSubmittingTask:
    case StateKind::kWaitingTask:
    case StateKind::kWaitingAllTasks: return Category::kTaskVerbose;
    case StateKind::kFetchingInput:
    case StateKind::kPushingOutput:
    case StateKind::kUnpartitioning: return Category::kDsm;
    default: return Category::kWorkerVerbose;
  }
}
// A state, and which one it ends: who records only the other one's category needs its end.
inline void State(StateKind state, StateKind ended) {
  RecordIn<EventKind::kStateSet>(CategoryBit(CategoryOf(state)) | CategoryBit(CategoryOf(ended)),
                                 static_cast<uint32_t>(state));
}
inline void State(StateKind state) { State(state, state); }

// The worker has a job and begins to prepare it.
inline void Popped(const Job* job) {
  constexpr uint32_t kCategories =
      CategoryBit(Category::kSched) | CategoryBit(Category::kWorkerVerbose);
  if (!Recorder::EnabledIn(kCategories)) return;
  const RecordMoment now = Recorder::Now();
  const uint64_t id = job->id.load(std::memory_order_relaxed);
  constexpr auto kState = static_cast<uint32_t>(StateKind::kOverhead);
  if (Recorder::EnabledInAll(kCategories)) {
    RecordJointAt<tlt::Joint::kTaken>(now, id, job->task->priority, kState);
  } else {
    RecordAt<EventKind::kTaskPop>(now, id, job->task->priority);
    RecordAt<EventKind::kStateSet>(now, kState);
  }
}

// The same, and it fetches at once what the job needs, in one record. False: not all of that is
// wanted, and nothing was recorded.
void PoppedToFetchSlow(const Job* job, int worker);
inline bool PoppedToFetch(const Job* job, int worker) {
  constexpr uint32_t kCategories = CategoryBit(Category::kSched) | CategoryBit(Category::kDsm) |
                                   CategoryBit(Category::kWorkerVerbose);
  if (!Recorder::EnabledInAll(kCategories)) return false;
  PoppedToFetchSlow(job, worker);
  return true;
}

// A state for the time of a block.
class Within {
 public:
  explicit Within(StateKind state) : categories_(CategoryBit(CategoryOf(state))) {
    RecordIn<EventKind::kStatePush>(categories_, static_cast<uint32_t>(state));
  }
  ~Within() { RecordIn<EventKind::kStatePop>(categories_); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  const uint32_t categories_;
};

// The state of a thread of the program that waits, with the line of the call.
void CallSite();
class Waiting {
 public:
  explicit Waiting(StateKind state) : within_((CallSite(), state)) {}

 private:
  const Within within_;
};

// The state of a thread that submits a task. It begins with the first submission, the task's own or
// one that it needs, in that record. `early`: here, as something may come before that.
class Submitting {
 public:
  explicit Submitting(bool early) {
    if (!early && Recorder::EnabledInAll(kCategories)) {
      ThisThread().begins_to_submit = true;
    } else {
      RecordIn<EventKind::kStatePush>(kOfState, static_cast<uint32_t>(StateKind::kSubmittingTask));
    }
  }
  ~Submitting() { RecordIn<EventKind::kStatePop>(kOfState); }
  Submitting(const Submitting&) = delete;
  Submitting& operator=(const Submitting&) = delete;

 private:
  static constexpr uint32_t kOfState = CategoryBit(CategoryOf(StateKind::kSubmittingTask));
  static constexpr uint32_t kCategories = kOfState | CategoryBit(Category::kTask);
};

// Starts and ends the trace of this run, and converts it, as the environment asks. `id`:
// starpu_profiling_set_id()'s, or the rank. `files`: those of earlier runs of the process, which
// are left alone, and this one's from now on.
void StartRun(int id, std::vector<std::string>& files, bool paused);
void RecordScheduler(const char* name);
void StopRun(int id);

}  // namespace tasklens::runtime::trace
