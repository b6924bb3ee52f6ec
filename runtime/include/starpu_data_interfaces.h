/* SPDX-License-Identifier: Apache-2.0
 * Data interfaces: the shapes of data (void, variable, vector, matrix, block, tensor, arrays of
 * any number of dimensions, sparse matrices, multiformat) and how to add one.
 */
#ifndef __STARPU_DATA_INTERFACES_H__
#define __STARPU_DATA_INTERFACES_H__

#include <starpu_data.h>
#include <starpu_stdlib.h>
#include <starpu_util.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to copy one copy of an interface into another. All return 0 when the copy is done. Without
 * any_to_any and ram_to_ram the data cannot be copied. */
struct starpu_data_copy_methods {
  int (*can_copy)(void* src_interface, unsigned src_node, void* dst_interface, unsigned dst_node,
                  unsigned handling_node);
  int (*ram_to_ram)(void* src_interface, unsigned src_node, void* dst_interface, unsigned dst_node);
  /* Between memories that are not there: accepted, never called. */
  int (*ram_to_cuda)(void*, unsigned, void*, unsigned);
  int (*ram_to_hip)(void*, unsigned, void*, unsigned);
  int (*ram_to_sycl)(void*, unsigned, void*, unsigned);
  int (*ram_to_opencl)(void*, unsigned, void*, unsigned);
  int (*ram_to_max_fpga)(void*, unsigned, void*, unsigned);
  int (*ram_to_mic)(void*, unsigned, void*, unsigned);
  int (*cuda_to_ram)(void*, unsigned, void*, unsigned);
  int (*cuda_to_cuda)(void*, unsigned, void*, unsigned);
  int (*cuda_to_opencl)(void*, unsigned, void*, unsigned);
  int (*hip_to_ram)(void*, unsigned, void*, unsigned);
  int (*hip_to_hip)(void*, unsigned, void*, unsigned);
  int (*sycl_to_ram)(void*, unsigned, void*, unsigned);
  int (*sycl_to_sycl)(void*, unsigned, void*, unsigned);
  int (*opencl_to_ram)(void*, unsigned, void*, unsigned);
  int (*opencl_to_cuda)(void*, unsigned, void*, unsigned);
  int (*opencl_to_opencl)(void*, unsigned, void*, unsigned);
  int (*max_fpga_to_ram)(void*, unsigned, void*, unsigned);
  int (*mic_to_ram)(void*, unsigned, void*, unsigned);
  int (*ram_to_mpi_ms)(void*, unsigned, void*, unsigned);
  int (*mpi_ms_to_ram)(void*, unsigned, void*, unsigned);
  int (*mpi_ms_to_mpi_ms)(void*, unsigned, void*, unsigned);
  int (*ram_to_cuda_async)(void*, unsigned, void*, unsigned, void*);
  int (*cuda_to_ram_async)(void*, unsigned, void*, unsigned, void*);
  int (*cuda_to_cuda_async)(void*, unsigned, void*, unsigned, void*);
  int (*ram_to_hip_async)(void*, unsigned, void*, unsigned, void*);
  int (*hip_to_ram_async)(void*, unsigned, void*, unsigned, void*);
  int (*hip_to_hip_async)(void*, unsigned, void*, unsigned, void*);
  int (*ram_to_sycl_async)(void*, unsigned, void*, unsigned, void*);
  int (*sycl_to_ram_async)(void*, unsigned, void*, unsigned, void*);
  int (*sycl_to_sycl_async)(void*, unsigned, void*, unsigned, void*);
  int (*ram_to_opencl_async)(void*, unsigned, void*, unsigned, void*);
  int (*opencl_to_ram_async)(void*, unsigned, void*, unsigned, void*);
  int (*opencl_to_opencl_async)(void*, unsigned, void*, unsigned, void*);
  int (*ram_to_mpi_ms_async)(void*, unsigned, void*, unsigned, void*);
  int (*mpi_ms_to_ram_async)(void*, unsigned, void*, unsigned, void*);
  int (*mpi_ms_to_mpi_ms_async)(void*, unsigned, void*, unsigned, void*);
  int (*ram_to_max_fpga_async)(void*, unsigned, void*, unsigned);
  int (*max_fpga_to_ram_async)(void*, unsigned, void*, unsigned);
  int (*ram_to_mic_async)(void*, unsigned, void*, unsigned);
  int (*mic_to_ram_async)(void*, unsigned, void*, unsigned);
  int (*any_to_any)(void* src_interface, unsigned src_node, void* dst_interface, unsigned dst_node,
                    void* async_data);
};

