// SPDX-License-Identifier: Apache-2.0
/* starpu_data_dup_ro() copies when the data were written since the last duplicate, and only then.
 */
#include <starpu.h>
#include <stdio.h>

static int wrong;

static void expect(starpu_data_handle_t handle, int value) {
  starpu_data_acquire(handle, STARPU_R);
  wrong += *(int*)starpu_data_get_local_ptr(handle) != value;
  starpu_data_release(handle);
}

int main(void) {
  int value = 1;
  starpu_data_handle_t data, first, second, of_first, third;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
  starpu_data_dup_ro(&first, data, 1);
  starpu_data_dup_ro(&second, data, 1);
  starpu_data_dup_ro(&of_first, first, 1);
  wrong += second != first || of_first != first;
  starpu_data_acquire(data, STARPU_RW);
  value = 2;
  starpu_data_release(data);
  starpu_data_dup_ro(&third, data, 1);
  wrong += third == first;
  expect(third, 2);
  starpu_data_unregister(first);
  expect(second, 1); /* there are two more who have it */
  starpu_data_unregister(second);
  starpu_data_unregister_submit(of_first);
  starpu_data_unregister(data); /* before its duplicate */
  expect(third, 2);
  starpu_data_unregister(third);
  starpu_shutdown();
  printf("copies: 2, wrong: %d\n", wrong);
  return wrong != 0;
}
