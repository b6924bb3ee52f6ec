// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/program_data.h"

#include <algorithm>
#include <cerrno>

#include "runtime/core/acquire.h"
#include "runtime/core/duplicates.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/partitions.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/data/lookup.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void CheckWhole(const Handle* handle, const char* function) {
  if (!handle) Fatal("%s(NULL)", function);
  if (!IsRegistered(handle)) {
    Fatal("%s(): handle %p was unregistered before", function, static_cast<const void*>(handle));
  }
  if (!handle->children.empty()) {
    Fatal("%s(): %s is partitioned: call starpu_data_unpartition() first", function,
          Describe(handle).c_str());
  }
}

Residency& TheResidency() { return Runtime::Instance()->residency(); }

void Invalidate(Handle* handle) {
  TheResidency().Invalidate(handle);
  ReleaseMemory(&TheResidency(), handle);
  handle->initialized = false;
}

Handle* NewProgramHandle(int home_node, const void* interface, starpu_data_interface_ops* ops) {
  Runtime* const runtime = Runtime::Instance();
  Handle* const handle =
      NewHandle(Runtime::ResidencyNow(), home_node, interface, ops, /*parent=*/nullptr);
  if (runtime)
    handle->sequential = runtime->settings.sequential_by_default.load(std::memory_order_relaxed);
  return handle;
}

bool IsDisk(unsigned node) {
  Runtime* runtime = Runtime::Instance();
  return runtime && runtime->disks().At(node);
}

}  // namespace

void RegisterData(Handle** registered, int home_node, void* interface,
                  starpu_data_interface_ops* ops) {
  if (home_node > STARPU_MAIN_RAM &&
      static_cast<unsigned>(home_node) >= starpu_memory_nodes_get_count()) {
    Fatal("starpu_data_register(): there is no memory node %d", home_node);
  }
  Handle* const handle = NewProgramHandle(home_node, interface, ops);
  *registered = handle;  // set first, as methods of the interface may read it
  if (ops->register_data_handle) {
    ops->register_data_handle(handle, home_node, interface);
    UpdateShape(handle);
  }
  EnterLookup(handle);
  trace::NewData(handle);
}

Handle* RegisterLike(const Handle* source) {
  Handle* handle = NewProgramHandle(-1, source->interface, source->ops);
  trace::NewData(handle);
  return handle;
}

void UnregisterData(Handle* handle, const char* function, bool keeps_value) {
  CheckWhole(handle, function);
  if (!IsLastOwner(handle)) return;
  GivenUp(handle);
  if (handle->plans_on != 0) SwitchPlans(handle, /*writes=*/true);
  if (ThisThread().current) {
    Fatal("%s() was called inside a task or callback: use starpu_data_unregister_submit()",
          function);
  }
  for (const auto& plan : handle->plans) {
    for (Handle* part : plan->parts) LetGoLater(part);
  }
  Job* job = AcquireBlocking(handle, AccessKind::kWrite);
  // Unordered jobs may not have run yet, and parts may not be freed yet.
  const int own = handle->sequential ? 0 : 1;
  if (handle->users.load(std::memory_order_acquire) != 1 + own) {
    ReleaseAcquired(job);
    WaitForOtherUsers(handle);
    job = AcquireBlocking(handle, AccessKind::kWrite);
  }
  if (keeps_value) {
    TheResidency().SendHome(handle);
    const unsigned home = handle->home_node > 0 ? static_cast<unsigned>(handle->home_node) : 0;
    Runtime::Instance()->WaitFor(TheResidency().ArrivalOf(handle, home));
    if (handle->home_node == STARPU_MAIN_RAM && handle->initialized)
      MakeOwnLayout(TheResidency(), /*converter=*/nullptr, handle, STARPU_MAIN_RAM);
  }
  ReleaseAcquired(job);
  LetGo(handle);
}

void UnregisterLater(Handle* handle, const char* function) {
  CheckWhole(handle, function);
  if (!IsLastOwner(handle)) return;
  GivenUp(handle);
  if (handle->plans_on != 0) SwitchPlans(handle, /*writes=*/true);
  LetGoLater(handle);
}

void InvalidateData(Handle* handle, const char* function) {
  CheckWhole(handle, function);
  Job* job = AcquireBlocking(handle, AccessKind::kWrite);
  Invalidate(handle);
  ReleaseAcquired(job);
}

