/* SPDX-License-Identifier: Apache-2.0
 * Macros of StarPU's headers, as a program in C uses them. */
#define STARPU_USE_DEPRECATED_API
#define STARPU_USE_DEPRECATED_ONE_ZERO_API
#include <starpu.h>

STARPU_STATIC_ASSERT(STARPU_MAXHIPDEVS == 0);

STARPU_VISIBILITY_PUSH_HIDDEN
STARPU_ATTRIBUTE_MALLOC STARPU_ATTRIBUTE_ALLOC_SIZE(1) void* MacrosAllocate(size_t size);
STARPU_ATTRIBUTE_MALLOC STARPU_ATTRIBUTE_CALLOC_SIZE(1, 2) void* MacrosAllocateMany(size_t count,
                                                                                    size_t size);
STARPU_VISIBILITY_POP
STARPU_ATTRIBUTE_VISIBILITY_DEFAULT void CheckVectorInC(void* interface);
STARPU_ATTRIBUTE_VISIBILITY_DEFAULT int OldNamesInC(void);

void* MacrosAllocate(size_t size) { return malloc(size); }
void* MacrosAllocateMany(size_t count, size_t size) { return calloc(count, size); }

void CheckVectorInC(void* interface) {
  STARPU_STATIC_ASSERT(sizeof(uintptr_t) == sizeof(void*));
  STARPU_SIMGRID_ASSERT(interface);
  STARPU_VECTOR_CHECK(interface);
}

int OldNamesInC(void) {
  struct starpu_buffer_descr access = {NULL, STARPU_R};
  struct starpu_task task;
  starpu_task_init(&task);
  starpu_task_deinit(&task);
  return starpu_get_current_task() == NULL && access.mode == STARPU_R;
}
