// SPDX-License-Identifier: Apache-2.0
// The dense interfaces: variable (one object of any size), vector, matrix, block, tensor, and ndim
// (an array of any number of dimensions, up to STARPU_NDIM_MAXDIMS).
#include <starpu.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/interfaces/common.h"
#include "runtime/interfaces/strided.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

// Returns the size of the memory of the interface on a node. Programs choose it for some kinds.
size_t Room(const Vector& vector) { return vector.allocsize; }
size_t Room(const Matrix& matrix) { return matrix.allocsize; }
template <class Interface>
size_t Room(const Interface& interface) {
  return StridedOf(interface).Bytes();
}

// Some footprints include the size of elements; a matrix begins with its number of rows.
template <class Interface>
uint32_t FootprintOf(const Interface& interface) {
  return StridedOf(interface).HashOfExtents(0);
}
uint32_t FootprintOf(const Variable& variable) {
  return Crc32c(static_cast<uint32_t>(variable.elemsize), 0);
}
uint32_t FootprintOf(const Matrix& matrix) { return Crc32c(matrix.nx, matrix.ny); }
uint32_t FootprintOf(const Ndim& ndim) {
  return StridedOf(ndim).HashOfExtents(Crc32c(static_cast<uint32_t>(ndim.elemsize), 0));
}

// Rows along the first dimension are contiguous.
void CheckDense(const Strided& array) {
  if (array.dims && array.n[0] > 1 && array.ld[0] != 1) {
    Fatal("an array whose first dimension has gaps cannot be copied");
  }
}

// The operations of the kind whose shapes are described with `kLetter`, such as V5x4.
template <class Interface, starpu_data_interface_id kId, char kLetter>
struct DenseOps : Kind<Interface, kId> {
  static starpu_ssize_t Allocate(Interface& interface, unsigned node) {
    Strided array = StridedOf(interface);
    MakeDense(array);
    SetDistances(interface, array);
    const size_t bytes = Room(interface);
    const uintptr_t memory = starpu_malloc_on_node(node, bytes);
    if (!memory) return -ENOMEM;
    interface.ptr = interface.dev_handle = memory;
    interface.offset = 0;
    return static_cast<starpu_ssize_t>(bytes);
  }
  static void Free(Interface& interface, unsigned node) {
    starpu_free_on_node(node, interface.dev_handle, Room(interface));
    interface.ptr = interface.dev_handle = 0;
  }
  static int Copy(const Interface& source, unsigned source_node, const Interface& target,
                  unsigned target_node, void* async) {
    Strided from = StridedOf(source), to = StridedOf(target);
    CheckDense(from);
    CheckDense(to);
    return starpu_interface_copynd(from.dev_handle, from.offset, source_node, to.dev_handle,
                                   to.offset, target_node, from.elemsize, from.dims, from.n,
                                   from.ld, to.ld, async);
  }
  static void* Values(const Interface& interface, unsigned) {
    return reinterpret_cast<void*>(interface.ptr);
  }
  static size_t Bytes(const Interface& interface) { return StridedOf(interface).Bytes(); }
  static uint32_t Footprint(const Interface& interface) { return FootprintOf(interface); }
  static bool AreAlike(const Interface& a, const Interface& b) {
    return StridedOf(a).IsLike(StridedOf(b));
  }
  static int Describe(const Interface& interface, char* text, size_t room) {
    const Strided array = StridedOf(interface);
    std::string shape(1, kLetter);
    for (size_t d = 0; d < array.dims; ++d) shape += std::to_string(array.n[d]) + "x";
    return snprintf(text, room, "%s%zu", shape.c_str(), array.elemsize);
  }
  // The pieces are the rows along the first dimension, in order.
  template <class Function>
  static void ForEachPiece(const Interface& interface, Function&& function) {
    const Strided array = StridedOf(interface);
    CheckDense(array);
    if (array.Elements() == 0) return;
    const size_t row_bytes = (array.dims ? array.n[0] : 1) * array.elemsize;
    uint32_t place[STARPU_NDIM_MAXDIMS] = {};
    for (;;) {
      size_t elements = 0;
      for (size_t d = 1; d < array.dims; ++d) elements += size_t{place[d]} * array.ld[d];
      function(array.ptr + elements * array.elemsize, row_bytes);
      size_t d = 1;
      while (d < array.dims && ++place[d] == array.n[d]) place[d++] = 0;
      if (d >= array.dims) return;
    }
  }

  static constexpr starpu_data_interface_ops Table(const char* name) {
    starpu_data_interface_ops table = TableOf<DenseOps>(name);
    table.pointer_is_inside = [](void* interface, unsigned, void* pointer) -> int {
      const Strided array = StridedOf(As<DenseOps>(interface));
      const auto address = reinterpret_cast<uintptr_t>(pointer);
      return address >= array.ptr && address < array.ptr + array.SpanBytes();
    };
    table.get_alloc_size = [](starpu_data_handle_t handle) { return Room(As<DenseOps>(handle)); };
    return table;
  }

  // Notes where the contents are on a node, with the distances along all dimensions; nullptr: of a
  // kind that has none.
  static void Register(starpu_data_handle_t handle, unsigned node, const char* function,
                       uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                       const uint32_t* distances = nullptr) {
    Interface& interface = DenseOps::Of(handle, function);
    interface.ptr = ptr;
    interface.dev_handle = dev_handle;
    interface.offset = offset;
    if (distances) {
      Strided array = StridedOf(interface);
      std::copy_n(distances, array.dims, array.ld);
      SetDistances(interface, array);
    }
    starpu_data_ptr_register(handle, node);
  }
};

}  // namespace

