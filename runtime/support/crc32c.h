// SPDX-License-Identifier: Apache-2.0
// CRC-32C with the most significant bit first, as StarPU's footprints are made of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasklens::runtime {

// Of `size` bytes, after those that gave `crc`.
uint32_t Crc32c(const void* bytes, size_t size, uint32_t crc);
// Of the four bytes of a number.
inline uint32_t Crc32c(uint32_t number, uint32_t crc) {
  return Crc32c(&number, sizeof(number), crc);
}

}  // namespace tasklens::runtime
