/* SPDX-License-Identifier: Apache-2.0
 * The same thread operations in capitals: each aborts with a line when it fails. */
#ifndef __STARPU_THREAD_UTIL_H__
#define __STARPU_THREAD_UTIL_H__

#include <errno.h>
#include <starpu_thread.h>
#include <starpu_util.h>

#define _STARPU_PTHREAD_CHECK(call)                                     \
  do {                                                                  \
    int ret__ = (call);                                                 \
    if (STARPU_UNLIKELY(ret__ != 0))                                    \
      _starpu_check_failed(-ret__, 0, __FILE__, __LINE__, "%s", #call); \
  } while (0)
static __starpu_inline int _starpu_pthread_try(int ret, int busy, const char* file, int line) {
  if (STARPU_UNLIKELY(ret != 0 && ret != busy))
    _starpu_check_failed(-ret, 0, file, line, "a trylock");
  return ret;
}

#define STARPU_PTHREAD_CREATE(thread, attr, routine, arg) \
  _STARPU_PTHREAD_CHECK(pthread_create((thread), (attr), (routine), (arg)))
#define STARPU_PTHREAD_CREATE_ON(name, thread, attr, routine, arg, where) \
  STARPU_PTHREAD_CREATE(thread, attr, routine, arg)
#define STARPU_PTHREAD_JOIN(thread, retval) _STARPU_PTHREAD_CHECK(pthread_join((thread), (retval)))

#define STARPU_PTHREAD_MUTEX_INIT(mutex, attr) \
  _STARPU_PTHREAD_CHECK(pthread_mutex_init((mutex), (attr)))
#define STARPU_PTHREAD_MUTEX_INIT0(object, attr) STARPU_PTHREAD_MUTEX_INIT(object, attr)
#define STARPU_PTHREAD_MUTEX_DESTROY(mutex) _STARPU_PTHREAD_CHECK(pthread_mutex_destroy(mutex))
#define STARPU_PTHREAD_MUTEX_LOCK(mutex) _STARPU_PTHREAD_CHECK(pthread_mutex_lock(mutex))
#define STARPU_PTHREAD_MUTEX_UNLOCK(mutex) _STARPU_PTHREAD_CHECK(pthread_mutex_unlock(mutex))
#define STARPU_PTHREAD_MUTEX_TRYLOCK(mutex) \
  _starpu_pthread_try(pthread_mutex_trylock(mutex), EBUSY, __FILE__, __LINE__)
#define STARPU_PTHREAD_MUTEX_LOCK_SCHED(mutex) STARPU_PTHREAD_MUTEX_LOCK(mutex)
#define STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(mutex) STARPU_PTHREAD_MUTEX_UNLOCK(mutex)
#define STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(mutex) STARPU_PTHREAD_MUTEX_TRYLOCK(mutex)

#define STARPU_PTHREAD_COND_INIT(cond, attr) \
  _STARPU_PTHREAD_CHECK(pthread_cond_init((cond), (attr)))
#define STARPU_PTHREAD_COND_INIT0(object, attr) STARPU_PTHREAD_COND_INIT(object, attr)
#define STARPU_PTHREAD_COND_DESTROY(cond) _STARPU_PTHREAD_CHECK(pthread_cond_destroy(cond))
#define STARPU_PTHREAD_COND_SIGNAL(cond) _STARPU_PTHREAD_CHECK(pthread_cond_signal(cond))
#define STARPU_PTHREAD_COND_BROADCAST(cond) _STARPU_PTHREAD_CHECK(pthread_cond_broadcast(cond))
#define STARPU_PTHREAD_COND_WAIT(cond, mutex) \
  _STARPU_PTHREAD_CHECK(pthread_cond_wait((cond), (mutex)))
#define STARPU_PTHREAD_COND_TIMEDWAIT(cond, mutex, abstime)                                    \
  _starpu_pthread_try(pthread_cond_timedwait((cond), (mutex), (abstime)), ETIMEDOUT, __FILE__, \
                      __LINE__)

#define STARPU_PTHREAD_RWLOCK_INIT(lock, attr) \
  _STARPU_PTHREAD_CHECK(pthread_rwlock_init((lock), (attr)))
#define STARPU_PTHREAD_RWLOCK_INIT0(object, attr) STARPU_PTHREAD_RWLOCK_INIT(object, attr)
#define STARPU_PTHREAD_RWLOCK_DESTROY(lock) _STARPU_PTHREAD_CHECK(pthread_rwlock_destroy(lock))
#define STARPU_PTHREAD_RWLOCK_RDLOCK(lock) _STARPU_PTHREAD_CHECK(pthread_rwlock_rdlock(lock))
#define STARPU_PTHREAD_RWLOCK_WRLOCK(lock) _STARPU_PTHREAD_CHECK(pthread_rwlock_wrlock(lock))
#define STARPU_PTHREAD_RWLOCK_TRYRDLOCK(lock) \
  _starpu_pthread_try(pthread_rwlock_tryrdlock(lock), EBUSY, __FILE__, __LINE__)
#define STARPU_PTHREAD_RWLOCK_TRYWRLOCK(lock) \
  _starpu_pthread_try(pthread_rwlock_trywrlock(lock), EBUSY, __FILE__, __LINE__)
#define STARPU_PTHREAD_RWLOCK_UNLOCK(lock) _STARPU_PTHREAD_CHECK(pthread_rwlock_unlock(lock))

#define STARPU_PTHREAD_BARRIER_INIT(barrier, attr, count) \
  _STARPU_PTHREAD_CHECK(pthread_barrier_init((barrier), (attr), (count)))
#define STARPU_PTHREAD_BARRIER_DESTROY(barrier) \
  _STARPU_PTHREAD_CHECK(pthread_barrier_destroy(barrier))
#define STARPU_PTHREAD_BARRIER_WAIT(barrier)                                     \
  do {                                                                           \
    int wait__ = pthread_barrier_wait(barrier);                                  \
    if (STARPU_UNLIKELY(wait__ != 0 && wait__ != PTHREAD_BARRIER_SERIAL_THREAD)) \
      _starpu_check_failed(-wait__, 0, __FILE__, __LINE__, "a barrier");         \
  } while (0)

#define STARPU_PTHREAD_KEY_CREATE(key, destr) \
  _STARPU_PTHREAD_CHECK(pthread_key_create((key), (destr)))
#define STARPU_PTHREAD_KEY_DELETE(key) _STARPU_PTHREAD_CHECK(pthread_key_delete(key))
#define STARPU_PTHREAD_SETSPECIFIC(key, ptr) \
  _STARPU_PTHREAD_CHECK(pthread_setspecific((key), (ptr)))
#define STARPU_PTHREAD_GETSPECIFIC(key) pthread_getspecific(key)

#endif
