// SPDX-License-Identifier: Apache-2.0
// Copies and packs arrays row by row.
#include "runtime/interfaces/strided.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Moves the beginning of the array.
void Skip(Strided& array, size_t elements) {
  const size_t bytes = elements * array.elemsize;
  if (array.ptr) array.ptr += bytes;
  array.offset += bytes;
}

// Calls function(offset in bytes of the row's first element) for every row along the first
// dimension, in order. All rows have the same size.
template <class Function>
void ForEachRow(const Strided& array, Function&& function) {
  if (array.Elements() == 0) return;
  uint32_t place[STARPU_NDIM_MAXDIMS] = {};
  for (;;) {
    size_t elements = 0;
    for (size_t d = 1; d < array.dims; ++d) elements += size_t{place[d]} * array.ld[d];
    function(elements * array.elemsize);
    size_t d = 1;
    while (d < array.dims && ++place[d] == array.n[d]) place[d++] = 0;
    if (d >= array.dims) return;
  }
}

// Returns the size in bytes of a row, which is contiguous if the first dimension has no gaps.
size_t RowBytes(const Strided& array) { return (array.dims ? array.n[0] : 1) * array.elemsize; }

void CheckDense(const Strided& array) {
  if (array.dims && array.n[0] > 1 && array.ld[0] != 1) {
    Fatal("an array whose first dimension has gaps cannot be copied");
  }
}

}  // namespace

size_t Strided::Elements() const {
  size_t elements = 1;
  for (size_t d = 0; d < dims; ++d) elements *= n[d];
  return elements;
}

size_t Strided::SpanBytes() const {
  if (Elements() == 0) return 0;
  size_t last = 0;
  for (size_t d = 0; d < dims; ++d) last += (size_t{n[d]} - 1) * ld[d];
  return (last + 1) * elemsize;
}

uint32_t Strided::HashOfExtents(uint32_t start) const {
  uint32_t hash = start;
  for (size_t d = 0; d < dims; ++d) hash = Crc32c(n[d], hash);
  return hash;
}

bool Strided::IsLike(const Strided& other) const {
  return dims == other.dims && elemsize == other.elemsize && std::equal(n, n + dims, other.n);
}

Strided StridedOf(const starpu_block_interface& b) {
  return {b.ptr, b.dev_handle, b.offset, b.elemsize, 3, {b.nx, b.ny, b.nz}, {1, b.ldy, b.ldz}};
}
Strided StridedOf(const starpu_tensor_interface& t) {
  return {t.ptr,
          t.dev_handle,
          t.offset,
          t.elemsize,
          4,
          {t.nx, t.ny, t.nz, t.nt},
          {1, t.ldy, t.ldz, t.ldt}};
}
Strided StridedOf(const starpu_ndim_interface& ndim) {
  Strided array = {ndim.ptr, ndim.dev_handle, ndim.offset, ndim.elemsize, ndim.ndim, {}, {}};
  memcpy(array.n, ndim.nn, sizeof(array.n));
  memcpy(array.ld, ndim.ldn, sizeof(array.ld));
  return array;
}

void SetDistances(starpu_block_interface& block, const Strided& array) {
  block.ldy = array.ld[1];
  block.ldz = array.ld[2];
}
void SetDistances(starpu_tensor_interface& tensor, const Strided& array) {
  tensor.ldy = array.ld[1];
  tensor.ldz = array.ld[2];
  tensor.ldt = array.ld[3];
}
void SetDistances(starpu_ndim_interface& ndim, const Strided& array) {
  memcpy(ndim.ldn, array.ld, sizeof(ndim.ldn));
}

starpu_ndim_interface AsNdim(const Strided& a) {
  starpu_ndim_interface ndim = {};
  ndim.id = STARPU_NDIM_INTERFACE_ID;
  ndim.ptr = a.ptr;
  ndim.dev_handle = a.dev_handle;
  ndim.offset = a.offset;
  ndim.allocsize = a.Bytes();
  memcpy(ndim.nn, a.n, sizeof(ndim.nn));
  memcpy(ndim.ldn, a.ld, sizeof(ndim.ldn));
  ndim.ndim = a.dims;
  ndim.elemsize = a.elemsize;
  return ndim;
}
starpu_tensor_interface AsTensor(const Strided& a) {
  return {STARPU_TENSOR_INTERFACE_ID,
          a.ptr,
          a.dev_handle,
          a.offset,
          a.n[0],
          a.n[1],
          a.n[2],
          a.n[3],
          a.ld[1],
          a.ld[2],
          a.ld[3],
          a.elemsize};
}
starpu_block_interface AsBlock(const Strided& a) {
  return {STARPU_BLOCK_INTERFACE_ID,
          a.ptr,
          a.dev_handle,
          a.offset,
          a.n[0],
          a.n[1],
          a.n[2],
          a.ld[1],
          a.ld[2],
          a.elemsize};
}
starpu_matrix_interface AsMatrix(const Strided& a) {
  return {STARPU_MATRIX_INTERFACE_ID,
          a.ptr,
          a.dev_handle,
          a.offset,
          a.n[0],
          a.n[1],
          a.ld[1],
          a.elemsize,
          a.Bytes()};
}
starpu_vector_interface AsVector(const Strided& a) {
  return {
      STARPU_VECTOR_INTERFACE_ID, a.ptr, a.dev_handle, a.offset, a.n[0], a.elemsize, 0, a.Bytes()};
}
starpu_variable_interface AsVariable(const Strided& a) {
  return {STARPU_VARIABLE_INTERFACE_ID, a.ptr, a.dev_handle, a.offset, a.elemsize};
}

