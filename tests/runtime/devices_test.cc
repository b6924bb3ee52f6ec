// SPDX-License-Identifier: Apache-2.0
// Memory nodes of devices: data go where tasks need them, when and only when they must, and come
// back. Functions run for real here, on what was copied.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/simulated_devices.h"

namespace tasklens {
namespace {

constexpr size_t kMebibyte = 1 << 20;

double OneMillisecond(starpu_task*, unsigned) { return 1000; }

class DevicesTest : public testing::SimulatedDevices {
 protected:
  void SetUp() override {
    SimulatedDevices::SetUp();
    sum_ = Computing(  // the shorter onto the longer
        [](void** buffers, void*) {
          for (size_t i = 0; i < Count(buffers[0]); ++i)
            Words(buffers[1])[i] += Words(buffers[0])[i];
        },
        {STARPU_R, STARPU_RW});
  }

  starpu_codelet sum_;
};

TEST_F(DevicesTest, HaveMemoryNodesOfTheirOwn) {
  Devices(2);
  Started started(1);
  EXPECT_EQ(3u, starpu_memory_nodes_get_count());
  for (int device = 0; device < 2; ++device) {
    const unsigned node = Node(device);
    EXPECT_EQ(STARPU_CUDA_RAM, starpu_node_get_kind(node));
    EXPECT_EQ(device, starpu_memory_node_get_devid(node));
    char name[32];
    starpu_memory_node_get_name(node, name, sizeof(name));
    EXPECT_EQ("CUDA " + std::to_string(device), name);
  }
}

TEST_F(DevicesTest, GetTheirDataFromWhoHasThemAndGiveThemBack) {
  Devices(2);
  Buses(2, 10, 1000);
  std::vector<uint64_t> values(1000, 7);
  const TraceModel model = Recorded({.name = "round", .workers = 1}, [&] {
    starpu_data_handle_t handle = Register(values);
    Run(add_, {handle}, 0);
    Run(add_, {handle}, 1);
    Run(add_, {handle}, -1);
    Run(add_, {handle}, 1);
    starpu_data_unregister(handle);
  });
  EXPECT_EQ(std::vector<uint64_t>(1000, 11), values);
  EXPECT_EQ((std::vector<Hop>{{0, 1}, {1, 2}, {2, 0}, {0, 2}, {2, 0}}), Hops(model));
  // 8000 bytes at 1000 bytes a microsecond.
  for (size_t i = 0; i < model.transfers.size(); ++i)
    EXPECT_EQ(18'000, model.transfers.end_ns[i] - model.transfers.start_ns[i]);
}

TEST_F(DevicesTest, ShareWhatIsReadAndOwnWhatIsWritten) {
  Devices(2);
  Started started(1);
  std::vector<uint64_t> values(10);
  starpu_data_handle_t handle = Register(values);
  const auto having = [&] {
    starpu_task_wait_for_all();
    return Having(handle);
  };
  EXPECT_EQ("+--", having());
  Run(read_, {handle}, 0);
  EXPECT_EQ("++-", having());
  Run(read_, {handle}, 1);
  EXPECT_EQ("+++", having());
  Run(add_, {handle}, 1);
  EXPECT_EQ("--+", having());
  Run(read_, {handle}, 0);
  EXPECT_EQ("-++", having());
  starpu_data_acquire(handle, STARPU_R);
  EXPECT_EQ(1u, values[0]);
  EXPECT_EQ("+++", Having(handle));
  starpu_data_release(handle);
  starpu_data_acquire(handle, STARPU_RW);
  values[0] = 5;
  starpu_data_release(handle);
  EXPECT_EQ("+--", having());
  Run(fill_, {handle}, 0);
  EXPECT_EQ("-+-", having());
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<uint64_t>(10, 1), values);
}

TEST_F(DevicesTest, GetNothingThatIsThereOrOnlyWritten) {
  Devices(1);
  std::vector<uint64_t> read(10), written(10);
  const TraceModel model = Recorded({.name = "needed", .workers = 1}, [&] {
    starpu_data_handle_t one = Register(read), other = Register(written);
    for (int i = 0; i < 5; ++i) Run(read_, {one}, 0);
    for (int i = 0; i < 5; ++i) Run(fill_, {other}, 0);
    starpu_data_unregister(one);
    starpu_data_unregister(other);
  });
  EXPECT_EQ((std::vector<Hop>{{0, 1}, {1, 0}}), Hops(model));
}

TEST_F(DevicesTest, PutAsideWhatDoesNotFit) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "4", 1);
  constexpr size_t kPieces = 12;
  std::vector<std::vector<uint64_t>> values(kPieces, std::vector<uint64_t>(kMebibyte / 8));
  uint64_t most_used = 0;
  const TraceModel model = Recorded({.name = "full", .workers = 1}, [&] {
    std::vector<starpu_data_handle_t> handles;
    for (auto& piece : values) handles.push_back(Register(piece));
    EXPECT_EQ(4 * kMebibyte, static_cast<size_t>(starpu_memory_get_total(Node(0))));
    for (int round = 0; round < 3; ++round) {
      for (starpu_data_handle_t handle : handles) {
        Run(add_, {handle}, 0);
        starpu_task_wait_for_all();
        most_used = std::max(most_used, uint64_t{starpu_memory_get_used(Node(0))});
      }
    }
    for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  });
  EXPECT_EQ(4 * kMebibyte, most_used);
  for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 3), piece);
  std::map<MemoryOp, int> operations;
  for (size_t i = 0; i < model.points.time_ns.size(); ++i) {
    if (model.points.kind[i] != EventKind::kMemoryOpStart || model.points.Args(i)[0] != 1) continue;
    ++operations[static_cast<MemoryOp>(model.points.Args(i)[1])];
  }
  EXPECT_EQ(4, operations[MemoryOp::kAllocate]);  // what went left its memory for what came
  EXPECT_EQ(32, operations[MemoryOp::kAllocateReuse]);
  EXPECT_EQ(33, operations[MemoryOp::kWriteBack]);  // what would leave next, too
}

