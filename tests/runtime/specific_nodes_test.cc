// SPDX-License-Identifier: Apache-2.0
// Codelets that name the memory nodes of their data (specific_nodes).
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "schedulers/starpu_scheduler_toolbox.h"
#include "tests/runtime/simulated_devices.h"

namespace tasklens {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMebibyte = 1 << 20;
constexpr int kNone = -1;

class SpecificNodesTest : public testing::SimulatedDevices {
 protected:
  // What a task saw of its buffers.
  struct Seen {
    std::vector<int> nodes;
    std::vector<uint64_t*> words;
  };
  // Notes what it sees, and adds 1 to what it may write.
  static void Look(void** buffers, void* argument) {
    auto& seen = *static_cast<Seen*>(argument);
    starpu_task* const task = starpu_task_get_current();
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
      const int node = starpu_task_get_current_data_node(i);
      seen.nodes.push_back(node);
      seen.words.push_back(Words(buffers[i]));
      const bool adds = (STARPU_TASK_GET_MODE(task, i) & STARPU_W) && node != kNone;
      for (size_t j = 0; adds && j < Count(buffers[i]); ++j) ++Words(buffers[i])[j];
    }
  }
  starpu_codelet Looking(const std::vector<starpu_data_access_mode>& modes,
                         const std::vector<int>& nodes) {
    starpu_codelet codelet = Computing(Look, modes);
    codelet.specific_nodes = 1;
    std::copy(nodes.begin(), nodes.end(), codelet.nodes);
    return codelet;
  }
  // The nodes of a task's data on a device.
  Seen RunLooking(const std::vector<starpu_data_access_mode>& modes, const std::vector<int>& nodes,
                  const std::vector<starpu_data_handle_t>& data, int device) {
    starpu_codelet codelet = Looking(modes, nodes);
    Seen seen;
    Run(codelet, data, device, &seen);
    starpu_task_wait_for_all();
    return seen;
  }
  int NodeSeen(starpu_data_access_mode mode, int node, starpu_data_handle_t data, int device) {
    const Seen seen = RunLooking({mode}, {node}, {data}, device);
    const int at = seen.nodes.front();
    if (at != kNone) {
      EXPECT_EQ(starpu_data_handle_to_pointer(data, static_cast<unsigned>(at)), seen.words.front());
    }
    return at;
  }
  // What its submission returns, and the line on standard error.
  std::string Refusal(starpu_codelet& codelet, const std::vector<starpu_data_handle_t>& data) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    std::copy(data.begin(), data.end(), task->handles);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(-EINVAL, starpu_task_submit(task));
    starpu_task_destroy(task);
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(SpecificNodesTest, EachConstantAndNumberNamesANode) {
  Devices(2);
  Started started(1);
  struct Case {
    int node, on_cpu, on_device;  // what the codelet says; where the value is for a worker
    std::string having;           // after the task on the device
  };
  for (const Case& one : std::vector<Case>{
           {STARPU_SPECIFIC_NODE_LOCAL, 0, 1, "-+-"},
           {STARPU_SPECIFIC_NODE_CPU, 0, 0, "+--"},
           {STARPU_SPECIFIC_NODE_SLOW, 0, 0, "+--"},
           {STARPU_SPECIFIC_NODE_FAST, 0, 1, "-+-"},
           {STARPU_SPECIFIC_NODE_LOCAL_OR_CPU, 0, 0, "+--"},
           {STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU, 0, 0, "+--"},
           {STARPU_SPECIFIC_NODE_NONE, kNone, kNone, "+--"},
           {STARPU_MAIN_RAM, 0, 0, "+--"},
           {1, 1, 1, "-+-"},
           {2, 2, 2, "--+"},
       }) {
    SCOPED_TRACE(one.node);
    std::vector<uint64_t> values(10, 5);
    const starpu_data_handle_t data = Register(values);
    EXPECT_EQ(one.on_cpu, NodeSeen(STARPU_RW, one.node, data, -1));
    EXPECT_EQ(0, starpu_data_acquire(data, STARPU_RW));
    starpu_data_release(data);
    EXPECT_EQ(one.on_device, NodeSeen(STARPU_RW, one.node, data, 0));
    EXPECT_EQ(one.having, Having(data));
    starpu_data_unregister(data);
    EXPECT_EQ(std::vector<uint64_t>(10, one.on_device == kNone ? 5 : 7), values);
  }
}

TEST_F(SpecificNodesTest, LocalOrCpuIsWhereTheValueIs) {
  Devices(2);
  Started started(1);
  std::vector<uint64_t> values(10, 5);
  const starpu_data_handle_t data = Register(values);
  const auto seen = [&](starpu_data_access_mode mode) {
    return NodeSeen(mode, STARPU_SPECIFIC_NODE_LOCAL_OR_CPU, data, 0);
  };
  EXPECT_EQ(0, seen(STARPU_R));
  Run(read_, {data}, 0);
  EXPECT_EQ(1, seen(STARPU_R)) << "both have it";
  Run(add_, {data}, 1);
  EXPECT_EQ(1, seen(STARPU_R)) << "neither has it";
  Run(add_, {data}, -1);
  EXPECT_EQ(1, seen(STARPU_W)) << "nobody needs what was there";
  starpu_data_set_wt_mask(data, 1u << STARPU_MAIN_RAM);
  EXPECT_EQ(0, seen(STARPU_W)) << "it has to go there anyway";
  starpu_data_unregister(data);
}

TEST_F(SpecificNodesTest, DynNodesAreForManyBuffers) {
  Devices(1);
  Started started(1);
  constexpr int kCount = STARPU_NMAXBUFS + 2;
  std::vector<std::vector<uint64_t>> values(kCount, std::vector<uint64_t>(10, 5));
  std::vector<starpu_data_handle_t> data;
  for (auto& piece : values) data.push_back(Register(piece));
  std::vector<int> nodes;
  for (int i = 0; i < kCount; ++i)
    nodes.push_back(i % 2 ? STARPU_SPECIFIC_NODE_CPU : STARPU_SPECIFIC_NODE_LOCAL);
  std::vector<starpu_data_access_mode> modes(kCount, STARPU_RW);
  starpu_codelet codelet = Looking({}, {});
  codelet.nbuffers = kCount;
  codelet.dyn_modes = modes.data();
  Seen seen;
  const auto submit = [&] {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &seen;
    task->dyn_handles = static_cast<starpu_data_handle_t*>(malloc(kCount * sizeof(data[0])));
    std::copy(data.begin(), data.end(), task->dyn_handles);
    task->execute_on_a_specific_worker = 1;
    task->workerid = WorkerOf(0);
    const int result = starpu_task_submit(task);
    if (result) starpu_task_destroy(task);
    return result;
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(-EINVAL, submit());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("need dyn_nodes"));
  codelet.dyn_nodes = nodes.data();
  EXPECT_EQ(0, submit());
  starpu_task_wait_for_all();
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(i % 2 ? 0 : 1, seen.nodes[static_cast<size_t>(i)]);
  for (starpu_data_handle_t one : data) starpu_data_unregister(one);
  for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(10, 6), piece);
}

