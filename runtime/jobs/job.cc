// SPDX-License-Identifier: Apache-2.0
// The pool of jobs, and the defaults of tasks.
#include "runtime/jobs/job.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runtime/jobs/thread_state.h"
#include "runtime/support/kept_memory.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

constexpr uint32_t kBatch = 64;

// Jobs move between threads in whole batches, chained by `next`; `control` of the first job links
// to the next batch. Process-wide, since tasks may be made before starpu_init() and destroyed after
// starpu_shutdown().
struct SharedPool {
  Mutex lock;
  Job* batches GUARDED_BY(lock) = nullptr;
  std::atomic<uint64_t> next_id{1};
};
SharedPool& Shared() {
  static SharedPool* pool = new SharedPool;  // never destroyed: threads may outlive main()
  return *pool;
}

Job* AllocateBatch() {
  Job* slab =
      static_cast<Job*>(::operator new(sizeof(Job) * kBatch, std::align_val_t(alignof(Job))));
  for (uint32_t i = 0; i < kBatch; ++i) {
    new (&slab[i]) Job;
    slab[i].next = i + 1 < kBatch ? &slab[i + 1] : nullptr;
  }
  return slab;
}

// Allocates a task that can be freed with free().
starpu_task* AllocateTask(Job* for_job) {
  constexpr size_t kBytes = (sizeof(starpu_task) + kCacheLine - 1) / kCacheLine * kCacheLine;
  void* const memory = aligned_alloc(kCacheLine, kBytes);
  if (memory) return new (memory) starpu_task;
  FreeJob(for_job);
  throw std::bad_alloc();
}

Job* TakeBatch() {
  SharedPool& pool = Shared();
  {
    MutexLock guard(pool.lock);
    if (Job* batch = pool.batches) {
      pool.batches = static_cast<Job*>(batch->control);
      batch->control = nullptr;
      return batch;
    }
  }
  return AllocateBatch();
}

void GiveBatch(Job* batch) {
  SharedPool& pool = Shared();
  MutexLock guard(pool.lock);
  batch->control = pool.batches;
  pool.batches = batch;
}

void ResetJob(Job* job) {
  job->submit_order = 0;
  job->site_of_call = false;
  job->pending.store(1, std::memory_order_relaxed);
  job->end_pending.store(1, std::memory_order_relaxed);
  job->state.store(static_cast<uint32_t>(JobState::kNew), std::memory_order_relaxed);
  job->successors.clear();
  job->accesses.clear();
  job->next_access = 0;
  job->next = nullptr;
  job->on_ready = nullptr;
  job->control = nullptr;
  job->pinned_worker = -1;
  job->implementation = 0;
  job->type = 0;
  job->restricted = false;
  job->counted = false;
  job->counted_as = {};
  job->data_granted = false;
  job->owns_consistency = false;
  job->is_ticket = false;
  job->pausable = false;
  job->in_epoch = false;
  job->context = 0;
  job->parallel = 0;
  job->together = false;
  job->submit_again = false;
  job->has_arbitered = false;
  job->on_end = nullptr;
}

}  // namespace

Job* NewJob(bool with_task) {
  ThreadState& thread = ThisThread();
  JobCache& cache = thread.jobs;
  if (!cache.free) {
    cache.free = TakeBatch();
    cache.count = kBatch;
  }
  Job* job = cache.free;
  cache.free = job->next;
  --cache.count;
  // Prefetch the task of the next job, whose address is known, and the job after that.
  if (const Job* const soon = cache.free) {
    if (soon->storage) FetchSoon(soon->storage);
    if (soon->next) FetchSoon(soon->next);
  }
  ResetJob(job);
  MarkUsed(job->inline_args, Job::kInlineArgs);
  if (with_task) {
    if (!job->storage) [[unlikely]]
      job->storage = AllocateTask(job);
    starpu_task* const task = job->storage;
    MarkUsed(task, sizeof(*task));
    InitTask(task);
    job->task = task;
    task->starpu_private = job;
    task->destroy = 1;
  }
  return job;
}

Job* TryNewJob(bool with_task) {
  try {
    return NewJob(with_task);
  } catch (const std::bad_alloc&) {
    Warn("no memory for another task");
    return nullptr;
  }
}

bool LastingDependencies::TakeAll() {
  for (const Edge& edge : edges) {
    if (edge.ends == 0) return false;
  }
  for (Edge& edge : edges) --edge.ends;
  return true;
}

namespace {
// Removes the lasting dependencies of this job on both sides.
void ForgetLasting(Job* job) {
  const uint64_t key = job->lasting_key;
  const std::unique_ptr<LastingDependencies> own(job->lasting);
  {
    MutexLock guard(job->lock);
    job->lasting = nullptr;
    job->lasting_key = 0;
  }
  for (const LastingSuccessor& successor : own->successors) {
    MutexLock guard(successor.job->lock);
    if (successor.IsGone()) continue;
    std::erase_if(successor.job->lasting->edges,
                  [key](const auto& edge) { return edge.predecessor_key == key; });
  }
}
}  // namespace

