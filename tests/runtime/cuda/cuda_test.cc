// SPDX-License-Identifier: Apache-2.0
// Tasks on CUDA devices: their data, their order, their number under way, and what goes wrong.
#include <starpu_cublas_v2.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"
#include "tests/runtime/on_devices.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

constexpr size_t kMebibyte = 1 << 20;

uint64_t AddressOf(void* buffer) { return STARPU_VECTOR_GET_PTR(buffer); }
uint64_t CountOf(void* buffer) { return STARPU_VECTOR_GET_NX(buffer); }
uint64_t* WordsOf(void* buffer) { return reinterpret_cast<uint64_t*>(AddressOf(buffer)); }

void FillOnCuda(void** buffers, void*) {
  uint64_t address = AddressOf(buffers[0]), count = CountOf(buffers[0]), value = 1;
  CudaMachine::Get().Launch("fill", {&address, &count, &value});
}
void FillOnCpu(void** buffers, void*) { std::fill_n(WordsOf(buffers[0]), CountOf(buffers[0]), 1); }
void IncrementOnCuda(void** buffers, void*) {
  uint64_t address = AddressOf(buffers[0]), count = CountOf(buffers[0]);
  CudaMachine::Get().Launch("increment", {&address, &count});
}
void IncrementOnCpu(void** buffers, void*) {
  for (size_t i = 0; i < CountOf(buffers[0]); ++i) ++WordsOf(buffers[0])[i];
}
// Wherever the value is.
void IncrementInPlace(void** buffers, void* argument) {
  if (starpu_task_get_current_data_node(0) == STARPU_MAIN_RAM)
    IncrementOnCpu(buffers, argument);
  else
    IncrementOnCuda(buffers, argument);
}
void AddOnCuda(void** buffers, void*) {  // the shorter onto the longer
  uint64_t from = AddressOf(buffers[0]), to = AddressOf(buffers[1]), count = CountOf(buffers[0]);
  CudaMachine::Get().Launch("add", {&from, &to, &count});
}
void AddOnCpu(void** buffers, void*) {
  for (size_t i = 0; i < CountOf(buffers[0]); ++i) WordsOf(buffers[1])[i] += WordsOf(buffers[0])[i];
}
void Nothing(void**, void*) {}
// Takes so many nanoseconds on the device.
void StallOnCuda(void**, void* argument) {
  uint64_t ns = reinterpret_cast<uintptr_t>(argument);
  CudaMachine::Get().Launch("stall", {&ns});
}

class CudaTest : public testing::OnDevices<::testing::Test> {
 protected:
  void SetUp() override {
    CudaMachine::Get();
    setenv("STARPU_NCUDA", "1", 1);
    fill_ = Async(FillOnCpu, FillOnCuda, {STARPU_W});
    increment_ = Async(IncrementOnCpu, IncrementOnCuda, {STARPU_RW});
    read_ = Async(Nothing, Nothing, {STARPU_R});
    add_ = Async(AddOnCpu, AddOnCuda, {STARPU_R, STARPU_RW});
    stall_ = Async(Nothing, StallOnCuda, {});
  }
  void TearDown() override {
    CudaMachine::Get().Forget();
    for (const char* name : {"STARPU_NCUDA", "STARPU_NWORKER_PER_CUDA", "STARPU_CUDA_PIPELINE",
                             "STARPU_LIMIT_CUDA_MEM", "STARPU_WORKERS_CUDAID"})
      unsetenv(name);
  }
  static starpu_codelet Async(starpu_cpu_func_t cpu, starpu_cuda_func_t cuda,
                              const std::vector<starpu_data_access_mode>& modes) {
    starpu_codelet codelet = Codelet(cpu, cuda, modes);
    codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
    return codelet;
  }

  starpu_codelet fill_, increment_, read_, add_, stall_;
};

TEST_F(CudaTest, ScaleAVectorThatTheHostHas) {
  Started started(1);
  std::vector<float> values(1000, 2);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values.data()),
                              1000, sizeof(float));
  starpu_codelet scale = Async(nullptr,
                               [](void** buffers, void*) {
                                 uint64_t address = AddressOf(buffers[0]),
                                          count = CountOf(buffers[0]);
                                 float factor = 3.5f;
                                 CudaMachine::Get().Launch("scale", {&address, &count, &factor});
                               },
                               {STARPU_RW});
  Run(scale, {handle}, 0);
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<float>(1000, 7), values);
}

