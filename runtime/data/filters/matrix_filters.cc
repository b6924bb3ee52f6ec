// SPDX-License-Identifier: Apache-2.0
// Ways to cut a matrix.
#include <starpu.h>

#include <cstdint>

#include "runtime/core/message.h"

using tasklens::runtime::Fatal;

namespace {

using Matrix = starpu_matrix_interface;

// The field of the size that is cut, the distance between its elements, and the shadow around.
void Cut(void* father, void* child, uint32_t Matrix::*size, unsigned distance, unsigned shadow,
         unsigned id, unsigned parts) {
  const auto& from = *static_cast<Matrix*>(father);
  auto* part = static_cast<Matrix*>(child);
  if (from.*size < 2 * shadow) Fatal("a shadow of %u does not fit %u elements", shadow, from.*size);
  unsigned count;
  size_t bytes;
  starpu_filter_nparts_compute_chunk_size_and_offset(from.*size - 2 * shadow, parts, from.elemsize,
                                                     id, distance, &count, &bytes);
  *part = from;
  part->*size = count + 2 * shadow;
  part->allocsize = size_t{part->nx} * part->ny * part->elemsize;
  if (from.dev_handle) {
    if (from.ptr) part->ptr = from.ptr + bytes;
    part->offset = from.offset + bytes;
  }
}

unsigned Shadow(const starpu_data_filter* filter) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(filter->filter_arg_ptr));
}
unsigned Ld(void* father) { return static_cast<Matrix*>(father)->ld; }

}  // namespace

extern "C" {

void starpu_matrix_filter_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                unsigned parts) {
  Cut(father, child, &Matrix::nx, 1, 0, id, parts);
}
void starpu_matrix_filter_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned parts) {
  Cut(father, child, &Matrix::nx, 1, Shadow(filter), id, parts);
}
void starpu_matrix_filter_vertical_block(void* father, void* child, starpu_data_filter*,
                                         unsigned id, unsigned parts) {
  Cut(father, child, &Matrix::ny, Ld(father), 0, id, parts);
}
void starpu_matrix_filter_vertical_block_shadow(void* father, void* child,
                                                starpu_data_filter* filter, unsigned id,
                                                unsigned parts) {
  Cut(father, child, &Matrix::ny, Ld(father), Shadow(filter), id, parts);
}

void starpu_matrix_filter_pick_vector_y(void* father, void* child, starpu_data_filter* filter,
                                        unsigned id, unsigned) {
  const auto& matrix = *static_cast<Matrix*>(father);
  const size_t row = reinterpret_cast<uintptr_t>(filter->filter_arg_ptr) + id;
  if (row >= matrix.ny) Fatal("a matrix of %u rows has no row %zu", matrix.ny, row);
  const size_t bytes = row * matrix.ld * matrix.elemsize;
  *static_cast<starpu_vector_interface*>(child) = {STARPU_VECTOR_INTERFACE_ID,
                                                   matrix.ptr ? matrix.ptr + bytes : 0,
                                                   matrix.dev_handle,
                                                   matrix.offset + bytes,
                                                   matrix.nx,
                                                   matrix.elemsize,
                                                   0,
                                                   matrix.nx * matrix.elemsize};
}
starpu_data_interface_ops* starpu_matrix_filter_pick_vector_child_ops(starpu_data_filter*,
                                                                      unsigned) {
  return &starpu_interface_vector_ops;
}

}  // extern "C"