enum starpu_data_interface_id {
  STARPU_UNKNOWN_INTERFACE_ID = -1,
  STARPU_MATRIX_INTERFACE_ID = 0,
  STARPU_BLOCK_INTERFACE_ID = 1,
  STARPU_VECTOR_INTERFACE_ID = 2,
  STARPU_CSR_INTERFACE_ID = 3,
  STARPU_BCSR_INTERFACE_ID = 4,
  STARPU_VARIABLE_INTERFACE_ID = 5,
  STARPU_VOID_INTERFACE_ID = 6,
  STARPU_MULTIFORMAT_INTERFACE_ID = 7,
  STARPU_COO_INTERFACE_ID = 8,
  STARPU_TENSOR_INTERFACE_ID = 9,
  STARPU_NDIM_INTERFACE_ID = 10,
  STARPU_MAX_INTERFACE_ID = 11
};

/* What the runtime does with an interface. The structure that holds one copy of the data has
 * interface_size bytes and begins with its `enum starpu_data_interface_id`. */
struct starpu_multiformat_data_interface_ops;
struct starpu_data_interface_ops {
  /* Stores data_interface as the copy of home_node, and makes those of the other nodes. */
  void (*register_data_handle)(starpu_data_handle_t handle, int home_node, void* data_interface);
  void (*unregister_data_handle)(starpu_data_handle_t handle);
  /* Bytes allocated, or -ENOMEM. */
  starpu_ssize_t (*allocate_data_on_node)(void* data_interface, unsigned node);
  void (*free_data_on_node)(void* data_interface, unsigned node);
  /* The next two: buffers of freed data are kept for others of their shape; never called, as all
   * memory goes back. */
  void (*cache_data_on_node)(void* cached_interface, void* src_interface, unsigned node);
  void (*reuse_data_on_node)(void* dst_interface, const void* cached_interface, unsigned node);
  /* The next three: main memory that a device uses in place; never called, as none does. */
  int (*map_data)(void* src_interface, unsigned src_node, void* dst_interface, unsigned dst_node);
  int (*unmap_data)(void* src_interface, unsigned src_node, void* dst_interface, unsigned dst_node);
  int (*update_map)(void* src_interface, unsigned src_node, void* dst_interface, unsigned dst_node);
  void (*init)(void* data_interface);
  const struct starpu_data_copy_methods* copy_methods;
  void* (*handle_to_pointer)(starpu_data_handle_t handle, unsigned node); /* of 1.3 */
  void* (*to_pointer)(void* data_interface, unsigned node);
  int (*pointer_is_inside)(void* data_interface, unsigned node, void* ptr);
  size_t (*get_size)(starpu_data_handle_t handle);
  size_t (*get_alloc_size)(starpu_data_handle_t handle);
  size_t (*get_max_size)(starpu_data_handle_t handle);
  uint32_t (*footprint)(starpu_data_handle_t handle);
  uint32_t (*alloc_footprint)(starpu_data_handle_t handle);
  int (*compare)(void* data_interface_a, void* data_interface_b);
  int (*alloc_compare)(void* data_interface_a, void* data_interface_b);
  void (*display)(starpu_data_handle_t handle, FILE* f);
  /* A short text such as "V5x4"; like snprintf. */
  starpu_ssize_t (*describe)(void* data_interface, char* buf, size_t size);
  enum starpu_data_interface_id interfaceid;
  size_t interface_size;
  char is_multiformat;
  char dontcache;
  struct starpu_multiformat_data_interface_ops* (*get_mf_ops)(void* data_interface);
  /* With ptr NULL only *count is set; otherwise *ptr is allocated by starpu_malloc. */
  int (*pack_data)(starpu_data_handle_t handle, unsigned node, void** ptr, starpu_ssize_t* count);
  int (*peek_data)(starpu_data_handle_t handle, unsigned node, void* ptr, size_t count);
  int (*unpack_data)(starpu_data_handle_t handle, unsigned node, void* ptr, size_t count);
  /* The shape alone, for processes that do not know it: master-slave workers', which are not there.
   */
  int (*pack_meta)(void* data_interface, void** ptr, starpu_ssize_t* count);
  int (*unpack_meta)(void** data_interface, void* ptr, starpu_ssize_t* count);
  int (*free_meta)(void* data_interface);
  const char* name;
};

/* Gives the operations an interfaceid when they have none (STARPU_UNKNOWN_INTERFACE_ID). */
void starpu_data_register_ops(struct starpu_data_interface_ops* ops);
/* home_node -1: the runtime allocates the memory at the first write. */
void starpu_data_register(starpu_data_handle_t* handleptr, int home_node, void* data_interface,
                          struct starpu_data_interface_ops* ops);
