// SPDX-License-Identifier: Apache-2.0
// Filters that cut sparse matrices.
#include <starpu.h>

#include "runtime/interfaces/sparse.h"
#include "runtime/support/message.h"

using tasklens::runtime::EntryBytes;
using tasklens::runtime::Fatal;

namespace {

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

extern "C" {

void starpu_csr_filter_vertical_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                      unsigned parts) {
  CutRows<starpu_csr_interface>(father, child, id, parts);
}
void starpu_bcsr_filter_vertical_block(void* father, void* child, starpu_data_filter*, unsigned id,
                                       unsigned parts) {
  CutRows<starpu_bcsr_interface>(father, child, id, parts);
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
