// SPDX-License-Identifier: Apache-2.0
// Strided: an array of any number of dimensions, the common form of all dense interfaces. Used by
// their operations, and by the filters that cut them or pick parts with fewer dimensions.
#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tasklens::runtime {

struct Strided {
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  size_t elemsize;
  size_t dims;
  uint32_t n[STARPU_NDIM_MAXDIMS];   // number of elements along each dimension
  uint32_t ld[STARPU_NDIM_MAXDIMS];  // distance in elements along each dimension

  size_t Elements() const;
  size_t Bytes() const { return Elements() * elemsize; }
  // Bytes from the beginning of the first element to the end of the last.
  size_t SpanBytes() const;
  // The hash in the footprints of the interfaces.
  uint32_t HashOfExtents(uint32_t start) const;
  // Whether both have the same extents, and elements of the same size.
  bool IsLike(const Strided& other) const;
};

// The members of a dense interface that tell its shape: the number of elements along each
// dimension, and the distance in elements along each but the first, where it is 1.
template <class Interface, size_t kDims>
struct ShapeMembers {
  starpu_data_interface_id id;
  std::array<uint32_t Interface::*, kDims> n;
  std::array<uint32_t Interface::*, kDims == 0 ? 0 : kDims - 1> ld;
};

using Variable = starpu_variable_interface;
using Vector = starpu_vector_interface;
using Matrix = starpu_matrix_interface;
using Block = starpu_block_interface;
using Tensor = starpu_tensor_interface;
using Ndim = starpu_ndim_interface;

// nullptr: not a dense interface.
template <class Interface>
inline constexpr auto kShapeOf = nullptr;
template <>
inline constexpr ShapeMembers<Variable, 0> kShapeOf<Variable> = {
    STARPU_VARIABLE_INTERFACE_ID, {}, {}};
template <>
inline constexpr ShapeMembers<Vector, 1> kShapeOf<Vector> = {
    STARPU_VECTOR_INTERFACE_ID, {&Vector::nx}, {}};
template <>
inline constexpr ShapeMembers<Matrix, 2> kShapeOf<Matrix> = {
    STARPU_MATRIX_INTERFACE_ID, {&Matrix::nx, &Matrix::ny}, {&Matrix::ld}};
template <>
inline constexpr ShapeMembers<Block, 3> kShapeOf<Block> = {
    STARPU_BLOCK_INTERFACE_ID, {&Block::nx, &Block::ny, &Block::nz}, {&Block::ldy, &Block::ldz}};
template <>
inline constexpr ShapeMembers<Tensor, 4> kShapeOf<Tensor> = {
    STARPU_TENSOR_INTERFACE_ID,
    {&Tensor::nx, &Tensor::ny, &Tensor::nz, &Tensor::nt},
    {&Tensor::ldy, &Tensor::ldz, &Tensor::ldt}};

template <class Interface>
Strided StridedOf(const Interface& from) {
  constexpr auto kShape = kShapeOf<Interface>;
  Strided array = {from.ptr, from.dev_handle, from.offset, from.elemsize, kShape.n.size(), {}, {1}};
  for (size_t d = 0; d < kShape.n.size(); ++d) array.n[d] = from.*kShape.n[d];
  for (size_t d = 0; d < kShape.ld.size(); ++d) array.ld[d + 1] = from.*kShape.ld[d];
  return array;
}
Strided StridedOf(const Ndim& ndim);

// Copies `ld` to the interface.
template <class Interface>
void SetDistances(Interface& interface, const Strided& array) {
  constexpr auto kShape = kShapeOf<Interface>;
  for (size_t d = 0; d < kShape.ld.size(); ++d) interface.*kShape.ld[d] = array.ld[d + 1];
}
void SetDistances(Ndim& ndim, const Strided& array);

// Makes the interface one of the array. REQUIRES: the array has as many dimensions.
template <class Interface>
void Assign(Interface& interface, const Strided& array) {
  constexpr auto kShape = kShapeOf<Interface>;
  interface = {kShape.id, array.ptr, array.dev_handle, array.offset};
  interface.elemsize = array.elemsize;
  if constexpr (requires { interface.allocsize; }) interface.allocsize = array.Bytes();
  for (size_t d = 0; d < kShape.n.size(); ++d) interface.*kShape.n[d] = array.n[d];
  SetDistances(interface, array);
}
void Assign(Ndim& ndim, const Strided& array);

// Sets `ld` to the distances of an array without gaps, as newly allocated memory has.
void MakeDense(Strided& array);

// Returns part `id` of `parts` along a dimension, with `shadow` elements of the neighbours on each
// side.
Strided CutAlong(const Strided& array, size_t dimension, unsigned shadow, unsigned id,
                 unsigned parts);
// Returns the array with one dimension less, at `place` of `dimension`.
Strided PickAt(const Strided& array, size_t dimension, size_t place);
// Returns the element at one place of each dimension.
Strided PickElement(const Strided& array, const uint32_t* places);

}  // namespace tasklens::runtime
