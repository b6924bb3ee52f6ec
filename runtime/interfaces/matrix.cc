// SPDX-License-Identifier: Apache-2.0
// matrix: ny rows of nx objects, ld objects from one row to the next.
#include <starpu.h>

#include <cerrno>
#include <cstdio>

#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Matrix = starpu_matrix_interface;

Matrix* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Matrix*>(InterfaceOf(handle, STARPU_MATRIX_INTERFACE_ID, function));
}
size_t Bytes(const Matrix& matrix) { return size_t{matrix.nx} * matrix.ny * matrix.elemsize; }

int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Matrix*>(source);
  auto* to = static_cast<Matrix*>(target);
  const size_t size = from->elemsize;
  return starpu_interface_copy2d(from->dev_handle, from->offset, source_node, to->dev_handle,
                                 to->offset, target_node, from->nx * size, from->ny,
                                 from->ld * size, to->ld * size, async);
}
const starpu_data_copy_methods kCopy = {
    .can_copy = nullptr, .ram_to_ram = nullptr, .any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* matrix = static_cast<Matrix*>(interface);
  matrix->ld = matrix->nx;
  return tasklens::runtime::AllocateFor(matrix, node, matrix->allocsize);
}
void Free(void* interface, unsigned node) {
  auto* matrix = static_cast<Matrix*>(interface);
  starpu_free_on_node(node, matrix->dev_handle, matrix->allocsize);
  matrix->ptr = matrix->dev_handle = 0;
}
void* ToPointer(void* interface, unsigned) {
  return reinterpret_cast<void*>(static_cast<Matrix*>(interface)->ptr);
}
int IsInside(void* interface, unsigned, void* pointer) {
  const auto* matrix = static_cast<Matrix*>(interface);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (matrix->ny == 0) return 0;
  const size_t span = ((size_t{matrix->ny} - 1) * matrix->ld + matrix->nx) * matrix->elemsize;
  return address >= matrix->ptr && address < matrix->ptr + span;
}
size_t Size(starpu_data_handle_t handle) { return Bytes(*Of(handle, "size")); }
size_t AllocSize(starpu_data_handle_t handle) { return Of(handle, "size")->allocsize; }
uint32_t Footprint(starpu_data_handle_t handle) {
  const Matrix* matrix = Of(handle, "footprint");
  return tasklens::runtime::Crc32c(matrix->nx, matrix->ny);  // ny is the start value
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Matrix*>(a), *right = static_cast<Matrix*>(b);
  return left->nx == right->nx && left->ny == right->ny && left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeMatrix(void* interface, char* text, size_t room) {
  const auto* matrix = static_cast<Matrix*>(interface);
  return snprintf(text, room, "M%ux%ux%zu", matrix->nx, matrix->ny, matrix->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const Matrix* m = Of(handle, "starpu_data_pack");
  return tasklens::runtime::PackRows(reinterpret_cast<char*>(m->ptr), m->nx * m->elemsize, m->ny,
                                     m->ld * m->elemsize, 1, 0, pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Matrix* m = Of(handle, "starpu_data_peek");
  return tasklens::runtime::PeekRows(reinterpret_cast<char*>(m->ptr), m->nx * m->elemsize, m->ny,
                                     m->ld * m->elemsize, 1, 0, pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_matrix_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .pointer_is_inside = IsInside,
    .get_size = Size,
    .get_alloc_size = AllocSize,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeMatrix,
    .interfaceid = STARPU_MATRIX_INTERFACE_ID,
    .interface_size = sizeof(Matrix),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_MATRIX_INTERFACE",
};

void starpu_matrix_data_register_allocsize(starpu_data_handle_t* handle, int home_node,
                                           uintptr_t ptr, uint32_t ld, uint32_t nx, uint32_t ny,
                                           size_t elemsize, size_t allocsize) {
  Matrix matrix = {STARPU_MATRIX_INTERFACE_ID, ptr, ptr, 0, nx, ny, ld, elemsize, allocsize};
  starpu_data_register(handle, home_node, &matrix, &starpu_interface_matrix_ops);
}
void starpu_matrix_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                 uint32_t ld, uint32_t nx, uint32_t ny, size_t elemsize) {
  starpu_matrix_data_register_allocsize(handle, home_node, ptr, ld, nx, ny, elemsize,
                                        size_t{nx} * ny * elemsize);
}
void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                uintptr_t dev_handle, size_t offset, uint32_t ld) {
  Matrix* matrix = Of(handle, "starpu_matrix_ptr_register");
  matrix->ptr = ptr;
  matrix->dev_handle = dev_handle;
  matrix->offset = offset;
  matrix->ld = ld;
  starpu_data_ptr_register(handle, node);
}
uint32_t starpu_matrix_get_nx(starpu_data_handle_t handle) {
  return Of(handle, "starpu_matrix_get_nx")->nx;
}
uint32_t starpu_matrix_get_ny(starpu_data_handle_t handle) {
  return Of(handle, "starpu_matrix_get_ny")->ny;
}
uint32_t starpu_matrix_get_local_ld(starpu_data_handle_t handle) {
  return Of(handle, "starpu_matrix_get_local_ld")->ld;
}
uintptr_t starpu_matrix_get_local_ptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_matrix_get_local_ptr")->ptr;
}
size_t starpu_matrix_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_matrix_get_elemsize")->elemsize;
}
size_t starpu_matrix_get_allocsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_matrix_get_allocsize")->allocsize;
}

}  // extern "C"
