// SPDX-License-Identifier: Apache-2.0
// csr: a sparse matrix by rows.
#include <starpu.h>

#include <cstdio>

#include "runtime/interfaces/sparse.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Csr = starpu_csr_interface;
using Rows = tasklens::runtime::SparseRows<Csr>;

Csr* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Csr*>(InterfaceOf(handle, STARPU_CSR_INTERFACE_ID, function));
}

const starpu_data_copy_methods kCopy = {.any_to_any = Rows::Copy};

size_t Size(starpu_data_handle_t handle) { return Rows::Bytes(*Of(handle, "size")); }
uint32_t Footprint(starpu_data_handle_t handle) {
  return tasklens::runtime::Crc32c(Of(handle, "footprint")->nnz, 0);
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Csr*>(a), *right = static_cast<Csr*>(b);
  return left->nnz == right->nnz && left->nrow == right->nrow && left->elemsize == right->elemsize;
}
starpu_ssize_t DescribeCsr(void* interface, char* text, size_t room) {
  const auto* csr = static_cast<Csr*>(interface);
  return snprintf(text, room, "C%ux%ux%zu", csr->nnz, csr->nrow, csr->elemsize);
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  return Rows::PackInto(*Of(handle, "starpu_data_pack"), pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  return Rows::PeekFrom(*Of(handle, "starpu_data_peek"), pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_csr_ops = {
    .allocate_data_on_node = Rows::Allocate,
    .free_data_on_node = Rows::Free,
    .copy_methods = &kCopy,
    .to_pointer = Rows::ToPointer,
    .pointer_is_inside = Rows::IsInside,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeCsr,
    .interfaceid = STARPU_CSR_INTERFACE_ID,
    .interface_size = sizeof(Csr),
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_CSR_INTERFACE",
};

void starpu_csr_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nnz,
                              uint32_t nrow, uintptr_t nzval, uint32_t* colind, uint32_t* rowptr,
                              uint32_t firstentry, size_t elemsize) {
  Csr csr = {STARPU_CSR_INTERFACE_ID,
             nnz,
             nrow,
             nzval,
             colind,
             rowptr,
             colind,
             rowptr,
             firstentry,
             elemsize};
  starpu_data_register(handle, home_node, &csr, &starpu_interface_csr_ops);
}
uint32_t starpu_csr_get_nnz(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_nnz")->nnz;
}
uint32_t starpu_csr_get_nrow(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_nrow")->nrow;
}
uint32_t starpu_csr_get_firstentry(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_firstentry")->firstentry;
}
uintptr_t starpu_csr_get_local_nzval(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_local_nzval")->nzval;
}
uint32_t* starpu_csr_get_local_colind(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_local_colind")->colind;
}
uint32_t* starpu_csr_get_local_rowptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_local_rowptr")->rowptr;
}
size_t starpu_csr_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_csr_get_elemsize")->elemsize;
}

}  // extern "C"