TEST_F(SpecificNodesTest, OnlyWhatGoesToTheNamedNodesIsTransferred) {
  Devices(2);
  Buses(2, 10, 1000);
  std::vector<uint64_t> one(10, 5), two(10, 5), three(10, 5);
  const TraceModel model = Recorded({.name = "named", .workers = 1}, [&] {
    const std::vector<starpu_data_handle_t> data = {Register(one), Register(two), Register(three)};
    for (starpu_data_handle_t each : data) Run(add_, {each}, 1);
    starpu_task_wait_for_all();
    RunLooking({STARPU_RW, STARPU_R, STARPU_RW},
               {STARPU_SPECIFIC_NODE_CPU, STARPU_SPECIFIC_NODE_NONE, STARPU_SPECIFIC_NODE_LOCAL},
               data, 0);
    EXPECT_EQ("+--", Having(data[0]));
    EXPECT_EQ("--+", Having(data[1]));
    EXPECT_EQ("-+-", Having(data[2]));
    for (starpu_data_handle_t each : data) starpu_data_unregister(each);
  });
  std::vector<Hop> hops = Hops(model);
  std::sort(hops.begin(), hops.end());
  EXPECT_EQ((std::vector<Hop>{{0, 2}, {0, 2}, {0, 2}, {1, 0}, {2, 0}, {2, 0}, {2, 1}}), hops);
  EXPECT_EQ(std::vector<uint64_t>(10, 7), one);
  EXPECT_EQ(std::vector<uint64_t>(10, 6), two);
  EXPECT_EQ(std::vector<uint64_t>(10, 7), three);
}

