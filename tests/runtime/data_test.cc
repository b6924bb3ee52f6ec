// SPDX-License-Identifier: Apache-2.0
// Handles: shapes, footprints, acquire, reductions, scratch, the end of a handle.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

starpu_codelet MakeCodelet(starpu_cpu_func_t function, std::vector<unsigned> modes) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(modes.size());
  for (size_t i = 0; i < modes.size(); ++i) {
    codelet.modes[i] = static_cast<starpu_data_access_mode>(modes[i]);
  }
  return codelet;
}

uint32_t FootprintOf(std::vector<starpu_data_handle_t> handles) {
  starpu_codelet codelet = MakeCodelet(nullptr, std::vector<unsigned>(handles.size(), STARPU_R));
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  for (size_t i = 0; i < handles.size(); ++i) task->handles[i] = handles[i];
  const uint32_t footprint = starpu_task_data_footprint(task);
  starpu_task_destroy(task);
  return footprint;
}

TEST(Footprints, AreThoseOfStarPU) {
  Started started(1);
  static double memory[96 * 96];
  starpu_data_handle_t v5, v1024, m64, m96;
  starpu_vector_data_register(&v5, STARPU_MAIN_RAM, Address(memory), 5, sizeof(int));
  starpu_vector_data_register(&v1024, STARPU_MAIN_RAM, Address(memory), 1024, sizeof(double));
  starpu_matrix_data_register(&m64, STARPU_MAIN_RAM, Address(memory), 64, 64, 64, sizeof(float));
  starpu_matrix_data_register(&m96, STARPU_MAIN_RAM, Address(memory), 96, 96, 96, sizeof(float));
  EXPECT_EQ(0x7eecd367u, FootprintOf({v5}));
  EXPECT_EQ(0xa3d3725eu, FootprintOf({v1024}));
  EXPECT_EQ(0x9a17e2a6u, FootprintOf({m64}));
  EXPECT_EQ(0x95ae7912u, FootprintOf({m64, m64}));
  EXPECT_EQ(0x7fb79c97u, FootprintOf({m96}));
  EXPECT_EQ(0x8d89b3e7u, FootprintOf({m96, m96}));
  EXPECT_EQ(0xe69ed2afu, FootprintOf({m96, m96, m96}));
  for (starpu_data_handle_t handle : {v5, v1024, m64, m96}) starpu_data_unregister(handle);
}

TEST(Shapes, AnswerForThemselves) {
  Started started(1);
  static float memory[1000];
  starpu_data_handle_t vector, matrix, block, variable, nothing;
  starpu_vector_data_register(&vector, STARPU_MAIN_RAM, Address(memory), 10, sizeof(float));
  starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM, Address(memory), 20, 10, 5, sizeof(float));
  starpu_block_data_register(&block, STARPU_MAIN_RAM, Address(memory), 10, 100, 4, 5, 6,
                             sizeof(float));
  starpu_variable_data_register(&variable, STARPU_MAIN_RAM, Address(memory), 12);
  starpu_void_data_register(&nothing);
  EXPECT_EQ(10u, starpu_vector_get_nx(vector));
  EXPECT_EQ(Address(memory), starpu_vector_get_local_ptr(vector));
  EXPECT_EQ(40u, starpu_data_get_size(vector));
  EXPECT_EQ(10u, starpu_matrix_get_nx(matrix));
  EXPECT_EQ(5u, starpu_matrix_get_ny(matrix));
  EXPECT_EQ(20u, starpu_matrix_get_local_ld(matrix));
  EXPECT_EQ(200u, starpu_data_get_size(matrix));
  EXPECT_EQ(4u, starpu_block_get_nx(block));
  EXPECT_EQ(5u, starpu_block_get_ny(block));
  EXPECT_EQ(6u, starpu_block_get_nz(block));
  EXPECT_EQ(100u, starpu_block_get_local_ldz(block));
  EXPECT_EQ(480u, starpu_data_get_size(block));
  EXPECT_EQ(12u, starpu_variable_get_elemsize(variable));
  EXPECT_EQ(0u, starpu_data_get_size(nothing));
  EXPECT_EQ(STARPU_MATRIX_INTERFACE_ID, starpu_data_get_interface_id(matrix));
  for (starpu_data_handle_t handle : {vector, matrix, block, variable, nothing}) {
    starpu_data_unregister(handle);
  }
}

TEST(Shapes, ArePackedAndUnpackedWithoutTheirGaps) {
  Started started(1);
  int source[12], target[12] = {};
  std::iota(source, source + 12, 0);
  starpu_data_handle_t from, to;
  starpu_matrix_data_register(&from, STARPU_MAIN_RAM, Address(source), 4, 2, 3, sizeof(int));
  starpu_matrix_data_register(&to, STARPU_MAIN_RAM, Address(target), 4, 2, 3, sizeof(int));
  void* packed;
  starpu_ssize_t size;
  ASSERT_EQ(0, starpu_data_pack(from, &packed, &size));
  EXPECT_EQ(24, size);
  EXPECT_EQ(8, static_cast<int*>(packed)[4]);
  ASSERT_EQ(0, starpu_data_unpack(to, packed, static_cast<size_t>(size)));
  const int expected[12] = {0, 1, 0, 0, 4, 5, 0, 0, 8, 9, 0, 0};
  EXPECT_EQ(0, memcmp(expected, target, sizeof(target)));
  starpu_data_unregister(from);
  starpu_data_unregister(to);
}

