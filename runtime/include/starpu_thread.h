/* SPDX-License-Identifier: Apache-2.0
 * StarPU's names for POSIX threads: here they are POSIX threads. */
#ifndef __STARPU_THREAD_H__
#define __STARPU_THREAD_H__

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <starpu_config.h>
#include <starpu_util.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef pthread_t starpu_pthread_t;
typedef pthread_attr_t starpu_pthread_attr_t;
typedef pthread_mutex_t starpu_pthread_mutex_t;
typedef pthread_mutexattr_t starpu_pthread_mutexattr_t;
typedef pthread_cond_t starpu_pthread_cond_t;
typedef pthread_condattr_t starpu_pthread_condattr_t;
/* A program compiled as strict C11 sees only the threads of the standard. */
#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K)
typedef pthread_rwlock_t starpu_pthread_rwlock_t;
typedef pthread_rwlockattr_t starpu_pthread_rwlockattr_t;
#endif
#ifdef __USE_XOPEN2K
typedef pthread_barrier_t starpu_pthread_barrier_t;
typedef pthread_barrierattr_t starpu_pthread_barrierattr_t;
typedef pthread_spinlock_t starpu_pthread_spinlock_t;
#endif
typedef pthread_key_t starpu_pthread_key_t;
typedef sem_t starpu_sem_t;

#define starpu_pthread_equal pthread_equal
#define starpu_pthread_self pthread_self
#define starpu_pthread_create pthread_create
#define starpu_pthread_create_on(name, thread, attr, routine, arg, where) \
  pthread_create(thread, attr, routine, arg)
#define starpu_pthread_join pthread_join
#define starpu_pthread_exit pthread_exit
#define starpu_pthread_detach pthread_detach
#define starpu_pthread_attr_setstacksize pthread_attr_setstacksize
#define starpu_pthread_attr_init pthread_attr_init
#define starpu_pthread_attr_destroy pthread_attr_destroy
#define starpu_pthread_attr_setdetachstate pthread_attr_setdetachstate
#define starpu_pthread_setname(name) pthread_setname_np(pthread_self(), name)

#define STARPU_PTHREAD_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define starpu_pthread_mutex_init pthread_mutex_init
#define starpu_pthread_mutex_destroy pthread_mutex_destroy
#define starpu_pthread_mutex_lock pthread_mutex_lock
#define starpu_pthread_mutex_unlock pthread_mutex_unlock
#define starpu_pthread_mutex_trylock pthread_mutex_trylock
/* For policies; nothing is to be checked here. */
#define starpu_pthread_mutex_lock_sched pthread_mutex_lock
#define starpu_pthread_mutex_unlock_sched pthread_mutex_unlock
#define starpu_pthread_mutex_trylock_sched pthread_mutex_trylock
#define starpu_pthread_mutex_check_sched(mutex, file, line) ((void)(mutex))
#define starpu_pthread_mutexattr_init pthread_mutexattr_init
#define starpu_pthread_mutexattr_destroy pthread_mutexattr_destroy
#define starpu_pthread_mutexattr_gettype pthread_mutexattr_gettype
#define starpu_pthread_mutexattr_settype pthread_mutexattr_settype

#define STARPU_PTHREAD_COND_INITIALIZER PTHREAD_COND_INITIALIZER
#define starpu_pthread_cond_init pthread_cond_init
#define starpu_pthread_cond_destroy pthread_cond_destroy
#define starpu_pthread_cond_signal pthread_cond_signal
#define starpu_pthread_cond_broadcast pthread_cond_broadcast
#define starpu_pthread_cond_wait pthread_cond_wait
#define starpu_pthread_cond_timedwait pthread_cond_timedwait

#define STARPU_PTHREAD_RWLOCK_INITIALIZER PTHREAD_RWLOCK_INITIALIZER
#define starpu_pthread_rwlock_init pthread_rwlock_init
#define starpu_pthread_rwlock_destroy pthread_rwlock_destroy
#define starpu_pthread_rwlock_rdlock pthread_rwlock_rdlock
#define starpu_pthread_rwlock_tryrdlock pthread_rwlock_tryrdlock
#define starpu_pthread_rwlock_wrlock pthread_rwlock_wrlock
#define starpu_pthread_rwlock_trywrlock pthread_rwlock_trywrlock
#define starpu_pthread_rwlock_unlock pthread_rwlock_unlock

#define STARPU_PTHREAD_BARRIER_SERIAL_THREAD PTHREAD_BARRIER_SERIAL_THREAD
#define starpu_pthread_barrier_init pthread_barrier_init
#define starpu_pthread_barrier_destroy pthread_barrier_destroy
#define starpu_pthread_barrier_wait pthread_barrier_wait

#define starpu_pthread_spin_init pthread_spin_init
#define starpu_pthread_spin_destroy pthread_spin_destroy
#define starpu_pthread_spin_lock pthread_spin_lock
#define starpu_pthread_spin_trylock pthread_spin_trylock
#define starpu_pthread_spin_unlock pthread_spin_unlock

