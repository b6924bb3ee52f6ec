/* SPDX-License-Identifier: Apache-2.0
 * Data interfaces: the shapes of data (void, variable, vector, matrix, block) and how to add one.
 */
#ifndef __STARPU_DATA_INTERFACES_H__
#define __STARPU_DATA_INTERFACES_H__

#include <starpu_data.h>
#include <starpu_stdlib.h>
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
struct starpu_data_interface_ops {
  /* Stores data_interface as the copy of home_node, and makes those of the other nodes. */
  void (*register_data_handle)(starpu_data_handle_t handle, int home_node, void* data_interface);
  void (*unregister_data_handle)(starpu_data_handle_t handle);
  /* Bytes allocated, or -ENOMEM. */
  starpu_ssize_t (*allocate_data_on_node)(void* data_interface, unsigned node);
  void (*free_data_on_node)(void* data_interface, unsigned node);
  void (*init)(void* data_interface);
  const struct starpu_data_copy_methods* copy_methods;
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
  /* With ptr NULL only *count is set; otherwise *ptr is allocated by starpu_malloc. */
  int (*pack_data)(starpu_data_handle_t handle, unsigned node, void** ptr, starpu_ssize_t* count);
  int (*peek_data)(starpu_data_handle_t handle, unsigned node, void* ptr, size_t count);
  int (*unpack_data)(starpu_data_handle_t handle, unsigned node, void* ptr, size_t count);
  const char* name;
};

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
size_t starpu_data_get_size(starpu_data_handle_t handle);
size_t starpu_data_get_alloc_size(starpu_data_handle_t handle);
/* The handle whose main-memory pointer is `ptr`, or NULL. */
starpu_data_handle_t starpu_data_lookup(const void* ptr);
int starpu_data_get_home_node(starpu_data_handle_t handle);
int starpu_data_interface_get_next_id(void);

/* For copy methods of other interfaces; all return 0. */
int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                          size_t dst_offset, unsigned dst_node, size_t size, void* async_data);
int starpu_interface_copy2d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                            size_t dst_offset, unsigned dst_node, size_t blocksize,
                            size_t numblocks, size_t ld_src, size_t ld_dst, void* async_data);
int starpu_interface_copy3d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
                            size_t dst_offset, unsigned dst_node, size_t blocksize,
                            size_t numblocks1, size_t ld1_src, size_t ld1_dst, size_t numblocks2,
                            size_t ld2_src, size_t ld2_dst, void* async_data);
void starpu_interface_data_copy(unsigned src_node, unsigned dst_node, size_t size);

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
#define STARPU_BLOCK_GET_PTR(interface) (_STARPU_BLOCK(interface)->ptr)
#define STARPU_BLOCK_GET_DEV_HANDLE(interface) (_STARPU_BLOCK(interface)->dev_handle)
#define STARPU_BLOCK_GET_OFFSET(interface) (_STARPU_BLOCK(interface)->offset)
#define STARPU_BLOCK_GET_NX(interface) (_STARPU_BLOCK(interface)->nx)
#define STARPU_BLOCK_GET_NY(interface) (_STARPU_BLOCK(interface)->ny)
#define STARPU_BLOCK_GET_NZ(interface) (_STARPU_BLOCK(interface)->nz)
#define STARPU_BLOCK_GET_LDY(interface) (_STARPU_BLOCK(interface)->ldy)
#define STARPU_BLOCK_GET_LDZ(interface) (_STARPU_BLOCK(interface)->ldz)
#define STARPU_BLOCK_GET_ELEMSIZE(interface) (_STARPU_BLOCK(interface)->elemsize)

#ifdef __cplusplus
}
#endif

#endif
