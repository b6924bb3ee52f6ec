// SPDX-License-Identifier: Apache-2.0
// An array of any number of dimensions as all dense interfaces are one: what tensor and ndim, and
// the filters between them and the smaller ones, work on.
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
  uint32_t n[STARPU_NDIM_MAXDIMS];   // elements along each
  uint32_t ld[STARPU_NDIM_MAXDIMS];  // elements from one to the next

  size_t Elements() const;
  size_t Bytes() const { return Elements() * elemsize; }
  // From the first byte to the last one's end.
  size_t SpanBytes() const;
};

// The array as an interface of another kind; `dims` is 4, 3, 2, 1 and 0.
Strided StridedOf(const starpu_tensor_interface& tensor);
Strided StridedOf(const starpu_ndim_interface& ndim);
starpu_ndim_interface AsNdim(const Strided& array);
starpu_tensor_interface AsTensor(const Strided& array);
starpu_block_interface AsBlock(const Strided& array);
starpu_matrix_interface AsMatrix(const Strided& array);
starpu_vector_interface AsVector(const Strided& array);
starpu_variable_interface AsVariable(const Strided& array);

// Without gaps, as memory of its own is; sets `ld`.
void MakeDense(Strided& array);

// Part `id` of `parts` along a dimension, with `shadow` elements of the neighbours on each side.
Strided CutAlong(const Strided& array, size_t dimension, unsigned shadow, unsigned id,
                 unsigned parts);
// The array of one dimension less at a place of a dimension.
Strided PickAt(const Strided& array, size_t dimension, size_t place);
// The element at one place of each dimension.
Strided PickElement(const Strided& array, const uint32_t* places);

// Copies between two arrays of the same extents, and between one and a dense piece.
void CopyStrided(const Strided& from, const Strided& to);
int PackStrided(const Strided& array, void** pointer, starpu_ssize_t* count);
int PeekStrided(const Strided& array, const void* pointer, size_t count);

}  // namespace tasklens::runtime
