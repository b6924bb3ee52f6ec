// SPDX-License-Identifier: Apache-2.0
// Filters that cut matrices, blocks, tensors and arrays of any number of dimensions, or pick parts
// with fewer dimensions. vector_filters.cc cuts vectors.
#include <starpu.h>

#include <cstdint>

#include "runtime/interfaces/strided.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

// Returns the shadow that the program set in the filter, in elements on each side.
unsigned Shadow(const starpu_data_filter* filter) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(filter->filter_arg_ptr));
}
// Returns the place along the dimension at which part 0 lies.
size_t First(const starpu_data_filter* filter) {
  return reinterpret_cast<uintptr_t>(filter->filter_arg_ptr);
}

template <class Interface>
Strided ArrayOf(void* father) {
  return StridedOf(*static_cast<Interface*>(father));
}
template <class Interface>
void Store(void* child, const Strided& array) {
  Assign(*static_cast<Interface*>(child), array);
}

template <class Interface>
void Cut(void* father, void* child, size_t dimension, unsigned shadow, unsigned id,
         unsigned parts) {
  Store<Interface>(child, CutAlong(ArrayOf<Interface>(father), dimension, shadow, id, parts));
}
template <class Interface, class Part>
void Pick(void* father, void* child, size_t dimension, const starpu_data_filter* filter,
          unsigned id) {
  Store<Part>(child, PickAt(ArrayOf<Interface>(father), dimension, First(filter) + id));
}

// Returns the array; ends the program with a message unless it has `dims` dimensions.
Strided NdimOf(void* father, size_t dims, const char* filter) {
  Strided array = ArrayOf<starpu_ndim_interface>(father);
  if (array.dims != dims) {
    Fatal("%s() is for arrays of %zu dimensions, and this one has %zu", filter, dims, array.dims);
  }
  return array;
}
Strided PickOf(void* father, size_t dims, const char* name, const starpu_data_filter* filter,
               unsigned id) {
  const Strided part = PickAt(NdimOf(father, dims, name), filter->filter_arg, First(filter) + id);
  if (part.dims > 0 && part.n[0] > 1 && part.ld[0] != 1) {
    Fatal("%s(): what is picked along dimension 0 has gaps between its elements", name);
  }
  return part;
}

}  // namespace

// Defines the function that returns the interface of a filter's parts.
#define CHILD_OPS(filter, part)                                                           \
  starpu_data_interface_ops* starpu_##filter##_child_ops(starpu_data_filter*, unsigned) { \
    return &starpu_interface_##part##_ops;                                                \
  }

// Defines the filters that cut along a dimension, without and with a shadow.
#define CUT(kind, name, dimension)                                                             \
  void starpu_##kind##_filter_##name(void* father, void* child,                                \
                                     [[maybe_unused]] starpu_data_filter* filter, unsigned id, \
                                     unsigned parts) {                                         \
    Cut<starpu_##kind##_interface>(father, child, dimension, 0, id, parts);                    \
  }                                                                                            \
  void starpu_##kind##_filter_##name##_shadow(                                                 \
      void* father, void* child, starpu_data_filter* filter, unsigned id, unsigned parts) {    \
    Cut<starpu_##kind##_interface>(father, child, dimension, Shadow(filter), id, parts);       \
  }

// Defines a filter whose parts have one dimension less.
#define PICK(kind, part, name, dimension)                                                        \
  void starpu_##kind##_filter_pick_##name(void* father, void* child, starpu_data_filter* filter, \
                                          unsigned id, unsigned) {                               \
    Pick<starpu_##kind##_interface, starpu_##part##_interface>(father, child, dimension, filter, \
                                                               id);                              \
  }

// Defines the filter whose part is the element at the places to which filter_arg_ptr points.
#define PICK_VARIABLE(kind)                                                                        \
  void starpu_##kind##_filter_pick_variable(void* father, void* child, starpu_data_filter* filter, \
                                            unsigned, unsigned) {                                  \
    Store<starpu_variable_interface>(                                                              \
        child, PickElement(ArrayOf<starpu_##kind##_interface>(father),                             \
                           static_cast<const uint32_t*>(filter->filter_arg_ptr)));                 \
  }                                                                                                \
  CHILD_OPS(kind##_filter_pick_variable, variable)

// Defines the filter that cuts an array of `dims` dimensions into parts of the kind with as many.
#define NDIM_TO(part, dims)                                                                 \
  void starpu_ndim_filter_to_##part(void* father, void* child, starpu_data_filter* filter,  \
                                    unsigned id, unsigned parts) {                          \
    Store<starpu_##part##_interface>(                                                       \
        child, CutAlong(NdimOf(father, dims, __func__), filter->filter_arg, 0, id, parts)); \
  }                                                                                         \
  CHILD_OPS(ndim_filter_to_##part, part)

// Defines the filter that picks parts with one dimension less out of an array of `dims` dimensions.
#define NDIM_PICK(dims, part)                                                            \
  void starpu_ndim_filter_##dims##d_pick_##part(                                         \
      void* father, void* child, starpu_data_filter* filter, unsigned id, unsigned) {    \
    Store<starpu_##part##_interface>(child, PickOf(father, dims, __func__, filter, id)); \
  }

extern "C" {

CUT(matrix, block, 0)
CUT(matrix, vertical_block, 1)
CUT(block, block, 0)
CUT(block, vertical_block, 1)
CUT(block, depth_block, 2)
CUT(tensor, block, 0)
CUT(tensor, vertical_block, 1)
CUT(tensor, depth_block, 2)
CUT(tensor, time_block, 3)
CUT(ndim, block, filter->filter_arg)

PICK(vector, variable, variable, 0)
CHILD_OPS(vector_filter_pick_variable, variable)
PICK(matrix, vector, vector_y, 1)
CHILD_OPS(matrix_filter_pick_vector, vector)
PICK(block, matrix, matrix_z, 2)
PICK(block, matrix, matrix_y, 1)
CHILD_OPS(block_filter_pick_matrix, matrix)
PICK(tensor, block, block_t, 3)
PICK(tensor, block, block_z, 2)
PICK(tensor, block, block_y, 1)
CHILD_OPS(tensor_filter_pick_block, block)
PICK(ndim, ndim, ndim, filter->filter_arg)

PICK_VARIABLE(matrix)
PICK_VARIABLE(block)
PICK_VARIABLE(tensor)
PICK_VARIABLE(ndim)

NDIM_TO(tensor, 4)
NDIM_TO(block, 3)
NDIM_TO(matrix, 2)
NDIM_TO(vector, 1)
void starpu_ndim_filter_to_variable(void* father, void* child, starpu_data_filter*, unsigned,
                                    unsigned) {
  Store<starpu_variable_interface>(child, NdimOf(father, 0, __func__));
}
CHILD_OPS(ndim_filter_to_variable, variable)

NDIM_PICK(5, tensor)
NDIM_PICK(4, block)
NDIM_PICK(3, matrix)
NDIM_PICK(2, vector)
NDIM_PICK(1, variable)
CHILD_OPS(ndim_filter_pick_tensor, tensor)
CHILD_OPS(ndim_filter_pick_block, block)
CHILD_OPS(ndim_filter_pick_matrix, matrix)
CHILD_OPS(ndim_filter_pick_vector, vector)

}  // extern "C"