TEST_F(SpecificNodesTest, TheSameDataMayBeReadOnTwoNodes) {
  Devices(1);
  Started started(1);
  std::vector<uint64_t> values(10, 5);
  const starpu_data_handle_t data = Register(values);
  Run(add_, {data}, 0);
  const Seen seen =
      RunLooking({STARPU_R, STARPU_R}, {STARPU_SPECIFIC_NODE_CPU, STARPU_SPECIFIC_NODE_LOCAL},
                 {data, data}, 0);
  EXPECT_EQ((std::vector<int>{0, 1}), seen.nodes);
  EXPECT_NE(seen.words[0], seen.words[1]);
  EXPECT_EQ("++", Having(data));
  starpu_data_unregister(data);
}

TEST_F(SpecificNodesTest, NodesThatCannotBeAreRefusedByALine) {
  Devices(1);
  Started started(1);
  std::vector<uint64_t> values(10);
  const starpu_data_handle_t data = Register(values);
  const auto told = [&](int node) {
    starpu_codelet codelet = Looking({STARPU_RW}, {node});
    return Refusal(codelet, {data});
  };
  EXPECT_THAT(told(2), HasSubstr("puts buffer 0 on memory node 2, which does not exist"));
  EXPECT_THAT(told(-8), HasSubstr("memory node -8, which is no STARPU_SPECIFIC_NODE_ constant"));
  starpu_codelet twice = Looking({STARPU_R, STARPU_RW}, {0, STARPU_SPECIFIC_NODE_LOCAL});
  EXPECT_THAT(Refusal(twice, {data, data}), HasSubstr("are the same data on two memory nodes"));
  EXPECT_EQ(0, starpu_task_wait_for_all());
  starpu_data_unregister(data);
}

TEST_F(SpecificNodesTest, CostsAndPrefetchesAreThoseOfTheNodes) {
  Devices(2);
  Buses(2, 100, 1000);
  Started started(1);
  std::vector<uint64_t> values(kMebibyte / 8, 5);
  const starpu_data_handle_t data = Register(values);
  Run(add_, {data}, 1);
  starpu_task_wait_for_all();
  const unsigned worker = WorkerOf(0);
  // Calls f(task), of a task that reads the data.
  const auto with_task = [&](int node, auto f) {
    starpu_codelet codelet = Looking({STARPU_R}, {node});
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = data;
    const auto result = f(task);
    starpu_task_destroy(task);
    return result;
  };
  const auto us = [&](int node) {
    return with_task(node, [&](starpu_task* task) {
      const double expected_us = starpu_task_expected_data_transfer_time_for(task, worker);
      EXPECT_EQ(expected_us, starpu_task_expected_data_transfer_time(Node(0), task));
      return expected_us;
    });
  };
  const auto missing = [&](int node) {
    return with_task(
        node, [&](starpu_task* task) { return starpu_st_non_ready_buffers_count(task, worker); });
  };
  for (const int node : {STARPU_SPECIFIC_NODE_LOCAL, STARPU_SPECIFIC_NODE_CPU}) {
    EXPECT_NEAR(4294, us(node), 1);
    EXPECT_EQ(1, missing(node));
  }
  for (const int node : {2, STARPU_SPECIFIC_NODE_NONE}) {
    EXPECT_EQ(0, us(node));
    EXPECT_EQ(0, missing(node));
  }
  EXPECT_EQ(0, with_task(STARPU_SPECIFIC_NODE_CPU, [&](starpu_task* task) {
              return starpu_prefetch_task_input_for(task, worker);
            }));
  EXPECT_EQ("+-+", Having(data));
  EXPECT_EQ(0, us(STARPU_SPECIFIC_NODE_CPU));
  EXPECT_EQ(0, us(STARPU_SPECIFIC_NODE_LOCAL_OR_CPU));
  starpu_data_unregister(data);
}