TEST_F(DevicesTest, WaitUntilWhatMakesRoomHasLeft) {
  Devices(1);
  Buses(1, 0, 1000);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  Started started(1);
  starpu_data_handle_t handles[2];
  for (starpu_data_handle_t& handle : handles)
    starpu_vector_data_register(&handle, -1, 0, kMebibyte / 8, sizeof(uint64_t));
  Run(fill_, {handles[0]}, 0);
  starpu_task_wait_for_all();
  const double before_us = starpu_timing_now();
  Run(fill_, {handles[1]}, 0);
  starpu_task_wait_for_all();
  EXPECT_NEAR(1048.576, starpu_timing_now() - before_us, 1);
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
}

TEST_F(DevicesTest, SayWhatIsLargerThanTheirMemory) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        Started started(1);
        std::vector<uint64_t> values(kMebibyte);
        starpu_data_handle_t handle = Register(values);
        Run(add_, {handle}, 0);
        starpu_task_wait_for_all();
      },
      "no memory for handle .* on CUDA 0: 0 bytes of its 1048576 are in use");
}

TEST_F(DevicesTest, ReceiveWhatIsPrefetchedWhileTheyWork) {
  Devices(1);
  Buses(1, 0, 1000);
  model_.cost_function = OneMillisecond;
  std::vector<uint64_t> values(100'000);  // 0.8 ms
  starpu_codelet work = Computing([](void**, void*) {}, {});
  const TraceModel model = Recorded({.name = "prefetch", .workers = 1}, [&] {
    starpu_data_handle_t handle = Register(values);
    Run(work, {}, 0);
    starpu_data_prefetch_on_node(handle, Node(0), /*async=*/1);
    Run(read_, {handle}, 0);
    starpu_task_wait_for_all();
    EXPECT_EQ("++", Having(handle));
    starpu_data_idle_prefetch_on_node(handle, Node(0), /*async=*/0);  // it is there
    starpu_data_unregister(handle);
  });
  ASSERT_EQ(1u, model.transfers.size());
  EXPECT_EQ(CopyReason::kPrefetch, model.transfers.reason[0]);
  std::vector<std::pair<int64_t, int64_t>> runs;
  for (size_t i = 0; i < model.tasks.size(); ++i)
    if (model.tasks.worker[i] != kNone)
      runs.emplace_back(model.tasks.start_ns[i], model.tasks.end_ns[i]);
  std::sort(runs.begin(), runs.end());
  ASSERT_EQ(2u, runs.size());
  EXPECT_LT(model.transfers.start_ns[0], runs[0].second);
  EXPECT_EQ(runs[0].second, runs[1].first);  // which had nothing to wait for
}

TEST_F(DevicesTest, SendAndReceiveOneThingAtATime) {
  Devices(2);
  Buses(2, 0, 1000);
  std::vector<std::vector<uint64_t>> values(6, std::vector<uint64_t>(1000));
  const TraceModel model = Recorded({.name = "one_at_a_time", .workers = 1}, [&] {
    std::vector<starpu_data_handle_t> handles;
    for (auto& piece : values) handles.push_back(Register(piece));
    for (size_t i = 0; i < handles.size(); ++i)
      starpu_data_prefetch_on_node(handles[i], Node(static_cast<int>(i % 2)), /*async=*/1);
    starpu_sleep(1);
    for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  });
  ASSERT_EQ(6u, model.transfers.size());
  std::map<uint32_t, int64_t> until_ns;
  for (size_t i = 0; i < 6; ++i) {
    int64_t& until = until_ns[model.transfers.target_node[i]];
    if (until) {
      EXPECT_EQ(until, model.transfers.start_ns[i]);
    }
    until = model.transfers.end_ns[i];
  }
  EXPECT_EQ(until_ns[1], until_ns[2]);  // both devices received at the same time
}

TEST_F(DevicesTest, GetAndGiveBackPartsOfData) {
  Devices(2);
  for (const bool is_planned : {false, true}) {
    Started started(1);
    std::vector<uint64_t> values(64);
    starpu_data_handle_t whole = Register(values);
    starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
    Run(add_, {whole}, 0);  // 1, known to the device alone
    if (is_planned) {
      starpu_data_handle_t parts[2];
      starpu_data_partition_plan(whole, &halves, parts);
      for (int round = 0; round < 3; ++round) {
        Run(add_, {parts[0]}, 0);
        Run(add_, {parts[1]}, 1);
        Run(add_, {whole}, round % 2);
        Run(read_, {parts[0]}, 1);
      }
      starpu_data_partition_clean(whole, 2, parts);
    } else {
      for (int round = 0; round < 3; ++round) {
        starpu_data_partition(whole, &halves);
        Run(add_, {starpu_data_get_sub_data(whole, 1, 0)}, 0);
        Run(add_, {starpu_data_get_sub_data(whole, 1, 1)}, 1);
        starpu_data_unpartition(whole, STARPU_MAIN_RAM);
        Run(add_, {whole}, round % 2);
      }
    }
    starpu_data_unregister(whole);
    EXPECT_EQ(std::vector<uint64_t>(64, 7), values) << is_planned;
  }
}

TEST_F(DevicesTest, LetTheProgramUseDataOnANode) {
  Devices(1);
  Started started(1);
  std::vector<uint64_t> values(10, 3);
  starpu_data_handle_t handle = Register(values);
  starpu_data_acquire_on_node(handle, static_cast<int>(Node(0)), STARPU_R);
  EXPECT_EQ("++", Having(handle));
  EXPECT_FALSE(starpu_data_can_evict(handle, Node(0), 0));
  EXPECT_EQ(-1, starpu_data_evict_from_node(handle, Node(0)));
  EXPECT_NE(nullptr, starpu_data_handle_to_pointer(handle, Node(0)));
  starpu_data_release_on_node(handle, static_cast<int>(Node(0)));
  EXPECT_TRUE(starpu_data_can_evict(handle, Node(0), 0));
  EXPECT_EQ(0, starpu_data_evict_from_node(handle, Node(0)));
  EXPECT_EQ("+-", Having(handle));
  EXPECT_EQ(nullptr, starpu_data_handle_to_pointer(handle, Node(0)));
  starpu_data_unregister(handle);
}

// What each node has, followed through the trace: every task finds there what it reads, and nothing
// is copied that is there already.
class Coherency {
 public:
  explicit Coherency(const TraceModel& model) : model_(model) {}
  void Check() {
    struct Step {
      int64_t time_ns;
      // Of equal times: arrivals, ends of values, departures, starts. (What leaves then was there
      // before the task that writes it anew.)
      int order;
      size_t row;
      bool operator<(const Step& o) const {
        return std::tie(time_ns, order, row) < std::tie(o.time_ns, o.order, o.row);
      }
    };
    std::vector<Step> steps;
    for (size_t i = 0; i < model_.transfers.size(); ++i)
      steps.insert(steps.end(),
                   {{model_.transfers.end_ns[i], 0, i}, {model_.transfers.start_ns[i], 2, i}});
    for (size_t i = 0; i < model_.points.time_ns.size(); ++i)
      if (model_.points.kind[i] == EventKind::kDataState && model_.points.Args(i)[2] == 0)
        steps.push_back({model_.points.time_ns[i], 1, i});
    for (size_t i = 0; i < model_.tasks.size(); ++i)
      if (model_.tasks.worker[i] != kNone) steps.push_back({model_.tasks.start_ns[i], 3, i});
    std::sort(steps.begin(), steps.end());
    for (const Step& step : steps) {
      switch (step.order) {
        case 0: Arrived(step.row); break;
        case 1: Ended(step.row); break;
        case 2: Left(step.row); break;
        case 3: Started(step.row); break;
      }
    }
  }

 private:
  std::set<uint32_t>& At(uint64_t handle) {
    return at_.try_emplace(handle, std::set<uint32_t>{0}).first->second;
  }
  void Ended(size_t point) {
    const auto args = model_.points.Args(point);
    At(args[0]).erase(static_cast<uint32_t>(args[1]));
  }
  void Left(size_t row) { left_[row] = version_[model_.transfers.handle[row]]; }
  void Arrived(size_t row) {
    const uint64_t handle = model_.transfers.handle[row];
    if (left_[row] != version_[handle]) return;  // somebody wrote it meanwhile
    EXPECT_TRUE(At(handle).insert(model_.transfers.target_node[row]).second) << "transfer " << row;
  }
  void Started(size_t task) {
    const uint32_t node = model_.tasks.memory_node[task];
    for (const TaskAccess& access : model_.accesses[task]) {
      std::set<uint32_t>& at = At(model_.handles.address[access.handle]);
      if (access.mode & kAccessRead) {
        EXPECT_TRUE(at.contains(node)) << "task " << task;
      }
      if (!(access.mode & kAccessWrite)) continue;
      at = {node};
      ++version_[model_.handles.address[access.handle]];
    }
  }
  const TraceModel& model_;
  std::map<uint64_t, std::set<uint32_t>> at_;
  std::map<uint64_t, int> version_;  // of values
  std::map<size_t, int> left_;       // that which a transfer carries
};

TEST_F(DevicesTest, KeepRandomProgramsRightAndTheirDataCoherent) {
  Devices(3);
  Buses(3, 5, 4000);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  model_.cost_function = [](starpu_task* task, unsigned) {
    return 1 + static_cast<double>(starpu_data_get_size(task->handles[0]) % 97);
  };
  constexpr size_t kHandles = 12, kSize = kMebibyte / 8 / 5;  // five fit a device
  for (const char* policy : {"lws", "eager", "random", "dmda", "dmdas", "dmdar"}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      std::mt19937 random(seed);
      const auto below = [&](size_t n) { return random() % n; };
      std::vector<std::vector<uint64_t>> values(kHandles), expected;
      for (size_t i = 0; i < kHandles; ++i) values[i].assign(kSize + i, i);
      expected = values;
      const TraceModel model =
          Recorded({.name = policy + std::to_string(seed), .workers = 2, .policy = policy}, [&] {
            std::vector<starpu_data_handle_t> handles;
            for (auto& piece : values) handles.push_back(Register(piece));
            for (int i = 0; i < 150; ++i) {
              const size_t from = below(kHandles), to = (from + 1 + below(kHandles - 1)) % kHandles;
              const auto kind = below(4);
              starpu_task* task = starpu_task_create();
              task->cl = kind == 0 ? &fill_ : kind == 1 ? &add_ : &sum_;
              task->handles[0] = handles[kind < 2 ? to : std::min(from, to)];
              task->handles[1] = kind < 2 ? nullptr : handles[std::max(from, to)];
              task->priority = static_cast<int>(below(3));
              EXPECT_EQ(0, starpu_task_submit(task));
              if (kind == 0) std::fill(expected[to].begin(), expected[to].end(), 1);
              if (kind == 1)
                for (uint64_t& value : expected[to]) ++value;
              const auto& source = expected[std::min(from, to)];
              auto& target = expected[std::max(from, to)];
              if (kind >= 2)
                for (size_t j = 0; j < source.size(); ++j) target[j] += source[j];
            }
            for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
          });
      EXPECT_TRUE(expected == values) << policy << " " << seed;
      Coherency(model).Check();
    }
  }
}

