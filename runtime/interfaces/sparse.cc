// SPDX-License-Identifier: Apache-2.0
// The sparse interfaces, and the filters that cut them: csr, a matrix by rows; bcsr, the same of
// dense blocks; coo, a list of coordinates and values.
#include <starpu.h>

#include <cstdio>
#include <type_traits>

#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

using Csr = starpu_csr_interface;
using Bcsr = starpu_bcsr_interface;
using Coo = starpu_coo_interface;

// Returns the size of the values of one entry.
size_t EntryBytes(const Csr& csr) { return csr.elemsize; }
size_t EntryBytes(const Bcsr& bcsr) { return size_t{bcsr.r} * bcsr.c * bcsr.elemsize; }

// Calls function(array, bytes) for the arrays of the matrix, in the order in which they are packed.
template <class Rows, class Function>
void ForEachArray(Rows& m, Function&& function) {
  function(m.colind, m.nnz * sizeof(uint32_t));
  function(m.rowptr, (size_t{m.nrow} + 1) * sizeof(uint32_t));
  function(m.nzval, m.nnz * EntryBytes(m));
}
template <class Function>
void ForEachArray(Coo& coo, Function&& function) {
  function(coo.columns, coo.n_values * sizeof(uint32_t));
  function(coo.rows, coo.n_values * sizeof(uint32_t));
  function(coo.values, coo.n_values * coo.elemsize);
}

// Called when the arrays have been allocated or freed.
template <class Rows>
void SetRam(Rows& m) {
  m.ram_colind = m.colind;
  m.ram_rowptr = m.rowptr;
}
void SetRam(Coo&) {}

template <class Rows>
void SetRest(Rows& m, uint32_t firstentry, size_t elemsize) {
  SetRam(m);
  m.firstentry = firstentry;
  m.elemsize = elemsize;
}

template <class Rows>
uintptr_t ValuesOf(const Rows& m) {
  return m.nzval;
}
uintptr_t ValuesOf(const Coo& coo) { return coo.values; }

uint32_t FootprintOf(const Csr& csr) { return Crc32c(csr.nnz, 0); }
uint32_t FootprintOf(const Bcsr& bcsr) {
  return Crc32c(bcsr.r, Crc32c(bcsr.c, Crc32c(bcsr.nnz, 0)));
}
uint32_t FootprintOf(const Coo& coo) { return Crc32c(coo.nx * coo.ny, 0); }

bool HaveSameShape(const Csr& a, const Csr& b) {
  return a.nnz == b.nnz && a.nrow == b.nrow && a.elemsize == b.elemsize;
}
bool HaveSameShape(const Bcsr& a, const Bcsr& b) {
  return a.nnz == b.nnz && a.nrow == b.nrow && a.r == b.r && a.c == b.c && a.elemsize == b.elemsize;
}
bool HaveSameShape(const Coo& a, const Coo& b) {
  return a.nx == b.nx && a.ny == b.ny && a.n_values == b.n_values && a.elemsize == b.elemsize;
}

int DescribeShape(const Csr& csr, char* text, size_t room) {
  return snprintf(text, room, "C%ux%ux%zu", csr.nnz, csr.nrow, csr.elemsize);
}
int DescribeShape(const Bcsr& b, char* text, size_t room) {
  return snprintf(text, room, "b%ux%ux%ux%ux%zu", b.nnz, b.nrow, b.r, b.c, b.elemsize);
}
int DescribeShape(const Coo& coo, char* text, size_t room) {
  return snprintf(text, room, "COO%ux%ux%ux%zu", coo.nx, coo.ny, coo.n_values, coo.elemsize);
}