TEST_F(SpecificNodesTest, DmdaCountsNoTransferOfWhatStays) {
  Devices(1);
  Buses(1, 100, 1000);  // a transfer takes 10 ms
  model_.type = STARPU_PER_ARCH;
  model_.cost_function = nullptr;
  model_.arch_cost_function = [](starpu_task*, starpu_perfmodel_arch* arch, unsigned) {
    return arch->devices[0].type == STARPU_CUDA_WORKER ? 1000. : 5000.;
  };
  Started started(1, "dmda");
  std::vector<uint64_t> values(10 * kMebibyte / 8, 5);
  const starpu_data_handle_t data = Register(values);
  const auto worker = [&](int node) {
    starpu_codelet codelet = Looking({STARPU_R}, {node});
    Seen seen;
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &seen;
    task->handles[0] = data;
    task->detach = 0;
    task->destroy = 0;
    EXPECT_EQ(0, starpu_task_submit(task));
    EXPECT_EQ(0, starpu_task_wait(task));
    const unsigned id = task->workerid;
    starpu_task_destroy(task);
    return id;
  };
  EXPECT_EQ(WorkerOf(-1), worker(STARPU_SPECIFIC_NODE_LOCAL));
  EXPECT_EQ(WorkerOf(0), worker(STARPU_SPECIFIC_NODE_CPU));
  EXPECT_EQ("+-", Having(data));
  starpu_data_unregister(data);
}

TEST_F(SpecificNodesTest, WhatDoesNotFitADeviceStaysInTheMainMemory) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "2", 1);
  Started started(1);
  std::vector<uint64_t> large(3 * kMebibyte / 8, 5);
  std::vector<std::vector<uint64_t>> small(4, std::vector<uint64_t>(kMebibyte / 8, 5));
  const starpu_data_handle_t whole = Register(large);
  std::vector<starpu_data_handle_t> parts;
  for (auto& piece : small) parts.push_back(Register(piece));
  for (int round = 0; round < 3; ++round) {
    for (starpu_data_handle_t part : parts) {
      RunLooking({STARPU_RW, STARPU_RW}, {STARPU_SPECIFIC_NODE_SLOW, STARPU_SPECIFIC_NODE_FAST},
                 {whole, part}, 0);
    }
  }
  EXPECT_EQ("+-", Having(whole));
  starpu_data_unregister(whole);
  for (starpu_data_handle_t part : parts) starpu_data_unregister(part);
  EXPECT_EQ(std::vector<uint64_t>(3 * kMebibyte / 8, 17), large);
  for (const auto& piece : small) EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 8), piece);
}

TEST_F(SpecificNodesTest, ScratchBuffersAreOnTheNodesToo) {
  Devices(1);
  Started started(1);
  starpu_data_handle_t scratch;
  starpu_vector_data_register(&scratch, -1, 0, 10, sizeof(uint64_t));
  const auto used = [] { return starpu_memory_get_used(Node(0)); };
  const Seen in_main = RunLooking({STARPU_SCRATCH}, {STARPU_SPECIFIC_NODE_CPU}, {scratch}, 0);
  EXPECT_EQ(std::vector<int>{0}, in_main.nodes);
  EXPECT_EQ(0, used());
  const Seen local = RunLooking({STARPU_SCRATCH}, {STARPU_SPECIFIC_NODE_LOCAL}, {scratch}, 0);
  EXPECT_EQ(std::vector<int>{1}, local.nodes);
  EXPECT_EQ(80, used());
  EXPECT_NE(in_main.words, local.words);
  EXPECT_EQ(in_main.words,
            RunLooking({STARPU_SCRATCH}, {STARPU_SPECIFIC_NODE_SLOW}, {scratch}, 0).words)
      << "kept for the next task";
  EXPECT_EQ(kNone,
            RunLooking({STARPU_SCRATCH}, {STARPU_SPECIFIC_NODE_NONE}, {scratch}, 0).nodes[0]);
  starpu_data_unregister(scratch);
  EXPECT_EQ(0, used());
}

