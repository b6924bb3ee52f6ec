// SPDX-License-Identifier: Apache-2.0
// ndim: an array of any number of dimensions, up to STARPU_NDIM_MAXDIMS.
#include <starpu.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/interfaces/strided.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

using tasklens::runtime::InterfaceOf;
using tasklens::runtime::Strided;
using tasklens::runtime::StridedOf;

namespace {

using Ndim = starpu_ndim_interface;
using Ops = tasklens::runtime::StridedOps<Ndim>;

Ndim* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Ndim*>(InterfaceOf(handle, STARPU_NDIM_INTERFACE_ID, function));
}
uint32_t Footprint(starpu_data_handle_t handle) {
  const Strided array = Ops::OfHandle(handle);
  return array.HashOfExtents(tasklens::runtime::Crc32c(static_cast<uint32_t>(array.elemsize), 0));
}
starpu_ssize_t DescribeNdim(void* interface, char* text, size_t room) {
  const auto* ndim = static_cast<Ndim*>(interface);
  std::string shape = "N";
  for (size_t d = 0; d < ndim->ndim; ++d) shape += std::to_string(ndim->nn[d]) + "x";
  return snprintf(text, room, "%s%zu", shape.c_str(), ndim->elemsize);
}

}  // namespace

extern "C" {

constinit starpu_data_interface_ops starpu_interface_ndim_ops =
    Ops::Table(STARPU_NDIM_INTERFACE_ID, "STARPU_NDIM_INTERFACE", DescribeNdim, Footprint);

void starpu_ndim_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                               uint32_t* ldn, uint32_t* nn, size_t dims, size_t elemsize) {
  if (dims > STARPU_NDIM_MAXDIMS) {
    tasklens::runtime::Fatal("starpu_ndim_data_register(): %zu dimensions are more than %d", dims,
                             STARPU_NDIM_MAXDIMS);
  }
  Ndim ndim = {};
  ndim.id = STARPU_NDIM_INTERFACE_ID;
  ndim.ptr = ndim.dev_handle = ptr;
  ndim.ndim = dims;
  ndim.elemsize = elemsize;
  if (dims) memcpy(ndim.nn, nn, dims * sizeof(nn[0]));
  Strided array = StridedOf(ndim);
  tasklens::runtime::MakeDense(array);
  memcpy(ndim.ldn, ldn ? ldn : array.ld, dims * sizeof(ndim.ldn[0]));
  ndim.allocsize = array.Bytes();
  starpu_data_register(handle, home_node, &ndim, &starpu_interface_ndim_ops);
}
void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                              uintptr_t dev_handle, size_t offset, uint32_t* ldn) {
  Ndim* ndim = Of(handle, "starpu_ndim_ptr_register");
  ndim->ptr = ptr;
  ndim->dev_handle = dev_handle;
  ndim->offset = offset;
  memcpy(ndim->ldn, ldn, ndim->ndim * sizeof(ldn[0]));
  starpu_data_ptr_register(handle, node);
}
uint32_t* starpu_ndim_get_nn(starpu_data_handle_t handle) {
  return Of(handle, "starpu_ndim_get_nn")->nn;
}
uint32_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i) {
  return Of(handle, "starpu_ndim_get_ni")->nn[i];
}
uint32_t* starpu_ndim_get_local_ldn(starpu_data_handle_t handle) {
  return Of(handle, "starpu_ndim_get_local_ldn")->ldn;
}
uint32_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i) {
  return Of(handle, "starpu_ndim_get_local_ldi")->ldn[i];
}
uintptr_t starpu_ndim_get_local_ptr(starpu_data_handle_t handle) {
  return Of(handle, "starpu_ndim_get_local_ptr")->ptr;
}
size_t starpu_ndim_get_ndim(starpu_data_handle_t handle) {
  return Of(handle, "starpu_ndim_get_ndim")->ndim;
}
size_t starpu_ndim_get_elemsize(starpu_data_handle_t handle) {
  return Of(handle, "starpu_ndim_get_elemsize")->elemsize;
}

}  // extern "C"
