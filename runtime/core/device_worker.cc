// SPDX-License-Identifier: Apache-2.0
// Launches tasks, and ends those that are done.
#include "runtime/core/device_worker.h"

#include <algorithm>

#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/contributions.h"
#include "runtime/data/handle.h"
#include "runtime/drivers/device/device_copies.h"
#include "runtime/feedback/tools.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr int kDefaultDepth = 2;
// How often a paused worker polls the tasks under way.
constexpr uint64_t kLookAtDeviceNs = 30'000;

}  // namespace

DeviceWorker::DeviceWorker(Runtime& runtime, Worker& worker)
    : runtime_(runtime),
      worker_(worker),
      accelerators_(*runtime.accelerators()),
      depth_(
          static_cast<size_t>(EnvironmentNumber("STARPU_CUDA_PIPELINE").value_or(kDefaultDepth))),
      stream_(accelerators_.Open(worker.device, Accelerators::Use::kKernels)) {}

DeviceWorker::~DeviceWorker() { accelerators_.Close(stream_); }

void DeviceWorker::Begin() { accelerators_.Enter(worker_.device); }
void DeviceWorker::End() { EndAll(); }

void DeviceWorker::Run(Job* job) {
  const starpu_codelet& codelet = *job->task->cl;
  const bool goes_on = depth_ > 0 && codelet.cuda_flags[job->implementation] & STARPU_CUDA_ASYNC;
  if (!goes_on) EndAll();
  tasks_.push_back(std::make_unique<Task>(job));
  Task& task = *tasks_.back();
  TakeUp(runtime_, worker_, task);
  Patience patience{.for_room = tasks_.size() == 1, .for_arrivals = !goes_on};
  while (!FetchInput(runtime_, worker_, task, patience)) {
    while (tasks_.size() > 1) EndFirst();
    ThisThread().current = job;
    patience.for_room = true;
  }
  // While paused, end the tasks under way that are done.
  while (!runtime_.pauses().MayBegin(worker_)) {
    while (tasks_.size() > 1 && IsDone(*tasks_.front())) EndFirst();
    runtime_.pauses().WaitWhilePaused(tasks_.size() > 1 ? kLookAtDeviceNs : 0);
  }
  ThisThread().current = job;
  Launch(task);
  if (!goes_on) EndAll();
}

void DeviceWorker::Launch(Task& task) {
  for (const Arrival arrival : task.arrivals) runtime_.copies()->Await(stream_, arrival);
  // An initialisation that does not run in the stream must not begin before its memory has arrived.
  const auto waits = [](const Handle* handle) { return !IsInitializedInStream(handle); };
  if (std::any_of(task.without_value.begin(), task.without_value.end(), waits))
    runtime_.WaitFor(task.arrivals);
  BeforeFunction(runtime_, worker_, task);
  if (tasks_.size() == 1) ComesFirst(task);
  Doing doing(worker_.activity, Activity::kExecuting);
  task.begun = accelerators_.Put(stream_);
  runtime_.pauses().HasBegun(worker_);
  {
    const ToolCall told(runtime_.tools(), worker_.id, task.function, task.job->task);
    CallGuarded(worker_, task.function, task.buffers, task.job);
  }
  task.ended = accelerators_.Put(stream_);
  ThisThread().current = nullptr;
}

void DeviceWorker::ComesFirst(Task& task) {
  worker_.running.store(task.job, std::memory_order_release);
  trace::Start(task.job, worker_.id, /*first=*/true);
}

Driver::UnderWay DeviceWorker::Tend() {
  while (!tasks_.empty() && IsDone(*tasks_.front())) EndFirst();
  // After the tasks, so that a failure is reported with the task's name and not as that of a copy.
  runtime_.copies()->Tend();
  return {static_cast<unsigned>(tasks_.size()), tasks_.size() < std::max<size_t>(depth_, 1)};
}

bool DeviceWorker::IsDone(const Task& task) {
  std::string why;
  const Accelerators::State state = accelerators_.Look(task.ended, why);
  if (state == Accelerators::State::kFailed) Failed(task, why);
  return state != Accelerators::State::kAhead;
}

void DeviceWorker::EndAll() {
  while (!tasks_.empty()) EndFirst();
}

// Releases the scratch buffers of the first task, which is over, except those that later tasks use.
void DeviceWorker::ReleaseScratchOfFirst() {
  const auto uses = [this](const Job& job, const Handle* handle, size_t slot) {
    for (unsigned i = 0; i < BufferCount(*job.task); ++i) {
      if (BufferHandle(*job.task, i) == handle && ScratchSlotOf(job, i, worker_) == slot)
        return true;
    }
    return false;
  };
  const Job& first = *tasks_.front()->job;
  for (unsigned i = 0; i < BufferCount(*first.task); ++i) {
    Handle* const handle = BufferHandle(*first.task, i);
    const std::optional<size_t> slot = ScratchSlotOf(first, i, worker_);
    if (!slot) continue;
    const bool is_used = std::any_of(tasks_.begin() + 1, tasks_.end(), [&](const auto& behind) {
      return uses(*behind->job, handle, *slot);
    });
    if (!is_used) ReleaseScratch(handle, *slot);
  }
}

void DeviceWorker::EndFirst() {
  Task& task = *tasks_.front();
  std::string why;
  {
    Doing doing(worker_.activity, Activity::kExecuting);
    if (accelerators_.WaitFor(task.ended, why) == Accelerators::State::kFailed) Failed(task, why);
  }
  // Marks are mapped to host time only as exactly as the host allowed then. So the length comes
  // from the device, and a task begins no earlier than the one before ended.
  const uint64_t begun_ns = std::max(accelerators_.PassedNs(task.begun), last_ended_ns_);
  const uint64_t ended_ns = begun_ns + accelerators_.BetweenNs(task.begun, task.ended);
  last_ended_ns_ = ended_ns;
  accelerators_.Forget(task.begun);
  accelerators_.Forget(task.ended);
  ThisThread().current = task.job;
  const uint64_t now_ns = NowNs();
  Record<EventKind::kTaskOnDevice>(task.job->id.load(std::memory_order_relaxed),
                                   now_ns - std::min(now_ns, begun_ns),
                                   now_ns - std::min(now_ns, ended_ns));
  trace::End(task.job, worker_.id);
  worker_.running.store(nullptr, std::memory_order_release);
  ReleaseScratchOfFirst();
  AfterFunction(runtime_, worker_, task, ended_ns - begun_ns);
  tasks_.pop_front();
  if (!tasks_.empty() && tasks_.front()->ended) ComesFirst(*tasks_.front());
}

void DeviceWorker::Failed(const Task& task, const std::string& why) {
  Fatal("%s failed on %s: %s; compute-sanitizer says which access of which kernel",
        DescribeTask(*task.job).c_str(), worker_.name.c_str(), why.c_str());
}

DeviceWorker* ThisDeviceWorker() {
  const Worker* worker = ThisThread().worker;
  return worker ? dynamic_cast<DeviceWorker*>(worker->driver.get()) : nullptr;
}

}  // namespace tasklens::runtime