// Independent tasks, all submitted at one moment of virtual time: which worker each policy of
// models gives them to follows from the estimates in the trace, and the policy's rule.
class Placement {
 public:
  struct Rule {
    double beta = 1;
    bool only_before = false;  // tasks of lower priority do not count
  };
  Placement(const TraceModel& model, const Rule& rule) : rule_(rule) {
    for (size_t i = 0; i < model.estimates.task.size(); ++i)
      of_task_[model.estimates.task[i]].push_back({model.estimates.worker[i],
                                                   model.estimates.length_ns[i],
                                                   model.estimates.transfer_ns[i]});
    for (const auto& [task, estimates] : of_task_) {
      const int priority = model.tasks.priority[task];
      const Estimate& best = Best(estimates, priority);
      EXPECT_EQ(static_cast<uint32_t>(best.worker), model.workers.id[model.tasks.worker[task]])
          << "task " << task;
      const double before_ns = Before(best.worker, kAll);
      queues_[best.worker][priority] +=
          best.length_ns + std::max(0.0, best.transfer_ns - before_ns);
    }
  }
  size_t size() const { return of_task_.size(); }

 private:
  struct Estimate {
    int32_t worker;
    double length_ns, transfer_ns;
  };
  static constexpr int kAll = -1000;
  double Before(int32_t worker, int least_priority) {
    double sum_ns = 0;
    for (const auto& [priority, ns] : queues_[worker])
      if (priority >= least_priority) sum_ns += ns;
    return sum_ns;
  }
  const Estimate& Best(const std::vector<Estimate>& estimates, int priority) {
    const Estimate* best = nullptr;
    double least = 0;
    for (const Estimate& one : estimates) {
      const double cost = Before(one.worker, rule_.only_before ? priority : kAll) + one.length_ns +
                          rule_.beta * one.transfer_ns;
      if (best && cost >= least - 1e-3) continue;
      best = &one;
      least = cost;
    }
    return *best;
  }
  const Rule rule_;
  std::map<uint32_t, std::vector<Estimate>> of_task_;
  std::map<int32_t, std::map<int, double>> queues_;
};

