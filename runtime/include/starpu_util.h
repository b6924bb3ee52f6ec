/* SPDX-License-Identifier: Apache-2.0
 * Attributes, assertions, atomic operations and other small helpers for programs. */
#ifndef __STARPU_UTIL_H__
#define __STARPU_UTIL_H__

#include <assert.h>
#include <execinfo.h>
#include <starpu_config.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_GNUC_PREREQ(maj, min) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((maj) << 16) + (min))
#define STARPU_UNLIKELY(expr) (__builtin_expect(!!(expr), 0))
#define STARPU_LIKELY(expr) (__builtin_expect(!!(expr), 1))
#define STARPU_ATTRIBUTE_UNUSED __attribute__((unused))
#define STARPU_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define STARPU_ATTRIBUTE_MALLOC __attribute__((malloc))
#define STARPU_ATTRIBUTE_ALLOC_SIZE(size) __attribute__((alloc_size(size)))
#define STARPU_ATTRIBUTE_CALLOC_SIZE(num, size) __attribute__((alloc_size(num, size)))
#define STARPU_ATTRIBUTE_VISIBILITY_DEFAULT __attribute__((visibility("default")))
/* What is declared between the two is not seen outside of its library. */
#define STARPU_VISIBILITY_PUSH_HIDDEN _Pragma("GCC visibility push(hidden)")
#define STARPU_VISIBILITY_POP _Pragma("GCC visibility pop")
#define STARPU_ATTRIBUTE_PURE __attribute__((pure))
#define STARPU_ATTRIBUTE_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#define STARPU_ATTRIBUTE_ALIGNED(size) __attribute__((aligned(size)))
#define STARPU_ATTRIBUTE_FORMAT(type, string, first) __attribute__((format(type, string, first)))
#define STARPU_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#define STARPU_DEPRECATED __attribute__((deprecated))
#define STARPU_INLINE __starpu_inline

#define STARPU_MIN(a, b) ((a) < (b) ? (a) : (b))
#define STARPU_MAX(a, b) ((a) < (b) ? (b) : (a))
#define STARPU_POISON_PTR ((void*)0xdeadbeef)
#define STARPU_CACHELINE_SIZE 64

/* The file and function of the place where a macro of ours is used; also valid outside functions.
 */
#define STARPU_SITE_FILE __FILE__
#define STARPU_SITE_FUNCTION __builtin_FUNCTION()

/* Prints one line on standard error and aborts. */
void _starpu_abort_at(const char* file, int line, const char* function, const char* format,
                      ...) STARPU_ATTRIBUTE_NORETURN STARPU_ATTRIBUTE_FORMAT(printf, 4, 5);

#define STARPU_ABORT() _starpu_abort_at(__FILE__, __LINE__, STARPU_SITE_FUNCTION, "aborted")
#define STARPU_ABORT_MSG(...) \
  _starpu_abort_at(__FILE__, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)

#ifdef STARPU_NO_ASSERT
#define STARPU_ASSERT(x) \
  do {                   \
    if (0) {             \
      (void)(x);         \
    }                    \
  } while (0)
#define STARPU_ASSERT_MSG(x, ...) \
  do {                            \
    if (0) {                      \
      (void)(x);                  \
    }                             \
  } while (0)
