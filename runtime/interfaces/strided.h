// SPDX-License-Identifier: Apache-2.0
// Strided: an array of any number of dimensions, the common form of all dense interfaces. Used by
// their operations, and by the filters that cut them or pick parts with fewer dimensions.
#pragma once

#include <starpu.h>

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

Strided StridedOf(const starpu_variable_interface& variable);
Strided StridedOf(const starpu_vector_interface& vector);
Strided StridedOf(const starpu_matrix_interface& matrix);
Strided StridedOf(const starpu_block_interface& block);
Strided StridedOf(const starpu_tensor_interface& tensor);
Strided StridedOf(const starpu_ndim_interface& ndim);
// Make the interface one of the array. REQUIRES: the array has 4 dimensions for a tensor, 3 for a
// block, 2 for a matrix, 1 for a vector, 0 for a variable.
void Assign(starpu_variable_interface& variable, const Strided& array);
void Assign(starpu_vector_interface& vector, const Strided& array);
void Assign(starpu_matrix_interface& matrix, const Strided& array);
void Assign(starpu_block_interface& block, const Strided& array);
void Assign(starpu_tensor_interface& tensor, const Strided& array);
void Assign(starpu_ndim_interface& ndim, const Strided& array);

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