TEST_F(CudaTest, HaveWorkersNodesAndNames) {
  setenv("STARPU_NWORKER_PER_CUDA", "3", 1);
  Started started(2);
  EXPECT_EQ(3u, starpu_cuda_worker_get_count());
  EXPECT_EQ(2u, starpu_memory_nodes_get_count());  // streams of a device share its memory
  for (int i = 0; i < 3; ++i) {
    const int worker = starpu_worker_get_by_type(STARPU_CUDA_WORKER, i);
    EXPECT_EQ(1u, starpu_worker_get_memory_node(static_cast<unsigned>(worker)));
    char name[128];
    starpu_worker_get_name(worker, name, sizeof(name));
    EXPECT_EQ("CUDA 0." + std::to_string(i) + " (", std::string(name).substr(0, 10));
  }
  EXPECT_GT(starpu_memory_get_total(1), 0);
}

TEST_F(CudaTest, ShareWhatIsReadAndOwnWhatIsWritten) {
  Started started(1);
  std::vector<uint64_t> values(10);
  starpu_data_handle_t handle = Register(values);
  const auto having = [&] {
    starpu_task_wait_for_all();
    return Having(handle);
  };
  Run(read_, {handle}, 0);
  EXPECT_EQ("++", having());
  Run(increment_, {handle}, 0);
  EXPECT_EQ("-+", having());
  starpu_data_acquire(handle, STARPU_RW);
  EXPECT_EQ(1u, values[0]);
  values[0] = 5;
  starpu_data_release(handle);
  EXPECT_EQ("+-", having());
  Run(fill_, {handle}, 0);
  EXPECT_EQ("-+", having());
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<uint64_t>(10, 1), values);
}

TEST_F(CudaTest, FunctionsThatWaitForTheirOwnWorkNeedNoFlag) {
  Started started(1);
  increment_.cuda_flags[0] = 0;
  increment_.cuda_funcs[0] = [](void** buffers, void* argument) {
    IncrementOnCuda(buffers, argument);
    CudaMachine::Get().Synchronize();
  };
  std::vector<uint64_t> values(1000);
  starpu_data_handle_t handle = Register(values);
  for (int i = 0; i < 10; ++i) Run(increment_, {handle}, i % 2 ? 0 : -1);
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<uint64_t>(1000, 10), values);
}

// How many tasks had been given to the device before the first one was over.
TEST_F(CudaTest, AsManyTasksAreUnderWayAsThePipelineSays) {
  static std::atomic<int> begun, ended, most;
  static const auto stall = [](void** buffers, void* argument) {
    const int now = ++begun - ended;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    StallOnCuda(buffers, argument);
  };
  stall_.cuda_funcs[0] = stall;
  stall_.callback_func = [](void*) { ++ended; };
  for (const auto& [pipeline, expected] :
       std::map<std::string, int>{{"0", 1}, {"1", 1}, {"4", 4}}) {
    setenv("STARPU_CUDA_PIPELINE", pipeline.c_str(), 1);
    begun = ended = most = 0;
    Started started(1);
    for (int i = 0; i < 20; ++i) Run(stall_, {}, 0, reinterpret_cast<void*>(5'000'000));
    starpu_task_wait_for_all();
    EXPECT_EQ(expected, most) << pipeline;
    EXPECT_EQ(20, ended);
  }
}

TEST_F(CudaTest, WorkersOfADeviceWorkAtTheSameTime) {
  setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
  const TraceModel model = Recorded({.name = "two_streams", .workers = 1}, [&] {
    stall_.cpu_funcs[0] = nullptr;
    for (int i = 0; i < 8; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &stall_;
      task->cl_arg = reinterpret_cast<void*>(20'000'000);
      EXPECT_EQ(0, starpu_task_submit(task));
    }
    starpu_task_wait_for_all();
  });
  std::set<uint32_t> workers;
  int64_t begin = INT64_MAX, end = 0, sum = 0;
  for (size_t i = 0; i < model.tasks.size(); ++i) {
    if (model.tasks.worker[i] == kNone) continue;
    workers.insert(model.tasks.worker[i]);
    begin = std::min(begin, model.tasks.start_ns[i]);
    end = std::max(end, model.tasks.end_ns[i]);
    sum += model.tasks.end_ns[i] - model.tasks.start_ns[i];
  }
  EXPECT_EQ(2u, workers.size());
  EXPECT_GT(sum, end - begin);
}

