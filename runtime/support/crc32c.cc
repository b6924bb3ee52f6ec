// SPDX-License-Identifier: Apache-2.0
#include "runtime/support/crc32c.h"

#include <array>

namespace tasklens::runtime {
namespace {

constexpr uint32_t kPolynomial = 0x1EDC6F41;
// kTables[n][b]: the CRC of byte b followed by n zero bytes.
constexpr std::array<std::array<uint32_t, 256>, 4> kTables = [] {
  std::array<std::array<uint32_t, 256>, 4> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i << 24;
    for (int bit = 0; bit < 32; ++bit) {
      crc = crc << 1 ^ (crc & 0x80000000 ? kPolynomial : 0);
      if (bit % 8 == 7) tables[static_cast<size_t>(bit / 8)][i] = crc;
    }
  }
  return tables;
}();

uint32_t Step(unsigned char byte, uint32_t crc) {
  return crc << 8 ^ kTables[0][(crc >> 24 ^ byte) & 0xff];
}
// Adds four bytes, the first in the highest bits of `bytes`. The four lookups do not depend on each
// other.
uint32_t StepFour(uint32_t bytes, uint32_t crc) {
  const uint32_t sum = bytes ^ crc;
  return kTables[3][sum >> 24] ^ kTables[2][sum >> 16 & 0xff] ^ kTables[1][sum >> 8 & 0xff] ^
         kTables[0][sum & 0xff];
}

}  // namespace

uint32_t Crc32c(const void* bytes, size_t size, uint32_t crc) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (; size >= 4; size -= 4, at += 4) {
    crc =
        StepFour(uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3], crc);
  }
  for (; size > 0; --size) crc = Step(*at++, crc);
  return crc;
}

}  // namespace tasklens::runtime
