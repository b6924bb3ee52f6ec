// SPDX-License-Identifier: Apache-2.0
// Sparse matrices and multiformat: shapes, copies, pieces.
#include <cstring>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// Five rows with 2, 0, 1, 3 and 1 values, counted from 1 as Fortran does.
struct Matrix {
  float values[7] = {1, 2, 3, 4, 5, 6, 7};
  uint32_t columns[7] = {0, 3, 2, 0, 1, 4, 4};
  uint32_t rows[6] = {1, 3, 3, 4, 7, 8};
  starpu_data_handle_t Register() {
    starpu_data_handle_t handle;
    starpu_csr_data_register(&handle, STARPU_MAIN_RAM, 7, 5, Address(values), columns, rows, 1,
                             sizeof(float));
    return handle;
  }
};

// Adds up each row's values into the vector.
void AddRows(void** buffers, void*) {
  const auto* values = reinterpret_cast<float*>(STARPU_CSR_GET_NZVAL(buffers[0]));
  const uint32_t* rows = STARPU_CSR_GET_ROWPTR(buffers[0]);
  const uint32_t first = STARPU_CSR_GET_FIRSTENTRY(buffers[0]);
  auto* sums = reinterpret_cast<float*>(STARPU_VECTOR_GET_PTR(buffers[1]));
  for (uint32_t row = 0; row < STARPU_CSR_GET_NROW(buffers[0]); ++row) {
    sums[row] = 0;
    for (uint32_t i = rows[row]; i < rows[row + 1]; ++i) sums[row] += values[i - first];
  }
}

TEST(Csr, IsCutIntoRowsWithTheirEntries) {
  Started started(2);
  Matrix matrix;
  float sums[5] = {};
  starpu_data_handle_t handle = matrix.Register(), vector;
  starpu_vector_data_register(&vector, STARPU_MAIN_RAM, Address(sums), 5, sizeof(float));
  starpu_data_filter rows = {}, elements = {};
  rows.filter_func = starpu_csr_filter_vertical_block;
  elements.filter_func = starpu_vector_filter_block;
  rows.nchildren = elements.nchildren = 2;
  starpu_data_partition(handle, &rows);
  starpu_data_partition(vector, &elements);
  EXPECT_EQ(3u, starpu_csr_get_nrow(starpu_data_get_child(handle, 0)));
  EXPECT_EQ(3u, starpu_csr_get_nnz(starpu_data_get_child(handle, 0)));
  EXPECT_EQ(2u, starpu_csr_get_nrow(starpu_data_get_child(handle, 1)));
  EXPECT_EQ(4u, starpu_csr_get_nnz(starpu_data_get_child(handle, 1)));
  EXPECT_EQ(4u, starpu_csr_get_firstentry(starpu_data_get_child(handle, 1)));
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = AddRows;
  codelet.nbuffers = 2;
  codelet.modes[0] = STARPU_R;
  codelet.modes[1] = STARPU_W;
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_R, starpu_data_get_child(handle, i), STARPU_W,
                                    starpu_data_get_child(vector, i), 0));
  }
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unpartition(vector, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
  starpu_data_unregister(vector);
  EXPECT_EQ((std::vector<float>{3, 0, 3, 15, 7}), std::vector<float>(sums, sums + 5));
}

// What a copy through memory of the runtime's own leaves of a handle.
template <class Check>
void CopyAndCheck(starpu_data_handle_t handle, Check&& check) {
  starpu_data_handle_t copy;
  starpu_data_register_same(&copy, handle);
  EXPECT_EQ(0, starpu_data_cpy(copy, handle, 0, nullptr, nullptr));
  EXPECT_EQ(0, starpu_data_acquire(copy, STARPU_R));
  check(copy);
  starpu_data_release(copy);
  void* piece;
  starpu_ssize_t bytes;
  EXPECT_EQ(0, starpu_data_pack(handle, &piece, &bytes));
  EXPECT_EQ(starpu_data_get_size(handle), static_cast<size_t>(bytes));
  starpu_data_handle_t again;
  starpu_data_register_same(&again, handle);
  EXPECT_EQ(0, starpu_data_acquire(again, STARPU_W));
  EXPECT_EQ(-EINVAL, starpu_data_peek(again, piece, 1));
  EXPECT_EQ(0, starpu_data_unpack(again, piece, static_cast<size_t>(bytes)));
  check(again);
  starpu_data_release(again);
  starpu_data_unregister(again);
  starpu_data_unregister(copy);
  starpu_data_unregister(handle);
}

TEST(Csr, IsCopiedAndPacked) {
  Started started(1);
  Matrix matrix;
  CopyAndCheck(matrix.Register(), [&](starpu_data_handle_t copy) {
    EXPECT_NE(matrix.columns, starpu_csr_get_local_colind(copy));
    EXPECT_EQ(0, memcmp(matrix.columns, starpu_csr_get_local_colind(copy), sizeof(matrix.columns)));
    EXPECT_EQ(0, memcmp(matrix.rows, starpu_csr_get_local_rowptr(copy), sizeof(matrix.rows)));
    EXPECT_EQ(0, memcmp(matrix.values, reinterpret_cast<void*>(starpu_csr_get_local_nzval(copy)),
                        sizeof(matrix.values)));
  });
}