// The times of a task are those of the device: in a pipeline, each begins when the one before is
// over, not when the worker launched it or saw its end.
TEST_F(CudaTest, TracesShowWhenTheDeviceWasAtATask) {
  constexpr int64_t kStallNs = 10'000'000;
  setenv("STARPU_CUDA_PIPELINE", "4", 1);
  const TraceModel model = Recorded({.name = "device_times", .workers = 1}, [&] {
    for (int i = 0; i < 6; ++i) Run(stall_, {}, 0, reinterpret_cast<void*>(kStallNs));
    starpu_task_wait_for_all();
  });
  std::vector<std::pair<int64_t, int64_t>> runs;
  std::vector<uint32_t> tasks;
  for (uint32_t i = 0; i < model.tasks.size(); ++i) {
    if (model.tasks.worker[i] == kNone) continue;
    tasks.push_back(i);
    runs.emplace_back(model.tasks.start_ns[i], model.tasks.end_ns[i]);
  }
  std::sort(runs.begin(), runs.end());
  ASSERT_EQ(6u, runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    // (A device keeps its own time, and that of the host may pass faster by some hundred ppm.)
    EXPECT_GE(runs[i].second - runs[i].first, kStallNs * 99 / 100);
    if (i > 0) {
      EXPECT_LE(runs[i - 1].second, runs[i].first);
    }
  }
  // The timeline shows the same.
  std::set<std::pair<int64_t, int64_t>> shown;
  for (size_t i = 0; i < model.states.size(); ++i)
    if (model.states.kind[i] == StateKind::kTask)
      shown.emplace(model.states.start_ns[i], model.states.end_ns[i]);
  for (const auto& run : runs) EXPECT_TRUE(shown.contains(run));
}

// However long the host was held up while the two clocks were compared.
TEST_F(CudaTest, TasksAreAsLongAsTheDeviceSays) {
  if (!CudaMachine::Get().is_standin()) GTEST_SKIP() << "a real device holds nobody up";
  constexpr int64_t kStallNs = 10'000'000;
  setenv("STARPU_CUDA_PIPELINE", "4", 1);
  const auto held_up = CudaMachine::Get().Find<StandinHeldUp>("standin_held_up");
  const TraceModel model = Recorded({.name = "held_up", .workers = 1}, [&] {
    held_up(8'000'000, 5);
    for (int i = 0; i < 3; ++i) Run(stall_, {}, 0, reinterpret_cast<void*>(kStallNs));
    starpu_task_wait_for_all();
  });
  held_up(0, 0);
  size_t ran = 0;
  for (uint32_t i = 0; i < model.tasks.size(); ++i) {
    if (model.tasks.worker[i] == kNone) continue;
    ++ran;
    EXPECT_GE(model.tasks.end_ns[i] - model.tasks.start_ns[i], kStallNs * 99 / 100);
  }
  EXPECT_EQ(3u, ran);
}

TEST_F(CudaTest, CopiesTakePlaceBesideTasks) {
  constexpr int64_t kStallNs = 100'000'000;
  constexpr uint32_t kCount = 1 << 16;
  uint64_t* words = nullptr;
  const TraceModel model = Recorded({.name = "beside", .workers = 1}, [&] {
    void* memory = nullptr;
    ASSERT_EQ(0, starpu_malloc(&memory, kCount * sizeof(uint64_t)));  // pinned
    words = static_cast<uint64_t*>(memory);
    std::fill_n(words, kCount, 3);
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(words),
                                kCount, sizeof(uint64_t));
    Run(stall_, {}, 0, reinterpret_cast<void*>(kStallNs));
    starpu_data_prefetch_on_node(handle, Node(0), /*async=*/1);
    Run(increment_, {handle}, 0);
    starpu_data_unregister(handle);
    EXPECT_EQ(4u, words[kCount - 1]);
    starpu_free_noflag(memory, kCount * sizeof(uint64_t));
  });
  ASSERT_EQ(2u, model.transfers.size());
  std::vector<std::pair<int64_t, int64_t>> runs;
  for (uint32_t i = 0; i < model.tasks.size(); ++i)
    if (model.tasks.worker[i] != kNone)
      runs.emplace_back(model.tasks.start_ns[i], model.tasks.end_ns[i]);
  std::sort(runs.begin(), runs.end());
  ASSERT_EQ(2u, runs.size());
  EXPECT_LT(model.transfers.end_ns[0], runs[0].second);
  EXPECT_GE(model.transfers.start_ns[1], runs[1].second);
}

TEST_F(CudaTest, PutAsideWhatDoesNotFit) {
  setenv("STARPU_LIMIT_CUDA_MEM", "4", 1);
  constexpr size_t kPieces = 12;
  std::vector<std::vector<uint64_t>> values(kPieces, std::vector<uint64_t>(kMebibyte / 8));
  Started started(1);
  std::vector<starpu_data_handle_t> handles;
  for (auto& piece : values) handles.push_back(Register(piece));
  EXPECT_EQ(4 * kMebibyte, static_cast<size_t>(starpu_memory_get_total(Node(0))));
  for (int round = 0; round < 3; ++round) {
    for (starpu_data_handle_t handle : handles) Run(increment_, {handle}, 0);
  }
  starpu_task_wait_for_all();
  EXPECT_EQ(4 * kMebibyte, starpu_memory_get_used(Node(0)));
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 3), piece);
}

