// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/parts.h"

#include <climits>

#include "runtime/data/contributions.h"
#include "runtime/data/handle.h"
#include "runtime/data/records.h"
#include "runtime/data/residency.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

std::vector<Handle*> MakeParts(Residency* residency, Handle* handle, starpu_data_filter* filter) {
  const unsigned count =
      filter->get_nchildren ? filter->get_nchildren(filter, handle) : filter->nchildren;
  if (count == 0) Fatal("%s cannot be cut into 0 parts", Describe(handle).c_str());
  // starpu_data_get_nb_children() returns an int. A program that keeps -1 for "not yet known" gets
  // here, as nchildren is unsigned.
  if (count > INT_MAX) {
    Fatal("%s cannot be cut into %u parts: at most %d are possible; was nchildren below 0?",
          Describe(handle).c_str(), count, INT_MAX);
  }
  if (!filter->filter_func) Fatal("a data filter has no filter_func");
  // The parts lie in the whole's memory, so it stays pinned until they are gone.
  const bool pins = Travels(handle);
  for (unsigned i = 0; pins && i < count; ++i)
    residency->Pin({handle, handle->initialized, /*writes=*/true});
  if (!handle->allocated) EnsureAllocated(*residency, handle);
  std::vector<Handle*> parts;
  parts.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    starpu_data_interface_ops* ops =
        filter->get_child_ops ? filter->get_child_ops(filter, i) : handle->ops;
    std::vector<char> interface(ops->interface_size ? ops->interface_size : 1);
    filter->filter_func(handle->interface, interface.data(), filter, i, count);
    Handle* part = NewHandle(residency, STARPU_MAIN_RAM, interface.data(), ops, handle);
    KeepAlive(handle);
    part->pins_parent = pins;
    part->initialized = handle->initialized.load();
    part->index_in_parent = i;
    part->sequential = handle->sequential;
    part->is_computed = handle->is_computed;
    part->written_through = handle->written_through;
    part->arrives = handle->arrives.load();
    if (ops == handle->ops) {
      SetReduction(part, {handle->redux_codelet, handle->redux_argument, handle->init_codelet,
                          handle->init_argument});
    }
    trace::NewData(part);
    parts.push_back(part);
  }
  return parts;
}

Handle* Child(Handle* handle, unsigned i) {
  if (i < handle->children.size()) return handle->children[i];
  if (handle->children.empty()) {
    Fatal("%s is not partitioned: it has no part %u", Describe(handle).c_str(), i);
  }
  Fatal("%s has %zu parts: there is no part %u", Describe(handle).c_str(), handle->children.size(),
        i);
}

}  // namespace tasklens::runtime
