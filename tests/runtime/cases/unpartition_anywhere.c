// SPDX-License-Identifier: Apache-2.0
/* starpu_data_unpartition(h, -1): the parts stay where they are. */
#include <starpu.h>
int main(void) {
  starpu_data_handle_t h;
  if (starpu_init(NULL)) return 77;
  starpu_vector_data_register(&h, -1, 0, 64, sizeof(int));
  struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 4};
  starpu_data_partition(h, &f);
  starpu_data_unpartition(h, -1);
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