TEST_F(CudaTest, CopyMatricesWithGapsAndGiveThemBack) {
  static constexpr uint32_t kRows = 5, kColumns = 7, kLd = 16;
  std::vector<uint64_t> values(kRows * kLd, 1);
  Started started(1);
  starpu_data_handle_t handle;
  starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values.data()),
                              kLd, kColumns, kRows, sizeof(uint64_t));
  starpu_codelet increment =
      Async(nullptr,
            [](void** buffers, void*) {
              EXPECT_EQ(kColumns, STARPU_MATRIX_GET_LD(buffers[0]));  // dense on the device
              uint64_t address = STARPU_MATRIX_GET_PTR(buffers[0]), count = kRows * kColumns;
              CudaMachine::Get().Launch("increment", {&address, &count});
            },
            {STARPU_RW});
  Run(increment, {handle}, 0);
  starpu_data_unregister(handle);
  for (uint32_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(i % kLd < kColumns ? 2u : 1u, values[i]) << i;
}

TEST_F(CudaTest, PassDataFromDeviceToDevice) {
  setenv("STARPU_NCUDA", "2", 1);
  std::vector<uint64_t> values(1000, 7);
  bool has_peers = false;
  const TraceModel model = Recorded({.name = "peers", .workers = 1}, [&] {
    has_peers = starpu_memory_nodes_get_count() >= 3;
    if (!has_peers) return;
    starpu_data_handle_t handle = Register(values);
    Run(increment_, {handle}, 0);
    Run(increment_, {handle}, 1);
    Run(increment_, {handle}, -1);
    Run(increment_, {handle}, 1);
    starpu_data_unregister(handle);
  });
  if (!has_peers) {
    // The stand-in has two.
    ASSERT_FALSE(CudaMachine::Get().is_standin());
    GTEST_SKIP() << "this machine has one CUDA device, data pass between two";
  }
  EXPECT_EQ(std::vector<uint64_t>(1000, 11), values);
  std::vector<std::pair<uint32_t, uint32_t>> hops;
  for (size_t i = 0; i < model.transfers.size(); ++i)
    hops.emplace_back(model.transfers.source_node[i], model.transfers.target_node[i]);
  EXPECT_EQ((std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 2}, {2, 0}, {0, 2}, {2, 0}}),
            hops);
}

TEST_F(CudaTest, FeedPerformanceModelsWithTheTimesOfTheDevice) {
  const std::string folder = ::testing::TempDir() + "/cuda_models";
  setenv("STARPU_PERF_MODEL_DIR", folder.c_str(), 1);
  setenv("STARPU_CALIBRATE", "1", 1);
  setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1);  // a busy machine stalls longer
  starpu_perfmodel model = {};
  model.type = STARPU_HISTORY_BASED;
  model.symbol = "cuda_stall";
  stall_.model = &model;
  {
    Started started(1);
    for (int i = 0; i < 12; ++i) Run(stall_, {}, 0, reinterpret_cast<void*>(2'000'000));
    starpu_task_wait_for_all();
    starpu_task* task = starpu_task_create();
    task->cl = &stall_;
    const double us = starpu_task_expected_length(
        task, starpu_worker_get_perf_archtype(static_cast<int>(WorkerOf(0)), 0), 0);
    EXPECT_GE(us, 1980);
    EXPECT_TRUE(std::isnan(starpu_task_expected_length(
        task, starpu_worker_get_perf_archtype(static_cast<int>(WorkerOf(-1)), 0), 0)));
    starpu_task_destroy(task);
  }
  starpu_perfmodel_deinit(&model);
  for (const char* name : {"STARPU_CALIBRATE", "STARPU_HISTORY_MAX_ERROR", "STARPU_PERF_MODEL_DIR"})
    unsetenv(name);
}

TEST_F(CudaTest, MeasureTheirBusesOnce) {
  const std::string folder = ::testing::TempDir() + "/measured";
  setenv("STARPU_PERF_MODEL_DIR", folder.c_str(), 1);
  setenv("STARPU_HOSTNAME", "measured", 1);
  unsetenv("STARPU_BUS_CALIBRATE");
  std::string files[2];
  for (std::string& text : files) {
    Started started(1);
    EXPECT_GT(starpu_transfer_latency(0, 1), 0);
    EXPECT_GT(starpu_transfer_bandwidth(1, 0), 0);
    text = std::to_string(starpu_transfer_latency(0, 1));
  }
  EXPECT_EQ(files[0], files[1]) << "whoever has files measures nothing";
  setenv("STARPU_BUS_CALIBRATE", "0", 1);
  unsetenv("STARPU_PERF_MODEL_DIR");
  unsetenv("STARPU_HOSTNAME");
}

