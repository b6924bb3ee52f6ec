// SPDX-License-Identifier: Apache-2.0
// Tensors and arrays of any number of dimensions: shapes, copies, parts of fewer dimensions.
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// 5 x 4 x 3 x 2 numbers, each its own place, in rows of 6, planes of 5 rows, blocks of 3 planes.
struct Numbers {
  std::vector<int> memory;
  uint32_t n[4] = {5, 4, 3, 2};
  uint32_t ld[4] = {1, 6, 30, 90};
  Numbers() : memory(180) { std::iota(memory.begin(), memory.end(), 0); }
  starpu_data_handle_t Tensor() {
    starpu_data_handle_t handle;
    starpu_tensor_data_register(&handle, STARPU_MAIN_RAM, Address(memory.data()), ld[1], ld[2],
                                ld[3], n[0], n[1], n[2], n[3], sizeof(int));
    return handle;
  }
  // The first dimensions of it.
  starpu_data_handle_t Ndim(size_t dims) {
    starpu_data_handle_t handle;
    starpu_ndim_data_register(&handle, STARPU_MAIN_RAM, Address(memory.data()), ld, n, dims,
                              sizeof(int));
    return handle;
  }
  int At(uint32_t x, uint32_t y = 0, uint32_t z = 0, uint32_t t = 0) const {
    return memory[x + y * ld[1] + z * ld[2] + t * ld[3]];
  }
};

starpu_data_handle_t PartOf(starpu_data_handle_t handle, starpu_data_filter filter, unsigned part) {
  starpu_data_partition(handle, &filter);
  return starpu_data_get_child(handle, part);
}
int FirstOf(uintptr_t address) { return *reinterpret_cast<int*>(address); }
void End(starpu_data_handle_t handle) {
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
}
starpu_data_filter Filter(decltype(starpu_data_filter::filter_func) function, unsigned parts,
                          unsigned dimension = 0, uintptr_t argument = 0) {
  starpu_data_filter filter = {};
  filter.filter_func = function;
  filter.nchildren = parts;
  filter.filter_arg = dimension;
  filter.filter_arg_ptr = reinterpret_cast<void*>(argument);
  return filter;
}

TEST(Tensor, IsCutAlongEveryDimension) {
  Started started(1);
  Numbers numbers;
  starpu_data_handle_t tensor = numbers.Tensor();
  starpu_data_handle_t part = PartOf(tensor, Filter(starpu_tensor_filter_block, 2), 1);
  EXPECT_EQ(2u, starpu_tensor_get_nx(part));
  EXPECT_EQ(numbers.At(3), FirstOf(starpu_tensor_get_local_ptr(part)));
  starpu_data_unpartition(tensor, STARPU_MAIN_RAM);
  part = PartOf(tensor, Filter(starpu_tensor_filter_vertical_block, 2), 1);
  EXPECT_EQ(2u, starpu_tensor_get_ny(part));
  EXPECT_EQ(numbers.At(0, 2), FirstOf(starpu_tensor_get_local_ptr(part)));
  starpu_data_unpartition(tensor, STARPU_MAIN_RAM);
  part = PartOf(tensor, Filter(starpu_tensor_filter_depth_block, 3), 2);
  EXPECT_EQ(1u, starpu_tensor_get_nz(part));
  EXPECT_EQ(numbers.At(0, 0, 2), FirstOf(starpu_tensor_get_local_ptr(part)));
  starpu_data_unpartition(tensor, STARPU_MAIN_RAM);
  part = PartOf(tensor, Filter(starpu_tensor_filter_time_block, 2), 1);
  EXPECT_EQ(1u, starpu_tensor_get_nt(part));
  EXPECT_EQ(numbers.At(0, 0, 0, 1), FirstOf(starpu_tensor_get_local_ptr(part)));
  starpu_data_unpartition(tensor, STARPU_MAIN_RAM);
  part = PartOf(tensor, Filter(starpu_tensor_filter_vertical_block_shadow, 2, 0, 1), 1);
  EXPECT_EQ(3u, starpu_tensor_get_ny(part));  // of 4, an element of shadow on each side
  EXPECT_EQ(numbers.At(0, 1), FirstOf(starpu_tensor_get_local_ptr(part)));
  End(tensor);
}

