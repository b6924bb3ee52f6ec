// SPDX-License-Identifier: Apache-2.0
// Registers and finds handles, and ends scopes.
#include "runtime/openmp/handles.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/runtime.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/openmp/state.h"
#include "runtime/openmp/waiter.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::openmp {
namespace {

struct Homecoming {
  starpu_data_handle_t handle;
  Waiter waiter;
};

// Brings the handle's value home; a task is paused while it waits.
void BringHome(starpu_data_handle_t handle) {
  Homecoming homecoming{handle, Waiter()};
  starpu_data_acquire_cb(
      handle, STARPU_R,
      [](void* argument) {
        auto* const there = static_cast<Homecoming*>(argument);
        starpu_data_release(there->handle);
        there->waiter.Wake();
      },
      &homecoming);
  homecoming.waiter.Wait();
}

}  // namespace

void HandleScope::Add(const void* address, starpu_data_handle_t handle) {
  handle->openmp_serial = State::Get("starpu_omp_handle_register").NextHandleSerial();
  entries_.push_back({address, handle, handle->openmp_serial});
}

bool HandleScope::Remove(starpu_data_handle_t handle) {
  const auto entry = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [&](const Entry& each) { return each.handle == handle; });
  if (entry == entries_.rend()) return false;
  entries_.erase(std::next(entry).base());
  return true;
}

starpu_data_handle_t HandleScope::Find(const void* address) const {
  const auto entry = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [&](const Entry& each) { return each.address == address; });
  return entry == entries_.rend() ? nullptr : entry->handle;
}

void HandleScope::End() {
  for (; !entries_.empty(); entries_.pop_back()) {
    const Entry& entry = entries_.back();
    if (!IsRegistered(entry.handle) || entry.handle->openmp_serial != entry.serial) continue;
    if (!ThisThread().current) {
      starpu_data_unregister(entry.handle);
      continue;
    }
    // (Data without a home node lie in the runtime's own memory and need not be copied back.)
    if (entry.handle->home_node == STARPU_MAIN_RAM && entry.handle->initialized)
      BringHome(entry.handle);
    starpu_data_unregister_submit(entry.handle);
  }
}

}  // namespace tasklens::runtime::openmp

using namespace tasklens::runtime;          // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime::openmp;  // NOLINT

namespace {

// Calls use(scope) with the scope of the calling task: an explicit task's own scope, or that of the
// region, which its threads share.
template <class Use>
auto WithScope(const char* function, Use&& use) {
  Task& task = State::Get(function).Current();
  if (task.kind == Task::Kind::kExplicit || task.kind == Task::Kind::kIncluded)
    return use(task.handles);
  MutexLock guard(task.region->lock);
  return use(task.region->handles);
}

}  // namespace

extern "C" {

void starpu_omp_handle_register(starpu_data_handle_t handle) {
  if (!handle || !IsRegistered(handle))
    Fatal("starpu_omp_handle_register(): %p is no registered handle", static_cast<void*>(handle));
  const void* const address = starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
  if (!address) return;  // not allocated yet, so it has no address to be found by
  WithScope(__func__, [&](HandleScope& scope) { scope.Add(address, handle); });
}

void starpu_omp_handle_unregister(starpu_data_handle_t handle) {
  if (!WithScope(__func__, [&](HandleScope& scope) { return scope.Remove(handle); })) {
    Warn("starpu_omp_handle_unregister(): this task or region has not registered the handle");
  }
}

starpu_data_handle_t starpu_omp_data_lookup(const void* address) {
  return WithScope(__func__, [&](const HandleScope& scope) { return scope.Find(address); });
}

void starpu_omp_vector_annotate(starpu_data_handle_t handle, uint32_t slice_base) {
  if (starpu_data_get_interface_id(handle) != STARPU_VECTOR_INTERFACE_ID)
    Fatal("starpu_omp_vector_annotate(): %s is no vector", Describe(handle).c_str());
  const unsigned nodes = Runtime::Get(__func__).memory_nodes();
  for (unsigned node = 0; node < nodes; ++node) {
    static_cast<starpu_vector_interface*>(starpu_data_get_interface_on_node(handle, node))
        ->slice_base = slice_base;
  }
}

}  // extern "C"
