// SPDX-License-Identifier: Apache-2.0
// A program whose performance models are wrong: one codelet is said to take 4 ms and takes 2 or
// more, another is said to take 1 ms and takes 3 or more. A third has no model.
#include <starpu.h>

static double Four(struct starpu_task* task, unsigned implementation) {
  (void)task, (void)implementation;
  return 4000;
}
static double One(struct starpu_task* task, unsigned implementation) {
  (void)task, (void)implementation;
  return 1000;
}
static void Work(double us) {
  for (const double begin_us = starpu_timing_now(); starpu_timing_now() < begin_us + us;) continue;
}
static void Fast(void* buffers[], void* arguments) {
  (void)buffers, (void)arguments;
  Work(2000);
}
static void Slow(void* buffers[], void* arguments) {
  (void)buffers, (void)arguments;
  Work(3000);
}

static struct starpu_perfmodel four = {.type = STARPU_COMMON, .cost_function = Four},
                               one = {.type = STARPU_COMMON, .cost_function = One};
static struct starpu_codelet fast = {.cpu_funcs = {Fast}, .name = "fast", .model = &four},
                             slow = {.cpu_funcs = {Slow}, .name = "slow", .model = &one},
                             unknown = {.cpu_funcs = {Slow}, .name = "unknown"};

int main(void) {
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 2;
  conf.sched_policy_name = "dm";
  if (starpu_init(&conf) != 0) return 1;
  for (int i = 0; i < 4; ++i) {
    starpu_task_insert(&fast, 0);
    starpu_task_insert(&slow, 0);
    starpu_task_insert(&unknown, 0);
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  return 0;
}