TEST(Tensor, GivesBlocksAndElements) {
  Started started(1);
  Numbers numbers;
  starpu_data_handle_t tensor = numbers.Tensor();
  starpu_data_filter blocks = Filter(starpu_tensor_filter_pick_block_y, 2, 0, 1);
  blocks.get_child_ops = starpu_tensor_filter_pick_block_child_ops;
  starpu_data_handle_t block = PartOf(tensor, blocks, 1);
  EXPECT_EQ(5u, starpu_block_get_nx(block));
  EXPECT_EQ(3u, starpu_block_get_ny(block));
  EXPECT_EQ(2u, starpu_block_get_nz(block));
  EXPECT_EQ(numbers.ld[2], starpu_block_get_local_ldy(block));
  EXPECT_EQ(numbers.At(0, 2), FirstOf(starpu_block_get_local_ptr(block)));
  starpu_data_unpartition(tensor, STARPU_MAIN_RAM);
  uint32_t place[] = {4, 3, 2, 1};
  starpu_data_filter element = Filter(starpu_tensor_filter_pick_variable, 1, 0, Address(place));
  element.get_child_ops = starpu_tensor_filter_pick_variable_child_ops;
  EXPECT_EQ(numbers.At(4, 3, 2, 1),
            FirstOf(starpu_variable_get_local_ptr(PartOf(tensor, element, 0))));
  End(tensor);
}

template <class Check>
void CopyAndCheck(starpu_data_handle_t handle, Check&& check) {
  starpu_data_handle_t copy, again;
  EXPECT_EQ(0, starpu_data_dup_ro(&copy, handle, 0));
  EXPECT_EQ(0, starpu_data_acquire(copy, STARPU_R));
  check(static_cast<int*>(starpu_data_get_local_ptr(copy)));
  starpu_data_release(copy);
  void* piece;
  starpu_ssize_t bytes;
  EXPECT_EQ(0, starpu_data_pack(handle, &piece, &bytes));
  starpu_data_register_same(&again, handle);
  EXPECT_EQ(0, starpu_data_acquire(again, STARPU_W));
  EXPECT_EQ(0, starpu_data_unpack(again, piece, static_cast<size_t>(bytes)));
  check(static_cast<int*>(starpu_data_get_local_ptr(again)));
  starpu_data_release(again);
  starpu_data_unregister(again);
  starpu_data_unregister(copy);
  starpu_data_unregister(handle);
}

TEST(Tensor, IsCopiedAndPackedWithoutItsGaps) {
  Started started(1);
  Numbers numbers;
  CopyAndCheck(numbers.Tensor(), [&](const int* copy) {
    for (uint32_t t = 0; t < 2; ++t) {
      for (uint32_t z = 0; z < 3; ++z) {
        for (uint32_t y = 0; y < 4; ++y) {
          for (uint32_t x = 0; x < 5; ++x) ASSERT_EQ(numbers.At(x, y, z, t), *copy++);
        }
      }
    }
  });
}

TEST(Ndim, IsCopiedAndPackedWithoutItsGaps) {
  Started started(1);
  Numbers numbers;
  CopyAndCheck(numbers.Ndim(3), [&](const int* copy) {
    for (uint32_t z = 0; z < 3; ++z) {
      for (uint32_t y = 0; y < 4; ++y) {
        for (uint32_t x = 0; x < 5; ++x) ASSERT_EQ(numbers.At(x, y, z), *copy++);
      }
    }
  });
  starpu_data_handle_t element;
  uint32_t none[1];
  starpu_ndim_data_register(&element, STARPU_MAIN_RAM, Address(&numbers.memory[7]), none, none, 0,
                            sizeof(int));
  CopyAndCheck(element, [](const int* copy) { EXPECT_EQ(7, *copy); });
}