template <class Interface, starpu_data_interface_id kId>
struct SparseOps : Kind<Interface, kId> {
  static starpu_ssize_t Allocate(Interface& m, unsigned node) {
    bool is_complete = true;
    ForEachArray(m, [&](auto& array, size_t bytes) {
      using Array = std::remove_reference_t<decltype(array)>;
      array = reinterpret_cast<Array>(starpu_malloc_on_node(node, bytes));
      is_complete = is_complete && array;
    });
    SetRam(m);
    if (is_complete) return static_cast<starpu_ssize_t>(Bytes(m));
    Free(m, node);
    return -ENOMEM;
  }
  static void Free(Interface& m, unsigned node) {
    ForEachArray(m, [node](auto& array, size_t bytes) {
      starpu_free_on_node(node, reinterpret_cast<uintptr_t>(array), bytes);
      array = {};
    });
    SetRam(m);
  }
  static int Copy(const Interface& from, unsigned source_node, const Interface& to,
                  unsigned target_node, void* async) {
    uintptr_t targets[3], *target = targets;
    ForEachPiece(to, [&](uintptr_t piece, size_t) { *target++ = piece; });
    target = targets;
    int error = 0;
    ForEachPiece(from, [&](uintptr_t piece, size_t bytes) {
      if (!error)
        error =
            starpu_interface_copy(piece, 0, source_node, *target++, 0, target_node, bytes, async);
    });
    return error;
  }
  static void* Values(const Interface& m, unsigned) { return reinterpret_cast<void*>(ValuesOf(m)); }
  static size_t Bytes(const Interface& m) {
    size_t total = 0;
    ForEachPiece(m, [&total](uintptr_t, size_t bytes) { total += bytes; });
    return total;
  }
  static uint32_t Footprint(const Interface& m) { return FootprintOf(m); }
  static bool AreAlike(const Interface& a, const Interface& b) { return HaveSameShape(a, b); }
  static int Describe(const Interface& m, char* text, size_t room) {
    return DescribeShape(m, text, room);
  }
  template <class Function>
  static void ForEachPiece(const Interface& m, Function&& function) {
    ForEachArray(const_cast<Interface&>(m), [&function](auto& array, size_t bytes) {
      function(reinterpret_cast<uintptr_t>(array), bytes);
    });
  }

  static constexpr starpu_data_interface_ops Table(const char* name) {
    starpu_data_interface_ops table = TableOf<SparseOps>(name);
    table.pointer_is_inside = [](void* interface, unsigned, void* pointer) -> int {
      const auto address = reinterpret_cast<uintptr_t>(pointer);
      bool is_inside = false;
      ForEachPiece(As<SparseOps>(interface), [&](uintptr_t piece, size_t bytes) {
        is_inside = is_inside || (address >= piece && address < piece + bytes);
      });
      return is_inside;
    };
    return table;
  }
};

using CsrOps = SparseOps<Csr, STARPU_CSR_INTERFACE_ID>;
using BcsrOps = SparseOps<Bcsr, STARPU_BCSR_INTERFACE_ID>;
using CooOps = SparseOps<Coo, STARPU_COO_INTERFACE_ID>;

// Makes `child` part `id` of `parts` of the rows, with their entries. The part shares the arrays of
// its father: row i begins at the part's entry rowptr[i] - firstentry.
template <class Rows>
void CutRows(const void* father, void* child, unsigned id, unsigned parts) {
  const auto& from = *static_cast<const Rows*>(father);
  auto& part = *static_cast<Rows*>(child);
  unsigned count;
  size_t first;
  starpu_filter_nparts_compute_chunk_size_and_offset(from.nrow, parts, 1, id, 1, &count, &first);
  part = from;
  part.nrow = count;
  if (!from.ram_rowptr)
    Fatal(
        "a sparse matrix without memory cannot be cut: where rows begin is "
        "not known");
  const uint32_t begin = from.ram_rowptr[first], end = from.ram_rowptr[first + count];
  const size_t skipped = begin - from.firstentry;
  part.firstentry = begin;
  part.nnz = end - begin;
  part.rowptr = from.rowptr + first;
  part.ram_rowptr = from.ram_rowptr + first;
  part.colind = from.colind + skipped;
  part.ram_colind = from.ram_colind + skipped;
  part.nzval = from.nzval + skipped * EntryBytes(from);
}

}  // namespace