void InvalidateLater(Handle* handle, const char* function) {
  CheckWhole(handle, function);
  SubmitControl(handle, AccessKind::kWrite, [](Handle* invalid, unsigned) { Invalidate(invalid); });
}

int CheckNode(starpu_data_handle_t handle, unsigned node) {
  return handle && node < starpu_memory_nodes_get_count() ? 0 : -EINVAL;
}

bool HasValueOn(starpu_data_handle_t handle, unsigned node) {
  if (node != STARPU_MAIN_RAM) return TheResidency().IsOn(handle, node);
  return handle->initialized && !handle->away;
}

bool IsAllocated(starpu_data_handle_t handle, unsigned node) {
  if (node == STARPU_MAIN_RAM) return handle->allocated.load();
  return IsDisk(node) ? TheResidency().IsOn(handle, node)
                      : TheResidency().HasMemoryOn(handle, node);
}

bool IsComing(Handle* handle, unsigned node) { return TheResidency().IsComing(handle, node); }

template <CopyReason kReason>
int Fetch(Handle* handle, unsigned node, bool wait) {
  if (const int error = CheckNode(handle, node)) return error;
  if (node == STARPU_MAIN_RAM && !Travels(handle)) return 0;
  if (wait && !ThisThread().current) {
    Job* job = AcquireBlocking(handle, AccessKind::kRead);
    TheResidency().Finish(handle);
    TheResidency().Prefetch(handle, node, kReason);
    TheResidency().Finish(handle);
    Runtime::Instance()->WaitFor(TheResidency().ArrivalOf(handle, node));
    ReleaseAcquired(job);
  } else {
    SubmitControl(
        handle, AccessKind::kRead,
        [](Handle* wanted, unsigned to) { TheResidency().Prefetch(wanted, to, kReason); }, node);
  }
  return 0;
}
template int Fetch<CopyReason::kFetch>(Handle* handle, unsigned node, bool wait);
template int Fetch<CopyReason::kPrefetch>(Handle* handle, unsigned node, bool wait);
template int Fetch<CopyReason::kIdleFetch>(Handle* handle, unsigned node, bool wait);

void WontUse(Handle* handle) {
  Record<EventKind::kDataWontUse>(handle, Runtime::Instance()->next_submit_order.load(),
                                  uint64_t{0});
  if (!Travels(handle)) return;
  SubmitControl(handle, AccessKind::kRead,
                [](Handle* unused, unsigned) { TheResidency().WontUse(unused); });
}

void TidyMemory(Runtime& runtime, unsigned node) {
  const auto percent = [](const char* variable) {
    return static_cast<size_t>(std::min(100, EnvironmentNumber(variable).value_or(0)));
  };
  const size_t least = percent("STARPU_MINIMUM_AVAILABLE_MEM");
  const size_t target = std::max(least, percent("STARPU_TARGET_AVAILABLE_MEM"));
  if (DeviceMemory* device = runtime.devices().At(node)) {
    const size_t limit = device->limit_bytes();
    if (device->available_bytes() < limit / 100 * least)
      TheResidency().ReclaimOnDevice(node, limit / 100 * target);
  } else if (node == STARPU_MAIN_RAM) {
    const size_t limit = runtime.memory.limit_bytes();
    if (runtime.memory.available_bytes() < limit / 100 * least)
      TheResidency().Reclaim(limit / 100 * target);
  }
}

void SubmitControl(Handle* handle, AccessKind kind, void (*action)(Handle*, unsigned),
                   unsigned argument) {
  AboutToUse(handle, kind);
  Job* job = NewJob(/*with_task=*/true);
  job->type = kTypeInternal;
  job->control = reinterpret_cast<void*>(action);
  job->task->workerid = argument;
  job->on_ready = [](Job* ready) {
    Handle* handle = ready->accesses[0].handle;
    auto* action = reinterpret_cast<void (*)(Handle*, unsigned)>(ready->control);
    action(handle, ready->task->workerid);
    EndControlJob(ready);
    LetGo(handle);
  };
  KeepAlive(handle);  // until the job drops its use, whatever the action does
  AddAccess(job, handle, kind, handle->sequential);
  SubmitInternal(job);
}

}  // namespace tasklens::runtime
