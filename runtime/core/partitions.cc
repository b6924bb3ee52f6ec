// SPDX-License-Identifier: Apache-2.0
// starpu_data_partition() and starpu_data_unpartition(): parts made and freed while nobody uses the
// data.
#include "runtime/core/partitions.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "runtime/core/acquire.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/data/lookup.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

std::vector<Handle*> MakeParts(Handle* handle, starpu_data_filter* filter) {
  const unsigned count =
      filter->get_nchildren ? filter->get_nchildren(filter, handle) : filter->nchildren;
  if (count == 0) Fatal("%s cannot be cut into 0 parts", Describe(handle).c_str());
  // starpu_data_get_nb_children() answers with an int. A program that keeps -1 for "not yet known"
  // gets here, as nchildren is unsigned.
  if (count > INT_MAX) {
    Fatal("%s cannot be cut into %u parts: at most %d are possible; was nchildren below 0?",
          Describe(handle).c_str(), count, INT_MAX);
  }
  if (!filter->filter_func) Fatal("a data filter has no filter_func");
  // The parts lie in its memory, so that it stays where it is until they are gone.
  const bool pins = Travels(handle);
  for (unsigned i = 0; pins && i < count; ++i)
    Runtime::Instance()->residency().Pin({handle, handle->initialized, /*writes=*/true});
  if (!handle->allocated) EnsureAllocated(handle);
  std::vector<Handle*> parts;
  parts.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    starpu_data_interface_ops* ops =
        filter->get_child_ops ? filter->get_child_ops(filter, i) : handle->ops;
    std::vector<char> interface(ops->interface_size ? ops->interface_size : 1);
    filter->filter_func(handle->interface, interface.data(), filter, i, count);
    Handle* part = NewHandle(STARPU_MAIN_RAM, interface.data(), ops, handle);
    KeepAlive(handle);
    part->pins_parent = pins;
    part->initialized = handle->initialized.load();
    part->index_in_parent = i;
    part->sequential = handle->sequential;
    part->is_computed = handle->is_computed;
    part->written_through = handle->written_through;
    part->arrives = handle->arrives.load();
    if (ops == handle->ops) {
      starpu_data_set_reduction_methods_with_args(part, handle->redux_codelet,
                                                  handle->redux_argument, handle->init_codelet,
                                                  handle->init_argument);
    }
    trace::NewData(part);
    parts.push_back(part);
  }
  return parts;
}

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
  handle->children = MakeParts(handle, filter);
  for (Handle* part : handle->children) EnterLookup(part);
  ReleaseAcquired(job);
}

void Unpartition(Handle* handle) {
  CheckOutside("starpu_data_unpartition");
  if (handle->children.empty()) {
    Fatal("starpu_data_unpartition(): %s is not partitioned", Describe(handle).c_str());
  }
  bool initialized = false;  // a part whose value was given up leaves the others'
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

Handle* Child(Handle* handle, unsigned i) {
  if (i < handle->children.size()) return handle->children[i];
  if (handle->children.empty()) {
    Fatal("%s is not partitioned: it has no part %u", Describe(handle).c_str(), i);
  }
  Fatal("%s has %zu parts: there is no part %u", Describe(handle).c_str(), handle->children.size(),
        i);
}

void MapFilter(Handle* handle, starpu_data_filter* filter) {
  if (handle->children.empty()) return Partition(handle, filter);
  for (Handle* part : handle->children) MapFilter(part, filter);
}

}  // namespace tasklens::runtime