// The functions that csr and bcsr have alike.
#define ROWS_FUNCTIONS(Ops, kind)                                                            \
  INTERFACE_GETTER(Ops, kind, uint32_t, nnz, nnz)                                            \
  INTERFACE_GETTER(Ops, kind, uint32_t, nrow, nrow)                                          \
  INTERFACE_GETTER(Ops, kind, uint32_t, firstentry, firstentry)                              \
  INTERFACE_GETTER(Ops, kind, uintptr_t, local_nzval, nzval)                                 \
  INTERFACE_GETTER(Ops, kind, uint32_t*, local_colind, colind)                               \
  INTERFACE_GETTER(Ops, kind, uint32_t*, local_rowptr, rowptr)                               \
  INTERFACE_GETTER(Ops, kind, size_t, elemsize, elemsize)                                    \
  void starpu_##kind##_filter_vertical_block(void* father, void* child, starpu_data_filter*, \
                                             unsigned id, unsigned parts) {                  \
    CutRows<Ops::Type>(father, child, id, parts);                                            \
  }

extern "C" {

constinit starpu_data_interface_ops starpu_interface_csr_ops =
    CsrOps::Table("STARPU_CSR_INTERFACE");
constinit starpu_data_interface_ops starpu_interface_bcsr_ops =
    BcsrOps::Table("STARPU_BCSR_INTERFACE");
constinit starpu_data_interface_ops starpu_interface_coo_ops =
    CooOps::Table("STARPU_COO_INTERFACE");

void starpu_csr_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nnz,
                              uint32_t nrow, uintptr_t nzval, uint32_t* colind, uint32_t* rowptr,
                              uint32_t firstentry, size_t elemsize) {
  Csr csr = {STARPU_CSR_INTERFACE_ID, nnz, nrow, nzval, colind, rowptr};
  SetRest(csr, firstentry, elemsize);
  starpu_data_register(handle, home_node, &csr, &starpu_interface_csr_ops);
}
ROWS_FUNCTIONS(CsrOps, csr)

void starpu_bcsr_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nnz,
                               uint32_t nrow, uintptr_t nzval, uint32_t* colind, uint32_t* rowptr,
                               uint32_t firstentry, uint32_t r, uint32_t c, size_t elemsize) {
  Bcsr bcsr = {STARPU_BCSR_INTERFACE_ID, nnz, nrow, nzval, colind, rowptr};
  SetRest(bcsr, firstentry, elemsize);
  bcsr.r = r;
  bcsr.c = c;
  starpu_data_register(handle, home_node, &bcsr, &starpu_interface_bcsr_ops);
}
ROWS_FUNCTIONS(BcsrOps, bcsr)
INTERFACE_GETTER(BcsrOps, bcsr, uint32_t, r, r)
INTERFACE_GETTER(BcsrOps, bcsr, uint32_t, c, c)

void starpu_coo_data_register(starpu_data_handle_t* handle, int home_node, uint32_t nx, uint32_t ny,
                              uint32_t n_values, uint32_t* columns, uint32_t* rows,
                              uintptr_t values, size_t elemsize) {
  Coo coo = {STARPU_COO_INTERFACE_ID, columns, rows, values, nx, ny, n_values, elemsize};
  starpu_data_register(handle, home_node, &coo, &starpu_interface_coo_ops);
}

void starpu_bcsr_filter_canonical_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                        unsigned) {
  const auto& bcsr = *static_cast<starpu_bcsr_interface*>(father);
  const size_t bytes = EntryBytes(bcsr);
  const uintptr_t block = bcsr.nzval ? bcsr.nzval + id * bytes : 0;
  *static_cast<starpu_matrix_interface*>(child) = {
      STARPU_MATRIX_INTERFACE_ID, block, block, 0, bcsr.c, bcsr.r, bcsr.c, bcsr.elemsize, bytes};
}
unsigned starpu_bcsr_filter_canonical_block_get_nchildren(starpu_data_filter*,
                                                          starpu_data_handle_t handle) {
  return starpu_bcsr_get_nnz(handle);
}
starpu_data_interface_ops* starpu_bcsr_filter_canonical_block_child_ops(starpu_data_filter*,
                                                                        unsigned) {
  return &starpu_interface_matrix_ops;
}

}  // extern "C"
