// SPDX-License-Identifier: Apache-2.0
/* A task for a device whose data are on a slow disk: while they are read ahead, other threads'
 * tasks run. (The read ends when they have.) Argument:
 * the library that stands for the driver's where there is no device. */
#include <dlfcn.h>
#include <pthread.h>
#include <starpu.h>
#include <starpu_disk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_slow, is_reading, may_end;

static void* plug(void* base, starpu_ssize_t size) {
  (void)size;
  return base;
}
static void unplug(void* base) { (void)base; }
static void* take(void* base, size_t size) {
  (void)base;
  return calloc(1, size);
}
static void give(void* base, void* object, size_t size) {
  (void)base;
  (void)size;
  free(object);
}
static int get(void* base, void* object, void* to, off_t offset, size_t size) {
  (void)base;
  if (__atomic_load_n(&is_slow, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&is_reading, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE)) STARPU_SYNCHRONIZE();
  }
  memcpy(to, (char*)object + offset, size);
  return (int)size;
}
static int put(void* base, void* object, const void* from, off_t offset, size_t size) {
  (void)base;
  memcpy((char*)object + offset, from, size);
  return 0;
}
static struct starpu_disk_ops disk = {
    .plug = plug, .unplug = unplug, .alloc = take, .free = give, .read = get, .write = put};

static void fill(void* buffers[], void* argument) {
  (void)argument;
  memset((void*)STARPU_VECTOR_GET_PTR(buffers[0]), 1, STARPU_VECTOR_GET_NX(buffers[0]));
}
static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}
static struct starpu_codelet fill_it = {
    .cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}, .name = "fill"};
static struct starpu_codelet on_device = {.cuda_funcs = {nothing},
                                          .cuda_flags = {STARPU_CUDA_ASYNC},
                                          .nbuffers = 1,
                                          .modes = {STARPU_R},
                                          .name = "on device"};
static struct starpu_codelet without_data = {.cpu_funcs = {nothing}, .name = "without data"};
static starpu_data_handle_t handle;

static void* submit(void* argument) {
  (void)argument;
  starpu_task_insert(&on_device, STARPU_R, handle, 0);
  return NULL;
}

int main(int argc, char** argv) {
  struct starpu_conf conf;
  if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) return 1;
  starpu_conf_init(&conf);
  conf.ncpus = 2;
  conf.ncuda = 1;
  if (starpu_init(&conf) || starpu_cuda_worker_get_count() != 1) return 1;
  if (starpu_disk_register(&disk, (void*)"disk", 64 << 20) < 0) return 1;
  starpu_vector_data_register(&handle, -1, 0, 1 << 20, 1);
  if (starpu_task_insert(&fill_it, STARPU_W, handle, STARPU_TASK_SYNCHRONOUS, 1, 0)) return 1;
  if (starpu_data_evict_from_node(handle, STARPU_MAIN_RAM)) return 1;
  __atomic_store_n(&is_slow, 1, __ATOMIC_RELEASE);
  pthread_t thread;
  pthread_create(&thread, NULL, submit, NULL);
  while (!__atomic_load_n(&is_reading, __ATOMIC_ACQUIRE)) STARPU_SYNCHRONIZE();
  for (int i = 0; i < 5; i++)
    if (starpu_task_insert(&without_data, STARPU_TASK_SYNCHRONOUS, 1, 0)) return 1;
  __atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  starpu_task_wait_for_all();
  starpu_data_unregister(handle);
  starpu_shutdown();
  puts("others ran");
  return 0;
}
