// SPDX-License-Identifier: Apache-2.0
// block: nz planes of ny rows of nx objects; ldy and ldz objects from row to row, plane to plane.
#include <starpu.h>

#include <cstdio>

#include "runtime/interfaces/strided.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Block = starpu_block_interface;
using Ops = tasklens::runtime::StridedOps<Block>;

Block* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Block*>(InterfaceOf(handle, STARPU_BLOCK_INTERFACE_ID, function));
}
starpu_ssize_t DescribeBlock(void* interface, char* text, size_t room) {
  const auto* b = static_cast<Block*>(interface);
  return snprintf(text, room, "B%ux%ux%ux%zu", b->nx, b->ny, b->nz, b->elemsize);
}

}  // namespace

extern "C" {

constinit starpu_data_interface_ops starpu_interface_block_ops =
    Ops::Table(STARPU_BLOCK_INTERFACE_ID, "STARPU_BLOCK_INTERFACE", DescribeBlock);

void starpu_block_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                uint32_t ldy, uint32_t ldz, uint32_t nx, uint32_t ny, uint32_t nz,
                                size_t elemsize) {
  Block block = {STARPU_BLOCK_INTERFACE_ID, ptr, ptr, 0, nx, ny, nz, ldy, ldz, elemsize};
  starpu_data_register(handle, home_node, &block, &starpu_interface_block_ops);
}
void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                               uintptr_t dev_handle, size_t offset, uint32_t ldy, uint32_t ldz) {
  Block* block = Of(handle, "starpu_block_ptr_register");
  block->ptr = ptr;
  block->dev_handle = dev_handle;
  block->offset = offset;
  block->ldy = ldy;
  block->ldz = ldz;
  starpu_data_ptr_register(handle, node);
}
uint32_t starpu_block_get_nx(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_nx")->nx;
}
uint32_t starpu_block_get_ny(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_ny")->ny;
}
uint32_t starpu_block_get_nz(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_nz")->nz;
}
uint32_t starpu_block_get_local_ldy(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_local_ldy")->ldy;
}
uint32_t starpu_block_get_local_ldz(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_local_ldz")->ldz;
}
uintptr_t starpu_block_get_local_ptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_local_ptr")->ptr;
}
size_t starpu_block_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_block_get_elemsize")->elemsize;
}

}  // extern "C"