#define starpu_pthread_key_create pthread_key_create
#define starpu_pthread_key_delete pthread_key_delete
#define starpu_pthread_setspecific pthread_setspecific
#define starpu_pthread_getspecific pthread_getspecific

#define starpu_sem_init sem_init
#define starpu_sem_destroy sem_destroy
#define starpu_sem_getvalue sem_getvalue
#define starpu_sem_post sem_post
#define starpu_sem_wait sem_wait
#define starpu_sem_trywait sem_trywait

/* Waiting for several queues of the program's own at once. A thread has a starpu_pthread_wait_t and
 * registers it with each queue; it resets it, looks into the queues, and waits where they are
 * empty. Whoever puts something into a queue signals it. What comes between reset and wait ends the
 * wait at once.
 */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int is_signalled; /* since the last reset */
} starpu_pthread_wait_t;

typedef struct {
  pthread_mutex_t mutex;
  starpu_pthread_wait_t** waiters;
  unsigned count;
} starpu_pthread_queue_t;

static __inline__ int starpu_pthread_wait_init(starpu_pthread_wait_t* wait) {
  wait->is_signalled = 0;
  pthread_mutex_init(&wait->mutex, NULL);
  return pthread_cond_init(&wait->condition, NULL);
}

static __inline__ int starpu_pthread_wait_destroy(starpu_pthread_wait_t* wait) {
  pthread_cond_destroy(&wait->condition);
  return pthread_mutex_destroy(&wait->mutex);
}

static __inline__ int starpu_pthread_wait_reset(starpu_pthread_wait_t* wait) {
  pthread_mutex_lock(&wait->mutex);
  wait->is_signalled = 0;
  return pthread_mutex_unlock(&wait->mutex);
}

/* Until the time of day `end` at the latest, which is then said by ETIMEDOUT. */
static __inline__ int starpu_pthread_wait_timedwait(starpu_pthread_wait_t* wait,
                                                    const struct timespec* end) {
  int error = 0;
  pthread_mutex_lock(&wait->mutex);
  while (!wait->is_signalled && !error)
    error = end ? pthread_cond_timedwait(&wait->condition, &wait->mutex, end)
                : pthread_cond_wait(&wait->condition, &wait->mutex);
  pthread_mutex_unlock(&wait->mutex);
  return error;
}

static __inline__ int starpu_pthread_wait_wait(starpu_pthread_wait_t* wait) {
  return starpu_pthread_wait_timedwait(wait, NULL);
}

static __inline__ int starpu_pthread_queue_init(starpu_pthread_queue_t* queue) {
  queue->waiters = NULL;
  queue->count = 0;
  return pthread_mutex_init(&queue->mutex, NULL);
}

/* Of which nobody waits any more. */
static __inline__ int starpu_pthread_queue_destroy(starpu_pthread_queue_t* queue) {
  free(queue->waiters);
  return pthread_mutex_destroy(&queue->mutex);
}

static __inline__ int starpu_pthread_queue_register(starpu_pthread_wait_t* wait,
                                                    starpu_pthread_queue_t* queue) {
  starpu_pthread_wait_t** more;
  pthread_mutex_lock(&queue->mutex);
  more = (starpu_pthread_wait_t**)realloc(queue->waiters, (queue->count + 1) * sizeof(*more));
  if (more) {
    queue->waiters = more;
    more[queue->count++] = wait;
  }
  pthread_mutex_unlock(&queue->mutex);
  return more ? 0 : ENOMEM;
}

static __inline__ int starpu_pthread_queue_unregister(starpu_pthread_wait_t* wait,
                                                      starpu_pthread_queue_t* queue) {
  unsigned at = 0;
  int is_there;
  pthread_mutex_lock(&queue->mutex);
  while (at < queue->count && queue->waiters[at] != wait) ++at;
  is_there = at < queue->count;
  if (is_there) queue->waiters[at] = queue->waiters[--queue->count];
  pthread_mutex_unlock(&queue->mutex);
  return is_there ? 0 : EINVAL;
}

/* Wakes so many of those that were not woken since their reset; the others look into the queue
 * anyway. */
static __inline__ int starpu_pthread_queue_wake_(starpu_pthread_queue_t* queue, unsigned most) {
  unsigned at, woken = 0;
  pthread_mutex_lock(&queue->mutex);
  for (at = 0; at < queue->count && woken < most; ++at) {
    starpu_pthread_wait_t* const wait = queue->waiters[at];
    pthread_mutex_lock(&wait->mutex);
    if (!wait->is_signalled) ++woken;
    wait->is_signalled = 1;
    pthread_cond_signal(&wait->condition);
    pthread_mutex_unlock(&wait->mutex);
  }
  return pthread_mutex_unlock(&queue->mutex);
}

static __inline__ int starpu_pthread_queue_signal(starpu_pthread_queue_t* queue) {
  return starpu_pthread_queue_wake_(queue, 1);
}

static __inline__ int starpu_pthread_queue_broadcast(starpu_pthread_queue_t* queue) {
  return starpu_pthread_queue_wake_(queue, (unsigned)-1);
}

#endif
