/* SPDX-License-Identifier: Apache-2.0
 * For the functions of codelets that run on CUDA devices. With STARPU_USE_CUDA (starpu_config.h)
 * the toolkit's headers are included; without them the same functions are there, but for the one of
 * cudaDeviceProp. */
#ifndef __STARPU_CUDA_H__
#define __STARPU_CUDA_H__

#include <starpu_config.h>
#include <stddef.h>

#if defined(STARPU_USE_CUDA) && !defined(STARPU_DONT_INCLUDE_CUDA_HEADERS)
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t points to it */
struct cudaDeviceProp;

/* The stream of the CUDA worker that calls: what a function with STARPU_CUDA_ASYNC puts there is
 * done in order, and waited for by the runtime. NULL in any other thread. */
struct CUstream_st* starpu_cuda_get_local_stream(void);
/* Makes a device (starpu_worker_get_devid()) that of the calling thread. */
void starpu_cuda_set_device(unsigned devid);
/* Aborts with a line that names the place and what cudaError_t or CUresult `status` means. */
void starpu_cuda_report_error(const char* func, const char* file, int line, int status);
#define STARPU_CUDA_REPORT_ERROR(status) \
  starpu_cuda_report_error(__starpu_func__, __FILE__, __LINE__, (int)(status))
/* Of cublasStatus_t. */
void starpu_cublas_report_error(const char* func, const char* file, int line, int status);
#define STARPU_CUBLAS_REPORT_ERROR(status) \
  starpu_cublas_report_error(__starpu_func__, __FILE__, __LINE__, (int)(status))

/* Copies bytes between memory nodes, in a stream or, with NULL, at once. -EAGAIN when it is under
 * way, 0 when it is done; -EIO when the nodes are none of CUDA and the main memory. `kind`, a
 * cudaMemcpyKind, follows from the nodes. */
int starpu_cuda_copy_async_sync(void* src_ptr, unsigned src_node, void* dst_ptr, unsigned dst_node,
                                size_t ssize, struct CUstream_st* stream, int kind);
/* The same of `numblocks` pieces, ld_src and ld_dst bytes apart. */
int starpu_cuda_copy2d_async_sync(void* src_ptr, unsigned src_node, void* dst_ptr,
                                  unsigned dst_node, size_t blocksize, size_t numblocks,
                                  size_t ld_src, size_t ld_dst, struct CUstream_st* stream,
                                  int kind);

/* Room for what a toolkit knows of a worker's device, filled by `ask` when it is first wanted. */
const void* _starpu_cuda_properties(unsigned workerid, size_t size,
                                    int (*ask)(void* properties, int device));

#if defined(STARPU_USE_CUDA) && !defined(STARPU_DONT_INCLUDE_CUDA_HEADERS)
static inline int _starpu_cuda_ask(void* properties, int device) {
  return (int)cudaGetDeviceProperties((struct cudaDeviceProp*)properties, device);
}
/* Here, as the structure differs from toolkit to toolkit. */
static inline const struct cudaDeviceProp* starpu_cuda_get_device_properties(unsigned workerid) {
  return (const struct cudaDeviceProp*)_starpu_cuda_properties(
      workerid, sizeof(struct cudaDeviceProp), _starpu_cuda_ask);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
