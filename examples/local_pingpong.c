/* SPDX-License-Identifier: Apache-2.0 */
/* How long does a byte take from one GPU to another? local_pingpong [times] sends it there and
 * back, between the memories of the first two CUDA workers: those of this machine, or simulated
 * ones (STARPU_NSIM_CUDA=2, see planning.c). */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

/* Who writes a piece of data has the only copy. */
static void ping_pong(starpu_data_handle_t ball, const unsigned nodes[2], int times) {
  for (int i = 0; i < 2 * times; i++) {
    starpu_data_acquire_on_node(ball, (int)nodes[i % 2], STARPU_RW);
    starpu_data_release_on_node(ball, (int)nodes[i % 2]);
  }
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1000;
  int workers[STARPU_NMAXWORKERS];
  unsigned nodes[2];
  char names[2][128];
  static char byte;
  starpu_data_handle_t ball;
  if (starpu_init(NULL) != 0) return 77;
  if (starpu_cuda_worker_get_count() < 2) {
    printf("no two CUDA workers: STARPU_NSIM_CUDA=2 would simulate them\n");
    starpu_shutdown();
    return 0;
  }
  starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, workers, STARPU_NMAXWORKERS);
  for (int i = 0; i < 2; i++) {
    nodes[i] = starpu_worker_get_memory_node((unsigned)workers[i]);
    starpu_worker_get_name(workers[i], names[i], sizeof(names[i]));
  }
  printf("Ping-pong will be done between %s (node %u) and %s (node %u)\n", names[0], nodes[0],
         names[1], nodes[1]);
  starpu_variable_data_register(&ball, STARPU_MAIN_RAM, (uintptr_t)&byte, 1);
  ping_pong(ball, nodes, 128); /* memory is allocated now */
  const double start_us = starpu_timing_now();
  ping_pong(ball, nodes, times);
  const double us = starpu_timing_now() - start_us;
  printf("Took %f ms\nAvg. transfer time : %f us\n", us / 1000, us / (2 * times));
  starpu_data_unregister(ball);
  starpu_shutdown();
  return 0;
}
