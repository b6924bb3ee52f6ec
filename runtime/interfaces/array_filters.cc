// SPDX-License-Identifier: Apache-2.0
// Filters that cut tensors and arrays of any number of dimensions, or pick parts with fewer
// dimensions.
#include <starpu.h>

#include <cstdint>

#include "runtime/interfaces/cut.h"
#include "runtime/interfaces/strided.h"
#include "runtime/support/message.h"

using tasklens::runtime::CutAlong;
using tasklens::runtime::Fatal;
using tasklens::runtime::PickAt;
using tasklens::runtime::PickElement;
using tasklens::runtime::Shadow;
using tasklens::runtime::Strided;
using tasklens::runtime::StridedOf;

namespace {

using Tensor = starpu_tensor_interface;
using Ndim = starpu_ndim_interface;

const Tensor& TensorOf(void* father) { return *static_cast<Tensor*>(father); }
const Ndim& NdimOf(void* father) { return *static_cast<Ndim*>(father); }

void CutTensor(void* father, void* child, size_t dimension, unsigned shadow, unsigned id,
               unsigned parts) {
  *static_cast<Tensor*>(child) = tasklens::runtime::AsTensor(
      CutAlong(StridedOf(TensorOf(father)), dimension, shadow, id, parts));
}

// Returns the place along the dimension at which part 0 lies.
size_t First(const starpu_data_filter* filter) {
  return reinterpret_cast<uintptr_t>(filter->filter_arg_ptr);
}

void PickBlock(void* father, void* child, const starpu_data_filter* filter, size_t dimension,
               unsigned id) {
  *static_cast<starpu_block_interface*>(child) = tasklens::runtime::AsBlock(
      PickAt(StridedOf(TensorOf(father)), dimension, First(filter) + id));
}

// Returns the array; ends the program with a message unless it has `dims` dimensions.
Strided ArrayOf(void* father, size_t dims, const char* filter) {
  Strided array = StridedOf(NdimOf(father));
  if (array.dims != dims) {
    Fatal("%s() is for arrays of %zu dimensions, and this one has %zu", filter, dims, array.dims);
  }
  return array;
}
Strided PartOf(void* father, size_t dims, const char* name, const starpu_data_filter* filter,
               unsigned id, unsigned parts) {
  return CutAlong(ArrayOf(father, dims, name), filter->filter_arg, 0, id, parts);
}
Strided PickOf(void* father, size_t dims, const char* name, const starpu_data_filter* filter,
               unsigned id) {
  const Strided part = PickAt(ArrayOf(father, dims, name), filter->filter_arg, First(filter) + id);
  if (part.dims > 0 && part.n[0] > 1 && part.ld[0] != 1) {
    Fatal("%s(): what is picked along dimension 0 has gaps between its elements", name);
  }
  return part;
}

Strided StridedOf2(const starpu_matrix_interface& m) {
  return {m.ptr, m.dev_handle, m.offset, m.elemsize, 2, {m.nx, m.ny}, {1, m.ld}};
}
Strided StridedOf3(const starpu_block_interface& b) {
  return {b.ptr, b.dev_handle, b.offset, b.elemsize, 3, {b.nx, b.ny, b.nz}, {1, b.ldy, b.ldz}};
}

// Makes `child` the element at the places to which filter_arg_ptr points.
void PickVariable(const Strided& array, void* child, const starpu_data_filter* filter) {
  *static_cast<starpu_variable_interface*>(child) = tasklens::runtime::AsVariable(
      PickElement(array, static_cast<const uint32_t*>(filter->filter_arg_ptr)));
}

}  // namespace

// Defines functions that return the interface of a filter's parts.
#define CHILD_OPS(function, ops) \
  starpu_data_interface_ops* function(starpu_data_filter*, unsigned) { return &ops; }

