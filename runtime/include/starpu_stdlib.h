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

#define STARPU_MALLOC_PINNED ((1ULL) << 1) /* nothing to pin for */
/* Counts against STARPU_LIMIT_CPU_MEM; to be freed with the same flag. Without room: -ENOMEM, */
#define STARPU_MALLOC_COUNT ((1ULL) << 2)
#define STARPU_MALLOC_NORECLAIM ((1ULL) << 3) /* or beyond the limit all the same, */
#define STARPU_MEMORY_WAIT ((1ULL) << 4)      /* or once others have freed enough, */
#define STARPU_MEMORY_OVERFLOW ((1ULL) << 5)  /* or beyond the limit. */
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

/* From now on these allocate and free instead, as starpu_malloc_flags() and starpu_free_flags() do;
 * NULL, NULL: the runtime again. */
typedef int (*starpu_malloc_hook)(unsigned dst_node, void** A, size_t dim, int flags);
typedef int (*starpu_free_hook)(unsigned dst_node, void* A, size_t dim, int flags);
void starpu_malloc_set_hooks(starpu_malloc_hook malloc_hook, starpu_free_hook free_hook);

/* Memory of a node; 0 when there is none left. Counted, unless the default flags are others. */
uintptr_t starpu_malloc_on_node(unsigned dst_node, size_t size);
uintptr_t starpu_malloc_on_node_flags(unsigned dst_node, size_t size, int flags);
void starpu_free_on_node(unsigned dst_node, uintptr_t addr, size_t size);
void starpu_free_on_node_flags(unsigned dst_node, uintptr_t addr, size_t size, int flags);
void starpu_malloc_on_node_set_default_flags(unsigned node, int flags);

/* Bytes of a node, or of all: the limit, what is left of it (both -1 without a limit), what is
 * counted. */
starpu_ssize_t starpu_memory_get_total(unsigned node);
starpu_ssize_t starpu_memory_get_total_all_nodes(void);
starpu_ssize_t starpu_memory_get_available(unsigned node);
starpu_ssize_t starpu_memory_get_available_all_nodes(void);
size_t starpu_memory_get_used(unsigned node);
size_t starpu_memory_get_used_all_nodes(void);
/* Counts memory that the program takes elsewhere. 0, or -ENOMEM; the flags above say what to do
 * without room. */
int starpu_memory_allocate(unsigned node, size_t size, int flags);
void starpu_memory_deallocate(unsigned node, size_t size);
/* Until so much is left; at once when it never can be. */
void starpu_memory_wait_available(unsigned node, size_t size);

/* Nothing to pin without an accelerator: both return 0. */
int starpu_memory_pin(void* addr, size_t size);
/* For interfaces that want to be sure: aborts with a line where there is no such memory node.
 * (Whose the address is, nobody is asked.) */
void starpu_check_on_node(unsigned node, uintptr_t addr, size_t size);
int starpu_memory_unpin(void* addr, size_t size);

/* Joules that the program says were used, of use where a machine is simulated; and all of them,
 * with STARPU_IDLE_POWER (watts) times the time since starpu_init(). */
void starpu_energy_use(float joules);
double starpu_energy_used(void);

void starpu_sleep(float nb_sec);
void starpu_usleep(float nb_micro_sec);

#ifdef __cplusplus
}
#endif

#endif
