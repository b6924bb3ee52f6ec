/* SPDX-License-Identifier: Apache-2.0 */
/* Counts primes, block by block: primes [blocks [numbers_per_block]]. It is slower than it need be;
 * docs/tutorial.md finds out why, and mends it. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static int is_prime(int n) {
  for (int d = 2; d * d <= n; d++)
    if (n % d == 0) return 0;
  return n > 1;
}

/* Adds the primes of a block to the sum. */
static void count_cpu(void* buffers[], void* arguments) {
  int first, numbers, primes = 0;
  starpu_codelet_unpack_args(arguments, &first, &numbers);
  for (int n = first; n < first + numbers; n++) primes += is_prime(n);
  *(long*)STARPU_VARIABLE_GET_PTR(buffers[0]) += primes;
}

/* Parts of a sum begin with zero, and are added at the end. */
static void zero_cpu(void* buffers[], void* arguments) {
  (void)arguments;
  *(long*)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}

static void add_cpu(void* buffers[], void* arguments) {
  (void)arguments;
  *(long*)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(long*)STARPU_VARIABLE_GET_PTR(buffers[1]);
}

static struct starpu_codelet count = {
    .cpu_funcs = {count_cpu}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "count"};
static struct starpu_codelet zero = {
    .cpu_funcs = {zero_cpu}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet add = {.cpu_funcs = {add_cpu},
                                    .nbuffers = 2,
                                    .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R},
                                    .name = "add"};

int main(int argc, char** argv) {
  int blocks = argc > 1 ? atoi(argv[1]) : 40, numbers = argc > 2 ? atoi(argv[2]) : 20000;
  long primes = 0;
  starpu_data_handle_t sum;
  if (starpu_init(NULL) != 0) return 77;
  starpu_variable_data_register(&sum, STARPU_MAIN_RAM, (uintptr_t)&primes, sizeof(primes));
  starpu_data_set_name(sum, "sum");
  starpu_data_set_reduction_methods(sum, &add, &zero);
  for (int block = blocks - 1; block >= 0; block--) { /* the longest first */
    int first = block * numbers;
    starpu_task_insert(&count, STARPU_VALUE, &first, sizeof(first), STARPU_VALUE, &numbers,
                       sizeof(numbers), STARPU_RW, sum, 0);
  }
  starpu_data_unregister(sum);
  starpu_shutdown();
  printf("%ld primes\n", primes);
  return 0;
}
