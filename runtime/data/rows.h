// SPDX-License-Identifier: Apache-2.0
// Rows: rows of bytes at a constant stride, copied by one call.
#pragma once

#include <cstddef>

namespace tasklens::runtime {

struct Rows {
  const char* source;
  char* target;
  size_t row_bytes;
  size_t count = 1;
  size_t source_stride_bytes = 0, target_stride_bytes = 0;

  bool are_dense() const {
    return count == 1 || (source_stride_bytes == row_bytes && target_stride_bytes == row_bytes);
  }
};

}  // namespace tasklens::runtime