void starpu_data_register_same(starpu_data_handle_t* handledst, starpu_data_handle_t handlesrc);
void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned node);
void* starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned memory_node);
void* starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node);
int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void* ptr);
void* starpu_data_get_local_ptr(starpu_data_handle_t handle);
enum starpu_data_interface_id starpu_data_get_interface_id(starpu_data_handle_t handle);
int starpu_data_pack(starpu_data_handle_t handle, void** ptr, starpu_ssize_t* count);
int starpu_data_peek(starpu_data_handle_t handle, void* ptr, size_t count);
int starpu_data_unpack(starpu_data_handle_t handle, void* ptr, size_t count);
int starpu_data_pack_node(starpu_data_handle_t handle, unsigned node, void** ptr,
                          starpu_ssize_t* count);
int starpu_data_peek_node(starpu_data_handle_t handle, unsigned node, void* ptr, size_t count);
int starpu_data_unpack_node(starpu_data_handle_t handle, unsigned node, void* ptr, size_t count);
size_t starpu_data_get_size(starpu_data_handle_t handle);
/* The most that it will ever have, as the interface says, or -1. */
starpu_ssize_t starpu_data_get_max_size(starpu_data_handle_t handle);
size_t starpu_data_get_alloc_size(starpu_data_handle_t handle);
/* The handle whose main-memory pointer is `ptr`, or NULL. */
starpu_data_handle_t starpu_data_lookup(const void* ptr);
int starpu_data_get_home_node(starpu_data_handle_t handle);
int starpu_data_interface_get_next_id(void);

/* For copy methods of other interfaces; all return 0. */
/* Around the start of an asynchronous copy by an interface of the program's own, so that a trace
 * shows it; *start is for the second call. */
void starpu_interface_start_driver_copy_async(unsigned src_node, unsigned dst_node, double* start);
void starpu_interface_end_driver_copy_async(unsigned src_node, unsigned dst_node, double start);
int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                          size_t dst_offset, unsigned dst_node, size_t size, void* async_data);
int starpu_interface_copy2d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                            size_t dst_offset, unsigned dst_node, size_t blocksize,
                            size_t numblocks, size_t ld_src, size_t ld_dst, void* async_data);
int starpu_interface_copy3d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                            size_t dst_offset, unsigned dst_node, size_t blocksize,
                            size_t numblocks1, size_t ld1_src, size_t ld1_dst, size_t numblocks2,
                            size_t ld2_src, size_t ld2_dst, void* async_data);
int starpu_interface_copy4d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                            size_t dst_offset, unsigned dst_node, size_t blocksize,
                            size_t numblocks1, size_t ld1_src, size_t ld1_dst, size_t numblocks2,
                            size_t ld2_src, size_t ld2_dst, size_t numblocks3, size_t ld3_src,
                            size_t ld3_dst, void* async_data);
/* Of elements: nn[0] in a row, nn[i] times what is below, ldn[i] elements apart. */
int starpu_interface_copynd(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                            size_t dst_offset, unsigned dst_node, size_t elemsize, size_t ndim,
                            uint32_t* nn, uint32_t* ldn_src, uint32_t* ldn_dst, void* async_data);
/* For map_data, unmap_data and update_map: no node uses another's memory in its place, so that
 * these return 0 and set *ret to -EIO, or return -EIO; data are copied. */
uintptr_t starpu_interface_map(uintptr_t src, size_t src_offset, unsigned src_node,
                               unsigned dst_node, size_t size, int* ret);
int starpu_interface_unmap(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                           unsigned dst_node, size_t size);
int starpu_interface_update_map(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                                size_t dst_offset, unsigned dst_node, size_t size);
void starpu_interface_data_copy(unsigned src_node, unsigned dst_node, size_t size);

/* STARPU_VECTOR_CHECK(interface) and similar macros abort if the interface is of another kind. */
#define _STARPU_CHECK_INTERFACE(interface, kind, name)                                    \
  STARPU_ASSERT_MSG(                                                                      \
      *(const enum starpu_data_interface_id*)(interface) == STARPU_##kind##_INTERFACE_ID, \
      "the data are no %s", name)

/* ---- void: no data, only order ---- */
extern struct starpu_data_interface_ops starpu_interface_void_ops;
void starpu_void_data_register(starpu_data_handle_t* handle);

/* ---- variable: one object ---- */
extern struct starpu_data_interface_ops starpu_interface_variable_ops;
struct starpu_variable_interface {
  enum starpu_data_interface_id id;
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  size_t elemsize;
};
void starpu_variable_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                   size_t size);
void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                  uintptr_t dev_handle, size_t offset);
size_t starpu_variable_get_elemsize(starpu_data_handle_t handle);
uintptr_t starpu_variable_get_local_ptr(starpu_data_handle_t handle);
#define _STARPU_VARIABLE(interface) ((struct starpu_variable_interface*)(interface))
#define STARPU_VARIABLE_CHECK(interface) _STARPU_CHECK_INTERFACE(interface, VARIABLE, "variable")
#define STARPU_VARIABLE_GET_PTR(interface) (_STARPU_VARIABLE(interface)->ptr)
#define STARPU_VARIABLE_GET_DEV_HANDLE(interface) (_STARPU_VARIABLE(interface)->dev_handle)
#define STARPU_VARIABLE_GET_OFFSET(interface) (_STARPU_VARIABLE(interface)->offset)
#define STARPU_VARIABLE_GET_ELEMSIZE(interface) (_STARPU_VARIABLE(interface)->elemsize)

