// SPDX-License-Identifier: Apache-2.0
// Filters that cut a vector, and the arithmetic that all filters share.
#include <starpu.h>

#include <cstdint>

#include "runtime/support/message.h"

using tasklens::runtime::Fatal;

namespace {

using Vector = starpu_vector_interface;

// Makes `child` the `count` elements of `father` from element `first` on.
void Cut(const Vector& father, Vector* child, unsigned first, unsigned count) {
  if (uint64_t{first} + count > father.nx) {
    Fatal("a vector filter wants elements %u to %u of %u", first, first + count, father.nx);
  }
  *child = father;
  const size_t bytes = first * father.elemsize;
  child->nx = count;
  child->allocsize = count * father.elemsize;
  child->slice_base = father.slice_base + first;
  if (father.dev_handle) {
    if (father.ptr) child->ptr = father.ptr + bytes;
    child->offset = father.offset + bytes;
  }
}

template <class Length>
void CutByList(void* father, void* child, const starpu_data_filter* filter, unsigned id) {
  const auto* lengths = static_cast<const Length*>(filter->filter_arg_ptr);
  unsigned first = 0;
  for (unsigned i = 0; i < id; ++i) first += static_cast<unsigned>(lengths[i]);
  Cut(*static_cast<Vector*>(father), static_cast<Vector*>(child), first,
      static_cast<unsigned>(lengths[id]));
}

// Makes `child` part `id` of `parts`, with `shadow` elements of its neighbours on each side.
void CutEvenly(void* father, void* child, unsigned shadow, unsigned id, unsigned parts) {
  const auto& vector = *static_cast<Vector*>(father);
  if (vector.nx < 2 * shadow)
    Fatal("a shadow of %u does not fit a vector of %u", shadow, vector.nx);
  unsigned count;
  size_t first;
  starpu_filter_nparts_compute_chunk_size_and_offset(vector.nx - 2 * shadow, parts, 1, id, 1,
                                                     &count, &first);
  Cut(vector, static_cast<Vector*>(child), static_cast<unsigned>(first), count + 2 * shadow);
}

}  // namespace

extern "C" {

void starpu_filter_nparts_compute_chunk_size_and_offset(unsigned n, unsigned parts, size_t elemsize,
                                                        unsigned id, unsigned ld, unsigned* size,
                                                        size_t* offset) {
  const unsigned rest = n % parts;  // the first `rest` parts have one more
  *size = n / parts + (id < rest ? 1 : 0);
  if (offset) *offset = (size_t{n / parts} * id + STARPU_MIN(rest, id)) * ld * elemsize;
}

void starpu_vector_filter_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                unsigned parts) {
  CutEvenly(father, child, 0, id, parts);
}
void starpu_vector_filter_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned parts) {
  const auto shadow = static_cast<unsigned>(reinterpret_cast<uintptr_t>(filter->filter_arg_ptr));
  CutEvenly(father, child, shadow, id, parts);
}

void starpu_vector_filter_list_long(void* father, void* child, starpu_data_filter* filter,
                                    unsigned id, unsigned) {
  CutByList<long>(father, child, filter, id);
}
void starpu_vector_filter_list(void* father, void* child, starpu_data_filter* filter, unsigned id,
                               unsigned) {
  CutByList<uint32_t>(father, child, filter, id);
}

void starpu_vector_filter_divide_in_2(void* father, void* child, starpu_data_filter* filter,
                                      unsigned id, unsigned) {
  const auto& vector = *static_cast<Vector*>(father);
  const unsigned first = filter->filter_arg;
  if (first > vector.nx) Fatal("a vector of %u cannot be divided at %u", vector.nx, first);
  Cut(vector, static_cast<Vector*>(child), id == 0 ? 0 : first,
      id == 0 ? first : vector.nx - first);
}

}  // extern "C"