extern "C" {

void starpu_tensor_filter_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                unsigned parts) {
  CutTensor(father, child, 0, 0, id, parts);
}
void starpu_tensor_filter_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned parts) {
  CutTensor(father, child, 0, Shadow(filter), id, parts);
}
void starpu_tensor_filter_vertical_block(void* father, void* child, starpu_data_filter*,
                                         unsigned id, unsigned parts) {
  CutTensor(father, child, 1, 0, id, parts);
}
void starpu_tensor_filter_vertical_block_shadow(void* father, void* child,
                                                starpu_data_filter* filter, unsigned id,
                                                unsigned parts) {
  CutTensor(father, child, 1, Shadow(filter), id, parts);
}
void starpu_tensor_filter_depth_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                      unsigned parts) {
  CutTensor(father, child, 2, 0, id, parts);
}
void starpu_tensor_filter_depth_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                             unsigned id, unsigned parts) {
  CutTensor(father, child, 2, Shadow(filter), id, parts);
}
void starpu_tensor_filter_time_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                     unsigned parts) {
  CutTensor(father, child, 3, 0, id, parts);
}
void starpu_tensor_filter_time_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                            unsigned id, unsigned parts) {
  CutTensor(father, child, 3, Shadow(filter), id, parts);
}
void starpu_tensor_filter_pick_block_t(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  PickBlock(father, child, filter, 3, id);
}
void starpu_tensor_filter_pick_block_z(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  PickBlock(father, child, filter, 2, id);
}
void starpu_tensor_filter_pick_block_y(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  PickBlock(father, child, filter, 1, id);
}
CHILD_OPS(starpu_tensor_filter_pick_block_child_ops, starpu_interface_block_ops)

void starpu_tensor_filter_pick_variable(void* father, void* child, starpu_data_filter* filter,
                                        unsigned, unsigned) {
  PickVariable(StridedOf(TensorOf(father)), child, filter);
}
void starpu_block_filter_pick_variable(void* father, void* child, starpu_data_filter* filter,
                                       unsigned, unsigned) {
  PickVariable(StridedOf3(*static_cast<starpu_block_interface*>(father)), child, filter);
}
void starpu_matrix_filter_pick_variable(void* father, void* child, starpu_data_filter* filter,
                                        unsigned, unsigned) {
  PickVariable(StridedOf2(*static_cast<starpu_matrix_interface*>(father)), child, filter);
}
void starpu_ndim_filter_pick_variable(void* father, void* child, starpu_data_filter* filter,
                                      unsigned, unsigned) {
  PickVariable(StridedOf(NdimOf(father)), child, filter);
}
CHILD_OPS(starpu_tensor_filter_pick_variable_child_ops, starpu_interface_variable_ops)
CHILD_OPS(starpu_block_filter_pick_variable_child_ops, starpu_interface_variable_ops)
CHILD_OPS(starpu_matrix_filter_pick_variable_child_ops, starpu_interface_variable_ops)
CHILD_OPS(starpu_ndim_filter_pick_variable_child_ops, starpu_interface_variable_ops)

void starpu_ndim_filter_block(void* father, void* child, starpu_data_filter* filter, unsigned id,
                              unsigned parts) {
  *static_cast<Ndim*>(child) = tasklens::runtime::AsNdim(
      CutAlong(StridedOf(NdimOf(father)), filter->filter_arg, 0, id, parts));
}
void starpu_ndim_filter_block_shadow(void* father, void* child, starpu_data_filter* filter,
                                     unsigned id, unsigned parts) {
  *static_cast<Ndim*>(child) = tasklens::runtime::AsNdim(
      CutAlong(StridedOf(NdimOf(father)), filter->filter_arg, Shadow(filter), id, parts));
}
void starpu_ndim_filter_pick_ndim(void* father, void* child, starpu_data_filter* filter,
                                  unsigned id, unsigned) {
  *static_cast<Ndim*>(child) = tasklens::runtime::AsNdim(
      PickAt(StridedOf(NdimOf(father)), filter->filter_arg, First(filter) + id));
}

