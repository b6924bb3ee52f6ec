// SPDX-License-Identifier: Apache-2.0
// What is known of a handle by address and by memory node.
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

starpu_codelet Writer() {
  starpu_codelet codelet = {};
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_W;
  codelet.cpu_funcs[0] = [](void** buffers, void*) {
    *reinterpret_cast<int*>(STARPU_VECTOR_GET_PTR(buffers[0])) = 7;
  };
  return codelet;
}

TEST(Lookup, FindsAHandleByTheMemoryThatTheRuntimeGaveIt) {
  Started started(1);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, 4, sizeof(int));
  starpu_codelet codelet = Writer();
  EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_W, handle, 0));
  EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  const void* memory = starpu_data_get_local_ptr(handle);
  EXPECT_EQ(handle, starpu_data_lookup(memory));
  starpu_data_release(handle);
  starpu_data_unregister(handle);
  EXPECT_EQ(nullptr, starpu_data_lookup(memory));
}

TEST(Lookup, FindsAPartInPlaceOfTheWholeThatBeginsWithIt) {
  Started started(1);
  int memory[8] = {};
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(memory), 8,
                              sizeof(int));
  starpu_data_filter filter = {};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = 2;
  starpu_data_partition(handle, &filter);
  EXPECT_EQ(starpu_data_get_child(handle, 0), starpu_data_lookup(memory));
  EXPECT_EQ(starpu_data_get_child(handle, 1), starpu_data_lookup(memory + 4));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  EXPECT_EQ(handle, starpu_data_lookup(memory));
  EXPECT_EQ(nullptr, starpu_data_lookup(memory + 4));
  starpu_data_unregister(handle);
}

// An interface of the program's own that fills the interface of every memory node, as the
// handbook's example does.
struct Pair {
  int* first;
  int* second;
};
void RegisterPair(starpu_data_handle_t handle, int home_node, void* interface) {
  for (int node = 0; node < STARPU_MAXNODES; ++node) {
    auto* local = static_cast<Pair*>(starpu_data_get_interface_on_node(handle, unsigned(node)));
    *local = node == home_node ? *static_cast<Pair*>(interface) : Pair{nullptr, nullptr};
  }
}

TEST(Interfaces, OfTheProgramsOwnAreKeptApartByMemoryNode) {
  Started started(1);
  starpu_data_interface_ops ops = {};
  ops.register_data_handle = RegisterPair;
  ops.interfaceid = static_cast<starpu_data_interface_id>(starpu_data_interface_get_next_id());
  ops.interface_size = sizeof(Pair);
  int first = 1, second = 2;
  Pair pair = {&first, &second};
  starpu_data_handle_t handle;
  starpu_data_register(&handle, STARPU_MAIN_RAM, &pair, &ops);
  starpu_codelet codelet = {};
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  codelet.cpu_funcs[0] = [](void** buffers, void*) {
    const auto* pair = static_cast<Pair*>(buffers[0]);
    *pair->first += *pair->second;
  };
  EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_RW, handle, 0));
  starpu_data_unregister(handle);
  EXPECT_EQ(3, first);
}

TEST(TemporaryPartition, ReadsTheWholeThoughOnePartWasGivenUp) {
  Started started(2);
  starpu_data_handle_t handle, parts[4];
  starpu_vector_data_register(&handle, -1, 0, 8, sizeof(int));
  starpu_data_filter filter = {};
  filter.filter_func = starpu_vector_filter_block;
  filter.nchildren = 4;
  starpu_data_partition_plan(handle, &filter, parts);
  starpu_data_partition_submit(handle, 4, parts);
  starpu_codelet writer = Writer();
  for (starpu_data_handle_t part : parts) {
    EXPECT_EQ(0, starpu_task_insert(&writer, STARPU_W, part, 0));
  }
  starpu_data_invalidate_submit(parts[2]);
  starpu_data_unpartition_submit(handle, 4, parts, -1);
  starpu_data_partition_clean(handle, 4, parts);
  EXPECT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  const int* values = static_cast<int*>(starpu_data_get_local_ptr(handle));
  EXPECT_EQ(7, values[0]);
  EXPECT_EQ(7, values[6]);
  starpu_data_release(handle);
  starpu_data_unregister(handle);
}

}  // namespace
}  // namespace tasklens