TEST_F(DevicesTest, GetTheTasksThatEstimatesInTheTraceGiveThem) {
  Devices(3);
  Buses(3, 10, 500);
  model_.type = STARPU_PER_ARCH;
  // Some kinds of tasks are faster on devices, some are not.
  model_.arch_cost_function = [](starpu_task* task, starpu_perfmodel_arch* arch, unsigned) {
    const auto kind = static_cast<unsigned>(reinterpret_cast<uintptr_t>(task->cl_arg));
    const bool is_cuda = arch->devices[0].type == STARPU_CUDA_WORKER;
    return is_cuda ? 100.0 * (1 + kind) + 13.0 * arch->devices[0].devid : 450.0 + 7.0 * kind;
  };
  const struct {
    const char *policy, *beta;
    Placement::Rule rule;
  } kCases[] = {{"dm", nullptr, {.beta = 0}},
                {"dmda", nullptr, {}},
                {"dmda", "5", {.beta = 5}},
                {"dmdap", nullptr, {}},
                {"dmdar", nullptr, {}},
                {"dmdas", nullptr, {}},
                {"dmdasd", nullptr, {.only_before = true}},
                {"modular-heft", nullptr, {}}};
  setenv("STARPU_NTASKS_THRESHOLD", "200", 1);  // the queues of modular-heft take all at once
  for (const auto& [policy, beta, rule] : kCases) {
    if (beta) setenv("STARPU_SCHED_BETA", beta, 1);
    std::vector<std::vector<uint64_t>> values;
    for (size_t i = 0; i < 10; ++i) values.emplace_back(1000 * (1 + i));
    const TraceModel model = Recorded({.name = std::string(policy) + "placed" + (beta ? beta : ""),
                                       .workers = 2,
                                       .policy = policy},
                                      [&] {
                                        std::vector<starpu_data_handle_t> handles;
                                        for (auto& piece : values)
                                          handles.push_back(Register(piece));
                                        for (size_t i = 0; i < 200; ++i) {
                                          starpu_task* task = starpu_task_create();
                                          task->cl = &read_;
                                          task->handles[0] = handles[i * 7 % handles.size()];
                                          task->cl_arg = reinterpret_cast<void*>(i % 6);
                                          task->priority = static_cast<int>(i % 4);
                                          EXPECT_EQ(0, starpu_task_submit(task));
                                        }
                                        starpu_task_wait_for_all();
                                        for (starpu_data_handle_t handle : handles)
                                          starpu_data_unregister(handle);
                                      });
    unsetenv("STARPU_SCHED_BETA");
    EXPECT_EQ(200u, Placement(model, rule).size()) << policy;
    std::set<uint32_t> nodes(model.tasks.memory_node.begin(), model.tasks.memory_node.end());
    EXPECT_LE(4u, nodes.size()) << policy;  // all of them, and none of the program's own jobs
    EXPECT_TRUE(std::any_of(model.transfers.reason.begin(), model.transfers.reason.end(),
                            [](CopyReason reason) { return reason == CopyReason::kTaskPrefetch; }))
        << policy;
  }
  unsetenv("STARPU_NTASKS_THRESHOLD");
}

}  // namespace
}  // namespace tasklens
