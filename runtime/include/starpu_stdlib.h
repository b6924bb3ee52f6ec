/* SPDX-License-Identifier: Apache-2.0
 * Memory for data, and sleeping. */
#ifndef __STARPU_STDLIB_H__
#define __STARPU_STDLIB_H__

#include <starpu_config.h>
#include <starpu_util.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_MALLOC_PINNED ((1ULL) << 1)
#define STARPU_MALLOC_COUNT ((1ULL) << 2)
#define STARPU_MALLOC_NORECLAIM ((1ULL) << 3)
#define STARPU_MEMORY_WAIT ((1ULL) << 4)
#define STARPU_MEMORY_OVERFLOW ((1ULL) << 5)
#define STARPU_MALLOC_SIMULATION_FOLDED ((1ULL) << 6)
#define STARPU_MALLOC_SIMULATION_UNIQUE ((1ULL) << 7)

#define starpu_data_malloc_pinned_if_possible starpu_malloc
#define starpu_data_free_pinned_if_possible starpu_free

/* Alignment of what starpu_malloc returns, a power of two. */
void starpu_malloc_set_align(size_t align);
/* 0, or -ENOMEM and *A = NULL. The size given to a free must be that of its malloc. */
int starpu_malloc(void** A, size_t dim) STARPU_WARN_UNUSED_RESULT;
int starpu_malloc_flags(void** A, size_t dim, int flags) STARPU_WARN_UNUSED_RESULT;
int starpu_free(void* A);
int starpu_free_noflag(void* A, size_t dim);
int starpu_free_flags(void* A, size_t dim, int flags);

/* Memory of a node; 0 when there is none left. */
uintptr_t starpu_malloc_on_node(unsigned dst_node, size_t size);
uintptr_t starpu_malloc_on_node_flags(unsigned dst_node, size_t size, int flags);
void starpu_free_on_node(unsigned dst_node, uintptr_t addr, size_t size);
void starpu_free_on_node_flags(unsigned dst_node, uintptr_t addr, size_t size, int flags);
void starpu_malloc_on_node_set_default_flags(unsigned node, int flags);

/* Nothing to pin without an accelerator: both return 0. */
int starpu_memory_pin(void* addr, size_t size);
int starpu_memory_unpin(void* addr, size_t size);

void starpu_sleep(float nb_sec);
void starpu_usleep(float nb_micro_sec);

#ifdef __cplusplus
}
#endif

#endif
