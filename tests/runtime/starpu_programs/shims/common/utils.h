/* SPDX-License-Identifier: Apache-2.0
 * Stands for the private header of this name that StarPU's test programs include: what they use of
 * it. */
#ifndef TASKLENS_SHIM_UTILS_H
#define TASKLENS_SHIM_UTILS_H

#include <common/config.h>
#include <sched.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define STARPU_RUNNING_ON_VALGRIND 0
#define STARPU_HG_DISABLE_CHECKING(variable) ((void)0)
#define STARPU_HG_ENABLE_CHECKING(variable) ((void)0)

#define STARPU_VALGRIND_YIELD() ((void)0)
#define STARPU_UYIELD() sched_yield()
#define VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE(address, size) ((void)0)

#define _starpu_mkdtemp mkdtemp
#define _STARPU_DISP(...) fprintf(stderr, __VA_ARGS__)

#define _STARPU_MALLOC(pointer, size)                              \
  do {                                                             \
    (pointer) = malloc(size);                                      \
    STARPU_ASSERT_MSG((pointer) != NULL || (size) == 0, "malloc"); \
  } while (0)
#define _STARPU_CALLOC(pointer, count, size)                       \
  do {                                                             \
    (pointer) = calloc((count), (size));                           \
    STARPU_ASSERT_MSG((pointer) != NULL || (size) == 0, "calloc"); \
  } while (0)

#define _STARPU_ERROR(...) STARPU_ABORT_MSG(__VA_ARGS__)

#endif
