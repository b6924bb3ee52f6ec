/* SPDX-License-Identifier: Apache-2.0
 * CRC-32C over bytes, most significant bit first, as performance models identify sizes by it. */
#ifndef __STARPU_HASH_H__
#define __STARPU_HASH_H__

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each continues from `inputcrc` (0 to begin). */
uint32_t starpu_hash_crc32c_be_n(const void* input, size_t n, uint32_t inputcrc);
uint32_t starpu_hash_crc32c_be_ptr(void* input, uint32_t inputcrc);
uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t inputcrc);
uint32_t starpu_hash_crc32c_string(const char* str, uint32_t inputcrc);

#ifdef __cplusplus
}
#endif

#endif
