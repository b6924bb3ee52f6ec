/* SPDX-License-Identifier: Apache-2.0
 * Sets of small numbers, such as workers. Not locked. */
#ifndef __STARPU_BITMAP_H__
#define __STARPU_BITMAP_H__

#include <starpu_config.h>
#include <starpu_util.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers below STARPU_BITMAP_NUMBERS: of workers and combined workers. */
#define STARPU_BITMAP_NUMBERS (3 * STARPU_NMAXWORKERS)
struct starpu_bitmap {
  uint64_t words[STARPU_BITMAP_NUMBERS / 64];
};

/* An empty one: of the runtime, until destroy(), or of the caller's own. */
struct starpu_bitmap* starpu_bitmap_create(void) STARPU_ATTRIBUTE_MALLOC;
void starpu_bitmap_init(struct starpu_bitmap* b);
void starpu_bitmap_destroy(struct starpu_bitmap* b);
void starpu_bitmap_set(struct starpu_bitmap* b, int e);
void starpu_bitmap_unset(struct starpu_bitmap* b, int e);
void starpu_bitmap_unset_all(struct starpu_bitmap* b);
int starpu_bitmap_get(struct starpu_bitmap* b, int e);
/* a becomes what is in b and in c. */
void starpu_bitmap_unset_and(struct starpu_bitmap* a, struct starpu_bitmap* b,
                             struct starpu_bitmap* c);
/* a becomes what is in a or in b. */
void starpu_bitmap_or(struct starpu_bitmap* a, struct starpu_bitmap* b);
int starpu_bitmap_and_get(struct starpu_bitmap* b1, struct starpu_bitmap* b2, int e);
int starpu_bitmap_cardinal(struct starpu_bitmap* b);
/* -1 when there is none; next: the first above e. */
int starpu_bitmap_first(struct starpu_bitmap* b);
int starpu_bitmap_last(struct starpu_bitmap* b);
int starpu_bitmap_next(struct starpu_bitmap* b, int e);
int starpu_bitmap_has_next(struct starpu_bitmap* b, int e);

#ifdef __cplusplus
}
#endif

#endif
