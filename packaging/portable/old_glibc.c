// SPDX-License-Identifier: Apache-2.0
// Linked into a program or library, this makes it run with every glibc from 2.28 on, though it was
// compiled with the headers of a newer one.
//
// A linker binds a function to its newest version, which an older glibc has not. The functions
// below stand in front of glibc's, hidden, and hand on to the version that all of them have; what
// came into being after 2.28 is made of what was there before. Where a row is missing, the check in
// packaging/make_tar.py names it.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// A jump to `name` of this version of glibc, so that it is the same for all arguments and results.
// clang-format off
#define HAND_ON(version, name)                                \
  __asm__(".symver old_" #name ", " #name "@GLIBC_" #version "\n" \
          ".pushsection .text\n"                              \
          ".globl " #name "\n"                                \
          ".hidden " #name "\n"                               \
          ".type " #name ", @function\n"                      \
          #name ":\n"                                         \
          "  endbr64\n"                                       \
          "  jmp *old_" #name "@GOTPCREL(%rip)\n"             \
          ".size " #name ", . - " #name "\n"                  \
          ".popsection")
// clang-format on

// Moved into libc.so.6 by 2.34 from libraries beside it, or given a new version there.
HAND_ON(2.2.5, aio_error);
HAND_ON(2.2.5, aio_read);
HAND_ON(2.2.5, aio_return);
HAND_ON(2.2.5, aio_suspend);
HAND_ON(2.2.5, aio_write);
HAND_ON(2.2.5, dladdr);
HAND_ON(2.2.5, dlclose);
HAND_ON(2.2.5, dlerror);
HAND_ON(2.2.5, dlopen);
HAND_ON(2.2.5, dlsym);
HAND_ON(2.2.5, pthread_create);
HAND_ON(2.2.5, pthread_detach);
HAND_ON(2.2.5, pthread_getcpuclockid);
HAND_ON(2.2.5, pthread_getspecific);
HAND_ON(2.2.5, pthread_join);
HAND_ON(2.2.5, pthread_key_create);
HAND_ON(2.2.5, pthread_key_delete);
HAND_ON(2.2.5, pthread_mutex_trylock);
HAND_ON(2.2.5, pthread_once);
HAND_ON(2.2.5, pthread_rwlock_rdlock);
HAND_ON(2.2.5, pthread_rwlock_unlock);
HAND_ON(2.2.5, pthread_rwlock_wrlock);
HAND_ON(2.2.5, pthread_setspecific);
HAND_ON(2.2.5, pthread_sigmask);
HAND_ON(2.3.4, pthread_getaffinity_np);
HAND_ON(2.3.4, pthread_setaffinity_np);
HAND_ON(2.12, pthread_setname_np);
// These differ in how they set errno alone.
HAND_ON(2.2.5, exp);
HAND_ON(2.2.5, exp2);
HAND_ON(2.2.5, hypot);
HAND_ON(2.2.5, log);
HAND_ON(2.2.5, log2);
HAND_ON(2.2.5, pow);

// 2.33 has them as functions; before, they were made of these by the headers.
enum { kStatVersion = 1 };
int __fxstat(int version, int fd, struct stat* status);
int __fxstatat(int version, int fd, const char* path, struct stat* status, int flags);
int __lxstat(int version, const char* path, struct stat* status);
int __xstat(int version, const char* path, struct stat* status);

HIDDEN int stat(const char* path, struct stat* status) {
  return __xstat(kStatVersion, path, status);
}
HIDDEN int lstat(const char* path, struct stat* status) {
  return __lxstat(kStatVersion, path, status);
}
HIDDEN int fstat(int fd, struct stat* status) { return __fxstat(kStatVersion, fd, status); }
HIDDEN int fstatat(int fd, const char* path, struct stat* status, int flags) {
  return __fxstatat(kStatVersion, fd, path, status, flags);
}
// On this processor their struct is the same.
HIDDEN int stat64(const char* path, struct stat64* status) {
  return stat(path, (struct stat*)status);
}
HIDDEN int lstat64(const char* path, struct stat64* status) {
  return lstat(path, (struct stat*)status);
}
HIDDEN int fstat64(int fd, struct stat64* status) { return fstat(fd, (struct stat*)status); }

// 2.30
HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// 2.30. The old one knows the clock of the day alone: whoever sets that meanwhile makes this wait
// shorter or longer.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const struct timespec* until) {
  enum { kNsPerSecond = 1000000000 };
  struct timespec now, day;
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &day) != 0) return errno;
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) {
    day.tv_nsec += kNsPerSecond;
    --day.tv_sec;
  } else if (day.tv_nsec >= kNsPerSecond) {
    day.tv_nsec -= kNsPerSecond;
    ++day.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &day);
}

// 2.32. That there may be other threads is always a safe answer.
HIDDEN char __libc_single_threaded = 0;

// 2.36
HIDDEN uint32_t arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
