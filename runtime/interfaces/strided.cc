// SPDX-License-Identifier: Apache-2.0
// Shapes of arrays, and the arithmetic of their parts.
#include "runtime/interfaces/strided.h"

#include <algorithm>
#include <cstring>

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

Strided StridedOf(const Ndim& ndim) {
  Strided array = {ndim.ptr, ndim.dev_handle, ndim.offset, ndim.elemsize, ndim.ndim, {}, {}};
  memcpy(array.n, ndim.nn, sizeof(array.n));
  memcpy(array.ld, ndim.ldn, sizeof(array.ld));
  return array;
}

void SetDistances(Ndim& ndim, const Strided& array) {
  memcpy(ndim.ldn, array.ld, sizeof(ndim.ldn));
}

void Assign(Ndim& ndim, const Strided& array) {
  ndim = {STARPU_NDIM_INTERFACE_ID, array.ptr, array.dev_handle, array.offset, array.Bytes()};
  memcpy(ndim.nn, array.n, sizeof(ndim.nn));
  SetDistances(ndim, array);
  ndim.ndim = array.dims;
  ndim.elemsize = array.elemsize;
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

}  // namespace tasklens::runtime
