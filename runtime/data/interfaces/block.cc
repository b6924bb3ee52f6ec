// SPDX-License-Identifier: Apache-2.0
// block: nz planes of ny rows of nx objects; ldy and ldz objects from row to row, plane to plane.
#include <starpu.h>

#include <cerrno>
#include <cstdio>

#include "runtime/data/interfaces/common.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Block = starpu_block_interface;

Block* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Block*>(InterfaceOf(handle, STARPU_BLOCK_INTERFACE_ID, function));
}
size_t Bytes(const Block& b) { return size_t{b.nx} * b.ny * b.nz * b.elemsize; }

int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Block*>(source);
  auto* to = static_cast<Block*>(target);
  const size_t size = from->elemsize;
  return starpu_interface_copy3d(from->dev_handle, from->offset, source_node, to->dev_handle,
                                 to->offset, target_node, from->nx * size, from->ny,
                                 from->ldy * size, to->ldy * size, from->nz, from->ldz * size,
                                 to->ldz * size, async);
}
const starpu_data_copy_methods kCopy = {
    .can_copy = nullptr, .ram_to_ram = nullptr, .any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* block = static_cast<Block*>(interface);
  block->ldy = block->nx;
  block->ldz = block->nx * block->ny;
  return tasklens::runtime::AllocateFor(block, node, Bytes(*block));
}
void Free(void* interface, unsigned node) {
  auto* block = static_cast<Block*>(interface);
  starpu_free_on_node(node, block->dev_handle, Bytes(*block));
  block->ptr = block->dev_handle = 0;
}
void* ToPointer(void* interface, unsigned) {
  return reinterpret_cast<void*>(static_cast<Block*>(interface)->ptr);
}
int IsInside(void* interface, unsigned, void* pointer) {
  const auto* b = static_cast<Block*>(interface);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (b->ny == 0 || b->nz == 0) return 0;
  const size_t span =
      ((size_t{b->nz} - 1) * b->ldz + (size_t{b->ny} - 1) * b->ldy + b->nx) * b->elemsize;
  return address >= b->ptr && address < b->ptr + span;
}
size_t Size(starpu_data_handle_t handle) { return Bytes(*Of(handle, "size")); }
uint32_t Footprint(starpu_data_handle_t handle) {
  const Block* block = Of(handle, "footprint");
  uint32_t hash = starpu_hash_crc32c_be(block->nx, 0);
  hash = starpu_hash_crc32c_be(block->ny, hash);
  return starpu_hash_crc32c_be(block->nz, hash);
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Block*>(a), *right = static_cast<Block*>(b);
  return left->nx == right->nx && left->ny == right->ny && left->nz == right->nz &&
         left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeBlock(void* interface, char* text, size_t room) {
  const auto* b = static_cast<Block*>(interface);
  return snprintf(text, room, "B%ux%ux%ux%zu", b->nx, b->ny, b->nz, b->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const Block* b = Of(handle, "starpu_data_pack");
  return tasklens::runtime::PackRows(reinterpret_cast<char*>(b->ptr), b->nx * b->elemsize, b->ny,
                                     b->ldy * b->elemsize, b->nz, b->ldz * b->elemsize, pointer,
                                     count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Block* b = Of(handle, "starpu_data_peek");
  return tasklens::runtime::PeekRows(reinterpret_cast<char*>(b->ptr), b->nx * b->elemsize, b->ny,
                                     b->ldy * b->elemsize, b->nz, b->ldz * b->elemsize, pointer,
                                     count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_block_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .pointer_is_inside = IsInside,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeBlock,
    .interfaceid = STARPU_BLOCK_INTERFACE_ID,
    .interface_size = sizeof(Block),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_BLOCK_INTERFACE",
};

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
