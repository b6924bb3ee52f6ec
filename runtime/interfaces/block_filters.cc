// SPDX-License-Identifier: Apache-2.0
// Filters that cut a block into blocks, or pick its planes as matrices.
#include <starpu.h>

#include <cstdint>

#include "runtime/interfaces/cut.h"
#include "runtime/support/message.h"

using tasklens::runtime::Cut;
using tasklens::runtime::Fatal;
using tasklens::runtime::Shadow;

namespace {

using Block = starpu_block_interface;

const Block& Of(void* father) { return *static_cast<Block*>(father); }

// Makes `child` plane `index` of the block. Planes are `distance` elements apart; a plane has
// `rows` rows that are `ld` elements apart.
void Pick(void* father, void* child, const starpu_data_filter* filter, unsigned id, uint32_t planes,
          uint32_t distance, uint32_t rows, uint32_t ld) {
  const Block& block = Of(father);
  const size_t index = reinterpret_cast<uintptr_t>(filter->filter_arg_ptr) + id;
  if (index >= planes) Fatal("a block of %u planes has no plane %zu", planes, index);
  const size_t bytes = index * distance * block.elemsize;
  *static_cast<starpu_matrix_interface*>(child) = {STARPU_MATRIX_INTERFACE_ID,
                                                   block.ptr ? block.ptr + bytes : 0,
                                                   block.dev_handle,
                                                   block.offset + bytes,
                                                   block.nx,
                                                   rows,
                                                   ld,
                                                   block.elemsize,
                                                   size_t{block.nx} * rows * block.elemsize};
}

}  // namespace

extern "C" {

void starpu_block_filter_block(void* father, void* child, starpu_data_filter*, unsigned id,
                               unsigned parts) {
  Cut(father, child, &Block::nx, 1, 0, id, parts);
}
void starpu_block_filter_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                      unsigned id, unsigned parts) {
  Cut(father, child, &Block::nx, 1, Shadow(filter), id, parts);
}
void starpu_block_filter_vertical_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                        unsigned parts) {
  Cut(father, child, &Block::ny, Of(father).ldy, 0, id, parts);
}
void starpu_block_filter_vertical_block_shadow(void* father, void* child,
                                               starpu_data_filter* filter, unsigned id,
                                               unsigned parts) {
  Cut(father, child, &Block::ny, Of(father).ldy, Shadow(filter), id, parts);
}
void starpu_block_filter_depth_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                     unsigned parts) {
  Cut(father, child, &Block::nz, Of(father).ldz, 0, id, parts);
}
void starpu_block_filter_depth_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                            unsigned id, unsigned parts) {
  Cut(father, child, &Block::nz, Of(father).ldz, Shadow(filter), id, parts);
}

void starpu_block_filter_pick_matrix_z(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  const Block& block = Of(father);
  Pick(father, child, filter, id, block.nz, block.ldz, block.ny, block.ldy);
}
void starpu_block_filter_pick_matrix_y(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  const Block& block = Of(father);
  Pick(father, child, filter, id, block.ny, block.ldy, block.nz, block.ldz);
}
starpu_data_interface_ops* starpu_block_filter_pick_matrix_child_ops(starpu_data_filter*,
                                                                     unsigned) {
  return &starpu_interface_matrix_ops;
}

}  // extern "C"
