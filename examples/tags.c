/* SPDX-License-Identifier: Apache-2.0 */
/* A diamond of explicit dependencies: tags, task dependencies, a callback, a user event and an
 * acquire. */
#include <starpu.h>
#include <stdio.h>

static void spin_cpu(void* buffers[], void* arg) {
  volatile double x = 1.0;
  unsigned n = 100000;
  (void)buffers;
  if (arg) n = *(unsigned*)arg;
  for (unsigned i = 0; i < n; i++) x = x * 1.0000001;
}

static struct starpu_codelet spin = {.cpu_funcs = {spin_cpu}, .nbuffers = 0, .name = "spin"};
static struct starpu_codelet touch = {
    .cpu_funcs = {spin_cpu}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "touch"};

static void done(void* arg) { starpu_fxt_trace_user_event_string((const char*)arg); }

int main(void) {
  static int value;
  starpu_data_handle_t h;
  if (starpu_init(NULL) != 0) return 77;
  starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
  starpu_fxt_trace_user_event_string("diamond begins");
  for (starpu_tag_t t = 0; t < 8; t++) {
    starpu_tag_t base = 0x100 + 4 * t;
    starpu_tag_declare_deps(base + 1, 1, base);
    starpu_tag_declare_deps(base + 2, 1, base);
    starpu_tag_declare_deps(base + 3, 2, base + 1, base + 2);
    for (int i = 3; i >= 0; i--) {
      struct starpu_task* task = starpu_task_create();
      task->cl = &spin;
      task->use_tag = 1;
      task->tag_id = base + i;
      task->priority = i;
      if (i == 3) {
        task->callback_func = done;
        task->callback_arg = "diamond ends";
      }
      if (starpu_task_submit(task) != 0) return 1;
    }
    starpu_tag_wait(base + 3);
  }
  for (int i = 0; i < 6; i++)
    starpu_task_insert(&touch, STARPU_RW, h, STARPU_NAME, i % 2 ? "odd" : "even", 0);
  starpu_data_acquire(h, STARPU_R);
  starpu_data_release(h);
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