TEST_F(CudaTest, UseScratchMemoryOfTheirOwn) {
  setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
  setenv("STARPU_LIMIT_CUDA_MEM", "4", 1);
  Started started(1);
  starpu_codelet work = Async(nullptr,
                              [](void** buffers, void*) {
                                uint64_t scratch = AddressOf(buffers[0]),
                                         to = AddressOf(buffers[1]), value = 2;
                                uint64_t count = CountOf(buffers[1]);
                                CudaMachine::Get().Launch("fill", {&scratch, &count, &value});
                                CudaMachine::Get().Launch("add", {&scratch, &to, &count});
                              },
                              {STARPU_SCRATCH, STARPU_RW});
  starpu_data_handle_t scratch;
  starpu_vector_data_register(&scratch, -1, 0, kMebibyte / 8, sizeof(uint64_t));
  std::vector<std::vector<uint64_t>> values(6, std::vector<uint64_t>(kMebibyte / 8));
  std::vector<starpu_data_handle_t> handles;
  for (auto& piece : values) handles.push_back(Register(piece));
  for (int round = 0; round < 4; ++round) {
    for (starpu_data_handle_t handle : handles)
      starpu_task_insert(&work, STARPU_SCRATCH, scratch, STARPU_RW, handle, 0);
  }
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_data_unregister(scratch);
  for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 8), piece);
}

TEST_F(CudaTest, FreeScratchMemoryThatNoTaskUnderWayUses) {
  setenv("STARPU_CUDA_PIPELINE", "4", 1);
  setenv("STARPU_LIMIT_CUDA_MEM", "4", 1);
  Started started(1);
  starpu_codelet use = Async(nullptr, FillOnCuda, {STARPU_SCRATCH});
  std::vector<uint64_t> values(3 * kMebibyte / 8, 5);
  starpu_data_handle_t scratch, large = Register(values);
  starpu_vector_data_register(&scratch, -1, 0, 2 * kMebibyte / 8, sizeof(uint64_t));
  // Those that are under way at once share it; what comes then needs its room.
  for (int i = 1; i <= 21; ++i) i % 7 ? Run(use, {scratch}, 0) : Run(increment_, {large}, 0);
  starpu_task_wait_for_all();
  EXPECT_EQ(3 * kMebibyte, static_cast<size_t>(starpu_memory_get_used(Node(0))));
  starpu_data_unregister(large);
  EXPECT_EQ(std::vector<uint64_t>(3 * kMebibyte / 8, 8), values);
  starpu_data_unregister(scratch);
}

TEST_F(CudaTest, ContributeToReductionsInTheirOwnMemory) {
  setenv("STARPU_NCUDA", "2", 1);
  setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
  Started started(2);
  const auto zero_on_cuda = [](void** buffers, void*) {
    uint64_t address = AddressOf(buffers[0]), count = CountOf(buffers[0]), value = 0;
    CudaMachine::Get().Launch("fill", {&address, &count, &value});
  };
  const auto zero_on_cpu = [](void** buffers, void*) {
    std::fill_n(WordsOf(buffers[0]), CountOf(buffers[0]), 0);
  };
  starpu_codelet reduce = Async(
      [](void** buffers, void*) {
        for (size_t i = 0; i < CountOf(buffers[0]); ++i)
          WordsOf(buffers[0])[i] += WordsOf(buffers[1])[i];
      },
      [](void** buffers, void*) {
        uint64_t to = AddressOf(buffers[0]), from = AddressOf(buffers[1]),
                 count = CountOf(buffers[0]);
        CudaMachine::Get().Launch("add", {&from, &to, &count});
      },
      {static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE), STARPU_R});
  starpu_codelet contribute = Async(IncrementOnCpu, IncrementOnCuda, {STARPU_REDUX});
  starpu_codelet in_stream = Async(zero_on_cpu, zero_on_cuda, {STARPU_W});
  starpu_codelet waits = Codelet(zero_on_cpu,
                                 [](void** buffers, void*) {
                                   uint64_t address = AddressOf(buffers[0]),
                                            count = CountOf(buffers[0]), value = 0;
                                   CudaMachine::Get().Launch("fill", {&address, &count, &value});
                                   CudaMachine::Get().Synchronize();
                                 },
                                 {STARPU_W});
  starpu_codelet on_cpus_alone = Codelet(zero_on_cpu, nullptr, {STARPU_W});
  for (starpu_codelet* zero : {&in_stream, &waits, &on_cpus_alone}) {
    std::vector<uint64_t> values(1000, 5);
    starpu_data_handle_t handle = Register(values);
    starpu_data_set_reduction_methods(handle, &reduce, zero);
    for (int round = 0; round < 3; ++round) {
      for (int device : {0, 1, -1, 0}) Run(contribute, {handle}, device);
      for (int i = 0; i < 20; ++i) starpu_task_insert(&contribute, STARPU_REDUX, handle, 0);
      Run(increment_, {handle}, round - 1);
    }
    starpu_data_unregister(handle);
    EXPECT_EQ(std::vector<uint64_t>(1000, 5 + 3 * 25), values);
  }
}

