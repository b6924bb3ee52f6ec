// SPDX-License-Identifier: Apache-2.0
// Strided: an array of any number of dimensions, the common form of all dense interfaces. Used by
// block, tensor and ndim, and by the filters between these and the smaller interfaces.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>

#include "runtime/interfaces/common.h"

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

Strided StridedOf(const starpu_block_interface& block);
Strided StridedOf(const starpu_tensor_interface& tensor);
Strided StridedOf(const starpu_ndim_interface& ndim);
// Copies `ld` back to the interface.
void SetDistances(starpu_block_interface& block, const Strided& array);
void SetDistances(starpu_tensor_interface& tensor, const Strided& array);
void SetDistances(starpu_ndim_interface& ndim, const Strided& array);
// Return the array as an interface of another kind. REQUIRES: the array has 4 dimensions for a
// tensor, 3 for a block, 2 for a matrix, 1 for a vector, 0 for a variable.
starpu_ndim_interface AsNdim(const Strided& array);
starpu_tensor_interface AsTensor(const Strided& array);
starpu_block_interface AsBlock(const Strided& array);
starpu_matrix_interface AsMatrix(const Strided& array);
starpu_vector_interface AsVector(const Strided& array);
starpu_variable_interface AsVariable(const Strided& array);

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

// Copy between two arrays of the same extents, or between an array and a dense piece. Return 0 or a
// negative errno.
int CopyStrided(const Strided& from, unsigned from_node, const Strided& to, unsigned to_node,
                void* async_data);
int PackStrided(const Strided& array, void** pointer, starpu_ssize_t* count);
int PeekStrided(const Strided& array, const void* pointer, size_t count);

// The operations of an interface for which StridedOf() is defined.
template <class Interface>
struct StridedOps {
  static Strided Of(void* interface) { return StridedOf(*static_cast<Interface*>(interface)); }
  static Strided OfHandle(starpu_data_handle_t handle) {
    return Of(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM));
  }

  static int Copy(void* source, unsigned source_node, void* target, unsigned target_node,
                  void* async) {
    return CopyStrided(Of(source), source_node, Of(target), target_node, async);
  }
  static constexpr starpu_data_copy_methods kCopy = {.any_to_any = Copy};

  static starpu_ssize_t Allocate(void* interface, unsigned node) {
    Strided array = Of(interface);
    MakeDense(array);
    auto* own = static_cast<Interface*>(interface);
    SetDistances(*own, array);
    return AllocateFor(own, node, array.Bytes());
  }
  static void Free(void* interface, unsigned node) {
    auto* own = static_cast<Interface*>(interface);
    starpu_free_on_node(node, own->dev_handle, Of(interface).Bytes());
    own->ptr = own->dev_handle = 0;
  }
  static void* ToPointer(void* interface, unsigned) {
    return reinterpret_cast<void*>(static_cast<Interface*>(interface)->ptr);
  }
  static int IsInside(void* interface, unsigned, void* pointer) {
    const Strided array = Of(interface);
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    return address >= array.ptr && address < array.ptr + array.SpanBytes();
  }
  static size_t Size(starpu_data_handle_t handle) { return OfHandle(handle).Bytes(); }
  static uint32_t Footprint(starpu_data_handle_t handle) {
    return OfHandle(handle).HashOfExtents(0);
  }
  static int Compare(void* a, void* b) { return Of(a).IsLike(Of(b)); }
  static int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
    return PackStrided(OfHandle(handle), pointer, count);
  }
  static int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
    return PeekStrided(OfHandle(handle), pointer, count);
  }

  // Returns the table of operations: those above, and the ones that differ between interfaces.
  static constexpr starpu_data_interface_ops Table(
      starpu_data_interface_id id, const char* name,
      starpu_ssize_t (*describe)(void* interface, char* text, size_t room),
      uint32_t (*footprint)(starpu_data_handle_t) = Footprint) {
    return {
        .allocate_data_on_node = Allocate,
        .free_data_on_node = Free,
        .copy_methods = &kCopy,
        .to_pointer = ToPointer,
        .pointer_is_inside = IsInside,
        .get_size = Size,
        .footprint = footprint,
        .compare = Compare,
        .describe = describe,
        .interfaceid = id,
        .interface_size = sizeof(Interface),
        .pack_data = Pack,
        .peek_data = Peek,
        .unpack_data = UnpackWith<Peek>,
        .name = name,
    };
  }
};

}  // namespace tasklens::runtime
