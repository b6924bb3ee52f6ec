// SPDX-License-Identifier: Apache-2.0
// Filters cut where they should, and the parts and the whole see each other's writes.
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

using Filter = decltype(starpu_data_filter::filter_func);

starpu_data_filter MakeFilter(Filter function, unsigned parts, uintptr_t argument = 0) {
  starpu_data_filter filter = {};
  filter.filter_func = function;
  filter.nchildren = parts;
  filter.filter_arg_ptr = reinterpret_cast<void*>(argument);
  return filter;
}

// First element and length of each part of the vector 0, 1, ... 9.
std::vector<std::pair<int, unsigned>> PartsOfTen(starpu_data_filter filter) {
  Started started(1);
  int values[10];
  std::iota(values, values + 10, 0);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, Address(values), 10, sizeof(int));
  starpu_data_partition(handle, &filter);
  std::vector<std::pair<int, unsigned>> parts;
  for (int i = 0; i < starpu_data_get_nb_children(handle); ++i) {
    starpu_data_handle_t part = starpu_data_get_sub_data(handle, 1, i);
    parts.emplace_back(*reinterpret_cast<int*>(starpu_vector_get_local_ptr(part)),
                       starpu_vector_get_nx(part));
  }
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
  return parts;
}

TEST(VectorFilters, CutWhereTheySay) {
  using Parts = std::vector<std::pair<int, unsigned>>;
  EXPECT_EQ((Parts{{0, 4}, {4, 3}, {7, 3}}), PartsOfTen(MakeFilter(starpu_vector_filter_block, 3)));
  EXPECT_EQ((Parts{{0, 6}, {4, 6}}),
            PartsOfTen(MakeFilter(starpu_vector_filter_block_shadow, 2, 1)));
  long lengths[] = {1, 7, 2};
  EXPECT_EQ((Parts{{0, 1}, {1, 7}, {8, 2}}),
            PartsOfTen(MakeFilter(starpu_vector_filter_list_long, 3, Address(lengths))));
  uint32_t short_lengths[] = {5, 5};
  EXPECT_EQ((Parts{{0, 5}, {5, 5}}),
            PartsOfTen(MakeFilter(starpu_vector_filter_list, 2, Address(short_lengths))));
  starpu_data_filter in_two = MakeFilter(starpu_vector_filter_divide_in_2, 2);
  in_two.filter_arg = 3;
  EXPECT_EQ((Parts{{0, 3}, {3, 7}}), PartsOfTen(in_two));
}

TEST(VectorFilters, PickOneElementAsAVariable) {
  Started started(1);
  int values[4] = {1, 2, 3, 4};
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, Address(values), 4, sizeof(int));
  starpu_data_filter pick = MakeFilter(starpu_vector_filter_pick_variable, 2, 1);
  pick.get_child_ops = starpu_vector_filter_pick_variable_child_ops;
  starpu_data_partition(handle, &pick);
  EXPECT_EQ(Address(&values[2]), starpu_variable_get_local_ptr(starpu_data_get_child(handle, 1)));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
}

TEST(MatrixFilters, CutAlongBothSides) {
  Started started(1);
  static float memory[12 * 10];
  starpu_data_handle_t handle;
  starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, Address(memory), 12, 10, 9, sizeof(float));
  starpu_data_filter columns = MakeFilter(starpu_matrix_filter_block, 2);
  starpu_data_filter rows = MakeFilter(starpu_matrix_filter_vertical_block, 3);
  starpu_data_map_filters(handle, 2, &columns, &rows);
  starpu_data_handle_t part = starpu_data_get_sub_data(handle, 2, 1, 2);
  EXPECT_EQ(5u, starpu_matrix_get_nx(part));
  EXPECT_EQ(3u, starpu_matrix_get_ny(part));
  EXPECT_EQ(12u, starpu_matrix_get_local_ld(part));
  EXPECT_EQ(Address(&memory[6 * 12 + 5]), starpu_matrix_get_local_ptr(part));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
}

