// SPDX-License-Identifier: Apache-2.0
// Type checks and packing for all interfaces.
#include "runtime/interfaces/common.h"

#include <cerrno>
#include <cstring>

#include "runtime/data/handle.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

void* InterfaceOf(starpu_data_handle_t handle, starpu_data_interface_id id, const char* function) {
  if (!handle) Fatal("%s(NULL)", function);
  if (handle->ops->interfaceid != id) {
    Fatal("%s(): %s is of another kind: %s", function, Describe(handle).c_str(),
          DescribeShape(handle).c_str());
  }
  return handle->interface;
}

int CopyArrays(std::initializer_list<ArrayCopy> arrays, unsigned source_node, unsigned target_node,
               void* async_data) {
  for (const ArrayCopy& array : arrays) {
    if (const int error = starpu_interface_copy(array.source, 0, source_node, array.target, 0,
                                                target_node, array.bytes, async_data)) {
      return error;
    }
  }
  return 0;
}

int PackRows(const char* first, size_t row_bytes, size_t rows, size_t stride_bytes, size_t planes,
             size_t plane_bytes, void** pointer, starpu_ssize_t* count) {
  *count = static_cast<starpu_ssize_t>(row_bytes * rows * planes);
  if (!pointer) return 0;
  char* target =
      reinterpret_cast<char*>(starpu_malloc_on_node(STARPU_MAIN_RAM, static_cast<size_t>(*count)));
  if (!target) return -ENOMEM;
  *pointer = target;
  for (size_t z = 0; z < planes; ++z) {
    for (size_t y = 0; y < rows; ++y, target += row_bytes) {
      memcpy(target, first + z * plane_bytes + y * stride_bytes, row_bytes);
    }
  }
  return 0;
}

int PeekRows(char* first, size_t row_bytes, size_t rows, size_t stride_bytes, size_t planes,
             size_t plane_bytes, const void* pointer, size_t count) {
  if (count != row_bytes * rows * planes) return -EINVAL;
  const char* source = static_cast<const char*>(pointer);
  for (size_t z = 0; z < planes; ++z) {
    for (size_t y = 0; y < rows; ++y, source += row_bytes) {
      memcpy(first + z * plane_bytes + y * stride_bytes, source, row_bytes);
    }
  }
  return 0;
}

}  // namespace tasklens::runtime