TEST(Ndim, HasItsShapeAndIsCutAlongADimension) {
  Started started(1);
  Numbers numbers;
  starpu_data_handle_t array = numbers.Ndim(4);
  EXPECT_EQ(4u, starpu_ndim_get_ndim(array));
  EXPECT_EQ(3u, starpu_ndim_get_ni(array, 2));
  EXPECT_EQ(90u, starpu_ndim_get_local_ldi(array, 3));
  EXPECT_EQ(5u * 4 * 3 * 2 * sizeof(int), starpu_data_get_size(array));
  starpu_data_handle_t part = PartOf(array, Filter(starpu_ndim_filter_block, 2, 1), 1);
  EXPECT_EQ(2u, starpu_ndim_get_ni(part, 1));
  EXPECT_EQ(numbers.At(0, 2), FirstOf(starpu_ndim_get_local_ptr(part)));
  starpu_data_unpartition(array, STARPU_MAIN_RAM);
  part = PartOf(array, Filter(starpu_ndim_filter_block_shadow, 2, 1, 1), 1);
  EXPECT_EQ(3u, starpu_ndim_get_ni(part, 1));
  starpu_data_unpartition(array, STARPU_MAIN_RAM);
  part = PartOf(array, Filter(starpu_ndim_filter_pick_ndim, 2, 2, 1), 1);
  EXPECT_EQ(3u, starpu_ndim_get_ndim(part));
  EXPECT_EQ(90u, starpu_ndim_get_local_ldi(part, 2));
  EXPECT_EQ(numbers.At(0, 0, 2), FirstOf(starpu_ndim_get_local_ptr(part)));
  End(array);
}

TEST(Ndim, GivesPartsOfSimplerKinds) {
  Started started(1);
  Numbers numbers;
  const auto part_of = [&](size_t dims, decltype(starpu_data_filter::filter_func) function,
                           decltype(starpu_data_filter::get_child_ops) ops, auto&& check) {
    starpu_data_handle_t array = numbers.Ndim(dims);
    starpu_data_filter filter = Filter(function, 1, dims ? static_cast<unsigned>(dims) - 1 : 0, 0);
    filter.get_child_ops = ops;
    check(PartOf(array, filter, 0));
    End(array);
  };
  part_of(4, starpu_ndim_filter_to_tensor, starpu_ndim_filter_to_tensor_child_ops,
          [](auto part) { EXPECT_EQ(2u, starpu_tensor_get_nt(part)); });
  part_of(3, starpu_ndim_filter_to_block, starpu_ndim_filter_to_block_child_ops,
          [](auto part) { EXPECT_EQ(3u, starpu_block_get_nz(part)); });
  part_of(2, starpu_ndim_filter_to_matrix, starpu_ndim_filter_to_matrix_child_ops,
          [](auto part) { EXPECT_EQ(6u, starpu_matrix_get_local_ld(part)); });
  part_of(1, starpu_ndim_filter_to_vector, starpu_ndim_filter_to_vector_child_ops,
          [](auto part) { EXPECT_EQ(5u, starpu_vector_get_nx(part)); });
  part_of(0, starpu_ndim_filter_to_variable, starpu_ndim_filter_to_variable_child_ops,
          [](auto part) { EXPECT_EQ(sizeof(int), starpu_variable_get_elemsize(part)); });
  part_of(4, starpu_ndim_filter_4d_pick_block, starpu_ndim_filter_pick_block_child_ops,
          [](auto part) { EXPECT_EQ(3u, starpu_block_get_nz(part)); });
  part_of(3, starpu_ndim_filter_3d_pick_matrix, starpu_ndim_filter_pick_matrix_child_ops,
          [](auto part) { EXPECT_EQ(4u, starpu_matrix_get_ny(part)); });
  part_of(2, starpu_ndim_filter_2d_pick_vector, starpu_ndim_filter_pick_vector_child_ops,
          [](auto part) { EXPECT_EQ(5u, starpu_vector_get_nx(part)); });
  part_of(1, starpu_ndim_filter_1d_pick_variable, starpu_ndim_filter_pick_variable_child_ops,
          [](auto part) { EXPECT_EQ(sizeof(int), starpu_variable_get_elemsize(part)); });
}

TEST(Pick, AnElementOfAMatrixAndABlock) {
  Started started(1);
  int memory[24];
  std::iota(memory, memory + 24, 0);
  uint32_t place[] = {1, 2, 1};
  starpu_data_handle_t matrix, block;
  starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM, Address(memory), 4, 3, 6, sizeof(int));
  starpu_block_data_register(&block, STARPU_MAIN_RAM, Address(memory), 4, 12, 3, 3, 2, sizeof(int));
  starpu_data_filter filter = Filter(starpu_matrix_filter_pick_variable, 1, 0, Address(place));
  filter.get_child_ops = starpu_matrix_filter_pick_variable_child_ops;
  EXPECT_EQ(9, FirstOf(starpu_variable_get_local_ptr(PartOf(matrix, filter, 0))));
  filter.filter_func = starpu_block_filter_pick_variable;
  EXPECT_EQ(21, FirstOf(starpu_variable_get_local_ptr(PartOf(block, filter, 0))));
  End(matrix);
  End(block);
}

