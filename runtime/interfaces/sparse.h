// SPDX-License-Identifier: Apache-2.0
// Shared code of csr and bcsr: three arrays; the array of values has EntryBytes() per entry.
#pragma once

#include <starpu.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/interfaces/common.h"

namespace tasklens::runtime {

inline size_t EntryBytes(const starpu_csr_interface& csr) { return csr.elemsize; }
inline size_t EntryBytes(const starpu_bcsr_interface& bcsr) {
  return size_t{bcsr.r} * bcsr.c * bcsr.elemsize;
}

// The operations of csr and bcsr, which store a matrix by rows.
template <class Rows>
struct SparseRows {
  static Rows* Of(void* interface) { return static_cast<Rows*>(interface); }
  static size_t ValueBytes(const Rows& m) { return m.nnz * EntryBytes(m); }
  static size_t ColumnBytes(const Rows& m) { return m.nnz * sizeof(uint32_t); }
  static size_t RowBytes(const Rows& m) { return (size_t{m.nrow} + 1) * sizeof(uint32_t); }
  static size_t Bytes(const Rows& m) { return ValueBytes(m) + ColumnBytes(m) + RowBytes(m); }

  static starpu_ssize_t Allocate(void* interface, unsigned node) {
    Rows& m = *Of(interface);
    m.nzval = starpu_malloc_on_node(node, ValueBytes(m));
    m.colind = reinterpret_cast<uint32_t*>(starpu_malloc_on_node(node, ColumnBytes(m)));
    m.rowptr = reinterpret_cast<uint32_t*>(starpu_malloc_on_node(node, RowBytes(m)));
    m.ram_colind = m.colind;
    m.ram_rowptr = m.rowptr;
    if (m.nzval && m.colind && m.rowptr) return static_cast<starpu_ssize_t>(Bytes(m));
    Free(interface, node);
    return -ENOMEM;
  }
  static void Free(void* interface, unsigned node) {
    Rows& m = *Of(interface);
    starpu_free_on_node(node, m.nzval, ValueBytes(m));
    starpu_free_on_node(node, reinterpret_cast<uintptr_t>(m.colind), ColumnBytes(m));
    starpu_free_on_node(node, reinterpret_cast<uintptr_t>(m.rowptr), RowBytes(m));
    m.nzval = 0;
    m.colind = m.rowptr = m.ram_colind = m.ram_rowptr = nullptr;
  }
  static int Copy(void* source, unsigned source_node, void* target, unsigned target_node,
                  void* async) {
    const Rows& from = *Of(source);
    Rows& to = *Of(target);
    return CopyArrays({{from.nzval, to.nzval, ValueBytes(from)},
                       {AddressOf(from.colind), AddressOf(to.colind), ColumnBytes(from)},
                       {AddressOf(from.rowptr), AddressOf(to.rowptr), RowBytes(from)}},
                      source_node, target_node, async);
  }
  static void* ToPointer(void* interface, unsigned) {
    return reinterpret_cast<void*>(Of(interface)->nzval);
  }
  static int IsInside(void* interface, unsigned, void* pointer) {
    const Rows& m = *Of(interface);
    const auto within = [pointer](const void* first, size_t bytes) {
      const auto* begin = static_cast<const char*>(first);
      return pointer >= begin && pointer < begin + bytes;
    };
    return within(reinterpret_cast<void*>(m.nzval), ValueBytes(m)) ||
           within(m.colind, ColumnBytes(m)) || within(m.rowptr, RowBytes(m));
  }
  static int PackInto(const Rows& m, void** pointer, starpu_ssize_t* count) {
    *count = static_cast<starpu_ssize_t>(Bytes(m));
    if (!pointer) return 0;
    auto* target = reinterpret_cast<char*>(starpu_malloc_on_node(STARPU_MAIN_RAM, Bytes(m)));
    if (!target) return -ENOMEM;
    *pointer = target;
    memcpy(target, m.colind, ColumnBytes(m));
    memcpy(target + ColumnBytes(m), m.rowptr, RowBytes(m));
    memcpy(target + ColumnBytes(m) + RowBytes(m), reinterpret_cast<void*>(m.nzval), ValueBytes(m));
    return 0;
  }
  static int PeekFrom(Rows& m, const void* pointer, size_t count) {
    if (count != Bytes(m)) return -EINVAL;
    const auto* source = static_cast<const char*>(pointer);
    memcpy(m.colind, source, ColumnBytes(m));
    memcpy(m.rowptr, source + ColumnBytes(m), RowBytes(m));
    memcpy(reinterpret_cast<void*>(m.nzval), source + ColumnBytes(m) + RowBytes(m), ValueBytes(m));
    return 0;
  }
};

}  // namespace tasklens::runtime
