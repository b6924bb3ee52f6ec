// SPDX-License-Identifier: Apache-2.0
// coo: a sparse matrix as a list of coordinates and values.
#include <starpu.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::AddressOf;
using tasklens::runtime::CopyArrays;
using tasklens::runtime::InterfaceOf;

namespace {

using Coo = starpu_coo_interface;

Coo* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Coo*>(InterfaceOf(handle, STARPU_COO_INTERFACE_ID, function));
}
size_t PlaceBytes(const Coo& coo) { return coo.n_values * sizeof(uint32_t); }
size_t ValueBytes(const Coo& coo) { return coo.n_values * coo.elemsize; }
size_t Bytes(const Coo& coo) { return 2 * PlaceBytes(coo) + ValueBytes(coo); }

int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Coo*>(source);
  const auto* to = static_cast<Coo*>(target);
  return CopyArrays({{AddressOf(from->columns), AddressOf(to->columns), PlaceBytes(*from)},
                     {AddressOf(from->rows), AddressOf(to->rows), PlaceBytes(*from)},
                     {from->values, to->values, ValueBytes(*from)}},
                    source_node, target_node, async);
}
const starpu_data_copy_methods kCopy = {.any_to_any = Copy};

void Free(void* interface, unsigned node) {
  auto* coo = static_cast<Coo*>(interface);
  starpu_free_on_node(node, reinterpret_cast<uintptr_t>(coo->columns), PlaceBytes(*coo));
  starpu_free_on_node(node, reinterpret_cast<uintptr_t>(coo->rows), PlaceBytes(*coo));
  starpu_free_on_node(node, coo->values, ValueBytes(*coo));
  coo->columns = coo->rows = nullptr;
  coo->values = 0;
}
starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* coo = static_cast<Coo*>(interface);
  coo->columns = reinterpret_cast<uint32_t*>(starpu_malloc_on_node(node, PlaceBytes(*coo)));
  coo->rows = reinterpret_cast<uint32_t*>(starpu_malloc_on_node(node, PlaceBytes(*coo)));
  coo->values = starpu_malloc_on_node(node, ValueBytes(*coo));
  if (coo->columns && coo->rows && coo->values) return static_cast<starpu_ssize_t>(Bytes(*coo));
  Free(interface, node);
  return -ENOMEM;
}
void* ToPointer(void* interface, unsigned) {
  return reinterpret_cast<void*>(static_cast<Coo*>(interface)->values);
}
size_t Size(starpu_data_handle_t handle) { return Bytes(*Of(handle, "size")); }
uint32_t Footprint(starpu_data_handle_t handle) {
  const Coo* coo = Of(handle, "footprint");
  return tasklens::runtime::Crc32c(coo->nx * coo->ny, 0);
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Coo*>(a), *right = static_cast<Coo*>(b);
  return left->nx == right->nx && left->ny == right->ny && left->n_values == right->n_values &&
         left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeCoo(void* interface, char* text, size_t room) {
  const auto* coo = static_cast<Coo*>(interface);
  return snprintf(text, room, "COO%ux%ux%ux%zu", coo->nx, coo->ny, coo->n_values, coo->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const Coo* coo = Of(handle, "starpu_data_pack");
  *count = static_cast<starpu_ssize_t>(Bytes(*coo));
  if (!pointer) return 0;
  auto* target = reinterpret_cast<char*>(starpu_malloc_on_node(STARPU_MAIN_RAM, Bytes(*coo)));
  if (!target) return -ENOMEM;
  *pointer = target;
  memcpy(target, coo->columns, PlaceBytes(*coo));
  memcpy(target + PlaceBytes(*coo), coo->rows, PlaceBytes(*coo));
  memcpy(target + 2 * PlaceBytes(*coo), reinterpret_cast<void*>(coo->values), ValueBytes(*coo));
  return 0;
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Coo* coo = Of(handle, "starpu_data_peek");
  if (count != Bytes(*coo)) return -EINVAL;
  const auto* source = static_cast<const char*>(pointer);
  memcpy(coo->columns, source, PlaceBytes(*coo));
  memcpy(coo->rows, source + PlaceBytes(*coo), PlaceBytes(*coo));
  memcpy(reinterpret_cast<void*>(coo->values), source + 2 * PlaceBytes(*coo), ValueBytes(*coo));
  return 0;
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_coo_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeCoo,
    .interfaceid = STARPU_COO_INTERFACE_ID,
    .interface_size = sizeof(Coo),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_COO_INTERFACE",
};

void starpu_coo_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nx, uint32_t ny,
                              uint32_t n_values, uint32_t* columns, uint32_t* rows,
                              uintptr_t values, size_t elemsize) {
  Coo coo = {STARPU_COO_INTERFACE_ID, columns, rows, values, nx, ny, n_values, elemsize};
  starpu_data_register(handle, home_node, &coo, &starpu_interface_coo_ops);
}

}  // extern "C"
