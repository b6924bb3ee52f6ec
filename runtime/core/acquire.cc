// SPDX-License-Identifier: Apache-2.0
// Acquires and releases data for the program, and submits copies.
#include "runtime/core/acquire.h"

#include <algorithm>
#include <cerrno>

#include "runtime/core/arbitration.h"
#include "runtime/core/duplicates.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/partitions.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/task_data.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/contributions.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// The state of an acquisition that waits for its data.
struct Acquire {
  void (*callback)(void*) = nullptr;
  void* argument = nullptr;
  int node = STARPU_MAIN_RAM;  // where the data are wanted
  bool writes = false;
  bool keep = false;                 // ended by ReleaseAcquired(), not by ReleaseData()
  std::atomic<uint32_t> granted{0};  // a futex
};

// Called when the access is granted: transfers the data to the node. The data count as initialised
// from now on.
void TakeOver(Job* job, int node, bool reads, bool writes) {
  Handle* handle = job->accesses[0].handle;
  const AccessKind kind = job->accesses[0].kind;
  Runtime& runtime = *Runtime::Instance();
  if (node > STARPU_MAIN_RAM) {
    if (reads && !handle->initialized) {
      Fatal("starpu_data_acquire_on_node(): %s has no value yet: write it first",
            Describe(handle).c_str());
    }
  }
  const Use use{handle, reads && handle->initialized, writes};
  if (node > STARPU_MAIN_RAM && !runtime.devices().At(static_cast<unsigned>(node)))
    return runtime.residency().MoveTo(handle, static_cast<unsigned>(node), writes);
  if (node > STARPU_MAIN_RAM || Travels(handle)) {
    Arrivals arrivals;
    runtime.residency().PinOn(static_cast<unsigned>(node), {&use, 1}, arrivals);
    job->pinned_node = static_cast<int8_t>(node);
    runtime.WaitFor(arrivals);
  } else {
    runtime.WaitFor(handle->arrives);
  }
  if (use.reads)
    MakeLayoutOn(ThisThread().worker, handle, static_cast<unsigned>(node));
  else
    WillWriteOwnLayout(handle, static_cast<unsigned>(node));
  if (node > STARPU_MAIN_RAM) {
    if (writes) handle->initialized = true;
    return;
  }
  if (!handle->allocated) EnsureAllocated(runtime.residency(), handle);
  if (reads && !handle->initialized && !EnsureInitialized(runtime.residency(), handle)) {
    Fatal("starpu_data_acquire(): %s has no value yet: write it first", Describe(handle).c_str());
  }
  if (kind != AccessKind::kRead || reads) handle->initialized = true;
}

// The program has the data from now on, until it releases them.
void NoteAcquired(Job* job) {
  Handle* const handle = job->accesses[0].handle;
  MutexLock guard(handle->holders.lock);
  handle->acquirers.push_back(job);
}

void Granted(Job* job) {
  auto* acquire = static_cast<Acquire*>(job->control);
  // An acquisition that holds its data must not keep starpu_task_wait_for_all() waiting.
  CountOut(job);
  if (!acquire->callback) {
    if (!acquire->keep) NoteAcquired(job);
    acquire->granted.store(1, std::memory_order_release);
    FutexWakeAll(acquire->granted);
    return;
  }
  TakeOver(job, acquire->node, job->task->nbuffers != 0, acquire->writes);
  NoteAcquired(job);
  const auto callback = acquire->callback;
  void* argument = acquire->argument;
  delete acquire;
  job->control = nullptr;
  ThreadState& thread = ThisThread();
  Job* const before = thread.current;
  thread.current = job;
  {
    trace::Within within(StateKind::kCallback);
    callback(argument);  // may release, and so end the job
  }
  thread.current = before;
}

Job* MakeJob(Handle* handle, AccessKind kind, bool reads, bool ordered, Acquire* acquire) {
  Job* job = NewJob(/*with_task=*/true);
  job->type = kTypeAcquire;
  job->on_ready = &Granted;
  job->control = acquire;
  job->task->type = kTypeAcquire;
  job->task->nbuffers = reads;  // remembered for Granted()
  job->task->name = "acquire";
  AddAccess(job, handle, kind, ordered);
  return job;
}

