// SPDX-License-Identifier: Apache-2.0
// Filters that cut a matrix.
#include <starpu.h>

#include <cstdint>

#include "runtime/interfaces/cut.h"
#include "runtime/support/message.h"

using tasklens::runtime::Fatal;
using tasklens::runtime::Shadow;

namespace {

using Matrix = starpu_matrix_interface;

// Makes `child` part `id` along one dimension. `allocsize` is the size of the part's own content.
void Cut(void* father, void* child, uint32_t Matrix::*size, unsigned distance, unsigned shadow,
         unsigned id, unsigned parts) {
  Matrix& part = tasklens::runtime::Cut(father, child, size, distance, shadow, id, parts);
  part.allocsize = size_t{part.nx} * part.ny * part.elemsize;
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