/* ---- vector: nx objects in a row ---- */
extern struct starpu_data_interface_ops starpu_interface_vector_ops;
struct starpu_vector_interface {
  enum starpu_data_interface_id id;
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  uint32_t nx;
  size_t elemsize;
  uint32_t slice_base;
  size_t allocsize;
};
void starpu_vector_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                 uint32_t nx, size_t elemsize);
void starpu_vector_data_register_allocsize(starpu_data_handle_t* handle, int home_node,
                                           uintptr_t ptr, uint32_t nx, size_t elemsize,
                                           size_t allocsize);
void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                uintptr_t dev_handle, size_t offset);
uint32_t starpu_vector_get_nx(starpu_data_handle_t handle);
size_t starpu_vector_get_elemsize(starpu_data_handle_t handle);
size_t starpu_vector_get_allocsize(starpu_data_handle_t handle);
uintptr_t starpu_vector_get_local_ptr(starpu_data_handle_t handle);
#define _STARPU_VECTOR(interface) ((struct starpu_vector_interface*)(interface))
#define STARPU_VECTOR_CHECK(interface) _STARPU_CHECK_INTERFACE(interface, VECTOR, "vector")
#define STARPU_VECTOR_GET_PTR(interface) (_STARPU_VECTOR(interface)->ptr)
#define STARPU_VECTOR_GET_DEV_HANDLE(interface) (_STARPU_VECTOR(interface)->dev_handle)
#define STARPU_VECTOR_GET_OFFSET(interface) (_STARPU_VECTOR(interface)->offset)
#define STARPU_VECTOR_GET_NX(interface) (_STARPU_VECTOR(interface)->nx)
#define STARPU_VECTOR_GET_ELEMSIZE(interface) (_STARPU_VECTOR(interface)->elemsize)
#define STARPU_VECTOR_GET_ALLOCSIZE(interface) (_STARPU_VECTOR(interface)->allocsize)
#define STARPU_VECTOR_GET_SLICE_BASE(interface) (_STARPU_VECTOR(interface)->slice_base)
#define STARPU_VECTOR_SET_NX(interface, newnx) \
  do {                                         \
    _STARPU_VECTOR(interface)->nx = (newnx);   \
  } while (0)

/* ---- matrix: ny rows of nx objects, `ld` objects from row to row ---- */
extern struct starpu_data_interface_ops starpu_interface_matrix_ops;
struct starpu_matrix_interface {
  enum starpu_data_interface_id id;
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  uint32_t nx;
  uint32_t ny;
  uint32_t ld;
  size_t elemsize;
  size_t allocsize;
};
void starpu_matrix_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                 uint32_t ld, uint32_t nx, uint32_t ny, size_t elemsize);
void starpu_matrix_data_register_allocsize(starpu_data_handle_t* handle, int home_node,
                                           uintptr_t ptr, uint32_t ld, uint32_t nx, uint32_t ny,
                                           size_t elemsize, size_t allocsize);
void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                uintptr_t dev_handle, size_t offset, uint32_t ld);
uint32_t starpu_matrix_get_nx(starpu_data_handle_t handle);
uint32_t starpu_matrix_get_ny(starpu_data_handle_t handle);
uint32_t starpu_matrix_get_local_ld(starpu_data_handle_t handle);
uintptr_t starpu_matrix_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_matrix_get_elemsize(starpu_data_handle_t handle);
size_t starpu_matrix_get_allocsize(starpu_data_handle_t handle);
#define _STARPU_MATRIX(interface) ((struct starpu_matrix_interface*)(interface))
#define STARPU_MATRIX_CHECK(interface) _STARPU_CHECK_INTERFACE(interface, MATRIX, "matrix")
#define STARPU_MATRIX_GET_PTR(interface) (_STARPU_MATRIX(interface)->ptr)
#define STARPU_MATRIX_GET_DEV_HANDLE(interface) (_STARPU_MATRIX(interface)->dev_handle)
#define STARPU_MATRIX_GET_OFFSET(interface) (_STARPU_MATRIX(interface)->offset)
#define STARPU_MATRIX_GET_NX(interface) (_STARPU_MATRIX(interface)->nx)
#define STARPU_MATRIX_GET_NY(interface) (_STARPU_MATRIX(interface)->ny)
#define STARPU_MATRIX_GET_LD(interface) (_STARPU_MATRIX(interface)->ld)
#define STARPU_MATRIX_GET_ELEMSIZE(interface) (_STARPU_MATRIX(interface)->elemsize)
#define STARPU_MATRIX_GET_ALLOCSIZE(interface) (_STARPU_MATRIX(interface)->allocsize)
#define STARPU_MATRIX_SET_NX(interface, newnx) \
  do {                                         \
    _STARPU_MATRIX(interface)->nx = (newnx);   \
  } while (0)
