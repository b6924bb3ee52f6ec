// SPDX-License-Identifier: Apache-2.0
// Footprints of data and tasks.
#include <starpu.h>

#include <cstring>

#include "runtime/data/footprint.h"
#include "runtime/support/crc32c.h"

using tasklens::runtime::Crc32c;

uint32_t starpu_hash_crc32c_be_n(const void* input, size_t size, uint32_t crc) {
  return Crc32c(input, size, crc);
}
uint32_t starpu_hash_crc32c_be_ptr(void* input, uint32_t crc) {
  return Crc32c(&input, sizeof(input), crc);
}
uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t crc) { return Crc32c(input, crc); }
uint32_t starpu_hash_crc32c_string(const char* text, uint32_t crc) {
  return Crc32c(text, strlen(text), crc);
}

uint32_t starpu_task_data_footprint(starpu_task* task) {
  return tasklens::runtime::FootprintOfData(*task);
}

uint32_t starpu_task_footprint(starpu_perfmodel* model, starpu_task* task,
                               starpu_perfmodel_arch* arch, unsigned implementation) {
  return tasklens::runtime::FootprintOfTask(model, task, arch, implementation);
}