void starpu_ndim_filter_to_tensor(void* father, void* child, starpu_data_filter* filter,
                                  unsigned id, unsigned parts) {
  *static_cast<Tensor*>(child) =
      tasklens::runtime::AsTensor(PartOf(father, 4, __func__, filter, id, parts));
}
void starpu_ndim_filter_to_block(void* father, void* child, starpu_data_filter* filter, unsigned id,
                                 unsigned parts) {
  *static_cast<starpu_block_interface*>(child) =
      tasklens::runtime::AsBlock(PartOf(father, 3, __func__, filter, id, parts));
}
void starpu_ndim_filter_to_matrix(void* father, void* child, starpu_data_filter* filter,
                                  unsigned id, unsigned parts) {
  *static_cast<starpu_matrix_interface*>(child) =
      tasklens::runtime::AsMatrix(PartOf(father, 2, __func__, filter, id, parts));
}
void starpu_ndim_filter_to_vector(void* father, void* child, starpu_data_filter* filter,
                                  unsigned id, unsigned parts) {
  *static_cast<starpu_vector_interface*>(child) =
      tasklens::runtime::AsVector(PartOf(father, 1, __func__, filter, id, parts));
}
void starpu_ndim_filter_to_variable(void* father, void* child, starpu_data_filter*, unsigned,
                                    unsigned) {
  *static_cast<starpu_variable_interface*>(child) =
      tasklens::runtime::AsVariable(ArrayOf(father, 0, __func__));
}
CHILD_OPS(starpu_ndim_filter_to_tensor_child_ops, starpu_interface_tensor_ops)
CHILD_OPS(starpu_ndim_filter_to_block_child_ops, starpu_interface_block_ops)
CHILD_OPS(starpu_ndim_filter_to_matrix_child_ops, starpu_interface_matrix_ops)
CHILD_OPS(starpu_ndim_filter_to_vector_child_ops, starpu_interface_vector_ops)
CHILD_OPS(starpu_ndim_filter_to_variable_child_ops, starpu_interface_variable_ops)

void starpu_ndim_filter_5d_pick_tensor(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  *static_cast<Tensor*>(child) =
      tasklens::runtime::AsTensor(PickOf(father, 5, __func__, filter, id));
}
void starpu_ndim_filter_4d_pick_block(void* father, void* child, starpu_data_filter* filter,
                                      unsigned id, unsigned) {
  *static_cast<starpu_block_interface*>(child) =
      tasklens::runtime::AsBlock(PickOf(father, 4, __func__, filter, id));
}
void starpu_ndim_filter_3d_pick_matrix(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  *static_cast<starpu_matrix_interface*>(child) =
      tasklens::runtime::AsMatrix(PickOf(father, 3, __func__, filter, id));
}
void starpu_ndim_filter_2d_pick_vector(void* father, void* child, starpu_data_filter* filter,
                                       unsigned id, unsigned) {
  *static_cast<starpu_vector_interface*>(child) =
      tasklens::runtime::AsVector(PickOf(father, 2, __func__, filter, id));
}
void starpu_ndim_filter_1d_pick_variable(void* father, void* child, starpu_data_filter* filter,
                                         unsigned id, unsigned) {
  *static_cast<starpu_variable_interface*>(child) =
      tasklens::runtime::AsVariable(PickOf(father, 1, __func__, filter, id));
}
CHILD_OPS(starpu_ndim_filter_pick_tensor_child_ops, starpu_interface_tensor_ops)
CHILD_OPS(starpu_ndim_filter_pick_block_child_ops, starpu_interface_block_ops)
CHILD_OPS(starpu_ndim_filter_pick_matrix_child_ops, starpu_interface_matrix_ops)
CHILD_OPS(starpu_ndim_filter_pick_vector_child_ops, starpu_interface_vector_ops)

}  // extern "C"