TEST(Handles, CarryWhatTheProgramAttaches) {
  Started started(1);
  int value = 0, other = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  starpu_data_set_name(handle, "x");
  starpu_data_set_coordinates(handle, 3, 7, -8, 9);
  int read[3];
  EXPECT_EQ(3u, starpu_data_get_coordinates_array(handle, 3, read));
  EXPECT_EQ(-8, read[1]);
  starpu_data_set_user_data(handle, &other);
  EXPECT_EQ(&other, starpu_data_get_user_data(handle));
  EXPECT_EQ(handle, starpu_data_lookup(&value));
  EXPECT_EQ(nullptr, starpu_data_lookup(&other));
  starpu_data_unregister(handle);
  EXPECT_EQ(nullptr, starpu_data_lookup(&value));
}

void Increment(void* buffers[], void*) {
  ++*reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
}

TEST(Acquire, WaitsForTasksAndHoldsLaterOnesBack) {
  Started started(2);
  starpu_codelet increment = MakeCodelet(Increment, {STARPU_RW});
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_RW));
  EXPECT_EQ(100, value);
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  EXPECT_EQ(-EAGAIN, starpu_data_acquire_try(handle, STARPU_R));
  value = 1000;
  starpu_data_release(handle);
  ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  EXPECT_EQ(1001, value);
  EXPECT_EQ(0, starpu_data_acquire_try(handle, STARPU_R));  // readers share
  starpu_data_release(handle);
  starpu_data_release(handle);
  starpu_data_unregister(handle);
}

TEST(Acquire, CallsBackWhenTheDataIsThere) {
  Started started(2);
  starpu_codelet increment = MakeCodelet(Increment, {STARPU_RW});
  static int value;
  static starpu_data_handle_t handle;
  value = 0;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_data_acquire_cb(
                   handle, STARPU_RW,
                   [](void*) {
                     value *= 10;
                     starpu_data_release(handle);
                   },
                   nullptr));
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(11, value);
  starpu_data_unregister(handle);
}

TEST(Acquire, RefusesModesThatOnlyTasksHave) {
  Started started(1);
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  EXPECT_EQ(-EINVAL, starpu_data_acquire(handle, STARPU_REDUX));
  EXPECT_EQ(-EINVAL, starpu_data_acquire_on_node(handle, 5, STARPU_R));
  starpu_data_unregister(handle);
}

void SetTo(void* buffers[], void* argument) {
  *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = argument ? 5 : 0;
}
void AddBuffers(void* buffers[], void*) {
  *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0])) +=
      *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
}

TEST(Reductions, AddToWhatIsThereAndBeginWithTheNeutralElement) {
  Started started(3);
  starpu_codelet zero = MakeCodelet(SetTo, {STARPU_W});
  starpu_codelet add = MakeCodelet(AddBuffers, {STARPU_RW | STARPU_COMMUTE, STARPU_R});
  starpu_codelet contribute = MakeCodelet(Increment, {STARPU_REDUX});
  int value = 1000;
  starpu_data_handle_t there, fresh;
  starpu_variable_data_register(&there, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  starpu_variable_data_register(&fresh, -1, 0, sizeof(int));
  for (starpu_data_handle_t handle : {there, fresh}) {
    starpu_data_set_reduction_methods(handle, &add, &zero);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(0, starpu_task_insert(&contribute, STARPU_REDUX, handle, 0));
      }
      ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
      const int base = handle == there ? 1000 : 0;
      EXPECT_EQ(base + 100 * (round + 1),
                *reinterpret_cast<int*>(starpu_data_get_local_ptr(handle)));
      starpu_data_release(handle);
    }
    ASSERT_EQ(0, starpu_task_insert(&contribute, STARPU_REDUX, handle, 0));
    starpu_data_unregister(handle);
  }
  EXPECT_EQ(1301, value);
}

TEST(Scratch, IsAWorkersOwnAndOfTheRightSize) {
  Started started(3);
  static std::atomic<int> wrong;
  wrong = 0;
  starpu_codelet codelet = MakeCodelet(
      [](void* buffers[], void*) {
        int* memory = reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0]));
        const unsigned count = STARPU_VECTOR_GET_NX(buffers[0]);
        const int id = starpu_worker_get_id();
        for (unsigned i = 0; i < count; ++i) memory[i] = id;
        for (unsigned i = 0; i < count; ++i) wrong += memory[i] != id;
      },
      {STARPU_SCRATCH});
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, 1000, sizeof(int));
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_SCRATCH, handle, 0));
  }
  starpu_data_unregister(handle);
  EXPECT_EQ(0, wrong);
}

