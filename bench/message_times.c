/* SPDX-License-Identifier: Apache-2.0
 * How long a message of two ranks takes: message_times [raw]. Sends a vector to and fro, for each
 * of the sizes below, with starpu_mpi_send() and starpu_mpi_recv(); with `raw`, with MPI alone.
 * Plain StarPU-MPI, so that the same source measures the real one. Rank 0 prints: bytes,
 * microseconds one way (least, then median of the turns), and MB/s of the least.
 */
#include <starpu_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int sizes_bytes[] = {4, 4096, 65536, 1 << 20, 1 << 24};

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

/* To and fro once; microseconds one way. */
static double turn(int me, int bytes, char* memory, starpu_data_handle_t handle) {
  const int other = 1 - me;
  const double start = starpu_timing_now();
  for (int way = 0; way < 2; way++) {
    const int is_sender = way == me;
    if (!handle) {
      if (is_sender)
        MPI_Send(memory, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      else
        MPI_Recv(memory, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is_sender) {
      if (starpu_mpi_send(handle, other, 1, MPI_COMM_WORLD) != 0) exit(1);
    } else {
      if (starpu_mpi_recv(handle, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != 0) exit(1);
    }
  }
  return (starpu_timing_now() - start) / 2;
}

static void measure(int me, int bytes, int is_raw) {
  const int turns = bytes > 100000 ? 200 : 2000;
  char* const memory = malloc((size_t)bytes);
  double* const times = malloc((size_t)turns * sizeof *times);
  starpu_data_handle_t handle = NULL;
  memset(memory, me, (size_t)bytes);
  if (!is_raw)
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)bytes, 1);
  for (int i = 0; i < turns / 10; i++) turn(me, bytes, memory, handle);
  for (int i = 0; i < turns; i++) times[i] = turn(me, bytes, memory, handle);
  qsort(times, (size_t)turns, sizeof *times, compare);
  if (me == 0)
    printf("%9d %10.2f %10.2f %10.0f\n", bytes, times[0], times[turns / 2], bytes / times[0]);
  if (handle) starpu_data_unregister(handle);
  free(times);
  free(memory);
}

int main(int argc, char** argv) {
  const int is_raw = argc > 1 && !strcmp(argv[1], "raw");
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) != 0) return 77;
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    fprintf(stderr, "message_times wants two ranks: mpirun -np 2 message_times\n");
    starpu_mpi_shutdown();
    return 1;
  }
  for (size_t i = 0; i < sizeof sizes_bytes / sizeof *sizes_bytes; i++)
    measure(me, sizes_bytes[i], is_raw);
  starpu_mpi_shutdown();
  return 0;
}
