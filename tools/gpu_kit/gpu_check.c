/* SPDX-License-Identifier: Apache-2.0
 * What the kit measures and breaks on a device: gpu_check MODE [NUMBER]. One device, one worker of
 * it, data in pinned memory. Prints lines of `name value...`; ends with 0 when the results are
 * right. STARPU_FXT_TRACE records it, as any other program.
 *
 *   kernels N   N tasks of each kernel, a launch each, one behind the other
 *   copies N    data of 1, 4, 16, ... mebibytes up to N go to the device and back, by plain
 *               copies of libcuda (line `plain`: bytes, GB/s to the device, GB/s back) and as data
 *   overlap N   kernels of N microseconds, while data for the next ones are copied
 *   empty N     microseconds of an empty task on the device, of N
 *   bare N      microseconds of a bare launch of the same kernel, of N
 *   limit       three times as much data as STARPU_LIMIT_CUDA_MEM allows, a few times
 *   taken       after the start, this program takes the memory of the device, all but 64 MiB
 *   other       the same, by another program
 *   beyond      a kernel writes where no memory is
 *   lost        a task resets the device
 *   hog         the other program */
#define _GNU_SOURCE
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

enum { kMebibyte = 1 << 20, kRoomLeft = 64 };

#define WORDS(i) ((device_ptr)STARPU_VECTOR_GET_PTR(buffers[i]))
#define COUNT(i) ((uint64_t)STARPU_VECTOR_GET_NX(buffers[i]))

static void increment(void* buffers[], void* arg) {
  uint64_t words = WORDS(0), count = COUNT(0);
  (void)arg;
  launch(kIncrement, starpu_cuda_get_local_stream(), (void*[]){&words, &count});
}
static void stall(void* buffers[], void* us) {
  uint64_t ns = 1000 * (uint64_t)(uintptr_t)us;
  (void)buffers;
  launch(kStall, starpu_cuda_get_local_stream(), (void*[]){&ns});
}
/* A stall of no time. */
static void nothing(void* buffers[], void* arg) {
  uint64_t ns = 0;
  (void)buffers, (void)arg;
  launch(kStall, starpu_cuda_get_local_stream(), (void*[]){&ns});
}
static void increment_beyond(void* buffers[], void* arg) {
  uint64_t words = WORDS(0), count = (uint64_t)1 << 40;
  (void)arg;
  launch(kIncrement, starpu_cuda_get_local_stream(), (void*[]){&words, &count});
}
static void reset(void* buffers[], void* arg) {
  (void)buffers, (void)arg;
  CU(CtxReset, 0);
}

#define CODELET(id, function, text, ...) \
  static struct starpu_codelet id = {    \
      .cuda_funcs = {function}, .cuda_flags = {STARPU_CUDA_ASYNC}, .name = text, __VA_ARGS__}
CODELET(increment_cl, increment, "increment", .nbuffers = 1, .modes = {STARPU_RW});
CODELET(short_cl, stall, "stall_100_us", .nbuffers = 0);
CODELET(long_cl, stall, "stall_1_ms", .nbuffers = 0);
CODELET(longest_cl, stall, "stall_5_ms", .nbuffers = 0);
CODELET(busy_cl, stall, "stall", .nbuffers = 0);
CODELET(nothing_cl, nothing, "nothing", .nbuffers = 0);
CODELET(beyond_cl, increment_beyond, "beyond", .nbuffers = 1, .modes = {STARPU_RW});
CODELET(reset_cl, reset, "reset", .nbuffers = 0);

static void submit(struct starpu_codelet* cl, starpu_data_handle_t handle, uintptr_t us) {
  struct starpu_task* const task = starpu_task_create();
  task->cl = cl;
  task->cl_arg = (void*)us;
  task->handles[0] = handle;
  if (starpu_task_submit(task) != 0) {
    fprintf(stderr, "gpu_check: no worker can run %s: there is no device\n", cl->name);
    exit(1);
  }
}