TEST(Handles, AreUnregisteredAfterTheTasksSubmittedBefore) {
  Started started(2);
  static std::atomic<int> sum;
  sum = 0;
  starpu_codelet write = MakeCodelet(SetTo, {STARPU_W});
  starpu_codelet read = MakeCodelet(
      [](void* buffers[], void*) {
        sum += *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
      },
      {STARPU_R});
  for (int i = 0; i < 200; ++i) {
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, -1, 0, sizeof(int));
    ASSERT_EQ(0, starpu_task_insert(&write, STARPU_W, handle, STARPU_CL_ARGS_NFREE, &write,
                                    size_t{1}, 0));
    ASSERT_EQ(0, starpu_task_insert(&read, STARPU_R, handle, 0));
    starpu_data_unregister_submit(handle);
  }
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1000, sum);
}

TEST(Handles, AreCopied) {
  Started started(2);
  std::vector<int> from(50, 3), to(50, 0);
  starpu_data_handle_t source, target, other;
  starpu_vector_data_register(&source, STARPU_MAIN_RAM, Address(from.data()), 50, sizeof(int));
  starpu_vector_data_register(&target, STARPU_MAIN_RAM, Address(to.data()), 50, sizeof(int));
  starpu_void_data_register(&other);
  static std::atomic<int> called;
  called = 0;
  EXPECT_EQ(0, starpu_data_cpy(
                   target, source, 0, [](void*) { ++called; }, nullptr));
  EXPECT_EQ(from, to);
  EXPECT_EQ(1, called);
  EXPECT_EQ(-EINVAL, starpu_data_cpy(other, source, 0, nullptr, nullptr));
  for (starpu_data_handle_t handle : {source, target, other}) starpu_data_unregister(handle);
}

TEST(Handles, WithoutSequentialConsistencyExcludeEachOtherOnly) {
  Started started(4);
  starpu_codelet increment = MakeCodelet(Increment, {STARPU_RW});
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, Address(&value), sizeof(value));
  starpu_data_set_sequential_consistency_flag(handle, 0);
  // A task that waits for a later one through a tag: with sequential consistency nobody would run.
  starpu_tag_declare_deps(1, 1, starpu_tag_t{2});
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, STARPU_TAG, starpu_tag_t{1}, 0));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, STARPU_TAG, starpu_tag_t{2}, 0));
  starpu_data_unregister(handle);
  EXPECT_EQ(1002, value);
}

// An interface of the program's own: two numbers.
struct Pair {
  starpu_data_interface_id id;
  int* first;
  int* second;
};
starpu_ssize_t AllocatePair(void* interface, unsigned) {
  auto* pair = static_cast<Pair*>(interface);
  pair->first = static_cast<int*>(malloc(sizeof(int)));
  pair->second = static_cast<int*>(malloc(sizeof(int)));
  return 2 * sizeof(int);
}
void FreePair(void* interface, unsigned) {
  free(static_cast<Pair*>(interface)->first);
  free(static_cast<Pair*>(interface)->second);
}
size_t PairSize(starpu_data_handle_t) { return 2 * sizeof(int); }
uint32_t PairFootprint(starpu_data_handle_t) { return 1; }

TEST(Interfaces, OfTheProgramsOwnAreUsedLikeOthers) {
  Started started(2);
  starpu_data_interface_ops ops = {};
  ops.allocate_data_on_node = AllocatePair;
  ops.free_data_on_node = FreePair;
  ops.get_size = PairSize;
  ops.footprint = PairFootprint;
  ops.interface_size = sizeof(Pair);
  ops.interfaceid = static_cast<starpu_data_interface_id>(starpu_data_interface_get_next_id());
  starpu_codelet write = MakeCodelet(
      [](void* buffers[], void*) {
        auto* pair = static_cast<Pair*>(buffers[0]);
        *pair->first = 3;
        *pair->second = 4;
      },
      {STARPU_W});
  static int seen;
  starpu_codelet read = MakeCodelet(
      [](void* buffers[], void*) {
        auto* pair = static_cast<Pair*>(buffers[0]);
        seen = *pair->first * 10 + *pair->second;
      },
      {STARPU_R});
  Pair none = {STARPU_UNKNOWN_INTERFACE_ID, nullptr, nullptr};
  starpu_data_handle_t handle;
  starpu_data_register(&handle, -1, &none, &ops);
  ASSERT_EQ(0, starpu_task_insert(&write, STARPU_W, handle, 0));
  ASSERT_EQ(0, starpu_task_insert(&read, STARPU_R, handle, 0));
  starpu_data_unregister(handle);
  EXPECT_EQ(34, seen);
}

TEST(MisuseDeathTest, SaysInOneLineWhatIsWrong) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        Started started(1);
        starpu_data_handle_t handle;
        starpu_variable_data_register(&handle, -1, 0, sizeof(int));
        (void)starpu_data_acquire(handle, STARPU_R);
      },
      "has no value yet");
  EXPECT_DEATH(starpu_task_wait_for_all(), "without a successful starpu_init");
  EXPECT_DEATH(
      {
        Started started(1);
        starpu_data_handle_t handle;
        starpu_void_data_register(&handle);
        starpu_data_release(handle);
      },
      "is not acquired");
}

}  // namespace
}  // namespace tasklens
