// SPDX-License-Identifier: Apache-2.0
/* starpu_data_release_to(): "only releasing from RW or W acquisition down to R is supported, or
 * down to the same acquisition" (1.4's header). */
#include <starpu.h>
int main(void) {
  int x = 0;
  starpu_data_handle_t h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
  if (starpu_data_acquire(h, STARPU_W)) return 1;
  x = 1;
  starpu_data_release_to(h, STARPU_W);
  starpu_data_release_to(h, STARPU_R);
  starpu_data_release(h);
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
