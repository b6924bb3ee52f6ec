// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert() and starpu_task_build(): every kind of argument.
#include <cerrno>
#include <cstring>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

struct Seen {
  int a = 0;
  double b = 0;
  char text[8] = "";
};
Seen* g_seen;

void Unpack(void**, void* argument) {
  starpu_codelet_unpack_args(argument, &g_seen->a, &g_seen->b, g_seen->text);
}
void Increment(void* buffers[], void*) {
  ++*reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
}
void Sum(void* buffers[], void*) {
  const starpu_task* task = starpu_task_get_current();
  int* total = reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  for (unsigned i = 1; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    *total += *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
  }
}

class Insert : public testing::Test {
 protected:
  void SetUp() override {
    g_seen = &seen_;
    unpack_.cpu_funcs[0] = Unpack;
    increment_.cpu_funcs[0] = Increment;
    increment_.nbuffers = 1;
    increment_.modes[0] = STARPU_RW;
    for (int i = 0; i < kCells; ++i) {
      cells_[i] = i;
      starpu_variable_data_register(&handles_[i], STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(&cells_[i]), sizeof(int));
    }
  }
  void TearDown() override {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }
  static constexpr int kCells = 20;
  Started started_{2};
  Seen seen_;
  starpu_codelet unpack_ = {}, increment_ = {};
  int cells_[kCells];
  starpu_data_handle_t handles_[kCells];
};

TEST_F(Insert, PacksValues) {
  const int a = 42;
  const double b = 2.5;
  const char text[8] = "seven";
  ASSERT_EQ(0, starpu_task_insert(&unpack_, STARPU_VALUE, &a, sizeof(a), STARPU_VALUE, &b,
                                  sizeof(b), STARPU_VALUE, text, sizeof(text), 0));
  starpu_task_wait_for_all();
  EXPECT_EQ(42, seen_.a);
  EXPECT_EQ(2.5, seen_.b);
  EXPECT_STREQ("seven", seen_.text);
}

TEST_F(Insert, PacksValuesOfAnySize) {
  static char big[5000];
  static int end;
  static char copy[5000];
  memset(big, 'x', sizeof(big));
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void* argument) {
    starpu_codelet_unpack_args(argument, copy, &end);
  };
  const int marker = 99;
  ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_VALUE, big, sizeof(big), STARPU_VALUE, &marker,
                                  sizeof(marker), 0));
  starpu_task_wait_for_all();
  EXPECT_EQ(0, memcmp(big, copy, sizeof(big)));
  EXPECT_EQ(99, end);
}

TEST_F(Insert, TakesMoreBuffersThanATaskHasRoomFor) {
  starpu_codelet sum = {};
  sum.cpu_funcs[0] = Sum;
  sum.nbuffers = STARPU_VARIABLE_NBUFFERS;
  starpu_data_descr data[kCells];
  for (int i = 0; i < kCells; ++i) data[i] = {handles_[i], i == 0 ? STARPU_RW : STARPU_R};
  ASSERT_EQ(0, starpu_task_insert(&sum, STARPU_DATA_MODE_ARRAY, data, kCells, 0));
  starpu_task_wait_for_all();
  EXPECT_EQ(kCells * (kCells - 1) / 2, cells_[0]);
}

TEST_F(Insert, TakesArraysOfHandles) {
  ASSERT_EQ(0, starpu_task_insert(&increment_, STARPU_DATA_ARRAY, handles_, 1, 0));
  starpu_task_wait_for_all();
  EXPECT_EQ(1, cells_[0]);
}

TEST_F(Insert, LearnsTheModesOfACodeletThatSaysNone) {
  increment_.modes[0] = STARPU_NONE;
  ASSERT_EQ(0, starpu_insert_task(&increment_, STARPU_RW, handles_[3], 0));
  EXPECT_EQ(STARPU_RW, increment_.modes[0]);
}

TEST_F(Insert, RefusesWhatMakesNoSense) {
  EXPECT_EQ(-EINVAL, starpu_task_insert(&increment_, STARPU_R, handles_[0], 0));  // another mode
  EXPECT_EQ(-EINVAL, starpu_task_insert(&increment_, 0));                         // no handle
  EXPECT_EQ(-EINVAL, starpu_task_insert(&increment_, STARPU_RW, handles_[0], 100 << 17, 0));
  EXPECT_EQ(-EINVAL, starpu_task_insert(nullptr, STARPU_RW, handles_[0], 0));
  EXPECT_EQ(nullptr, starpu_task_build(&increment_, 0));
}

