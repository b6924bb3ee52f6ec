// SPDX-License-Identifier: Apache-2.0
// tensor: nt blocks of nz planes of ny rows of nx objects.
#include <starpu.h>

#include <cerrno>
#include <cstdio>

#include "runtime/data/interfaces/common.h"
#include "runtime/data/interfaces/strided.h"

using tasklens::runtime::InterfaceOf;
using tasklens::runtime::Strided;
using tasklens::runtime::StridedOf;

namespace {

using Tensor = starpu_tensor_interface;

Tensor* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Tensor*>(InterfaceOf(handle, STARPU_TENSOR_INTERFACE_ID, function));
}
Strided ArrayOf(void* interface) { return StridedOf(*static_cast<Tensor*>(interface)); }

int Copy(void* source, unsigned, void* target, unsigned, void*) {
  tasklens::runtime::CopyStrided(ArrayOf(source), ArrayOf(target));
  return 0;
}
const starpu_data_copy_methods kCopy = {.any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* tensor = static_cast<Tensor*>(interface);
  Strided array = ArrayOf(interface);
  tasklens::runtime::MakeDense(array);
  tensor->ldy = array.ld[1];
  tensor->ldz = array.ld[2];
  tensor->ldt = array.ld[3];
  return tasklens::runtime::AllocateFor(tensor, node, array.Bytes());
}
void Free(void* interface, unsigned node) {
  auto* tensor = static_cast<Tensor*>(interface);
  starpu_free_on_node(node, tensor->dev_handle, ArrayOf(interface).Bytes());
  tensor->ptr = tensor->dev_handle = 0;
}
void* ToPointer(void* interface, unsigned) {
  return reinterpret_cast<void*>(static_cast<Tensor*>(interface)->ptr);
}
int IsInside(void* interface, unsigned, void* pointer) {
  const Strided array = ArrayOf(interface);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  return address >= array.ptr && address < array.ptr + array.SpanBytes();
}
size_t Size(starpu_data_handle_t handle) { return StridedOf(*Of(handle, "size")).Bytes(); }
uint32_t Footprint(starpu_data_handle_t handle) {
  const Strided array = StridedOf(*Of(handle, "footprint"));
  uint32_t hash = 0;
  for (size_t d = 0; d < array.dims; ++d) hash = starpu_hash_crc32c_be(array.n[d], hash);
  return hash;
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Tensor*>(a), *right = static_cast<Tensor*>(b);
  return left->nx == right->nx && left->ny == right->ny && left->nz == right->nz &&
         left->nt == right->nt && left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeTensor(void* interface, char* text, size_t room) {
  const auto* t = static_cast<Tensor*>(interface);
  return snprintf(text, room, "T%ux%ux%ux%ux%zu", t->nx, t->ny, t->nz, t->nt, t->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  return tasklens::runtime::PackStrided(StridedOf(*Of(handle, "starpu_data_pack")), pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  return tasklens::runtime::PeekStrided(StridedOf(*Of(handle, "starpu_data_peek")), pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_tensor_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .pointer_is_inside = IsInside,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeTensor,
    .interfaceid = STARPU_TENSOR_INTERFACE_ID,
    .interface_size = sizeof(Tensor),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_TENSOR_INTERFACE",
};

void starpu_tensor_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                 uint32_t ldy, uint32_t ldz, uint32_t ldt, uint32_t nx, uint32_t ny,
                                 uint32_t nz, uint32_t nt, size_t elemsize) {
  Tensor tensor = {
      STARPU_TENSOR_INTERFACE_ID, ptr, ptr, 0, nx, ny, nz, nt, ldy, ldz, ldt, elemsize};
  starpu_data_register(handle, home_node, &tensor, &starpu_interface_tensor_ops);
}
void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                uintptr_t dev_handle, size_t offset, uint32_t ldy, uint32_t ldz,
                                uint32_t ldt) {
  Tensor* tensor = Of(handle, "starpu_tensor_ptr_register");
  tensor->ptr = ptr;
  tensor->dev_handle = dev_handle;
  tensor->offset = offset;
  tensor->ldy = ldy;
  tensor->ldz = ldz;
  tensor->ldt = ldt;
  starpu_data_ptr_register(handle, node);
}
uint32_t starpu_tensor_get_nx(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_nx")->nx;
}
uint32_t starpu_tensor_get_ny(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_ny")->ny;
}
uint32_t starpu_tensor_get_nz(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_nz")->nz;
}
uint32_t starpu_tensor_get_nt(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_nt")->nt;
}
uint32_t starpu_tensor_get_local_ldy(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_local_ldy")->ldy;
}
uint32_t starpu_tensor_get_local_ldz(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_local_ldz")->ldz;
}
uint32_t starpu_tensor_get_local_ldt(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_local_ldt")->ldt;
}
uintptr_t starpu_tensor_get_local_ptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_local_ptr")->ptr;
}
size_t starpu_tensor_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_tensor_get_elemsize")->elemsize;
}

}  // extern "C"