// Defines the operations of a kind, whose shapes begin with the letter, and its common getters.
#define DENSE(Kind, kind, KIND, letter)                                   \
  using Kind##Ops = DenseOps<Kind, STARPU_##KIND##_INTERFACE_ID, letter>; \
  constinit starpu_data_interface_ops starpu_interface_##kind##_ops =     \
      Kind##Ops::Table("STARPU_" #KIND "_INTERFACE");                     \
  INTERFACE_GETTER(Kind##Ops, kind, uintptr_t, local_ptr, ptr)            \
  INTERFACE_GETTER(Kind##Ops, kind, size_t, elemsize, elemsize)

extern "C" {

DENSE(Variable, variable, VARIABLE, 'v')
DENSE(Vector, vector, VECTOR, 'V')
DENSE(Matrix, matrix, MATRIX, 'M')
DENSE(Block, block, BLOCK, 'B')
DENSE(Tensor, tensor, TENSOR, 'T')
DENSE(Ndim, ndim, NDIM, 'N')

void starpu_variable_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                   size_t size) {
  Variable variable = {STARPU_VARIABLE_INTERFACE_ID, ptr, ptr, 0, size};
  starpu_data_register(handle, home_node, &variable, &starpu_interface_variable_ops);
}
void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                  uintptr_t dev_handle, size_t offset) {
  VariableOps::Register(handle, node, __func__, ptr, dev_handle, offset);
}

// vector: nx objects in a row.
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
  VectorOps::Register(handle, node, __func__, ptr, dev_handle, offset);
}
INTERFACE_GETTER(VectorOps, vector, uint32_t, nx, nx)
INTERFACE_GETTER(VectorOps, vector, size_t, allocsize, allocsize)

// matrix: ny rows of nx objects, ld objects from one row to the next.
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
  const uint32_t distances[] = {1, ld};
  MatrixOps::Register(handle, node, __func__, ptr, dev_handle, offset, distances);
}
INTERFACE_GETTER(MatrixOps, matrix, uint32_t, nx, nx)
INTERFACE_GETTER(MatrixOps, matrix, uint32_t, ny, ny)
INTERFACE_GETTER(MatrixOps, matrix, uint32_t, local_ld, ld)
INTERFACE_GETTER(MatrixOps, matrix, size_t, allocsize, allocsize)

// block: nz planes of ny rows of nx objects; ldy and ldz objects from row to row, plane to plane.
void starpu_block_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                uint32_t ldy, uint32_t ldz, uint32_t nx, uint32_t ny, uint32_t nz,
                                size_t elemsize) {
  Block block = {STARPU_BLOCK_INTERFACE_ID, ptr, ptr, 0, nx, ny, nz, ldy, ldz, elemsize};
  starpu_data_register(handle, home_node, &block, &starpu_interface_block_ops);
}
void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                               uintptr_t dev_handle, size_t offset, uint32_t ldy, uint32_t ldz) {
  const uint32_t distances[] = {1, ldy, ldz};
  BlockOps::Register(handle, node, __func__, ptr, dev_handle, offset, distances);
}
INTERFACE_GETTER(BlockOps, block, uint32_t, nx, nx)
INTERFACE_GETTER(BlockOps, block, uint32_t, ny, ny)
INTERFACE_GETTER(BlockOps, block, uint32_t, nz, nz)
INTERFACE_GETTER(BlockOps, block, uint32_t, local_ldy, ldy)
INTERFACE_GETTER(BlockOps, block, uint32_t, local_ldz, ldz)

// tensor: nt blocks of nz planes of ny rows of nx objects.
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
  const uint32_t distances[] = {1, ldy, ldz, ldt};
  TensorOps::Register(handle, node, __func__, ptr, dev_handle, offset, distances);
}
INTERFACE_GETTER(TensorOps, tensor, uint32_t, nx, nx)
INTERFACE_GETTER(TensorOps, tensor, uint32_t, ny, ny)
INTERFACE_GETTER(TensorOps, tensor, uint32_t, nz, nz)
INTERFACE_GETTER(TensorOps, tensor, uint32_t, nt, nt)
INTERFACE_GETTER(TensorOps, tensor, uint32_t, local_ldy, ldy)
INTERFACE_GETTER(TensorOps, tensor, uint32_t, local_ldz, ldz)
INTERFACE_GETTER(TensorOps, tensor, uint32_t, local_ldt, ldt)

void starpu_ndim_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                               uint32_t* ldn, uint32_t* nn, size_t dims, size_t elemsize) {
  if (dims > STARPU_NDIM_MAXDIMS) {
    Fatal("starpu_ndim_data_register(): %zu dimensions are more than %d", dims,
          STARPU_NDIM_MAXDIMS);
  }
  Strided array = {ptr, ptr, 0, elemsize, dims, {}, {}};
  if (dims) memcpy(array.n, nn, dims * sizeof(nn[0]));
  MakeDense(array);
  if (dims && ldn) memcpy(array.ld, ldn, dims * sizeof(ldn[0]));
  Ndim ndim;
  Assign(ndim, array);
  starpu_data_register(handle, home_node, &ndim, &starpu_interface_ndim_ops);
}
void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                              uintptr_t dev_handle, size_t offset, uint32_t* ldn) {
  NdimOps::Register(handle, node, __func__, ptr, dev_handle, offset, ldn);
}
INTERFACE_GETTER(NdimOps, ndim, uint32_t*, nn, nn)
INTERFACE_GETTER(NdimOps, ndim, uint32_t*, local_ldn, ldn)
INTERFACE_GETTER(NdimOps, ndim, size_t, ndim, ndim)
uint32_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i) {
  return NdimOps::Of(handle, __func__).nn[i];
}
uint32_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i) {
  return NdimOps::Of(handle, __func__).ldn[i];
}

}  // extern "C"