#else
#define STARPU_ASSERT(x)                                                                       \
  do {                                                                                         \
    if (STARPU_UNLIKELY(!(x)))                                                                 \
      _starpu_abort_at(__FILE__, __LINE__, STARPU_SITE_FUNCTION, "assertion `%s' failed", #x); \
  } while (0)
#define STARPU_ASSERT_MSG(x, ...)                                              \
  do {                                                                         \
    if (STARPU_UNLIKELY(!(x)))                                                 \
      _starpu_abort_at(__FILE__, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__); \
  } while (0)
#endif
/* Whether NDEBUG is there or not. */
#define STARPU_ASSERT_MSG_ALWAYS(x, ...)                                       \
  do {                                                                         \
    if (STARPU_UNLIKELY(!(x)))                                                 \
      _starpu_abort_at(__FILE__, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__); \
  } while (0)
#define STARPU_ASSERT_ACCESSIBLE(ptr)                          \
  do {                                                         \
    volatile char c__ STARPU_ATTRIBUTE_UNUSED = *(char*)(ptr); \
  } while (0)

/* Ends the compilation if the constant expression `x` is 0. */
#ifdef __cplusplus
#define STARPU_STATIC_ASSERT(x) static_assert(x, #x)
#else
#define STARPU_STATIC_ASSERT(x) __extension__ _Static_assert(x, #x)
#endif
/* For StarPU under a model checker. */
#define STARPU_SIMGRID_ASSERT(x)

/* Prints the calls of this thread, the last STARPU_BACKTRACE_LENGTH, on standard error. */
#define STARPU_BACKTRACE_LENGTH 32
#define STARPU_DUMP_BACKTRACE()                                                           \
  do {                                                                                    \
    void* calls__[STARPU_BACKTRACE_LENGTH];                                               \
    backtrace_symbols_fd(calls__, backtrace(calls__, STARPU_BACKTRACE_LENGTH), /*fd=*/2); \
  } while (0)

/* Writes the text of an errno, at most `length` bytes with the 0 behind it. */
#define starpu_strerror_r(error, buffer, length) \
  ((void)snprintf((buffer), (length), "%s", strerror(error)))

/* Aborts with the message when `err` is not 0 (or not `value`). */
void _starpu_check_failed(int err, int expected, const char* file, int line, const char* format,
                          ...) STARPU_ATTRIBUTE_NORETURN STARPU_ATTRIBUTE_FORMAT(printf, 5, 6);
#define STARPU_CHECK_RETURN_VALUE(err, ...)                            \
  do {                                                                 \
    if (STARPU_UNLIKELY((err) != 0))                                   \
      _starpu_check_failed((err), 0, __FILE__, __LINE__, __VA_ARGS__); \
  } while (0)
#define STARPU_CHECK_RETURN_VALUE_IS(err, value, ...)                        \
  do {                                                                       \
    if (STARPU_UNLIKELY((err) != (value)))                                   \
      _starpu_check_failed((err), (value), __FILE__, __LINE__, __VA_ARGS__); \
  } while (0)

static inline unsigned starpu_atomic_add(unsigned* ptr, unsigned value) {
  return __sync_add_and_fetch(ptr, value);
}
static inline unsigned long starpu_atomic_addl(unsigned long* ptr, unsigned long value) {
  return __sync_add_and_fetch(ptr, value);
}
static inline uint64_t starpu_atomic_add64(uint64_t* ptr, uint64_t value) {
  return __sync_add_and_fetch(ptr, value);
}
static inline unsigned starpu_atomic_or(unsigned* ptr, unsigned value) {
  return __sync_fetch_and_or(ptr, value);
}
static inline unsigned long starpu_atomic_orl(unsigned long* ptr, unsigned long value) {
  return __sync_fetch_and_or(ptr, value);
}
static inline uint64_t starpu_atomic_or64(uint64_t* ptr, uint64_t value) {
  return __sync_fetch_and_or(ptr, value);
}
#define STARPU_ATOMIC_ADD(ptr, value) (__sync_fetch_and_add((ptr), (value)) + (value))
#define STARPU_ATOMIC_ADDL(ptr, value) STARPU_ATOMIC_ADD(ptr, value)
#define STARPU_ATOMIC_ADD64(ptr, value) STARPU_ATOMIC_ADD(ptr, value)
#define STARPU_ATOMIC_OR(ptr, value) (__sync_fetch_and_or((ptr), (value)))
#define STARPU_ATOMIC_ORL(ptr, value) STARPU_ATOMIC_OR(ptr, value)
#define STARPU_ATOMIC_OR64(ptr, value) STARPU_ATOMIC_OR(ptr, value)
#define STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value) \
  (__sync_bool_compare_and_swap((ptr), (old), (value)))
#define STARPU_BOOL_COMPARE_AND_SWAP32(ptr, old, value) \
  STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_BOOL_COMPARE_AND_SWAP64(ptr, old, value) \
  STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_BOOL_COMPARE_AND_SWAP_PTR(ptr, old, value) \
  STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value) \
  (__sync_val_compare_and_swap((ptr), (old), (value)))
#define STARPU_VAL_COMPARE_AND_SWAP32(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP64(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP_PTR(ptr, old, value) \
  STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_EXCHANGE(ptr, value) (__atomic_exchange_n((ptr), (value), __ATOMIC_SEQ_CST))
#define STARPU_VAL_EXCHANGEL(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VAL_EXCHANGE32(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VAL_EXCHANGE64(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_TEST_AND_SET(ptr, value) (__sync_lock_test_and_set((ptr), (value)))
#define STARPU_RELEASE(ptr) (__sync_lock_release((ptr)))
#define STARPU_SYNCHRONIZE() __sync_synchronize()
#define STARPU_RMB() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define STARPU_WMB() __atomic_thread_fence(__ATOMIC_RELEASE)

#ifdef __cplusplus
}
#endif

#endif