TEST(BlockFilters, CutAlongAllThreeSides) {
  Started started(1);
  static int memory[8 * 6 * 4];
  starpu_data_handle_t handle;
  starpu_block_data_register(&handle, STARPU_MAIN_RAM, Address(memory), 8, 48, 8, 6, 4,
                             sizeof(int));
  starpu_data_filter x = MakeFilter(starpu_block_filter_block, 2);
  starpu_data_filter y = MakeFilter(starpu_block_filter_vertical_block, 2);
  starpu_data_filter z = MakeFilter(starpu_block_filter_depth_block, 2);
  starpu_data_map_filters(handle, 3, &x, &y, &z);
  starpu_data_handle_t part = starpu_data_get_sub_data(handle, 3, 1, 1, 1);
  EXPECT_EQ(Address(&memory[2 * 48 + 3 * 8 + 4]), starpu_block_get_local_ptr(part));
  EXPECT_EQ(4u, starpu_block_get_nx(part));
  EXPECT_EQ(3u, starpu_block_get_ny(part));
  EXPECT_EQ(2u, starpu_block_get_nz(part));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_filter plane = MakeFilter(starpu_block_filter_pick_matrix_z, 1, 3);
  plane.get_child_ops = starpu_block_filter_pick_matrix_child_ops;
  starpu_data_partition(handle, &plane);
  EXPECT_EQ(Address(&memory[3 * 48]),
            starpu_matrix_get_local_ptr(starpu_data_get_child(handle, 0)));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
}

void AddOne(void* buffers[], void*) {
  int* values = reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) ++values[i];
}
void Twice(void* buffers[], void*) {
  int* values = reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) values[i] *= 2;
}
starpu_codelet VectorCodelet(starpu_cpu_func_t function) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  return codelet;
}

TEST(Partition, PartsAndWholeSeeEachOther) {
  Started started(3);
  starpu_codelet add = VectorCodelet(AddOne), twice = VectorCodelet(Twice);
  std::vector<int> values(60, 0);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, Address(values.data()), 60, sizeof(int));
  int expected = 0;
  for (unsigned round = 2; round < 7; ++round) {
    ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, handle, 0));
    starpu_data_filter filter = MakeFilter(starpu_vector_filter_block, round);
    starpu_data_partition(handle, &filter);
    for (unsigned i = 0; i < round; ++i) {
      ASSERT_EQ(0, starpu_task_insert(&twice, STARPU_RW, starpu_data_get_child(handle, i), 0));
    }
    EXPECT_EQ(-EINVAL, starpu_task_insert(&add, STARPU_RW, handle, 0));  // only the parts now
    starpu_data_unpartition(handle, STARPU_MAIN_RAM);
    expected = (expected + 1) * 2;
  }
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<int>(60, expected), values);
}

TEST(Partition, OfDataThatTheRuntimeAllocates) {
  Started started(2);
  starpu_codelet add = VectorCodelet(AddOne);
  starpu_codelet clear = VectorCodelet([](void* buffers[], void*) {
    int* values = reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0]));
    for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) values[i] = 0;
  });
  clear.modes[0] = STARPU_W;
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, 10, sizeof(int));
  starpu_data_filter filter = MakeFilter(starpu_vector_filter_block, 2);
  starpu_data_partition(handle, &filter);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(0, starpu_task_insert(&clear, STARPU_W, starpu_data_get_child(handle, i), 0));
  }
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  EXPECT_EQ(1, reinterpret_cast<int*>(starpu_vector_get_local_ptr(handle))[9]);
  starpu_data_release(handle);
  starpu_data_unregister(handle);
}

TEST(PartitionPlans, SwitchByThemselvesAndWhenTold) {
  Started started(3);
  starpu_codelet add = VectorCodelet(AddOne), twice = VectorCodelet(Twice);
  std::vector<int> values(12, 0);
  starpu_data_handle_t handle, halves[2], thirds[3], quarters[2];
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, Address(values.data()), 12, sizeof(int));
  starpu_data_filter in_two = MakeFilter(starpu_vector_filter_block, 2);
  starpu_data_filter in_three = MakeFilter(starpu_vector_filter_block, 3);
  starpu_data_partition_plan(handle, &in_two, halves);
  starpu_data_partition_plan(handle, &in_three, thirds);
  starpu_data_partition_plan(halves[0], &in_two, quarters);
  const auto insert = [](starpu_codelet* codelet, starpu_data_handle_t data) {
    ASSERT_EQ(0, starpu_task_insert(codelet, STARPU_RW, data, 0));
  };
  insert(&add, handle);  // 1
  starpu_data_partition_submit(handle, 2, halves);
  for (starpu_data_handle_t half : halves) insert(&twice, half);  // 2
  starpu_data_unpartition_submit(handle, 2, halves, STARPU_MAIN_RAM);
  insert(&add, handle);                                                 // 3
  for (starpu_data_handle_t third : thirds) insert(&twice, third);      // 6
  for (starpu_data_handle_t quarter : quarters) insert(&add, quarter);  // 7 in the first half
  insert(&twice, handle);                                               // 14, 12
  starpu_data_partition_clean(halves[0], 2, quarters);
  starpu_data_partition_clean(handle, 2, halves);
  starpu_data_partition_clean(handle, 3, thirds);
  starpu_data_unregister(handle);
  std::vector<int> expected(12, 12);
  std::fill(expected.begin(), expected.begin() + 6, 14);
  EXPECT_EQ(expected, values);
}