#define STARPU_MATRIX_SET_NY(interface, newny) \
  do {                                         \
    _STARPU_MATRIX(interface)->ny = (newny);   \
  } while (0)
#define STARPU_MATRIX_SET_LD(interface, newld) \
  do {                                         \
    _STARPU_MATRIX(interface)->ld = (newld);   \
  } while (0)

/* ---- block: nz planes of ny rows of nx objects ---- */
extern struct starpu_data_interface_ops starpu_interface_block_ops;
struct starpu_block_interface {
  enum starpu_data_interface_id id;
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  uint32_t nx;
  uint32_t ny;
  uint32_t nz;
  uint32_t ldy;
  uint32_t ldz;
  size_t elemsize;
};
void starpu_block_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                uint32_t ldy, uint32_t ldz, uint32_t nx, uint32_t ny, uint32_t nz,
                                size_t elemsize);
void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                               uintptr_t dev_handle, size_t offset, uint32_t ldy, uint32_t ldz);
uint32_t starpu_block_get_nx(starpu_data_handle_t handle);
uint32_t starpu_block_get_ny(starpu_data_handle_t handle);
uint32_t starpu_block_get_nz(starpu_data_handle_t handle);
uint32_t starpu_block_get_local_ldy(starpu_data_handle_t handle);
uint32_t starpu_block_get_local_ldz(starpu_data_handle_t handle);
uintptr_t starpu_block_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_block_get_elemsize(starpu_data_handle_t handle);
#define _STARPU_BLOCK(interface) ((struct starpu_block_interface*)(interface))
#define STARPU_BLOCK_CHECK(interface) _STARPU_CHECK_INTERFACE(interface, BLOCK, "block")
#define STARPU_BLOCK_GET_PTR(interface) (_STARPU_BLOCK(interface)->ptr)
#define STARPU_BLOCK_GET_DEV_HANDLE(interface) (_STARPU_BLOCK(interface)->dev_handle)
#define STARPU_BLOCK_GET_OFFSET(interface) (_STARPU_BLOCK(interface)->offset)
#define STARPU_BLOCK_GET_NX(interface) (_STARPU_BLOCK(interface)->nx)
#define STARPU_BLOCK_GET_NY(interface) (_STARPU_BLOCK(interface)->ny)
#define STARPU_BLOCK_GET_NZ(interface) (_STARPU_BLOCK(interface)->nz)
#define STARPU_BLOCK_GET_LDY(interface) (_STARPU_BLOCK(interface)->ldy)
#define STARPU_BLOCK_GET_LDZ(interface) (_STARPU_BLOCK(interface)->ldz)
#define STARPU_BLOCK_GET_ELEMSIZE(interface) (_STARPU_BLOCK(interface)->elemsize)

/* ---- tensor: nt blocks of nz planes of ny rows of nx objects ---- */
extern struct starpu_data_interface_ops starpu_interface_tensor_ops;
struct starpu_tensor_interface {
  enum starpu_data_interface_id id;
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  uint32_t nx;
  uint32_t ny;
  uint32_t nz;
  uint32_t nt;
  uint32_t ldy;
  uint32_t ldz;
  uint32_t ldt;
  size_t elemsize;
};
void starpu_tensor_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                                 uint32_t ldy, uint32_t ldz, uint32_t ldt, uint32_t nx, uint32_t ny,
                                 uint32_t nz, uint32_t nt, size_t elemsize);
void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                                uintptr_t dev_handle, size_t offset, uint32_t ldy, uint32_t ldz,
                                uint32_t ldt);