Job* Block(Handle* handle, AccessKind kind, bool keep) {
  AboutToUse(handle, kind);
  SwitchTo(handle, kind);
  Acquire acquire;
  acquire.keep = keep;
  Job* job = MakeJob(handle, kind, false, handle->sequential, &acquire);
  trace::Waiting waiting(StateKind::kWaitingTask);
  SubmitInternal(job);
  if (acquire.granted.load(std::memory_order_acquire) == 0) Runtime::Instance()->DoSchedule();
  while (acquire.granted.load(std::memory_order_acquire) == 0) FutexWait(acquire.granted, 0);
  return job;
}

int CheckMode(Handle* handle, unsigned mode, const char* function) {
  if (!handle) Fatal("%s(NULL)", function);
  if (!IsRegistered(handle)) {
    Warn("%s(): handle %p was unregistered before", function, static_cast<void*>(handle));
    return -EINVAL;
  }
  if (!handle->children.empty()) {
    Fatal("%s(): %s is partitioned: use its parts, or unpartition it first", function,
          Describe(handle).c_str());
  }
  if (!(mode & STARPU_RW) || (mode & (STARPU_SCRATCH | STARPU_REDUX))) {
    Warn("%s(): the mode must be STARPU_R, STARPU_W or STARPU_RW", function);
    return -EINVAL;
  }
  return 0;
}

}  // namespace

int AcquireNow(Handle* handle, int node, unsigned mode) {
  if (const int error = CheckMode(handle, mode, "starpu_data_acquire")) return error;
  Runtime::Get("starpu_data_acquire");
  if (ThisThread().current) return -EDEADLK;
  Job* job = Block(handle, KindOf(mode), /*keep=*/false);
  TakeOver(job, node, mode & STARPU_R, mode & STARPU_W);
  return 0;
}

int AcquireLater(Handle* handle, int node, unsigned mode, void (*callback)(void*), void* argument,
                 bool ordered, long* before, long* after) {
  if (const int error = CheckMode(handle, mode, "starpu_data_acquire_cb")) return error;
  Runtime::Get("starpu_data_acquire_cb");
  AboutToUse(handle, KindOf(mode));
  SwitchTo(handle, KindOf(mode));
  auto* acquire = new Acquire;
  acquire->node = node;
  acquire->writes = mode & STARPU_W;
  acquire->callback = callback;
  acquire->argument = argument;
  Job* const job =
      MakeJob(handle, KindOf(mode), mode & STARPU_R, ordered && handle->sequential, acquire);
  if (before) *before = static_cast<long>(EnsureId(job));
  if (after) *after = static_cast<long>(EnsureId(job));
  SubmitInternal(job);
  return 0;
}

int AcquireOrLeave(Handle* handle, int node, unsigned mode) {
  if (const int error = CheckMode(handle, mode, "starpu_data_acquire_try")) return error;
  Runtime::Get("starpu_data_acquire_try");
  const AccessKind kind = KindOf(mode);
  AboutToUse(handle, kind);
  Job* job = MakeJob(handle, kind, mode & STARPU_R, /*ordered=*/false, nullptr);
  KeepAlive(handle);
  if (!TryAcquireAccess(job->accesses[0])) {
    LetGo(handle);
    FreeJob(job);
    return -EAGAIN;
  }
  EnsureId(job);
  trace::Submit(job);
  job->next_access = 1;
  NoteAcquired(job);
  TakeOver(job, node, mode & STARPU_R, mode & STARPU_W);
  return 0;
}

namespace {

// After a write access, copies the new value to the nodes of the handle's write-through mask.
void Written(const Job& job) {
  const Access& access = job.accesses[0];
  if (access.kind == AccessKind::kRead || !access.handle->written_through) return;
  const unsigned node = job.pinned_node >= 0 ? static_cast<unsigned>(job.pinned_node) : 0;
  Runtime::Instance()->residency().WriteThrough(access.handle, node);
}

// Ends the acquisition.
void EndAcquire(Job* job) {
  Written(*job);
  if (job->pinned_node >= 0) {
    const auto node = static_cast<unsigned>(job->pinned_node);
    Runtime::Instance()->residency().UnpinOn(node, job->accesses[0].handle);
    job->pinned_node = -1;
  }
  FunctionEnded(job);
}

}  // namespace

void ReleaseData(Handle* handle) {
  Job* job = nullptr;
  if (handle) {
    MutexLock guard(handle->holders.lock);
    if (!handle->acquirers.empty()) {
      job = handle->acquirers.back();
      handle->acquirers.pop_back();
    }
  }
  if (!job) {
    Fatal("starpu_data_release(): %s is not acquired",
          handle ? Describe(handle).c_str() : "a NULL handle");
  }
  EndAcquire(job);
}

