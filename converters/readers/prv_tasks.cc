// SPDX-License-Identifier: Apache-2.0
// Tasks of a .prv: start, pause, resume and end, with their data.
#include <algorithm>
#include <string>

#include "converters/paraver_numbers.h"
#include "converters/readers/prv_decoder.h"

namespace tasklens {
namespace {

constexpr uint32_t kTaskFunctionLine = 60000123;  // Extrae's: where the code of a task is

}  // namespace

void PrvDecoder::TaskType(Thread& thread, int64_t time_ns, const Type& type, int64_t value) {
  CloseState(thread, time_ns);
  const bool is_numbered = thread.start_ns == time_ns && !thread.is_typed;
  if (!is_numbered) StartTask(thread);  // a task of length 0
  if (thread.job != 0) EndTask(thread, time_ns);
  thread.task_type = value;
  thread.task_labels = type.labels;
  thread.is_typed = true;
  if (value == 0) {
    if (!is_numbered) thread.task_id = 0;
    return;
  }
  thread.start_ns = time_ns;
  // The data of the previous task, which ends here.
  if (!is_numbered)
    thread.iteration = thread.subiteration = thread.submitted = thread.repeated = {};
}

// The number of the task that begins now, or of another one that begins with this number.
void PrvDecoder::TaskId(Thread& thread, int64_t time_ns, int64_t value) {
  if (thread.start_ns == time_ns) {
    if (value != 0) thread.task_id = value;
    return;
  }
  if (value == thread.task_id) return;
  CloseState(thread, time_ns);
  if (thread.job != 0) EndTask(thread, time_ns);
  thread.task_id = value;
  if (value == 0) return;
  thread.start_ns = time_ns;
  thread.is_typed = false;
  thread.iteration = thread.subiteration = thread.submitted = thread.repeated = {};
}

// Returns the number of the task that starts, and whether it resumes rather than runs again.
uint64_t PrvDecoder::JobOf(const Thread& thread, EventKind& kind) {
  kind = EventKind::kTaskStart;
  if (thread.task_id != 0) {
    const auto [named, is_new] =
        named_[thread.rank].try_emplace(thread.task_id, NamedTask{thread.task_type, 0});
    // A number with another type belongs to another task.
    if (named->second.type == thread.task_type) {
      const bool is_repeated =
          thread.repeated.value != 0 && thread.repeated.time_ns == thread.start_ns;
      if (!is_new && !is_repeated && named->second.workers == 0) kind = EventKind::kTaskResume;
      ++named->second.workers;
      return static_cast<uint64_t>(thread.task_id);
    }
  }
  return kCountedJobs + ++last_job_[thread.rank];
}

// Delivers the pending task with its number and site, if there is one.
void PrvDecoder::StartTask(Thread& thread) {
  if (thread.start_ns < 0) return;
  has_tasks_ = true;
  const int64_t start_ns = thread.start_ns;
  CloseAround(thread, start_ns);
  if (!thread.is_worker) {
    if (thread.shown == Thread::Shown::kSet) SetState(thread, start_ns, StateKind::kNone);
    MakeWorker(thread, start_ns, 0);
  }
  EventKind kind;
  thread.job = JobOf(thread, kind);
  if (kind == EventKind::kTaskStart) {
    std::string name = thread.task_type == 0 ? std::string("task")
                                             : "task type " + std::to_string(thread.task_type);
    if (thread.task_labels != nullptr && thread.task_type != 0)
      if (const std::string* label = thread.task_labels->LabelOf(thread.task_type)) name = *label;
    Tell(start_ns, EventKind::kTaskName, thread.rank, thread.tid, thread.job, sink_.Intern(name));
    TellSite(thread);
    TellSubmission(thread);
  }
  thread.start_ns = -1;
  constexpr uint64_t kMainMemory = 0, kNoContext = 0;
  Tell(start_ns, kind, thread.rank, thread.tid, thread.job, thread.worker, kMainMemory, kNoContext);
  ShowStateAgain(thread, start_ns);
}

void PrvDecoder::TellSite(const Thread& thread) {
  const auto label_of = [&](uint32_t type, const Thread::Latest& latest) -> std::string_view {
    if (latest.time_ns != thread.start_ns) return "";
    const PrvType* labels = TypeOf(type).labels;
    if (labels == nullptr) return "";
    const std::string* label = labels->LabelOf(latest.value);
    return label == nullptr ? std::string_view() : std::string_view(*label);
  };
  auto place = PlaceOfLabel(label_of(kParaverSiteLine, thread.line));
  if (!place) place = PlaceOfLabel(label_of(kTaskFunctionLine, thread.task_line));
  if (!place) return;
  Tell(thread.start_ns, EventKind::kTaskSite, thread.rank, thread.tid, thread.job, place->line,
       sink_.Intern(place->file), sink_.Intern(label_of(kParaverSiteFunction, thread.function)));
}

// Delivers the submission time, which only our own files have, and the iterations.
void PrvDecoder::TellSubmission(const Thread& thread) {
  int64_t before_ns = 0;
  if (thread.submitted.time_ns != thread.start_ns || !Time(thread.submitted.value, before_ns) ||
      before_ns > thread.start_ns)
    return;
  const auto iteration = [&](const Thread::Latest& latest) {
    const bool is_known = latest.time_ns == thread.start_ns && latest.value <= INT32_MAX;
    return is_known ? std::max<int64_t>(latest.value, -1) : -1;
  };
  constexpr uint64_t kNoOrder = 0, kNoPriority = 0, kNoType = 0;
  Tell(thread.start_ns - before_ns, EventKind::kTaskSubmit, thread.rank, 0, thread.job, kNoOrder,
       iteration(thread.iteration), iteration(thread.subiteration), kNoPriority, kNoType);
}

void PrvDecoder::EndTask(Thread& thread, int64_t time_ns) {
  CloseAround(thread, time_ns);
  constexpr uint64_t kNoBytes = 0, kNoFootprint = 0;
  Tell(time_ns, EventKind::kTaskEnd, thread.rank, thread.tid, thread.job, thread.worker, kNoBytes,
       kNoFootprint, sink_.Intern(""));
  if (const auto of_rank = named_.find(thread.rank); of_rank != named_.end())
    if (const auto named = of_rank->second.find(static_cast<int64_t>(thread.job));
        named != of_rank->second.end() && named->second.workers > 0)
      --named->second.workers;
  thread.ended_job = thread.job;
  thread.ended_ns = time_ns;
  thread.job = 0;
  ShowFunctions(thread, time_ns, 0);
  ShowStateAgain(thread, time_ns);
}

}  // namespace tasklens
