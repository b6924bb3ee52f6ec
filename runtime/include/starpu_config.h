/* SPDX-License-Identifier: Apache-2.0
 * What this build of the runtime can do and how large its fixed tables are. */
#ifndef __STARPU_CONFIG_PUBLIC_H__
#define __STARPU_CONFIG_PUBLIC_H__

#include <sys/types.h>

/* The version of StarPU's interface that is followed; the names of 1.3 work as well. */
#define STARPU_MAJOR_VERSION 1
#define STARPU_MINOR_VERSION 4
#define STARPU_RELEASE_VERSION 12

/* Defined here and nowhere else: this is TaskLens's runtime. */
#define STARPU_TASKLENS 1

#define STARPU_USE_CPU 1
/* The runtime has CUDA workers wherever there are devices. A program that calls CUDA itself says so
 * with -DSTARPU_USE_CUDA; what nvcc compiles does. (Builds look for the name and a 1 behind it, and
 * would want nvcc.) */
#if defined(__CUDACC__) && !defined(STARPU_USE_CUDA)
#define STARPU_USE_CUDA /* there is nvcc */ 1
#endif
#define STARPU_HAVE_HWLOC 1
#define STARPU_PARALLEL_WORKER 1
#define STARPU_CLUSTER 1
#define STARPU_LINUX_SYS 1
#define STARPU_WORKER_CALLBACKS 1
#define STARPU_USE_FXT 1
#define STARPU_OPENMP 1
#define STARPU_HAVE_SETENV 1
#define STARPU_HAVE_UNSETENV 1
#define STARPU_HAVE_UNISTD_H 1
#define STARPU_HAVE_PTHREAD_BARRIER 1
#define STARPU_HAVE_PTHREAD_SPIN_LOCK 1
#define STARPU_HAVE_PTHREAD_SETNAME_NP 1
#define STARPU_HAVE_STRUCT_TIMESPEC 1
#define STARPU_HAVE_STATEMENT_EXPRESSIONS 1
#define STARPU_HAVE_STRERROR_R 1
#define STARPU_HAVE_MALLOC_H 1
#define STARPU_HAVE_MEMALIGN 1
#define STARPU_HAVE_POSIX_MEMALIGN 1
#define STARPU_HAVE_NEARBYINTF 1
#define STARPU_HAVE_RINTF 1
#define STARPU_HAVE_CXX11 1
#define STARPU_PROF_TOOL 1
/* A mutex, condition or lock of zeros is initialised. */
#define STARPU_PTHREAD_MUTEX_INITIALIZER_ZERO 1
#define STARPU_PTHREAD_COND_INITIALIZER_ZERO 1
#define STARPU_PTHREAD_RWLOCK_INITIALIZER_ZERO 1
#define STARPU_QUICK_CHECK 1

#define STARPU_NMAXWORKERS 1024
#define STARPU_MAXCPUS 1024
#define STARPU_MAXNODES 32
#define STARPU_MAXNUMANODES 1
#define STARPU_MAXCUDADEVS 16
#define STARPU_MAXOPENCLDEVS 4
#define STARPU_MAXMICDEVS 0
#define STARPU_MAXHIPDEVS 0
#define STARPU_MAXMAXFPGADEVS 0
#define STARPU_NMAXBUFS 8
#define STARPU_MAXIMPLEMENTATIONS 4
#define STARPU_NMAX_SCHED_CTXS 10

typedef ssize_t starpu_ssize_t;

#if defined(__cplusplus)
#define __starpu_inline inline
#else
#define __starpu_inline __inline__
#endif
#define __starpu_func__ __func__

#endif