/* Pieces of data, so many mebibytes each, all words 0; words of each are `rounds` in the end. */
struct piece {
  uint64_t* words;
  size_t bytes;
  starpu_data_handle_t handle;
};
static struct piece new_piece(size_t bytes) {
  struct piece p = {.bytes = bytes};
  if (starpu_malloc((void**)&p.words, bytes) != 0) {
    fprintf(stderr, "gpu_check: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  memset(p.words, 0, bytes);
  starpu_vector_data_register(&p.handle, STARPU_MAIN_RAM, (uintptr_t)p.words,
                              (uint32_t)(bytes / sizeof(uint64_t)), sizeof(uint64_t));
  return p;
}
/* How many of its words are not that. */
static size_t end_piece(struct piece* p, uint64_t expected) {
  size_t wrong = 0;
  starpu_data_unregister(p->handle);
  for (size_t i = 0; i < p->bytes / sizeof(uint64_t); i++) wrong += p->words[i] != expected;
  starpu_free_noflag(p->words, p->bytes);
  return wrong;
}
static int verdict(size_t wrong) {
  printf("wrong %zu\n", wrong);
  return wrong != 0;
}

static int kernels(int n) {
  struct piece p = new_piece((size_t)64 * kMebibyte);
  for (int i = 0; i < n; i++) {
    submit(&short_cl, NULL, 100);
    submit(&long_cl, NULL, 1000);
    submit(&longest_cl, NULL, 5000);
    submit(&increment_cl, p.handle, 0);
  }
  starpu_task_wait_for_all();
  return verdict(end_piece(&p, (uint64_t)n));
}

/* GB/s of a plain copy: the best of a few, by the times of the device. */
static void plain_copies(size_t bytes) {
  struct CUstream_st* stream;
  void *host, *start, *end;
  device_ptr device;
  float best_ms[2] = {1e30f, 1e30f};
  if (posix_memalign(&host, 4096, bytes) != 0) exit(1);
  memset(host, 1, bytes);
  CU(HostRegister, host, bytes, 0);
  CU(MemAlloc, &device, bytes);
  CU(StreamCreate, &stream, 1);
  CU(EventCreate, &start, 0);
  CU(EventCreate, &end, 0);
  for (int i = 0; i < 10; i++) {
    float ms;
    CU(EventRecord, start, stream);
    if (i % 2 == 0)
      CU(CopyTo, device, host, bytes, stream);
    else
      CU(CopyFrom, host, device, bytes, stream);
    CU(EventRecord, end, stream);
    CU(StreamSynchronize, stream);
    CU(EventElapsed, &ms, start, end);
    if (ms < best_ms[i % 2]) best_ms[i % 2] = ms;
  }
  printf("plain %zu %.3f %.3f\n", bytes, 1e-6 * (double)bytes / best_ms[0],
         1e-6 * (double)bytes / best_ms[1]);
  CU(StreamDestroy, stream);
  CU(MemFree, device);
  CU(HostUnregister, host);
  free(host);
}
static int copies(int most) {
  enum { kTimes = 5 };
  size_t wrong = 0;
  for (int size = 1; size <= most; size *= 4) {
    plain_copies((size_t)size * kMebibyte);
    struct piece p = new_piece((size_t)size * kMebibyte);
    for (int i = 0; i < kTimes; i++) {
      submit(&increment_cl, p.handle, 0);
      starpu_data_acquire(p.handle, STARPU_RW);
      starpu_data_release(p.handle);
    }
    wrong += end_piece(&p, kTimes);
  }
  return verdict(wrong);
}

static int overlap(int us) {
  enum { kPieces = 10 };
  struct piece pieces[kPieces];
  size_t wrong = 0;
  for (int i = 0; i < kPieces; i++) pieces[i] = new_piece((size_t)32 * kMebibyte);
  for (int i = 0; i < kPieces; i++) {
    submit(&busy_cl, NULL, (uintptr_t)us);
    submit(&increment_cl, pieces[i].handle, 0);
  }
  starpu_task_wait_for_all();
  for (int i = 0; i < kPieces; i++) wrong += end_piece(&pieces[i], 1);
  return verdict(wrong);
}

static int empty(int n) {
  for (int i = 0; i < n / 10 + 1; i++) submit(&nothing_cl, NULL, 0); /* warms up */
  starpu_task_wait_for_all();
  const double start = starpu_timing_now();
  for (int i = 0; i < n; i++) submit(&nothing_cl, NULL, 0);
  starpu_task_wait_for_all();
  printf("us %.3f\n", (starpu_timing_now() - start) / n);
  return 0;
}
static int bare(int n) {
  struct CUstream_st* stream;
  uint64_t ns = 0;
  void* arguments[] = {&ns};
  CU(StreamCreate, &stream, 1);
  for (int i = 0; i < n / 10 + 1; i++) launch(kStall, stream, arguments);
  CU(StreamSynchronize, stream);
  const double start = starpu_timing_now();
  for (int i = 0; i < n; i++) launch(kStall, stream, arguments);
  CU(StreamSynchronize, stream);
  printf("us %.3f\n", (starpu_timing_now() - start) / n);
  CU(StreamDestroy, stream);
  return 0;
}

/* Increments so many pieces of 8 MiB a few times; also says how much the device held. */
static int increments(int count) {
  enum { kRounds = 3 };
  struct piece* const pieces = calloc((size_t)count, sizeof(*pieces));
  size_t wrong = 0;
  for (int i = 0; i < count; i++) pieces[i] = new_piece((size_t)8 * kMebibyte);
  for (int round = 0; round < kRounds; round++)
    for (int i = 0; i < count; i++) submit(&increment_cl, pieces[i].handle, 0);
  starpu_task_wait_for_all();
  printf("used_mib %zu\n", (size_t)starpu_memory_get_used(1) / kMebibyte);
  for (int i = 0; i < count; i++) wrong += end_piece(&pieces[i], kRounds);
  free(pieces);
  return verdict(wrong);
}
static int limit(int n) {
  const int mib = (int)(starpu_memory_get_total(1) / kMebibyte);
  (void)n;
  printf("limit_mib %d\n", mib);
  return increments(3 * mib / 8);
}

/* All memory of the device, but a little. It stays taken until the program ends. */
static void take_memory(void) {
  size_t free_bytes, total_bytes;
  device_ptr memory;
  CU(MemGetInfo, &free_bytes, &total_bytes);
  const size_t room = (size_t)kRoomLeft * kMebibyte;
  if (free_bytes > room) CU(MemAlloc, &memory, free_bytes - room);
  printf("taken_mib %zu\n", free_bytes > room ? (free_bytes - room) / kMebibyte : 0);
  fflush(stdout);
}
static int taken(int n) {
  (void)n;
  take_memory();
  return increments(3 * kRoomLeft / 8);
}
/* Takes it, says so on standard output, and holds it until standard input ends. */
static int hog(void) {
  char end;
  take_memory();
  return read(STDIN_FILENO, &end, 1) < 0;
}
extern char** environ;
static int other(int n) {
  int ends[2], status;
  char said[64] = "";
  pid_t pid;
  posix_spawn_file_actions_t actions;
  char* const arguments[] = {"gpu_check", "hog", NULL};
  (void)n;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environ) != 0) return 1;
  close(ends[1]);
  if (read(ends[0], said, sizeof(said) - 1) <= 0) {
    fprintf(stderr, "gpu_check: the other program took no memory\n");
    return 1;
  }
  fputs(said, stdout);
  const int failed = increments(3 * kRoomLeft / 8);
  close(ends[0]);
  waitpid(pid, &status, 0);
  return failed;
}