void MakeDense(Strided& array) {
  uint32_t distance = 1;
  for (size_t d = 0; d < array.dims; ++d) {
    array.ld[d] = distance;
    distance *= array.n[d];
  }
}

Strided CutAlong(const Strided& array, size_t dimension, unsigned shadow, unsigned id,
                 unsigned parts) {
  if (dimension >= array.dims) {
    Fatal("an array of %zu dimensions cannot be cut along dimension %zu", array.dims, dimension);
  }
  const uint32_t n = array.n[dimension];
  if (n < 2 * shadow) Fatal("a shadow of %u does not fit %u elements", shadow, n);
  unsigned count;
  size_t first;
  starpu_filter_nparts_compute_chunk_size_and_offset(n - 2 * shadow, parts, 1, id, 1, &count,
                                                     &first);
  Strided part = array;
  part.n[dimension] = count + 2 * shadow;
  Skip(part, first * array.ld[dimension]);
  return part;
}

Strided PickAt(const Strided& array, size_t dimension, size_t place) {
  if (dimension >= array.dims) {
    Fatal("an array of %zu dimensions has no dimension %zu", array.dims, dimension);
  }
  if (place >= array.n[dimension]) {
    Fatal("dimension %zu of an array has %u places: there is no place %zu", dimension,
          array.n[dimension], place);
  }
  Strided part = array;
  Skip(part, place * array.ld[dimension]);
  for (size_t d = dimension; d + 1 < array.dims; ++d) {
    part.n[d] = array.n[d + 1];
    part.ld[d] = array.ld[d + 1];
  }
  --part.dims;
  return part;
}

Strided PickElement(const Strided& array, const uint32_t* places) {
  Strided element = array;
  for (size_t d = array.dims; d-- > 0;) element = PickAt(element, d, places[d]);
  return element;
}

int CopyStrided(const Strided& from, unsigned from_node, const Strided& to, unsigned to_node,
                void* async_data) {
  CheckDense(from);
  CheckDense(to);
  const size_t bytes = RowBytes(from);
  // The rows of `from` are enumerated; `place` follows the same row in `to`.
  uint32_t place[STARPU_NDIM_MAXDIMS] = {};
  int error = 0;
  ForEachRow(from, [&](size_t source) {
    size_t elements = 0;
    for (size_t d = 1; d < to.dims; ++d) elements += size_t{place[d]} * to.ld[d];
    if (error == 0) {
      error = starpu_interface_copy(from.dev_handle, from.offset + source, from_node, to.dev_handle,
                                    to.offset + elements * to.elemsize, to_node, bytes, async_data);
    }
    for (size_t d = 1; d < to.dims && ++place[d] == to.n[d]; ++d) place[d] = 0;
  });
  return error;
}

int PackStrided(const Strided& array, void** pointer, starpu_ssize_t* count) {
  CheckDense(array);
  *count = static_cast<starpu_ssize_t>(array.Bytes());
  if (!pointer) return 0;
  auto* target = reinterpret_cast<char*>(starpu_malloc_on_node(STARPU_MAIN_RAM, array.Bytes()));
  if (!target) return -ENOMEM;
  *pointer = target;
  const auto* first = reinterpret_cast<const char*>(array.ptr);
  const size_t bytes = RowBytes(array);
  ForEachRow(array, [&](size_t source) {
    memcpy(target, first + source, bytes);
    target += bytes;
  });
  return 0;
}

int PeekStrided(const Strided& array, const void* pointer, size_t count) {
  CheckDense(array);
  if (count != array.Bytes()) return -EINVAL;
  const char* source = static_cast<const char*>(pointer);
  auto* first = reinterpret_cast<char*>(array.ptr);
  const size_t bytes = RowBytes(array);
  ForEachRow(array, [&](size_t target) {
    memcpy(first + target, source, bytes);
    source += bytes;
  });
  return 0;
}

}  // namespace tasklens::runtime
