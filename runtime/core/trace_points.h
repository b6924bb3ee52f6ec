// SPDX-License-Identifier: Apache-2.0
// The trace points of the runtime. While nothing is recorded, each costs a load and a branch.
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

// Whether a run is being recorded with more than the constant facts.
inline bool On() { return Recorder::Enabled<EventKind::kTaskSubmit>(); }

enum DependencyLabel : uint8_t { kDepTask, kDepGhost };
// Collects the dependencies of one job and records them on destruction, several to a record; a
// dependency that several handles cause is recorded once. REQUIRES: is destroyed before the job can
// become ready.
class Dependencies {
 public:
  explicit Dependencies(const Job* successor) : successor_(successor) {}
  ~Dependencies() {
    if (count_ > 0) Write();
  }
  Dependencies(const Dependencies&) = delete;
  Dependencies& operator=(const Dependencies&) = delete;

  // `bytes`: the size of the data that the successor waits for.
  void Add(uint64_t predecessor, DependencyLabel label, uint64_t bytes = 0) {
    // StarPU records dependencies on tasks that have already ended in its verbose category.
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

// Records the submission of a task with all that is known then.
void SubmitSlow(const Job* job);
inline void Submit(const Job* job) {
  if (On()) SubmitSlow(job);
}

inline void Ready(const Job* job) {
  Record<EventKind::kTaskReady>(job->id.load(std::memory_order_relaxed), job->task->priority);
}
// Computes the size and footprint of a task's data for its events. For a parallel task, called
// before the first worker runs it, since each worker records them at its end.
void NoteData(Job* job);
// The function begins. `first`: on the first worker of a parallel task, or the only one; then its
// parameters, sizes and footprint are recorded, too.
void StartSlow(Job* job, int worker, bool first);
inline void Start(Job* job, int worker, bool first) {
  constexpr uint32_t kCategories = CategoryBit(Category::kTask) | CategoryBit(Category::kData) |
                                   CategoryBit(Category::kTaskVerbose) |
                                   CategoryBit(Category::kTaskVerboseExtra);
  if (Recorder::EnabledIn(kCategories)) StartSlow(job, worker, first);
}
// The function ends. `pushes`: the worker now begins to release the task's data, which may go into
// the same record; returns whether it did.
bool EndSlow(const Job* job, int worker, bool pushes);
inline bool End(const Job* job, int worker, bool pushes = false) {
  return Recorder::Enabled<EventKind::kTaskEnd>() && EndSlow(job, worker, pushes);
}
// The function pauses, recorded as an end; Continue() records that it goes on.
inline void Pause(const Job* job, int worker) { End(job, worker); }
void ContinueSlow(const Job* job, int worker);
inline void Continue(const Job* job, int worker) {
  if (Recorder::Enabled<EventKind::kTaskResume>()) ContinueSlow(job, worker);
}
inline void Done(const Job* job) {
  Record<EventKind::kTaskDone>(job->id.load(std::memory_order_relaxed));
}
// Records in one event that the job is done and the worker begins to look for its next job. Returns
// false, recording nothing, if not all of these categories are enabled.
inline bool DoneToSchedule(const Job* job) {
  constexpr uint32_t kCategories = CategoryBit(Category::kTask) | CategoryBit(Category::kDsm) |
                                   CategoryBit(Category::kWorkerVerbose);
  if (!Recorder::EnabledInAll(kCategories)) return false;
  RecordJointAt<tlt::Joint::kDone>(Recorder::Now(), job->id.load(std::memory_order_relaxed));
  return true;
}

// StarPU has separate events for most states; these are their categories.
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
// Records a new state, and that it ends the state `ended`: a trace with only the category of
// `ended` needs this event, too.
inline void State(StateKind state, StateKind ended) {
  RecordIn<EventKind::kStateSet>(CategoryBit(CategoryOf(state)) | CategoryBit(CategoryOf(ended)),
                                 static_cast<uint32_t>(state));
}
inline void State(StateKind state) { State(state, state); }

// The worker has taken a job and begins to prepare it.
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

// Records in one event that the worker has taken a job and begins to fetch its data. Returns false,
// recording nothing, if not all of these categories are enabled.
void PoppedToFetchSlow(const Job* job, int worker);
inline bool PoppedToFetch(const Job* job, int worker) {
  constexpr uint32_t kCategories = CategoryBit(Category::kSched) | CategoryBit(Category::kDsm) |
                                   CategoryBit(Category::kWorkerVerbose);
  if (!Recorder::EnabledInAll(kCategories)) return false;
  PoppedToFetchSlow(job, worker);
  return true;
}

// Sets a state for the time of a block.
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

// The state of a program thread that waits, with the source line of the call.
void CallSite();
class Waiting {
 public:
  explicit Waiting(StateKind state) : within_((CallSite(), state)) {}

 private:
  const Within within_;
};

// The state of a thread that submits a task. By default the record of the first submission (of the
// task or of one that it needs) also begins the state. `early`: records the beginning now, since
// other events may come before that submission.
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

// Start and end the trace of this run, and convert it, as the environment asks. `id`: that of
// starpu_profiling_set_id(), or the rank. `files`: the trace files of earlier runs of the process,
// which are not overwritten; the new file is added.
void StartRun(int id, std::vector<std::string>& files, bool paused);
void RecordScheduler(const char* name);
void StopRun(int id);

}  // namespace tasklens::runtime::trace