TEST(ReleaseTo, LetsOthersReadAndKeepsWritersOut) {
  Started started(2);
  int value = 1;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  starpu_codelet read = {}, write = {};
  read.nbuffers = write.nbuffers = 1;
  read.modes[0] = STARPU_R;
  write.modes[0] = STARPU_RW;
  static int seen;
  seen = 0;
  read.cpu_funcs[0] = [](void** buffers, void*) {
    seen = *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  };
  write.cpu_funcs[0] = [](void** buffers, void*) {
    *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = 3;
  };
  EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_RW));
  value = 2;
  starpu_data_release_to(handle, STARPU_R);
  starpu_task* reader = starpu_task_build(&read, STARPU_R, handle, 0);
  reader->detach = 0;
  EXPECT_EQ(0, starpu_task_submit(reader));
  EXPECT_EQ(0, starpu_task_wait(reader));
  EXPECT_EQ(2, seen);
  EXPECT_EQ(0, starpu_task_insert(&write, STARPU_RW, handle, 0));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(2, value);
  starpu_data_release_to(handle, STARPU_NONE);
  starpu_task_wait_for_all();
  EXPECT_EQ(3, value);
  starpu_data_unregister(handle);
}

TEST(Reductions, PassTheArgumentsOfTheirCodelets) {
  Started started(2);
  long sum = 100;
  static long neutral = 0, weight = 1;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&sum), sizeof(sum));
  starpu_codelet init = {}, redux = {}, add = {};
  init.nbuffers = add.nbuffers = 1;
  redux.nbuffers = 2;
  init.modes[0] = STARPU_W;
  redux.modes[0] = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  redux.modes[1] = STARPU_R;
  add.modes[0] = STARPU_REDUX;
  init.cpu_funcs[0] = [](void** buffers, void* argument) {
    *reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = *static_cast<long*>(argument);
  };
  redux.cpu_funcs[0] = [](void** buffers, void* argument) {
    *reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffers[0])) +=
        *static_cast<long*>(argument) *
        *reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
  };
  add.cpu_funcs[0] = [](void** buffers, void*) {
    ++*reinterpret_cast<long*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  };
  starpu_data_set_reduction_methods_with_args(handle, &redux, &weight, &init, &neutral);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(0, starpu_task_insert(&add, STARPU_REDUX, handle, 0));
  starpu_data_unregister(handle);
  EXPECT_EQ(150, sum);
}

TEST(MallocHooks, AreCalledInPlaceOfTheRuntime) {
  Started started(1);
  static int allocated, freed;
  allocated = freed = 0;
  starpu_malloc_set_hooks(
      [](unsigned, void** memory, size_t size, int) {
        ++allocated;
        *memory = malloc(size);
        return *memory ? 0 : -ENOMEM;
      },
      [](unsigned, void* memory, size_t, int) {
        ++freed;
        free(memory);
        return 0;
      });
  void* memory;
  EXPECT_EQ(0, starpu_malloc(&memory, 100));
  EXPECT_EQ(0, starpu_free_noflag(memory, 100));
  starpu_malloc_set_hooks(nullptr, nullptr);
  EXPECT_EQ(0, starpu_malloc(&memory, 100));
  EXPECT_EQ(0, starpu_free_noflag(memory, 100));
  EXPECT_EQ(1, allocated);
  EXPECT_EQ(1, freed);
}

TEST(Operations, GetANumberOfTheirOwn) {
  starpu_data_interface_ops ops = {}, others = {};
  ops.interfaceid = others.interfaceid = STARPU_UNKNOWN_INTERFACE_ID;
  starpu_data_register_ops(&ops);
  starpu_data_register_ops(&others);
  EXPECT_LE(STARPU_MAX_INTERFACE_ID, ops.interfaceid);
  EXPECT_NE(ops.interfaceid, others.interfaceid);
  const starpu_data_interface_id before = ops.interfaceid;
  starpu_data_register_ops(&ops);
  EXPECT_EQ(before, ops.interfaceid);
}

}  // namespace
}  // namespace tasklens