// A vector of 12 with two plans of its own.
class Planned {
 public:
  Planned() {
    starpu_vector_data_register(&whole, STARPU_MAIN_RAM, Address(values.data()), 12, sizeof(int));
    starpu_data_filter in_two = MakeFilter(starpu_vector_filter_block, 2);
    starpu_data_filter in_three = MakeFilter(starpu_vector_filter_block, 3);
    starpu_data_partition_plan(whole, &in_two, halves);
    starpu_data_partition_plan(whole, &in_three, thirds);
  }
  ~Planned() { End(); }
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;

  const std::vector<int>& End() {
    if (whole) {
      starpu_data_partition_clean(whole, 2, halves);
      starpu_data_partition_clean(whole, 3, thirds);
      starpu_data_unregister(whole);
      whole = nullptr;
    }
    return values;
  }

  std::vector<int> values = std::vector<int>(12, 0);
  starpu_data_handle_t whole = nullptr, halves[2], thirds[3];
};

// Tasks that end only when so many of them run at once.
class Meeting {
 public:
  explicit Meeting(int guests) : guests_(guests) {
    codelet_.cpu_funcs[0] = [](void**, void* self) { static_cast<Meeting*>(self)->Meet(); };
    codelet_.nbuffers = 1;
    codelet_.modes[0] = STARPU_R;
    codelet_.name = "guest";
  }
  void Invite(starpu_data_handle_t handle) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->cl_arg = this;
    task->handles[0] = handle;
    ASSERT_EQ(0, starpu_task_submit(task));
  }

 private:
  void Meet() {
    ++come_;
    while (come_ < guests_) std::this_thread::yield();
  }
  starpu_codelet codelet_ = {};
  const int guests_;
  std::atomic<int> come_{0};
};

TEST(ReadonlyPlans, WholeAndPartsOfSeveralAreReadAtOnce) {
  Started started(4);
  starpu_codelet add = VectorCodelet(AddOne);
  Planned data;
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, data.whole, 0));
  starpu_data_partition_readonly_submit(data.whole, 2, data.halves);
  starpu_data_partition_readonly_submit(data.whole, 3, data.thirds);
  Meeting meeting(4);
  for (starpu_data_handle_t handle : {data.halves[0], data.whole, data.thirds[2], data.halves[1]})
    meeting.Invite(handle);
  starpu_data_unpartition_submit(data.whole, 2, data.halves, STARPU_MAIN_RAM);
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, data.whole, 0));
  EXPECT_EQ(std::vector<int>(12, 2), data.End());
}

TEST(ReadonlyPlans, TasksThatReadSwitchReadonly) {
  Started started(3);
  Planned data;
  Meeting meeting(3);
  for (starpu_data_handle_t handle : {data.thirds[0], data.halves[0], data.whole})
    meeting.Invite(handle);
  ASSERT_EQ(0, starpu_task_wait_for_all());
}