void ReleaseDataTo(Handle* handle, unsigned mode) {
  if (!handle) Fatal("starpu_data_release_to(NULL)");
  Job* job = nullptr;
  {
    MutexLock guard(handle->holders.lock);
    if (!handle->acquirers.empty()) job = handle->acquirers.back();
  }
  if (!job) Fatal("starpu_data_release_to(): %s is not acquired", Describe(handle).c_str());
  if (mode == STARPU_NONE) return ReleaseData(handle);
  const AccessKind kind = KindOf(mode);
  if (kind == job->accesses[0].kind) return;  // the same acquisition
  if (kind != AccessKind::kRead) {
    Fatal("starpu_data_release_to(): %s is acquired to be read: it can only be released",
          Describe(handle).c_str());
  }
  Written(*job);
  Job* reader = MakeJob(handle, AccessKind::kRead, true, /*ordered=*/false, nullptr);
  KeepAlive(handle);
  EnsureId(reader);
  trace::Submit(reader);
  reader->next_access = 1;
  {
    MutexLock guard(handle->holders.lock);
    std::erase(handle->acquirers, job);
    handle->acquirers.push_back(reader);
  }
  Downgrade(job->accesses[0], reader->accesses[0]);
  std::swap(reader->pinned_node, job->pinned_node);
  FunctionEnded(job);
}

int AcquiredNode(int node) {
  if (node == STARPU_ACQUIRE_NO_NODE || node == STARPU_ACQUIRE_NO_NODE_LOCK_ALL) {
    return STARPU_MAIN_RAM;
  }
  const unsigned nodes = starpu_memory_nodes_get_count();
  return node >= 0 && static_cast<unsigned>(node) < nodes ? node : -1;
}

Job* AcquireBlocking(Handle* handle, AccessKind kind) { return Block(handle, kind, /*keep=*/true); }

void ReleaseAcquired(Job* job) { FunctionEnded(job); }

namespace {

// Whether data of this interface can be copied by packing and unpacking them.
bool CanPass(const starpu_data_interface_ops* ops) {
  return ops->pack_data && (ops->unpack_data || ops->peek_data);
}

void CopyKernel(void** buffers, void* argument) {
  const auto* ops = static_cast<const starpu_data_interface_ops*>(argument);
  const starpu_data_copy_methods* methods = ops->copy_methods;
  if (methods && methods->ram_to_ram) {
    methods->ram_to_ram(buffers[1], STARPU_MAIN_RAM, buffers[0], STARPU_MAIN_RAM);
  } else if (methods && methods->any_to_any) {
    methods->any_to_any(buffers[1], STARPU_MAIN_RAM, buffers[0], STARPU_MAIN_RAM, nullptr);
  } else {
    const starpu_task* task = starpu_task_get_current();
    void* piece = nullptr;
    starpu_ssize_t bytes = 0;
    if (ops->pack_data(task->handles[1], STARPU_MAIN_RAM, &piece, &bytes) != 0 ||
        TakePiece(task->handles[0], piece, static_cast<size_t>(bytes)) != 0) {
      Fatal("starpu_data_cpy(): %s cannot be copied", Describe(task->handles[1]).c_str());
    }
  }
}

starpu_codelet copy_codelet = {
    .cpu_funcs = {CopyKernel},
    .nbuffers = 2,
    .modes = {STARPU_W, STARPU_R},
    .name = "data_cpy",
};

}  // namespace

int CopyData(Handle* target, Handle* source, bool waits, void (*callback)(void*), void* argument,
             int priority) {
  if (target->ops != source->ops) {
    Warn("starpu_data_cpy(): the handles have different interfaces");
    return -EINVAL;
  }
  const starpu_data_copy_methods* methods = target->ops->copy_methods;
  if (!(methods && (methods->ram_to_ram || methods->any_to_any)) && !CanPass(target->ops)) {
    Warn("starpu_data_cpy(): interface '%s' cannot copy",
         target->ops->name ? target->ops->name : "");
    return -ENOSYS;
  }
  starpu_task* task = starpu_task_create();
  task->cl = &copy_codelet;
  task->handles[0] = target;
  task->handles[1] = source;
  task->cl_arg = target->ops;
  task->callback_func = callback;
  task->callback_arg = argument;
  task->synchronous = waits;
  task->priority = priority;
  const int error = SubmitTask(task, {});
  if (error) starpu_task_destroy(task);
  return error;
}

}  // namespace tasklens::runtime