// Three blocks of 2 x 3 in two rows of blocks.
struct Blocks {
  int values[18];
  uint32_t columns[3] = {0, 1, 1};
  uint32_t rows[3] = {0, 2, 3};
  Blocks() {
    for (int i = 0; i < 18; ++i) values[i] = i;
  }
  starpu_data_handle_t Register() {
    starpu_data_handle_t handle;
    starpu_bcsr_data_register(&handle, STARPU_MAIN_RAM, 3, 2, Address(values), columns, rows, 0, 2,
                              3, sizeof(int));
    return handle;
  }
};

TEST(Bcsr, IsCutIntoItsBlocks) {
  Started started(1);
  Blocks blocks;
  starpu_data_handle_t handle = blocks.Register();
  starpu_data_filter filter = {};
  filter.filter_func = starpu_bcsr_filter_canonical_block;
  filter.get_nchildren = starpu_bcsr_filter_canonical_block_get_nchildren;
  filter.get_child_ops = starpu_bcsr_filter_canonical_block_child_ops;
  starpu_data_partition(handle, &filter);
  ASSERT_EQ(3, starpu_data_get_nb_children(handle));
  starpu_data_handle_t last = starpu_data_get_child(handle, 2);
  EXPECT_EQ(3u, starpu_matrix_get_nx(last));
  EXPECT_EQ(2u, starpu_matrix_get_ny(last));
  EXPECT_EQ(Address(blocks.values + 12), starpu_matrix_get_local_ptr(last));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
}

TEST(Bcsr, IsCutIntoRowsCopiedAndPacked) {
  Started started(1);
  Blocks blocks;
  starpu_data_handle_t handle = blocks.Register();
  starpu_data_filter filter = {};
  filter.filter_func = starpu_bcsr_filter_vertical_block;
  filter.nchildren = 2;
  starpu_data_partition(handle, &filter);
  EXPECT_EQ(1u, starpu_bcsr_get_nnz(starpu_data_get_child(handle, 1)));
  EXPECT_EQ(Address(blocks.values + 12),
            starpu_bcsr_get_local_nzval(starpu_data_get_child(handle, 1)));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  CopyAndCheck(handle, [&](starpu_data_handle_t copy) {
    EXPECT_EQ(0, memcmp(blocks.values, reinterpret_cast<void*>(starpu_bcsr_get_local_nzval(copy)),
                        sizeof(blocks.values)));
    EXPECT_EQ(2u, starpu_bcsr_get_r(copy));
    EXPECT_EQ(3u, starpu_bcsr_get_c(copy));
  });
}

TEST(Coo, IsCopiedAndPacked) {
  Started started(1);
  double values[3] = {1, 2, 3};
  uint32_t columns[3] = {4, 5, 6}, rows[3] = {7, 8, 9};
  starpu_data_handle_t handle;
  starpu_coo_data_register(&handle, STARPU_MAIN_RAM, 10, 10, 3, columns, rows, Address(values),
                           sizeof(double));
  CopyAndCheck(handle, [&](starpu_data_handle_t copy) {
    const void* interface = starpu_data_get_interface_on_node(copy, STARPU_MAIN_RAM);
    EXPECT_EQ(0, memcmp(columns, STARPU_COO_GET_COLUMNS(interface), sizeof(columns)));
    EXPECT_EQ(0, memcmp(rows, STARPU_COO_GET_ROWS(interface), sizeof(rows)));
    EXPECT_EQ(0, memcmp(values, reinterpret_cast<void*>(STARPU_COO_GET_VALUES(interface)),
                        sizeof(values)));
  });
}

TEST(Coo, HasThePointersIntoItsArraysInside) {
  Started started(1);
  double values[4] = {1, 2, 3, 4};
  uint32_t columns[3] = {4, 5, 6}, rows[3] = {7, 8, 9};
  starpu_data_handle_t handle;
  starpu_coo_data_register(&handle, STARPU_MAIN_RAM, 10, 10, 3, columns, rows, Address(values),
                           sizeof(double));
  EXPECT_TRUE(starpu_data_pointer_is_inside(handle, STARPU_MAIN_RAM, columns));
  EXPECT_TRUE(starpu_data_pointer_is_inside(handle, STARPU_MAIN_RAM, &rows[2]));
  EXPECT_TRUE(starpu_data_pointer_is_inside(handle, STARPU_MAIN_RAM, &values[2]));
  EXPECT_FALSE(starpu_data_pointer_is_inside(handle, STARPU_MAIN_RAM, &values[3]));
  starpu_data_unregister(handle);
}

TEST(Multiformat, IsInTheLayoutOfCpus) {
  Started started(1);
  struct Point {
    float x, y;
  } points[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  starpu_multiformat_data_interface_ops ops = {};
  ops.cpu_elemsize = sizeof(Point);
  starpu_data_handle_t handle;
  starpu_multiformat_data_register(&handle, STARPU_MAIN_RAM, points, 4, &ops);
  CopyAndCheck(handle, [&](starpu_data_handle_t copy) {
    const void* interface = starpu_data_get_interface_on_node(copy, STARPU_MAIN_RAM);
    EXPECT_EQ(4u, STARPU_MULTIFORMAT_GET_NX(interface));
    EXPECT_EQ(0, memcmp(points, STARPU_MULTIFORMAT_GET_CPU_PTR(interface), sizeof(points)));
  });
}

}  // namespace
}  // namespace tasklens