TEST_F(Insert, FillsEveryFieldOfATask) {
  static int called;
  called = 0;
  int* counter = static_cast<int*>(malloc(sizeof(int)));
  uint32_t workers = 3;
  starpu_task* task = starpu_task_build(
      &increment_, STARPU_RW, handles_[0], STARPU_PRIORITY, 3, STARPU_NAME, "named", STARPU_FLOPS,
      12.5, STARPU_TAG_ONLY, starpu_tag_t{77}, STARPU_TASK_COLOR, 0x123456,
      STARPU_SEQUENTIAL_CONSISTENCY, 0u, STARPU_CALLBACK_WITH_ARG, +[](void*) { ++called; },
      counter, STARPU_EXECUTE_WHERE, STARPU_CPU, STARPU_TASK_WORKERIDS, 1u, &workers,
      STARPU_EXECUTE_ON_WORKER, 1, STARPU_TASK_NO_SUBMITORDER, 1u, 0);
  ASSERT_NE(nullptr, task);
  EXPECT_EQ(3, task->priority);
  EXPECT_STREQ("named", starpu_task_get_name(task));
  EXPECT_EQ(12.5, task->flops);
  EXPECT_EQ(77u, task->tag_id);
  EXPECT_EQ(0u, task->use_tag);
  EXPECT_EQ(0x123456u, task->color);
  EXPECT_EQ(0u, task->sequential_consistency);
  EXPECT_EQ(1u, task->callback_arg_free);
  EXPECT_EQ(static_cast<int32_t>(STARPU_CPU), task->where);
  EXPECT_EQ(&workers, task->workerids);
  EXPECT_EQ(1u, task->workerid);
  EXPECT_EQ(1u, task->execute_on_a_specific_worker);
  EXPECT_EQ(1u, task->no_submitorder);
  EXPECT_STREQ(__FILE__, task->file);
  ASSERT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  EXPECT_EQ(1, called);
  EXPECT_EQ(1, cells_[0]);
}

TEST_F(Insert, OrdersByDependenciesAndTags) {
  starpu_task* first = starpu_task_build(&increment_, STARPU_RW, handles_[0], 0);
  starpu_task* second =
      starpu_task_build(&increment_, STARPU_RW, handles_[1], STARPU_TASK_DEPS_ARRAY, 1u, &first,
                        STARPU_TAG, starpu_tag_t{5}, 0);
  ASSERT_EQ(0, starpu_task_submit(second));
  EXPECT_EQ(1, cells_[1]);
  ASSERT_EQ(0, starpu_task_submit(first));
  EXPECT_EQ(0, starpu_tag_wait(5));
  EXPECT_EQ(1, cells_[0]);
  EXPECT_EQ(2, cells_[1]);
}

TEST_F(Insert, SynchronousHasRunAtReturn) {
  ASSERT_EQ(0,
            starpu_task_insert(&increment_, STARPU_RW, handles_[2], STARPU_TASK_SYNCHRONOUS, 1, 0));
  EXPECT_EQ(3, cells_[2]);
}

TEST(PackedArguments, ComeOutOneByOneAndCopied) {
  void* buffer;
  size_t size;
  int a = 1, b = 2, c = 3;
  starpu_codelet_pack_args(&buffer, &size, STARPU_VALUE, &a, sizeof(a), STARPU_VALUE, &b, sizeof(b),
                           STARPU_VALUE, &c, sizeof(c), 0);
  int x = 0, y = 0, z = 0;
  char rest[64];
  starpu_codelet_unpack_args_and_copyleft(buffer, rest, sizeof(rest), &x, nullptr);
  starpu_codelet_unpack_args(rest, &y, &z);
  EXPECT_EQ(1, x);
  EXPECT_EQ(2, y);
  EXPECT_EQ(3, z);
  starpu_codelet_pack_arg_data state;
  starpu_codelet_unpack_arg_init(&state, buffer, size);
  starpu_codelet_unpack_arg(&state, &x, sizeof(x));
  void* copy;
  size_t copy_size;
  starpu_codelet_dup_arg(&state, &copy, &copy_size);
  EXPECT_EQ(sizeof(int), copy_size);
  EXPECT_EQ(2, *static_cast<int*>(copy));
  free(copy);
  starpu_codelet_unpack_arg_fini(&state);
  free(buffer);
}

}  // namespace
}  // namespace tasklens