uint32_t starpu_tensor_get_nx(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_ny(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_nz(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_nt(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_local_ldy(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_local_ldz(starpu_data_handle_t handle);
uint32_t starpu_tensor_get_local_ldt(starpu_data_handle_t handle);
uintptr_t starpu_tensor_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_tensor_get_elemsize(starpu_data_handle_t handle);
#define _STARPU_TENSOR(interface) ((struct starpu_tensor_interface*)(interface))
#define STARPU_TENSOR_CHECK(interface) _STARPU_CHECK_INTERFACE(interface, TENSOR, "tensor")
#define STARPU_TENSOR_GET_PTR(interface) (_STARPU_TENSOR(interface)->ptr)
#define STARPU_TENSOR_GET_DEV_HANDLE(interface) (_STARPU_TENSOR(interface)->dev_handle)
#define STARPU_TENSOR_GET_OFFSET(interface) (_STARPU_TENSOR(interface)->offset)
#define STARPU_TENSOR_GET_NX(interface) (_STARPU_TENSOR(interface)->nx)
#define STARPU_TENSOR_GET_NY(interface) (_STARPU_TENSOR(interface)->ny)
#define STARPU_TENSOR_GET_NZ(interface) (_STARPU_TENSOR(interface)->nz)
#define STARPU_TENSOR_GET_NT(interface) (_STARPU_TENSOR(interface)->nt)
#define STARPU_TENSOR_GET_LDY(interface) (_STARPU_TENSOR(interface)->ldy)
#define STARPU_TENSOR_GET_LDZ(interface) (_STARPU_TENSOR(interface)->ldz)
#define STARPU_TENSOR_GET_LDT(interface) (_STARPU_TENSOR(interface)->ldt)
#define STARPU_TENSOR_GET_ELEMSIZE(interface) (_STARPU_TENSOR(interface)->elemsize)

/* ---- ndim: an array of `ndim` dimensions (at most STARPU_NDIM_MAXDIMS), nn[i] elements along
 * dimension i, ldn[i] elements from one to the next ---- */
#define STARPU_NDIM_MAXDIMS 16
extern struct starpu_data_interface_ops starpu_interface_ndim_ops;
struct starpu_ndim_interface {
  enum starpu_data_interface_id id;
  uintptr_t ptr;
  uintptr_t dev_handle;
  size_t offset;
  size_t allocsize;
  uint32_t nn[STARPU_NDIM_MAXDIMS];
  uint32_t ldn[STARPU_NDIM_MAXDIMS];
  size_t ndim;
  size_t elemsize;
};
/* The arrays are copied; ldn NULL: without gaps. */
void starpu_ndim_data_register(starpu_data_handle_t* handle, int home_node, uintptr_t ptr,
                               uint32_t* ldn, uint32_t* nn, size_t ndim, size_t elemsize);
void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr,
                              uintptr_t dev_handle, size_t offset, uint32_t* ldn);
uint32_t* starpu_ndim_get_nn(starpu_data_handle_t handle);
uint32_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i);
uint32_t* starpu_ndim_get_local_ldn(starpu_data_handle_t handle);
uint32_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i);
uintptr_t starpu_ndim_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_ndim_get_ndim(starpu_data_handle_t handle);
size_t starpu_ndim_get_elemsize(starpu_data_handle_t handle);
#define _STARPU_NDIM(interface) ((struct starpu_ndim_interface*)(interface))
#define STARPU_NDIM_CHECK(interface) \
  _STARPU_CHECK_INTERFACE(interface, NDIM, "array of any number of dimensions")
#define STARPU_NDIM_GET_PTR(interface) (_STARPU_NDIM(interface)->ptr)
#define STARPU_NDIM_GET_DEV_HANDLE(interface) (_STARPU_NDIM(interface)->dev_handle)
#define STARPU_NDIM_GET_OFFSET(interface) (_STARPU_NDIM(interface)->offset)
#define STARPU_NDIM_GET_NN(interface) (_STARPU_NDIM(interface)->nn)
#define STARPU_NDIM_GET_LDN(interface) (_STARPU_NDIM(interface)->ldn)
#define STARPU_NDIM_GET_NDIM(interface) (_STARPU_NDIM(interface)->ndim)
#define STARPU_NDIM_GET_ELEMSIZE(interface) (_STARPU_NDIM(interface)->elemsize)

/* ---- csr: a sparse matrix by rows; row i has the values from rowptr[i] - firstentry to
 * rowptr[i + 1] - firstentry, in the columns colind ---- */
extern struct starpu_data_interface_ops starpu_interface_csr_ops;
struct starpu_csr_interface {
  enum starpu_data_interface_id id;
  uint32_t nnz;
  uint32_t nrow;
  uintptr_t nzval;
  uint32_t* colind;
  uint32_t* rowptr;
  uint32_t* ram_colind; /* the same two in the main memory */
  uint32_t* ram_rowptr;
  uint32_t firstentry;
  size_t elemsize;
};
void starpu_csr_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nnz,
                              uint32_t nrow, uintptr_t nzval, uint32_t* colind, uint32_t* rowptr,
                              uint32_t firstentry, size_t elemsize);
uint32_t starpu_csr_get_nnz(starpu_data_handle_t handle);
uint32_t starpu_csr_get_nrow(starpu_data_handle_t handle);
uint32_t starpu_csr_get_firstentry(starpu_data_handle_t handle);
uintptr_t starpu_csr_get_local_nzval(starpu_data_handle_t handle);
uint32_t* starpu_csr_get_local_colind(starpu_data_handle_t handle);
uint32_t* starpu_csr_get_local_rowptr(starpu_data_handle_t handle);
size_t starpu_csr_get_elemsize(starpu_data_handle_t handle);
#define _STARPU_CSR(interface) ((struct starpu_csr_interface*)(interface))
#define STARPU_CSR_GET_NNZ(interface) (_STARPU_CSR(interface)->nnz)
#define STARPU_CSR_GET_NROW(interface) (_STARPU_CSR(interface)->nrow)
#define STARPU_CSR_GET_NZVAL(interface) (_STARPU_CSR(interface)->nzval)
#define STARPU_CSR_GET_NZVAL_DEV_HANDLE(interface) (_STARPU_CSR(interface)->nzval)
#define STARPU_CSR_GET_COLIND(interface) (_STARPU_CSR(interface)->colind)
#define STARPU_CSR_GET_RAM_COLIND(interface) (_STARPU_CSR(interface)->ram_colind)
#define STARPU_CSR_GET_RAM_ROWPTR(interface) (_STARPU_CSR(interface)->ram_rowptr)
#define STARPU_CSR_GET_COLIND_DEV_HANDLE(interface) (_STARPU_CSR(interface)->colind)
#define STARPU_CSR_GET_ROWPTR(interface) (_STARPU_CSR(interface)->rowptr)
#define STARPU_CSR_GET_ROWPTR_DEV_HANDLE(interface) (_STARPU_CSR(interface)->rowptr)
#define STARPU_CSR_GET_FIRSTENTRY(interface) (_STARPU_CSR(interface)->firstentry)
#define STARPU_CSR_GET_ELEMSIZE(interface) (_STARPU_CSR(interface)->elemsize)
#define STARPU_CSR_GET_OFFSET 0

/* ---- bcsr: the same of dense blocks of r rows and c columns ---- */
extern struct starpu_data_interface_ops starpu_interface_bcsr_ops;
struct starpu_bcsr_interface {
  enum starpu_data_interface_id id;
  uint32_t nnz; /* blocks */
  uint32_t nrow;
  uintptr_t nzval;
  uint32_t* colind;
  uint32_t* rowptr;
  uint32_t* ram_colind; /* the same two in the main memory */
  uint32_t* ram_rowptr;
  uint32_t firstentry;
  uint32_t r;
  uint32_t c;
  size_t elemsize;
};
void starpu_bcsr_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nnz,
                               uint32_t nrow, uintptr_t nzval, uint32_t* colind, uint32_t* rowptr,
                               uint32_t firstentry, uint32_t r, uint32_t c, size_t elemsize);