void FreeJob(Job* job) {
  // See JobRef::HasEnded().
  job->id.store(0, std::memory_order_release);
  job->done.store(false, std::memory_order_release);
  job->successors.clear();
  if (job->lasting) ForgetLasting(job);
  job->task = nullptr;
  // (Only this is marked free: a JobRef may read the rest.)
  MarkFree(job->inline_args, Job::kInlineArgs);
  if (job->storage) MarkFree(job->storage, sizeof(*job->storage));
  JobCache& cache = ThisThread().jobs;
  job->next = cache.free;
  cache.free = job;
  if (++cache.count < 2 * kBatch) return;
  // Keep the most recently used half, which is still in the processor's cache.
  Job* last = job;
  for (uint32_t i = 1; i < kBatch; ++i) last = last->next;
  GiveBatch(last->next);
  last->next = nullptr;
  cache.count = kBatch;
}

void FlushThreadJobCache() {
  JobCache& cache = ThisThread().jobs;
  // Batches must be full for the counts to be right, so complete the last one with new jobs.
  if (!cache.free) return;
  while (cache.count % kBatch != 0) {
    Job* job = static_cast<Job*>(::operator new(sizeof(Job), std::align_val_t(alignof(Job))));
    new (job) Job;
    job->next = cache.free;
    cache.free = job;
    ++cache.count;
  }
  while (cache.count > 0) {
    Job* batch = cache.free;
    Job* last = batch;
    for (uint32_t i = 1; i < kBatch; ++i) last = last->next;
    cache.free = last->next;
    last->next = nullptr;
    cache.count -= kBatch;
    GiveBatch(batch);
  }
}

void LockJobPool() NO_THREAD_SAFETY_ANALYSIS { Shared().lock.lock(); }
void UnlockJobPool() NO_THREAD_SAFETY_ANALYSIS { Shared().lock.unlock(); }

uint32_t ChangeState(Job* job, JobState next) {
  uint32_t before = job->state.load();
  while (!job->state.compare_exchange_weak(before,
                                           static_cast<uint32_t>(next) | (before & kJobGivenUp))) {
  }
  if (before & kJobWaited) FutexWakeAll(job->state);
  return before & kJobFlags;
}

uint64_t EnsureId(Job* job) {
  uint64_t id = job->id.load(std::memory_order_relaxed);
  if (id) return id;
  id = Shared().next_id.fetch_add(1, std::memory_order_relaxed);
  job->id.store(id, std::memory_order_release);
  return id;
}

Job* TryJobOf(starpu_task* task) {
  Job* job = ExistingJob(task);
  if (!job) {
    job = TryNewJob(/*with_task=*/false);
    if (!job) return nullptr;
    job->task = task;
    task->starpu_private = job;
  }
  EnsureId(job);
  return job;
}

Job* JobOf(starpu_task* task) {
  Job* const job = TryJobOf(task);
  if (!job) Fatal("no memory to go on with");
  return job;
}

namespace {
// Forces a call of memset(): for a known size the compiler emits `rep stos`, which takes twice as
// long.
void Clear(char* bytes, size_t size) {
  asm("" : "+r"(size));
  std::memset(bytes, 0, size);
}
}  // namespace

void InitTask(starpu_task* task) {
  Clear(reinterpret_cast<char*>(task), sizeof(*task));
  task->where = -1;
  task->priority = STARPU_DEFAULT_PRIO;
  task->sequential_consistency = 1;
  task->detach = 1;
  task->predicted = NAN;
  task->predicted_transfer = NAN;
  task->predicted_start = NAN;
  task->magic = 42;
  task->sched_ctx = STARPU_NMAX_SCHED_CTXS;
}

void FreeTaskBelongings(starpu_task* task, const Job* job) {
  const auto release = [](bool owned, auto*& memory) {
    if (!owned) return;
    free(memory);
    memory = nullptr;
  };
  release(task->cl_arg_free, task->cl_arg);
  release(task->cl_ret_free, task->cl_ret);
  release(task->callback_arg_free, task->callback_arg);
  release(task->epilogue_callback_arg_free, task->epilogue_callback_arg);
  release(task->prologue_callback_arg_free, task->prologue_callback_arg);
  release(task->prologue_callback_pop_arg_free, task->prologue_callback_pop_arg);
  release(true, task->dyn_handles);
  release(true, task->dyn_interfaces);
  release(true, task->dyn_modes);
  release(job && job->owns_consistency, task->handles_sequential_consistency);
  release(true, task->profiling_info);
}

void LeaveTaskToProgram(starpu_task* task, Job* job) {
  FreeTaskBelongings(task, job);
  task->starpu_private = nullptr;
  if (!job) return;
  if (task->cl_arg == job->inline_args) task->cl_arg = nullptr;
  if (job->OwnsTask()) {
    MutexLock guard(job->lock);  // the watchdog may read it, see watchdog.cc
    job->storage = nullptr;
  }
  FreeJob(job);
}

void DestroyTask(starpu_task* task, Job* job) {
  FreeTaskBelongings(task, job);
  const bool own = job && job->OwnsTask();
  if (job) FreeJob(job);
  if (!own) free(task);
}

}  // namespace tasklens::runtime
