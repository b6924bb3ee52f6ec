// SPDX-License-Identifier: Apache-2.0
// tensor: nt blocks of nz planes of ny rows of nx objects.
#include <starpu.h>

#include <cstdio>

#include "runtime/interfaces/strided.h"

using tasklens::runtime::InterfaceOf;

namespace {

using Tensor = starpu_tensor_interface;
using Ops = tasklens::runtime::StridedOps<Tensor>;

Tensor* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Tensor*>(InterfaceOf(handle, STARPU_TENSOR_INTERFACE_ID, function));
}
starpu_ssize_t DescribeTensor(void* interface, char* text, size_t room) {
  const auto* t = static_cast<Tensor*>(interface);
  return snprintf(text, room, "T%ux%ux%ux%ux%zu", t->nx, t->ny, t->nz, t->nt, t->elemsize);
}

}  // namespace

extern "C" {

constinit starpu_data_interface_ops starpu_interface_tensor_ops =
    Ops::Table(STARPU_TENSOR_INTERFACE_ID, "STARPU_TENSOR_INTERFACE", DescribeTensor);

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