TEST_F(CudaTest, HoldDataThatAreAtHomeThere) {
  setenv("STARPU_NCUDA", "2", 1);
  Started started(1);
  constexpr uint32_t kCount = 1000;
  const uintptr_t memory = starpu_malloc_on_node(Node(0), kCount * sizeof(uint64_t));
  const auto at_home = [&] {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, static_cast<int>(Node(0)), memory, kCount,
                                sizeof(uint64_t));
    return handle;
  };
  starpu_data_handle_t handle = at_home();
  Run(fill_, {handle}, 0);
  Run(increment_, {handle}, 1);
  starpu_data_unregister(handle);
  handle = at_home();
  EXPECT_EQ("-+-", Having(handle));
  starpu_data_set_wt_mask(handle, 1u << STARPU_MAIN_RAM);
  Run(increment_, {handle}, 0);
  starpu_task_wait_for_all();
  EXPECT_EQ("++-", Having(handle));
  starpu_data_acquire(handle, STARPU_R);
  const auto* words = static_cast<const uint64_t*>(starpu_data_get_local_ptr(handle));
  EXPECT_EQ(std::vector<uint64_t>(kCount, 3), std::vector<uint64_t>(words, words + kCount));
  starpu_data_release(handle);
  starpu_data_unregister(handle);
  starpu_free_on_node(Node(0), memory, kCount * sizeof(uint64_t));
}

TEST_F(CudaTest, KeepRandomProgramsRight) {
  setenv("STARPU_NCUDA", "2", 1);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
  constexpr size_t kHandles = 12, kSize = kMebibyte / 8 / 5;  // five fit a device
  starpu_codelet in_place[] = {Async(IncrementOnCpu, IncrementInPlace, {STARPU_RW}),
                               Async(IncrementOnCpu, IncrementInPlace, {STARPU_RW})};
  for (starpu_codelet& codelet : in_place) codelet.specific_nodes = 1;
  in_place[0].nodes[0] = STARPU_SPECIFIC_NODE_CPU;
  in_place[1].nodes[0] = STARPU_SPECIFIC_NODE_LOCAL_OR_CPU;
  for (const char* policy : {"lws", "eager", "random", "dmda", "dmdas", "heteroprio"}) {
    for (unsigned seed = 0; seed < 2; ++seed) {
      std::mt19937 random(seed);
      const auto below = [&](size_t n) { return random() % n; };
      std::vector<std::vector<uint64_t>> values(kHandles), expected;
      for (size_t i = 0; i < kHandles; ++i) values[i].assign(kSize + i, i);
      expected = values;
      {
        Started started(2, policy);
        std::vector<starpu_data_handle_t> handles;
        for (auto& piece : values) handles.push_back(Register(piece));
        for (int i = 0; i < 150; ++i) {
          const size_t from = below(kHandles), to = (from + 1 + below(kHandles - 1)) % kHandles;
          const size_t less = std::min(from, to), more = std::max(from, to);
          const auto kind = below(6);
          if (kind == 5) {
            starpu_data_handle_t const data = handles[to];
            EXPECT_EQ(0, starpu_task_insert(&in_place[below(2)], STARPU_RW, data, 0));
            for (uint64_t& value : expected[to]) ++value;
            continue;
          }
          if (kind == 4) {
            starpu_data_prefetch_on_node(
                handles[to], static_cast<unsigned>(below(starpu_memory_nodes_get_count())), 1);
            continue;
          }
          starpu_task* task = starpu_task_create();
          task->cl = kind == 0 ? &fill_ : kind == 1 ? &increment_ : &add_;
          task->handles[0] = handles[kind < 2 ? to : less];
          task->handles[1] = kind < 2 ? nullptr : handles[more];
          task->priority = static_cast<int>(below(3));
          EXPECT_EQ(0, starpu_task_submit(task));
          if (kind == 0) std::fill(expected[to].begin(), expected[to].end(), 1);
          if (kind == 1)
            for (uint64_t& value : expected[to]) ++value;
          for (size_t j = 0; kind >= 2 && j < expected[less].size(); ++j)
            expected[more][j] += expected[less][j];
        }
        for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
      }
      CudaMachine::Get().Forget();
      EXPECT_TRUE(expected == values) << policy << " " << seed;
    }
  }
}

