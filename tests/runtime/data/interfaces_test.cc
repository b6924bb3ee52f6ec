// SPDX-License-Identifier: Apache-2.0
// Shapes of data: what is packed of them, how they are cut, and how they are told apart.
#include <gtest/gtest.h>
#include <starpu.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/data/parts.h"
#include "tests/runtime/data/fake_run.h"

namespace tasklens::runtime {
namespace {

class Interfaces : public ::testing::Test {
 protected:
  Handle* Vector(uint32_t count, size_t element_bytes = sizeof(int)) {
    Handle* handle = nullptr;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(numbers_.data()), count, element_bytes);
    return handle;
  }
  static starpu_vector_interface& VectorOf(Handle* handle) {
    return *static_cast<starpu_vector_interface*>(handle->interface);
  }

  FakeRun run_;
  std::vector<int> numbers_ = [] {
    std::vector<int> counted(100);
    std::iota(counted.begin(), counted.end(), 0);
    return counted;
  }();
};

TEST_F(Interfaces, OfAMatrixItsElementsArePackedAndNotWhatLiesBetween) {
  constexpr uint32_t kDistance = 5, kWidth = 3, kHeight = 2;
  Handle* handle = nullptr;
  starpu_matrix_data_register(&handle, STARPU_MAIN_RAM,
                              reinterpret_cast<uintptr_t>(numbers_.data()), kDistance, kWidth,
                              kHeight, sizeof(int));
  void* piece = nullptr;
  starpu_ssize_t bytes = 0;
  ASSERT_EQ(handle->ops->pack_data(handle, STARPU_MAIN_RAM, &piece, &bytes), 0);
  ASSERT_EQ(bytes, static_cast<starpu_ssize_t>(kWidth * kHeight * sizeof(int)));
  std::vector<int> packed(kWidth * kHeight);
  memcpy(packed.data(), piece, static_cast<size_t>(bytes));
  EXPECT_EQ(packed, (std::vector<int>{0, 1, 2, 5, 6, 7}));
  numbers_[6] = 0;
  ASSERT_EQ(TakePiece(handle, piece, static_cast<size_t>(bytes)), 0);
  EXPECT_EQ(numbers_[6], 6);
  EXPECT_EQ(numbers_[4], 4);
}

TEST_F(Interfaces, PartsLieInTheMemoryOfTheWhole) {
  Handle* const whole = Vector(100);
  starpu_data_filter filter = {};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = 3;
  const std::vector<Handle*> parts = MakeParts(&run_.residency, whole, &filter);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(whole->users, 4);
  uintptr_t next = VectorOf(whole).ptr;
  const std::vector<uint32_t> counts = {34, 33, 33};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(parts[i]->parent, whole);
    EXPECT_EQ(parts[i]->index_in_parent, i);
    EXPECT_EQ(VectorOf(parts[i]).nx, counts[i]);
    EXPECT_EQ(VectorOf(parts[i]).ptr, next);
    EXPECT_EQ(parts[i]->size_bytes, counts[i] * sizeof(int));
    next += counts[i] * sizeof(int);
    DeleteHandle(&run_.residency, parts[i]);
  }
}

TEST_F(Interfaces, WhatIsToBeCutGetsItsMemoryFirst) {
  Handle* whole = nullptr;
  starpu_vector_data_register(&whole, /*home_node=*/-1, 0, 100, sizeof(int));
  EXPECT_FALSE(whole->allocated);
  starpu_data_filter filter = {};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = 2;
  const std::vector<Handle*> parts = MakeParts(&run_.residency, whole, &filter);
  EXPECT_TRUE(whole->allocated);
  EXPECT_EQ(whole->pins, 2u);
  EXPECT_EQ(VectorOf(parts[0]).ptr, VectorOf(whole).ptr);
  for (Handle* const part : parts) {
    DeleteHandle(&run_.residency, part);
    run_.residency.Unpin(whole);
  }
}

TEST_F(Interfaces, AFootprintIsOneOfKindAndShape) {
  EXPECT_EQ(Vector(100)->footprint, Vector(100)->footprint);
  EXPECT_NE(Vector(100)->footprint, Vector(99)->footprint);
  Handle* variable = nullptr;
  starpu_variable_data_register(&variable, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(numbers_.data()), sizeof(int));
  EXPECT_NE(variable->footprint, Vector(1)->footprint);
}

TEST_F(Interfaces, AHandleIsDescribedByItsShape) {
  EXPECT_EQ(DescribeShape(Vector(100)), "V100x4");
  EXPECT_EQ(Vector(25)->size_bytes, 100u);
}

}  // namespace
}  // namespace tasklens::runtime