static int beyond(int n) {
  struct piece p = new_piece(4096);
  (void)n;
  submit(&beyond_cl, p.handle, 0);
  starpu_task_wait_for_all();
  return verdict(end_piece(&p, 1));
}
static int lost(int n) {
  struct piece p = new_piece(4096);
  (void)n;
  if (!cu.CtxReset) return 77;
  submit(&increment_cl, p.handle, 0);
  submit(&reset_cl, NULL, 0);
  submit(&increment_cl, p.handle, 0);
  starpu_task_wait_for_all();
  return verdict(end_piece(&p, 2));
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(int number);
  } kModes[] = {{"kernels", kernels}, {"copies", copies}, {"overlap", overlap}, {"empty", empty},
                {"bare", bare},       {"limit", limit},   {"taken", taken},     {"other", other},
                {"beyond", beyond},   {"lost", lost}};
  const char* const mode = argc > 1 ? argv[1] : "";
  open_device();
  if (strcmp(mode, "hog") == 0) return hog();
  for (size_t i = 0; i < sizeof(kModes) / sizeof(*kModes); i++) {
    if (strcmp(mode, kModes[i].name) != 0) continue;
    if (starpu_init(NULL) != 0) return 1;
    load_kernels();
    const int status = kModes[i].run(argc > 2 ? atoi(argv[2]) : 1);
    starpu_shutdown();
    return status;
  }
  fprintf(stderr, "gpu_check: what is '%s'? Its source names the modes\n", mode);
  return 2;
}