// --- What only the stand-in can be told ----------------------------------------------------------

class StandinTest : public CudaTest {
 protected:
  void SetUp() override {
    if (!CudaMachine::Get().is_standin()) GTEST_SKIP() << "a real device cannot be told to fail";
    CudaTest::SetUp();
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  }
  static void Fail(const char* symbol, int error, int times) {
    CudaMachine::Get().Find<StandinFail>("standin_fail")(symbol, error, times);
  }
  static uint64_t Calls(const char* symbol) {
    return CudaMachine::Get().Find<StandinCalls>("standin_calls")(symbol);
  }
  static uint64_t Bytes(const char* which) {
    return CudaMachine::Get().Find<StandinBytes>(which)();
  }
};

TEST_F(StandinTest, EvictWhatOthersHaveTakenTheRoomOf) {
  constexpr size_t kPieces = 4;
  std::vector<std::vector<uint64_t>> values(kPieces, std::vector<uint64_t>(kMebibyte / 8));
  {
    Started started(1);
    std::vector<starpu_data_handle_t> handles;
    for (auto& piece : values) handles.push_back(Register(piece));
    Run(increment_, {handles[0]}, 0);
    Run(increment_, {handles[1]}, 0);
    starpu_task_wait_for_all();
    Fail("cuMemAlloc_v2", /*CUDA_ERROR_OUT_OF_MEMORY=*/2, 1);
    for (starpu_data_handle_t handle : handles) Run(increment_, {handle}, 0);
    starpu_task_wait_for_all();
    EXPECT_EQ(2 * kMebibyte, starpu_memory_get_used(Node(0)));
    for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  }
  EXPECT_EQ(2u, values[1][0]);
  EXPECT_EQ(1u, values[3][0]);
  EXPECT_EQ(0u, Bytes("standin_allocated_bytes"));
}

TEST_F(StandinTest, UseTheDevicesThatAreNamed) {
  setenv("STARPU_WORKERS_CUDAID", "1", 1);
  {
    Started started(1);
    ASSERT_EQ(1u, starpu_cuda_worker_get_count());
    EXPECT_EQ(1, starpu_worker_get_devid(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0)));
  }
  unsetenv("STARPU_WORKERS_CUDAID");
  setenv("STARPU_NCUDA", "3", 1);  // there are two: a line says so
  setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
  Started started(1);
  ASSERT_EQ(4u, starpu_cuda_worker_get_count());
  EXPECT_EQ(3u, starpu_memory_nodes_get_count());
}