TEST_F(SpecificNodesTest, ContributionsAreMadeOnTheNodes) {
  Devices(1);
  Buses(1, 10, 1000);
  starpu_codelet zero =
      Computing([](void** buffers, void*) { std::fill_n(Words(buffers[0]), Count(buffers[0]), 0); },
                {STARPU_W});
  starpu_codelet reduce = Computing(
      [](void** buffers, void*) {
        for (size_t i = 0; i < Count(buffers[0]); ++i) Words(buffers[0])[i] += Words(buffers[1])[i];
      },
      {static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE), STARPU_R});
  reduce.where = STARPU_CPU;
  starpu_codelet contribute = add_;
  contribute.modes[0] = STARPU_REDUX;
  contribute.specific_nodes = 1;
  contribute.nodes[0] = STARPU_SPECIFIC_NODE_CPU;
  std::vector<uint64_t> values(10, 5);
  const TraceModel model = Recorded({.name = "contributed", .workers = 1}, [&] {
    const starpu_data_handle_t data = Register(values);
    starpu_data_set_reduction_methods(data, &reduce, &zero);
    for (const int device : {0, -1, 0}) Run(contribute, {data}, device);
    starpu_data_unregister(data);
  });
  EXPECT_EQ(std::vector<uint64_t>(10, 8), values);
  EXPECT_EQ(std::vector<Hop>{}, Hops(model));
}

// Two handles of the same memory: the program switches between them with an empty task.
TEST_F(SpecificNodesTest, ATaskWithoutFunctionPutsItsData) {
  Devices(1);
  Started started(1);
  std::vector<uint64_t> values(10, 5);
  const starpu_data_handle_t one = Register(values), other = Register(values);
  starpu_codelet change = {};
  change.where = STARPU_NOWHERE;
  change.nbuffers = 2;
  change.modes[0] = STARPU_RW;
  change.modes[1] = STARPU_W;
  change.specific_nodes = 1;
  const auto change_to = [&](starpu_data_handle_t from, starpu_data_handle_t to) {
    EXPECT_EQ(0, starpu_task_insert(&change, STARPU_RW, from, STARPU_W, to, 0));
  };
  for (int i = 0; i < 3; ++i) {
    Run(add_, {one}, 0);
    change_to(one, other);
    Run(add_, {other}, 0);
    change_to(other, one);
  }
  starpu_task_wait_for_all();
  EXPECT_EQ("+-", Having(one));
  // Without a worker, its own node is none.
  change.nodes[0] = STARPU_SPECIFIC_NODE_LOCAL;
  change.nodes[1] = 1;
  change_to(one, other);
  starpu_task_wait_for_all();
  EXPECT_EQ("+-", Having(one));
  EXPECT_EQ("-+", Having(other));
  starpu_data_invalidate(other);
  starpu_data_unregister_no_coherency(other);
  starpu_data_unregister(one);
  EXPECT_EQ(std::vector<uint64_t>(10, 11), values);
}

TEST_F(SpecificNodesTest, OfATaskThatIsNotRunningNoNodeIsKnown) {
  Devices(1);
  Started started(1);
  std::vector<uint64_t> values(10, 5);
  const starpu_data_handle_t data = Register(values);
  EXPECT_EQ(-1, starpu_task_get_current_data_node(0));
  static int in_callback;
  in_callback = 5;
  starpu_codelet codelet = Looking({STARPU_R}, {STARPU_SPECIFIC_NODE_CPU});
  Seen seen;
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = &seen;
  task->handles[0] = data;
  task->callback_func = [](void*) { in_callback = starpu_task_get_current_data_node(0); };
  EXPECT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  EXPECT_EQ(std::vector<int>{0}, seen.nodes);
  EXPECT_EQ(-1, in_callback);
  starpu_data_unregister(data);
}

}  // namespace
}  // namespace tasklens
