/* SPDX-License-Identifier: Apache-2.0
 * Submits one task in each way from C and says where: see sites_test.cc. */
#include <starpu.h>

void ExpectSite(const char* task, const char* file, int line, const char* function);

static void Nothing(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
}
static struct starpu_codelet codelet = {.cpu_funcs = {Nothing}, .name = "site"};

#define EXPECT_NEXT_LINE(name) ExpectSite(name, __FILE__, __LINE__ + 1, __func__)

static struct starpu_task* Named(const char* name) {
  struct starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->name = name;
  return task;
}

void SubmitInEachWayFromC(void) {
  int failed = 0;
  EXPECT_NEXT_LINE("c insert");
  failed |= starpu_task_insert(&codelet, STARPU_NAME, "c insert", 0);
  EXPECT_NEXT_LINE("c old insert");
  failed |= starpu_insert_task(&codelet, STARPU_NAME, "c old insert", 0);
  EXPECT_NEXT_LINE("c insert on many lines");
  failed |= starpu_task_insert(&codelet, STARPU_NAME, "c insert on many lines", STARPU_PRIORITY, 1,
                               STARPU_FLOPS, 100.0, STARPU_SEQUENTIAL_CONSISTENCY, 1u, 0);
  EXPECT_NEXT_LINE("c build");
  struct starpu_task* built = starpu_task_build(&codelet, STARPU_NAME, "c build", 0);
  failed |= starpu_task_submit(built);
  struct starpu_task* made = Named("c submit");
  EXPECT_NEXT_LINE("c submit");
  failed |= starpu_task_submit(made);
  struct starpu_task* free_of_deps = Named("c submit without dependencies");
  EXPECT_NEXT_LINE("c submit without dependencies");
  failed |= starpu_task_submit_nodeps(free_of_deps);
  struct starpu_task* to_context = Named("c submit to a context");
  EXPECT_NEXT_LINE("c submit to a context");
  failed |= starpu_task_submit_to_ctx(to_context, 0);
  struct starpu_task* set = starpu_task_create();
  EXPECT_NEXT_LINE("c set");
  failed |= starpu_task_set(set, &codelet, STARPU_NAME, "c set", 0);
  failed |= starpu_task_submit(set);
  ExpectSite("c place of its own", "elsewhere.c", 77, "");
  failed |= starpu_task_submit_line(Named("c place of its own"), "elsewhere.c", 77);
  int (*insert)(struct starpu_codelet*, ...) = &starpu_task_insert;
  ExpectSite("c through a pointer", "", 0, "");
  failed |= insert(&codelet, STARPU_NAME, "c through a pointer", 0);
  /* The same task twice, from two places. */
  struct starpu_task* again = Named("c first time");
  again->detach = again->destroy = 0;
  EXPECT_NEXT_LINE("c first time");
  failed |= starpu_task_submit(again);
  failed |= starpu_task_wait(again);
  again->name = "c second time";
  EXPECT_NEXT_LINE("c second time");
  failed |= starpu_task_submit(again);
  failed |= starpu_task_wait(again);
  starpu_task_destroy(again);
  if (failed) STARPU_ABORT_MSG("a submission failed: %d", failed);
}