uint32_t starpu_bcsr_get_nnz(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_nrow(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_firstentry(starpu_data_handle_t handle);
uintptr_t starpu_bcsr_get_local_nzval(starpu_data_handle_t handle);
uint32_t* starpu_bcsr_get_local_colind(starpu_data_handle_t handle);
uint32_t* starpu_bcsr_get_local_rowptr(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_r(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_c(starpu_data_handle_t handle);
size_t starpu_bcsr_get_elemsize(starpu_data_handle_t handle);
#define _STARPU_BCSR(interface) ((struct starpu_bcsr_interface*)(interface))
#define STARPU_BCSR_GET_NNZ(interface) (_STARPU_BCSR(interface)->nnz)
#define STARPU_BCSR_GET_NROW(interface) (_STARPU_BCSR(interface)->nrow)
#define STARPU_BCSR_GET_NZVAL(interface) (_STARPU_BCSR(interface)->nzval)
#define STARPU_BCSR_GET_NZVAL_DEV_HANDLE(interface) (_STARPU_BCSR(interface)->nzval)
#define STARPU_BCSR_GET_COLIND(interface) (_STARPU_BCSR(interface)->colind)
#define STARPU_BCSR_GET_COLIND_DEV_HANDLE(interface) (_STARPU_BCSR(interface)->colind)
#define STARPU_BCSR_GET_ROWPTR(interface) (_STARPU_BCSR(interface)->rowptr)
#define STARPU_BCSR_GET_ROWPTR_DEV_HANDLE(interface) (_STARPU_BCSR(interface)->rowptr)
#define STARPU_BCSR_GET_RAM_COLIND(interface) (_STARPU_BCSR(interface)->ram_colind)
#define STARPU_BCSR_GET_RAM_ROWPTR(interface) (_STARPU_BCSR(interface)->ram_rowptr)
#define STARPU_BCSR_GET_FIRSTENTRY(interface) (_STARPU_BCSR(interface)->firstentry)
#define STARPU_BCSR_GET_R(interface) (_STARPU_BCSR(interface)->r)
#define STARPU_BCSR_GET_C(interface) (_STARPU_BCSR(interface)->c)
#define STARPU_BCSR_GET_ELEMSIZE(interface) (_STARPU_BCSR(interface)->elemsize)
#define STARPU_BCSR_GET_OFFSET 0

/* ---- coo: a sparse matrix as a list of places and values ---- */
extern struct starpu_data_interface_ops starpu_interface_coo_ops;
struct starpu_coo_interface {
  enum starpu_data_interface_id id;
  uint32_t* columns;
  uint32_t* rows;
  uintptr_t values;
  uint32_t nx;
  uint32_t ny;
  uint32_t n_values;
  size_t elemsize;
};
void starpu_coo_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nx, uint32_t ny,
                              uint32_t n_values, uint32_t* columns, uint32_t* rows,
                              uintptr_t values, size_t elemsize);
#define _STARPU_COO(interface) ((struct starpu_coo_interface*)(interface))
#define STARPU_COO_GET_COLUMNS(interface) (_STARPU_COO(interface)->columns)
#define STARPU_COO_GET_COLUMNS_DEV_HANDLE(interface) (_STARPU_COO(interface)->columns)
#define STARPU_COO_GET_ROWS(interface) (_STARPU_COO(interface)->rows)
#define STARPU_COO_GET_ROWS_DEV_HANDLE(interface) (_STARPU_COO(interface)->rows)
#define STARPU_COO_GET_VALUES(interface) (_STARPU_COO(interface)->values)
#define STARPU_COO_GET_VALUES_DEV_HANDLE(interface) (_STARPU_COO(interface)->values)
#define STARPU_COO_GET_NX(interface) (_STARPU_COO(interface)->nx)
#define STARPU_COO_GET_NY(interface) (_STARPU_COO(interface)->ny)
#define STARPU_COO_GET_NVALUES(interface) (_STARPU_COO(interface)->n_values)
#define STARPU_COO_GET_ELEMSIZE(interface) (_STARPU_COO(interface)->elemsize)
#define STARPU_COO_GET_OFFSET 0

/* ---- multiformat: nx objects that CPUs and CUDA devices lay out each in their own way. On a
 * device, cpu_ptr is what arrives there and cuda_ptr what tasks use; cpu_to_cuda_cl makes the one
 * of the other with its function for CUDA. Back in the main memory it is the other way round, with
 * the function of cuda_to_cpu_cl for CPUs. Each gets the data as its only buffer, and no argument.
 * Other kinds of devices there are none. ---- */
extern struct starpu_data_interface_ops starpu_interface_multiformat_ops;
struct starpu_multiformat_data_interface_ops {
  size_t cpu_elemsize;
  size_t opencl_elemsize;
  struct starpu_codelet* cpu_to_opencl_cl;
  struct starpu_codelet* opencl_to_cpu_cl;
  size_t cuda_elemsize;
  struct starpu_codelet* cpu_to_cuda_cl;
  struct starpu_codelet* cuda_to_cpu_cl;
  size_t mic_elemsize; /* of 1.3, as the next two */
  struct starpu_codelet* cpu_to_mic_cl;
  struct starpu_codelet* mic_to_cpu_cl;
};
struct starpu_multiformat_interface {
  enum starpu_data_interface_id id;
  void* cpu_ptr;
  void* cuda_ptr;
  void* hip_ptr;
  void* opencl_ptr;
  void* mic_ptr;
  uint32_t nx;
  uint32_t foreign; /* the runtime's: the value is in the other layout yet */
  struct starpu_multiformat_data_interface_ops* ops;
};
void starpu_multiformat_data_register(starpu_data_handle_t* handle, int home_node, void* ptr,
                                      uint32_t nobjects,
                                      struct starpu_multiformat_data_interface_ops* format_ops);
#define _STARPU_MULTIFORMAT(interface) ((struct starpu_multiformat_interface*)(interface))
#define STARPU_MULTIFORMAT_GET_CPU_PTR(interface) (_STARPU_MULTIFORMAT(interface)->cpu_ptr)
#define STARPU_MULTIFORMAT_GET_CUDA_PTR(interface) (_STARPU_MULTIFORMAT(interface)->cuda_ptr)
#define STARPU_MULTIFORMAT_GET_HIP_PTR(interface) (_STARPU_MULTIFORMAT(interface)->hip_ptr)
#define STARPU_MULTIFORMAT_GET_OPENCL_PTR(interface) (_STARPU_MULTIFORMAT(interface)->opencl_ptr)
#define STARPU_MULTIFORMAT_GET_MIC_PTR(interface) (_STARPU_MULTIFORMAT(interface)->mic_ptr)
#define STARPU_MULTIFORMAT_GET_NX(interface) (_STARPU_MULTIFORMAT(interface)->nx)

#ifdef __cplusplus
}
#endif

#endif
