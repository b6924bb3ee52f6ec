// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/lifetime.h"

#include "runtime/core/acquire.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/conversion.h"
#include "runtime/data/lookup.h"

namespace tasklens::runtime {
namespace {

void Forget(Handle* handle) {
  GivenUp(handle);
  Record<EventKind::kDataDelete>(handle);
  Residency& residency = Runtime::Instance()->residency();
  // From here on no other thread finds the handle to evict its copies.
  residency.FreeCopies(handle);
  LeaveLookup(handle);
  Handle* const whole = handle->parent;
  const bool is_pinned = handle->pins_parent;
  if (!whole && handle->ops->unregister_data_handle) {
    // The method frees the device layout that was copied into the main memory.
    if (IsMultiformat(handle) && handle->home_node == STARPU_MAIN_RAM) residency.Settle(handle);
    handle->ops->unregister_data_handle(handle);
  }
  DeleteHandle(&residency, handle);
  if (!whole) return;
  if (is_pinned) residency.Unpin(whole);
  LetGo(whole);
}

}  // namespace

void LetGo(Handle* handle) {
  if (handle->users.fetch_sub(1, std::memory_order_acq_rel) == 1) Forget(handle);
}

void LetGoLater(Handle* handle) {
  for (const auto& plan : handle->plans) {
    for (Handle* part : plan->parts) LetGoLater(part);
  }
  SubmitControl(handle, AccessKind::kWrite, [](Handle* left, unsigned) { LetGo(left); });
}

void WaitForOtherUsers(const Handle* handle, int more) {
  if (handle->users.load(std::memory_order_acquire) == 1 + more) return;
  Runtime::Instance()->DoSchedule();
  while (handle->users.load(std::memory_order_acquire) != 1 + more) LetOthersRun();
}

}  // namespace tasklens::runtime
