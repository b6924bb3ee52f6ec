// SPDX-License-Identifier: Apache-2.0
// CRC-32C with the most significant bit first, the hash of StarPU's footprints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasklens::runtime {

// Returns the CRC of `size` bytes; `crc` is the CRC of the bytes before, 0 at the start.
uint32_t Crc32c(const void* bytes, size_t size, uint32_t crc);
// The same for the four bytes of a number.
inline uint32_t Crc32c(uint32_t number, uint32_t crc) {
  return Crc32c(&number, sizeof(number), crc);
}

}  // namespace tasklens::runtime
