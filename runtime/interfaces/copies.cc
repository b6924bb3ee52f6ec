// SPDX-License-Identifier: Apache-2.0
// Copies of pieces with any number of dimensions, made of those with two.
#include <starpu.h>

#include <cerrno>

extern "C" {

int starpu_interface_copy(uintptr_t source, size_t source_offset, unsigned source_node,
                          uintptr_t target, size_t target_offset, unsigned target_node, size_t size,
                          void* async_data) {
  return starpu_interface_copy2d(source, source_offset, source_node, target, target_offset,
                                 target_node, size, 1, size, size, async_data);
}

int starpu_interface_copy3d(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t block_size, size_t blocks1, size_t source_ld1, size_t target_ld1,
                            size_t blocks2, size_t source_ld2, size_t target_ld2,
                            void* async_data) {
  for (size_t i = 0; i < blocks2; ++i) {
    if (const int error =
            starpu_interface_copy2d(source, source_offset + i * source_ld2, source_node, target,
                                    target_offset + i * target_ld2, target_node, block_size,
                                    blocks1, source_ld1, target_ld1, async_data)) {
      return error;
    }
  }
  return 0;
}

int starpu_interface_copy4d(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t block_size, size_t blocks1, size_t source_ld1, size_t target_ld1,
                            size_t blocks2, size_t source_ld2, size_t target_ld2, size_t blocks3,
                            size_t source_ld3, size_t target_ld3, void* async_data) {
  for (size_t i = 0; i < blocks3; ++i) {
    if (const int error = starpu_interface_copy3d(
            source, source_offset + i * source_ld3, source_node, target,
            target_offset + i * target_ld3, target_node, block_size, blocks1, source_ld1,
            target_ld1, blocks2, source_ld2, target_ld2, async_data)) {
      return error;
    }
  }
  return 0;
}

int starpu_interface_copynd(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t element_size, size_t dimensions, uint32_t* counts,
                            uint32_t* source_lds, uint32_t* target_lds, void* async_data) {
  if (dimensions == 0)
    return starpu_interface_copy(source, source_offset, source_node, target, target_offset,
                                 target_node, element_size, async_data);
  if (dimensions == 1)
    return starpu_interface_copy(source, source_offset, source_node, target, target_offset,
                                 target_node, counts[0] * element_size, async_data);
  const size_t last = dimensions - 1;
  if (last == 1)
    return starpu_interface_copy2d(source, source_offset, source_node, target, target_offset,
                                   target_node, counts[0] * element_size, counts[1],
                                   source_lds[1] * element_size, target_lds[1] * element_size,
                                   async_data);
  int result = 0;
  for (size_t i = 0; i < counts[last]; ++i) {
    const int part = starpu_interface_copynd(
        source, source_offset + i * source_lds[last] * element_size, source_node, target,
        target_offset + i * target_lds[last] * element_size, target_node, element_size, last,
        counts, source_lds, target_lds, async_data);
    if (part && part != -EAGAIN) return part;
    if (part) result = part;
  }
  return result;
}

}  // extern "C"
