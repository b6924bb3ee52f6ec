// SPDX-License-Identifier: Apache-2.0
// Helpers of the built-in interfaces.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tasklens::runtime {

// Allocates `size` bytes into the interface's ptr and dev_handle, offset 0.
template <class Interface>
starpu_ssize_t AllocateFor(Interface* interface, unsigned node, size_t size) {
  const uintptr_t memory = starpu_malloc_on_node(node, size);
  if (!memory) return -ENOMEM;
  interface->ptr = interface->dev_handle = memory;
  interface->offset = 0;
  return static_cast<starpu_ssize_t>(size);
}

// Copies arrays of an interface, each from its address (or object) on one node to its address on
// another. Returns 0 or a negative errno.
struct ArrayCopy {
  uintptr_t source, target;
  size_t bytes;
};
int CopyArrays(std::initializer_list<ArrayCopy> arrays, unsigned source_node, unsigned target_node,
               void* async_data);
inline uintptr_t AddressOf(const void* array) { return reinterpret_cast<uintptr_t>(array); }

// Returns the main-memory interface of a handle. Ends the program with a message that names
// `function` if the interface is not of kind `id`.
void* InterfaceOf(starpu_data_handle_t handle, starpu_data_interface_id id, const char* function);

// pack_data and peek_data for contents in rows: copy `planes` planes, `plane_bytes` apart, of
// `rows` rows of `row_bytes`, `stride_bytes` apart, to or from one dense piece.
int PackRows(const char* first, size_t row_bytes, size_t rows, size_t stride_bytes, size_t planes,
             size_t plane_bytes, void** pointer, starpu_ssize_t* count);
int PeekRows(char* first, size_t row_bytes, size_t rows, size_t stride_bytes, size_t planes,
             size_t plane_bytes, const void* pointer, size_t count);

// unpack_data of an interface whose peek_data is `peek`: frees the piece after reading it.
template <int (*peek)(starpu_data_handle_t, unsigned, void*, size_t)>
int UnpackWith(starpu_data_handle_t handle, unsigned node, void* pointer, size_t count) {
  const int error = peek(handle, node, pointer, count);
  starpu_free_on_node(node, reinterpret_cast<uintptr_t>(pointer), count);
  return error;
}

}  // namespace tasklens::runtime
