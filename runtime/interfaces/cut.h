// SPDX-License-Identifier: Apache-2.0
// Helpers of the filters of matrices and blocks.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>

#include "runtime/support/message.h"

namespace tasklens::runtime {

// Returns the shadow that the program set in the filter, in elements on each side.
inline unsigned Shadow(const starpu_data_filter* filter) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(filter->filter_arg_ptr));
}

// Makes `child` part `id` of `parts` of `father`, cut along the dimension `size`, whose elements
// are `distance` elements of the data apart. Ends the program with a message if the shadow is
// larger than the data.
template <class Interface>
Interface& Cut(void* father, void* child, uint32_t Interface::*size, unsigned distance,
               unsigned shadow, unsigned id, unsigned parts) {
  const auto& from = *static_cast<Interface*>(father);
  auto& part = *static_cast<Interface*>(child);
  if (from.*size < 2 * shadow) Fatal("a shadow of %u does not fit %u elements", shadow, from.*size);
  unsigned count;
  size_t bytes;
  starpu_filter_nparts_compute_chunk_size_and_offset(from.*size - 2 * shadow, parts, from.elemsize,
                                                     id, distance, &count, &bytes);
  part = from;
  part.*size = count + 2 * shadow;
  if (from.dev_handle) {
    if (from.ptr) part.ptr = from.ptr + bytes;
    part.offset = from.offset + bytes;
  }
  return part;
}

}  // namespace tasklens::runtime
