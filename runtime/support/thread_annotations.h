// SPDX-License-Identifier: Apache-2.0
// Annotations for clang's -Wthread-safety: which mutex guards which data, and which mutexes a
// function requires or excludes. Other compilers ignore them. The names are those of clang's
// manual. tests/tree/thread_safety_test compiles the runtime with these warnings as errors.
#pragma once

#if defined(__clang__)
#define TASKLENS_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define TASKLENS_THREAD_ANNOTATION(x)
#endif

// Classes: a lock; an object that holds a lock as long as it lives.
#define CAPABILITY(name) TASKLENS_THREAD_ANNOTATION(capability(name))
#define SCOPED_CAPABILITY TASKLENS_THREAD_ANNOTATION(scoped_lockable)

// Data: accessed only with the mutex; the object behind the pointer accessed only with the mutex.
#define GUARDED_BY(...) TASKLENS_THREAD_ANNOTATION(guarded_by(__VA_ARGS__))
#define PT_GUARDED_BY(...) TASKLENS_THREAD_ANNOTATION(pt_guarded_by(__VA_ARGS__))

// Functions: the caller holds the mutex; the caller does not hold it.
#define REQUIRES(...) TASKLENS_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) TASKLENS_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

// Functions: takes the mutex and keeps it; releases it; takes it if it returns the value.
#define ACQUIRE(...) TASKLENS_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) TASKLENS_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) TASKLENS_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define ASSERT_CAPABILITY(...) TASKLENS_THREAD_ANNOTATION(assert_capability(__VA_ARGS__))
#define RETURN_CAPABILITY(x) TASKLENS_THREAD_ANNOTATION(lock_returned(x))

// Functions that the checker cannot follow. Each use explains why.
#define NO_THREAD_SAFETY_ANALYSIS TASKLENS_THREAD_ANNOTATION(no_thread_safety_analysis)
