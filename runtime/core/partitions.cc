// SPDX-License-Identifier: Apache-2.0
// starpu_data_partition() and starpu_data_unpartition(): parts are made and freed while the data
// are not in use.
#include "runtime/core/partitions.h"

#include "runtime/core/acquire.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/runtime.h"
#include "runtime/data/handle.h"
#include "runtime/data/lookup.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void CheckOutside(const char* function) {
  Runtime::Get(function);
  if (ThisThread().current) Fatal("%s() was called inside a task or callback", function);
}

}  // namespace

void Partition(Handle* handle, starpu_data_filter* filter) {
  CheckOutside("starpu_data_partition");
  if (!handle->children.empty()) {
    Fatal("starpu_data_partition(): %s is partitioned already", Describe(handle).c_str());
  }
  Job* job = AcquireBlocking(handle, AccessKind::kWrite);
  handle->children = MakeParts(Runtime::ResidencyNow(), handle, filter);
  for (Handle* part : handle->children) EnterLookup(part);
  ReleaseAcquired(job);
}

void Unpartition(Handle* handle) {
  CheckOutside("starpu_data_unpartition");
  if (handle->children.empty()) {
    Fatal("starpu_data_unpartition(): %s is not partitioned", Describe(handle).c_str());
  }
  bool initialized = false;  // true if any part has a value: others may have been invalidated
  for (Handle* part : handle->children) {
    if (!part->children.empty()) Unpartition(part);
    ReleaseAcquired(AcquireBlocking(part, AccessKind::kWrite));
    WaitForOtherUsers(part);
    initialized = initialized || part->initialized;
    Runtime::Instance()->residency().Gather(part, /*writes=*/true);
    handle->arrives = Runtime::Instance()->Both(handle->arrives, part->arrives);
    LetGo(part);
  }
  handle->children.clear();
  handle->initialized = initialized;
}

void MapFilter(Handle* handle, starpu_data_filter* filter) {
  if (handle->children.empty()) return Partition(handle, filter);
  for (Handle* part : handle->children) MapFilter(part, filter);
}

}  // namespace tasklens::runtime
