/* SPDX-License-Identifier: Apache-2.0
 * STARPU_DATA_ACQUIRE_CB in C. */
#include <starpu.h>

/* What is read of the handle, which holds an int, plus what this function knows. */
int read_and_add(starpu_data_handle_t handle, int more) {
  int sum = 0;
  STARPU_DATA_ACQUIRE_CB(handle, STARPU_R,
                         sum = *(int*)starpu_variable_get_local_ptr(handle) + more);
  starpu_data_acquire(handle, STARPU_W); /* after it */
  starpu_data_release(handle);
  return sum;
}
