// SPDX-License-Identifier: Apache-2.0
// vector: nx objects in a row.
#include <starpu.h>

#include <cerrno>
#include <cstdio>

#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Vector = starpu_vector_interface;

Vector* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Vector*>(InterfaceOf(handle, STARPU_VECTOR_INTERFACE_ID, function));
}
size_t Bytes(const Vector& vector) { return vector.nx * vector.elemsize; }

int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Vector*>(source);
  auto* to = static_cast<Vector*>(target);
  return starpu_interface_copy(from->dev_handle, from->offset, source_node, to->dev_handle,
                               to->offset, target_node, Bytes(*from), async);
}
const starpu_data_copy_methods kCopy = {
    .can_copy = nullptr, .ram_to_ram = nullptr, .any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* vector = static_cast<Vector*>(interface);
  return tasklens::runtime::AllocateFor(vector, node, vector->allocsize);
}
void Free(void* interface, unsigned node) {
  auto* vector = static_cast<Vector*>(interface);
  starpu_free_on_node(node, vector->dev_handle, vector->allocsize);
  vector->ptr = vector->dev_handle = 0;
}
void* ToPointer(void* interface, unsigned) {
  return reinterpret_cast<void*>(static_cast<Vector*>(interface)->ptr);
}
int IsInside(void* interface, unsigned, void* pointer) {
  const auto* vector = static_cast<Vector*>(interface);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  return address >= vector->ptr && address < vector->ptr + Bytes(*vector);
}
size_t Size(starpu_data_handle_t handle) { return Bytes(*Of(handle, "size")); }
size_t AllocSize(starpu_data_handle_t handle) { return Of(handle, "size")->allocsize; }
uint32_t Footprint(starpu_data_handle_t handle) {
  return tasklens::runtime::Crc32c(Of(handle, "footprint")->nx, 0);
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Vector*>(a), *right = static_cast<Vector*>(b);
  return left->nx == right->nx && left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeVector(void* interface, char* text, size_t room) {
  const auto* vector = static_cast<Vector*>(interface);
  return snprintf(text, room, "V%ux%zu", vector->nx, vector->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const Vector* vector = Of(handle, "starpu_data_pack");
  return tasklens::runtime::PackRows(reinterpret_cast<char*>(vector->ptr), Bytes(*vector), 1, 0, 1,
                                     0, pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Vector* vector = Of(handle, "starpu_data_peek");
  return tasklens::runtime::PeekRows(reinterpret_cast<char*>(vector->ptr), Bytes(*vector), 1, 0, 1,
                                     0, pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_vector_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .pointer_is_inside = IsInside,
    .get_size = Size,
    .get_alloc_size = AllocSize,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeVector,
    .interfaceid = STARPU_VECTOR_INTERFACE_ID,
    .interface_size = sizeof(Vector),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_VECTOR_INTERFACE",
};

void starpu_vector_data_register_allocsize(starpu_data_handle_t* handle, int home_node,
                                           uintptr_t ptr, uint32_t nx, size_t elemsize,
                                           size_t allocsize) {
  Vector vector = {STARPU_VECTOR_INTERFACE_ID, ptr, ptr, 0, nx, elemsize, 0, allocsize};
  starpu_data_register(handle, home_node, &vector, &starpu_interface_vector_ops);
}
void starpu_vector_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                 uint32_t nx, size_t elemsize) {
  starpu_vector_data_register_allocsize(handle, home_node, ptr, nx, elemsize, nx * elemsize);
}
void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                uintptr_t dev_handle, size_t offset) {
  Vector* vector = Of(handle, "starpu_vector_ptr_register");
  vector->ptr = ptr;
  vector->dev_handle = dev_handle;
  vector->offset = offset;
  starpu_data_ptr_register(handle, node);
}
uint32_t starpu_vector_get_nx(starpu_data_handle_t handle) {
  return Of(handle, "starpu_vector_get_nx")->nx;
}
size_t starpu_vector_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_vector_get_elemsize")->elemsize;
}
size_t starpu_vector_get_allocsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_vector_get_allocsize")->allocsize;
}
uintptr_t starpu_vector_get_local_ptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_vector_get_local_ptr")->ptr;
}

}  // extern "C"