TEST_F(StandinTest, PinWhatStarpuMallocGives) {
  Started started(1);
  void *memory, *small, *own;
  ASSERT_EQ(0, starpu_malloc(&memory, 10'000));
  EXPECT_EQ(12'288u, Bytes("standin_pinned_bytes"));  // whole pages
  ASSERT_EQ(0, starpu_malloc(&small, 100));
  EXPECT_EQ(12'288u, Bytes("standin_pinned_bytes"));
  own = aligned_alloc(4096, 8192);
  EXPECT_EQ(0, starpu_memory_pin(own, 8192));
  EXPECT_EQ(20'480u, Bytes("standin_pinned_bytes"));
  EXPECT_EQ(0, starpu_memory_unpin(own, 8192));
  EXPECT_EQ(-1, starpu_memory_unpin(own, 8192));
  free(own);
  starpu_free_noflag(small, 100);
  starpu_free_noflag(memory, 10'000);
  EXPECT_EQ(0u, Bytes("standin_pinned_bytes"));
}

TEST_F(StandinTest, CopyRowsWithGapsInOneCall) {
  const uint64_t before = Calls("cuMemcpy2DAsync_v2");
  std::vector<uint64_t> values(64 * 64, 1);
  Started started(1);
  starpu_data_handle_t handle;
  starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values.data()),
                              64, 32, 64, sizeof(uint64_t));
  Run(read_, {handle}, 0);
  starpu_data_unregister(handle);
  EXPECT_EQ(before + 1, Calls("cuMemcpy2DAsync_v2"));
}

TEST_F(StandinTest, GiveEachWorkerAHandleOfCublas) {
  setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
  const uint64_t before = Calls("cublasCreate_v2"), destroyed = Calls("cublasDestroy_v2");
  Started started(1);
  starpu_cublas_init();
  EXPECT_EQ(before + 2, Calls("cublasCreate_v2"));
  starpu_execute_on_each_worker(
      [](void*) {
        // The stand-in's handle is its stream.
        auto* const handle = reinterpret_cast<CUstream_st**>(starpu_cublas_get_local_handle());
        ASSERT_NE(nullptr, handle);
        EXPECT_EQ(starpu_cuda_get_local_stream(), *handle);
      },
      nullptr, STARPU_CUDA);
  EXPECT_EQ(nullptr, starpu_cublas_get_local_handle());
  starpu_cublas_shutdown();
  EXPECT_EQ(destroyed + 2, Calls("cublasDestroy_v2"));
}

void IncrementBeyondOnCuda(void** buffers, void*) {
  uint64_t address = AddressOf(buffers[0]), count = 1 << 20;
  CudaMachine::Get().Launch("increment", {&address, &count});
}

TEST_F(StandinTest, SayWhichTaskFailed) {
  EXPECT_DEATH(
      {
        Started started(1);
        std::vector<uint64_t> values(10);
        starpu_data_handle_t handle = Register(values);
        increment_.name = "beyond";
        increment_.cuda_funcs[0] = IncrementBeyondOnCuda;
        Run(increment_, {handle}, 0);
        starpu_task_wait_for_all();
      },
      "on_devices.h:[0-9]+: task 'beyond' (may have )?failed on CUDA 0.0 "
      ".*CUDA_ERROR_ILLEGAL_ADDRESS: an "
      "illegal memory access was encountered");
}

TEST_F(StandinTest, SayWhichCopyFailed) {
  EXPECT_DEATH(
      {
        Started started(1);
        std::vector<uint64_t> values(10);
        starpu_data_handle_t handle = Register(values);
        Fail("cuMemcpyHtoDAsync_v2", 700, 1);
        Run(increment_, {handle}, 0);
        starpu_task_wait_for_all();
      },
      "CUDA 0: cuMemcpyHtoDAsync said CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(StandinTest, SayWhatIsLargerThanTheirMemory) {
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  EXPECT_DEATH(
      {
        Started started(1);
        std::vector<uint64_t> values(kMebibyte);
        starpu_data_handle_t handle = Register(values);
        Run(increment_, {handle}, 0);
        starpu_task_wait_for_all();
      },
      "no memory for handle .* on CUDA 0: 0 bytes of its 1048576 are in use");
}

TEST_F(StandinTest, AreLeftOutWhenTheyCannotStart) {
  setenv("STARPU_NCUDA", "2", 1);
  for (const int device : {0, 1}) {
    for (const char* symbol : {"cuDevicePrimaryCtxRetain", "cuStreamCreate"}) {
      Fail(symbol, 0, device);
      Fail(symbol, 999, 1);
      ::testing::internal::CaptureStderr();
      std::vector<uint64_t> values(100, 4);
      {
        Started started(1);
        EXPECT_EQ(1u, starpu_cuda_worker_get_count());
        void* pinned = nullptr;
        EXPECT_EQ(0, starpu_malloc(&pinned, 100'000));
        EXPECT_LT(0u, Bytes("standin_pinned_bytes"));
        EXPECT_EQ(0, starpu_free(pinned));
        starpu_data_handle_t handle = Register(values);
        Run(increment_, {handle}, 1 - device);
        starpu_data_unregister(handle);
      }
      CudaMachine::Get().Forget();
      EXPECT_EQ(std::vector<uint64_t>(100, 5), values);
      const std::string line = "CUDA " + std::to_string(device) +
                               " is left out, it cannot start: " + std::string(symbol) + " ";
      const std::string said = ::testing::internal::GetCapturedStderr();
      EXPECT_NE(std::string::npos, said.find(line)) << said;
    }
  }
  EXPECT_EQ(0u, Bytes("standin_allocated_bytes"));
  EXPECT_EQ(0u, Bytes("standin_pinned_bytes"));
}

TEST_F(StandinTest, SayWhyThereIsNoDevice) {
  Fail("cuInit", 100, 1);
  ::testing::internal::CaptureStderr();
  {
    Started started(1);
    EXPECT_EQ(0u, starpu_cuda_worker_get_count());
  }
  EXPECT_NE(std::string::npos, ::testing::internal::GetCapturedStderr().find(
                                   "tasklens: there is no CUDA device to use: cuInit said"));
  setenv("TASKLENS_CUDA_LIBRARY", "/nowhere/lib.so", 1);
  ::testing::internal::CaptureStderr();
  {
    Started started(1);
    EXPECT_EQ(0u, starpu_cuda_worker_get_count());
  }
  EXPECT_NE(std::string::npos, ::testing::internal::GetCapturedStderr().find(
                                   "CUDA devices cannot be used without libtasklens-cuda.so"));
  setenv("TASKLENS_CUDA_LIBRARY", "runtime/drivers/cuda/libtasklens-cuda.so", 1);
}

}  // namespace
}  // namespace tasklens
