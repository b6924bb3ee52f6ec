/* SPDX-License-Identifier: Apache-2.0
 * Disks as memory nodes: data that do not fit the main memory's limit wait there, and data may
 * begin and end in files of the program's own. */
#ifndef __STARPU_DISK_H__
#define __STARPU_DISK_H__

#include <starpu_config.h>
#include <sys/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A kind of disk. A program may give its own. Those from async_write on may be NULL; a disk that
 * has wait_request, test_request and free_request is asked to write ahead, to prefetch and to copy
 * beside the tasks. What it was asked to do it answers with a request, NULL: it is to be done at
 * once, by the functions before. Each request is freed by free_request, when it is done. */
struct starpu_disk_ops {
  /* Opens what `parameter` names; NULL when it cannot. size: bytes, or negative for no limit. */
  void* (*plug)(void* parameter, starpu_ssize_t size);
  void (*unplug)(void* base);
  /* 0: the disk does not work. May be NULL. */
  int (*bandwidth)(unsigned node, void* base);
  /* Room of the runtime's own, NULL when there is none, and an object that the program has. */
  void* (*alloc)(void* base, size_t size);
  void (*free)(void* base, void* obj, size_t size);
  void* (*open)(void* base, void* pos, size_t size);
  void (*close)(void* base, void* obj, size_t size);
  /* The bytes read; 0 when it was written. */
  int (*read)(void* base, void* obj, void* buf, off_t offset, size_t size);
  int (*write)(void* base, void* obj, const void* buf, off_t offset, size_t size);
  /* All of it, for interfaces that are packed; *ptr is from starpu_malloc_on_node(). 0: done. */
  int (*full_read)(void* base, void* obj, void** ptr, size_t* size, unsigned dst_node);
  int (*full_write)(void* base, void* obj, void* ptr, size_t size);
  /* The buffer stays as it is until the request is done; so do *ptr and *size. */
  void* (*async_write)(void* base, void* obj, void* buf, off_t offset, size_t size);
  void* (*async_read)(void* base, void* obj, void* buf, off_t offset, size_t size);
  void* (*async_full_read)(void* base, void* obj, void** ptr, size_t* size, unsigned dst_node);
  void* (*async_full_write)(void* base, void* obj, void* ptr, size_t size);
  /* Between two disks of this kind. */
  void* (*copy)(void* base_src, void* obj_src, off_t offset_src, void* base_dst, void* obj_dst,
                off_t offset_dst, size_t size);
  void (*wait_request)(void* async_channel);
  /* Not 0: it is done. */
  int (*test_request)(void* async_channel);
  void (*free_request)(void* async_channel);
};

/* A folder: `parameter` is its path, and it is made when missing. Objects that the program opens
 * are files in it. With pread() and pwrite(), the same around the system's cache, or with
 * <stdio.h>. */
extern struct starpu_disk_ops starpu_disk_unistd_ops;
extern struct starpu_disk_ops starpu_disk_unistd_o_direct_ops;
extern struct starpu_disk_ops starpu_disk_stdio_ops;

/* The disk's memory node; -ENOENT when it cannot be used, -ENOSPC when there are no more nodes,
 * -EINVAL for a size below STARPU_DISK_SIZE_MIN (negative: no limit). Until starpu_shutdown(). */
int starpu_disk_register(struct starpu_disk_ops* func, void* parameter, starpu_ssize_t size);
#define STARPU_DISK_SIZE_MIN (16 * 1024 * 1024)

/* An object of the disk, to be registered as data of that node; NULL when there is none. */
void* starpu_disk_open(unsigned node, void* pos, size_t size);
void starpu_disk_close(unsigned node, void* obj, size_t size);

/* The disk of STARPU_DISK_SWAP, -1: none. Data are put there before other disks. */
extern int starpu_disk_swap_node;

#if defined(__cplusplus)
}
#endif

#endif
