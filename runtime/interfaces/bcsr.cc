// SPDX-License-Identifier: Apache-2.0
// bcsr: a sparse matrix of dense blocks, by rows.
#include <starpu.h>

#include <cstdio>

#include "runtime/interfaces/sparse.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Bcsr = starpu_bcsr_interface;
using Rows = tasklens::runtime::SparseRows<Bcsr>;

Bcsr* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Bcsr*>(InterfaceOf(handle, STARPU_BCSR_INTERFACE_ID, function));
}

const starpu_data_copy_methods kCopy = {.any_to_any = Rows::Copy};

size_t Size(starpu_data_handle_t handle) { return Rows::Bytes(*Of(handle, "size")); }
uint32_t Footprint(starpu_data_handle_t handle) {
  const Bcsr* bcsr = Of(handle, "footprint");
  uint32_t hash = tasklens::runtime::Crc32c(bcsr->nnz, 0);
  hash = tasklens::runtime::Crc32c(bcsr->c, hash);
  return tasklens::runtime::Crc32c(bcsr->r, hash);
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Bcsr*>(a), *right = static_cast<Bcsr*>(b);
  return left->nnz == right->nnz && left->nrow == right->nrow && left->r == right->r &&
         left->c == right->c && left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeBcsr(void* interface, char* text, size_t room) {
  const auto* bcsr = static_cast<Bcsr*>(interface);
  return snprintf(text, room, "b%ux%ux%ux%ux%zu", bcsr->nnz, bcsr->nrow, bcsr->r, bcsr->c,
                  bcsr->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  return Rows::PackInto(*Of(handle, "starpu_data_pack"), pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  return Rows::PeekFrom(*Of(handle, "starpu_data_peek"), pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_bcsr_ops = {
    .allocate_data_on_node = Rows::Allocate,
    .free_data_on_node = Rows::Free,
    .copy_methods = &kCopy,
    .to_pointer = Rows::ToPointer,
    .pointer_is_inside = Rows::IsInside,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeBcsr,
    .interfaceid = STARPU_BCSR_INTERFACE_ID,
    .interface_size = sizeof(Bcsr),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_BCSR_INTERFACE",
};

void starpu_bcsr_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nnz,
                               uint32_t nrow, uintptr_t nzval, uint32_t* colind, uint32_t* rowptr,
                               uint32_t firstentry, uint32_t r, uint32_t c, size_t elemsize) {
  Bcsr bcsr = {STARPU_BCSR_INTERFACE_ID,
               nnz,
               nrow,
               nzval,
               colind,
               rowptr,
               colind,
               rowptr,
               firstentry,
               r,
               c,
               elemsize};
  starpu_data_register(handle, home_node, &bcsr, &starpu_interface_bcsr_ops);
}
uint32_t starpu_bcsr_get_nnz(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_nnz")->nnz;
}
uint32_t starpu_bcsr_get_nrow(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_nrow")->nrow;
}
uint32_t starpu_bcsr_get_firstentry(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_firstentry")->firstentry;
}
uintptr_t starpu_bcsr_get_local_nzval(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_local_nzval")->nzval;
}
uint32_t* starpu_bcsr_get_local_colind(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_local_colind")->colind;
}
uint32_t* starpu_bcsr_get_local_rowptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_local_rowptr")->rowptr;
}
uint32_t starpu_bcsr_get_r(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_r")->r;
}
uint32_t starpu_bcsr_get_c(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_c")->c;
}
size_t starpu_bcsr_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_bcsr_get_elemsize")->elemsize;
}

}  // extern "C"
