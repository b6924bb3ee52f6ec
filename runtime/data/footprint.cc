// SPDX-License-Identifier: Apache-2.0
// Footprints: the numbers by which performance models know the sizes of a task's data.
#include <starpu.h>

#include <array>

#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/models.h"

namespace {

// CRC-32C with the most significant bit first.
constexpr uint32_t kPolynomial = 0x1EDC6F41;
// kTables[n][b]: what byte b does to the rest when n bytes of zero follow it.
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
// Four bytes, the first of them the highest of `bytes`: none waits for the one before.
uint32_t StepFour(uint32_t bytes, uint32_t crc) {
  const uint32_t sum = bytes ^ crc;
  return kTables[3][sum >> 24] ^ kTables[2][sum >> 16 & 0xff] ^ kTables[1][sum >> 8 & 0xff] ^
         kTables[0][sum & 0xff];
}

}  // namespace

extern "C" {

uint32_t starpu_hash_crc32c_be_n(const void* input, size_t size, uint32_t crc) {
  const auto* at = static_cast<const unsigned char*>(input);
  for (; size >= 4; size -= 4, at += 4) {
    crc =
        StepFour(uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3], crc);
  }
  for (; size > 0; --size) crc = Step(*at++, crc);
  return crc;
}
uint32_t starpu_hash_crc32c_be_ptr(void* input, uint32_t crc) {
  return starpu_hash_crc32c_be_n(&input, sizeof(input), crc);
}
uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t crc) {
  return starpu_hash_crc32c_be_n(&input, sizeof(input), crc);
}
uint32_t starpu_hash_crc32c_string(const char* text, uint32_t crc) {
  for (; *text; ++text) crc = Step(static_cast<unsigned char>(*text), crc);
  return crc;
}

uint32_t starpu_task_data_footprint(starpu_task* task) {
  uint32_t footprint = 0;
  const unsigned count = tasklens::runtime::BufferCount(*task);
  for (unsigned i = 0; i < count; ++i) {
    if (tasklens::runtime::BufferMode(*task, i) & STARPU_NOFOOTPRINT) continue;
    const starpu_data_handle_t handle = tasklens::runtime::BufferHandle(*task, i);
    footprint = starpu_hash_crc32c_be(handle->footprint, footprint);
  }
  return footprint;
}

uint32_t starpu_task_footprint(starpu_perfmodel* model, starpu_task* task,
                               starpu_perfmodel_arch* arch, unsigned implementation) {
  if (model && model->footprint) return model->footprint(task);
  if (model && arch) {
    if (const auto size_base = tasklens::runtime::SizeBaseOf(model, *arch, implementation)) {
      const size_t size = size_base(task, arch, implementation);
      return starpu_hash_crc32c_be_n(&size, sizeof(size), 0);
    }
  }
  if (model && model->size_base) {
    const size_t size = model->size_base(task, implementation);
    return starpu_hash_crc32c_be_n(&size, sizeof(size), 0);
  }
  return starpu_task_data_footprint(task);
}

}  // extern "C"