TEST(ReadonlyPlans, AreUpgradedAndDowngraded) {
  Started started(5);  // the guests of both meetings, of which some may come at once
  starpu_codelet add = VectorCodelet(AddOne), twice = VectorCodelet(Twice);
  Planned data;
  const auto insert = [](starpu_codelet* codelet, starpu_data_handle_t handle) {
    ASSERT_EQ(0, starpu_task_insert(codelet, STARPU_RW, handle, 0));
  };
  insert(&add, data.whole);  // 1
  starpu_data_partition_readonly_submit(data.whole, 3, data.thirds);
  starpu_data_partition_readonly_submit(data.whole, 2, data.halves);
  starpu_data_partition_readwrite_upgrade_submit(data.whole, 2, data.halves);
  for (starpu_data_handle_t half : data.halves) insert(&twice, half);  // 2
  starpu_data_partition_readonly_downgrade_submit(data.whole, 2, data.halves);
  Meeting meeting(3);
  for (starpu_data_handle_t handle : {data.halves[0], data.whole, data.halves[1]})
    meeting.Invite(handle);
  starpu_data_partition_readwrite_upgrade_submit(data.whole, 2, data.halves);
  insert(&add, data.halves[1]);  // 2, 3
  starpu_data_unpartition_readonly_submit(data.whole, 2, data.halves, STARPU_MAIN_RAM);
  Meeting second(2);
  for (starpu_data_handle_t handle : {data.halves[0], data.whole}) second.Invite(handle);
  insert(&twice, data.whole);  // 4, 6
  std::vector<int> expected(12, 4);
  std::fill(expected.begin() + 6, expected.end(), 6);
  EXPECT_EQ(expected, data.End());
}

TEST(PartitionPlans, EndOnAllLevelsAtOnce) {
  Started started(2);
  starpu_codelet add = VectorCodelet(AddOne);
  Planned data;
  starpu_data_handle_t quarters[2];
  starpu_data_filter in_two = MakeFilter(starpu_vector_filter_block, 2);
  starpu_data_partition_plan(data.halves[1], &in_two, quarters);
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, quarters[1], 0));
  starpu_data_partition_not_automatic(data.whole);
  starpu_data_unpartition_submit_r(data.whole, STARPU_MAIN_RAM);
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, data.whole, 0));
  starpu_data_partition_clean(data.halves[1], 2, quarters);
  std::vector<int> expected(12, 1);
  std::fill(expected.begin() + 9, expected.end(), 2);
  EXPECT_EQ(expected, data.End());
}

TEST(PartitionPlans, EndWithACallback) {
  Started started(2);
  starpu_codelet add = VectorCodelet(AddOne);
  Planned data;
  starpu_data_partition_submit_sequential_consistency(data.whole, 2, data.halves, 1);
  for (starpu_data_handle_t half : data.halves)
    ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, half, 0));
  static std::atomic<int> seen;
  seen = -1;
  starpu_data_unpartition_submit_sequential_consistency_cb(
      data.whole, 2, data.halves, STARPU_MAIN_RAM, 1,
      [](void* values) { seen = static_cast<int*>(values)[11]; }, data.values.data());
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, seen);
}

TEST(PartitionPlans, WithoutConsistencyDoNotWaitForTheWhole) {
  Started started(2);
  Planned data;
  Meeting meeting(2);  // a reader of the whole, and of a part that is made meanwhile
  meeting.Invite(data.whole);
  starpu_data_partition_readonly_submit_sequential_consistency(data.whole, 2, data.halves, 0);
  meeting.Invite(data.halves[0]);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_data_unpartition_submit_sequential_consistency(data.whole, 2, data.halves, STARPU_MAIN_RAM,
                                                        0);
}

TEST(PartitionPlans, SwitchOnlyWhenToldWhereThatIsAskedFor) {
  Started started(2);
  starpu_codelet add = VectorCodelet(AddOne);
  Planned data;
  starpu_data_partition_not_automatic(data.whole);
  starpu_data_partition_submit(data.whole, 2, data.halves);
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, data.halves[0], 0));
  starpu_data_unpartition_submit(data.whole, 2, data.halves, STARPU_MAIN_RAM);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  ASSERT_EQ(0, starpu_task_insert(&add, STARPU_RW, data.whole, 0));
  std::vector<int> expected(12, 1);
  std::fill(expected.begin(), expected.begin() + 6, 2);
  EXPECT_EQ(expected, data.End());
}

// -1 in a program, which is the largest unsigned number.
TEST(Partition, SaysThatANumberBelowZeroIsNoNumberOfParts) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(PartsOfTen(MakeFilter(starpu_vector_filter_block, -1)),
               "cannot be cut into 4294967295 parts: .* was nchildren below 0");
}

}  // namespace
}  // namespace tasklens
