// SPDX-License-Identifier: Apache-2.0
// Simulated machines: workers of two kinds, time that only models make pass.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

using testing::Simulated;

class SimulationTest : public Simulated {};

TEST_F(SimulationTest, KnowsWorkersByTheirKind) {
  Devices(2);
  Started started(3);
  EXPECT_EQ(5u, starpu_worker_get_count());
  EXPECT_EQ(2u, starpu_cuda_worker_get_count());
  EXPECT_EQ(3u, starpu_cpu_worker_get_count());
  EXPECT_EQ(2, starpu_worker_get_count_by_type(STARPU_CUDA_WORKER));
  EXPECT_EQ(5, starpu_worker_get_count_by_type(STARPU_ANY_WORKER));
  int ids[8] = {};
  EXPECT_EQ(2u, starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, ids, 8));
  for (int device = 0; device < 2; ++device) {
    const int id = starpu_worker_get_by_type(STARPU_CUDA_WORKER, device);
    EXPECT_EQ(ids[device], id);
    EXPECT_EQ(id, starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device));
    EXPECT_EQ(STARPU_CUDA_WORKER, starpu_worker_get_type(id));
    EXPECT_EQ(device, starpu_worker_get_devid(id));
    char name[64];
    starpu_worker_get_name(id, name, sizeof(name));
    EXPECT_EQ("CUDA " + std::to_string(device) + ".0 (simulated)", name);
    starpu_perfmodel_get_arch_name(starpu_worker_get_perf_archtype(id, 0), name, sizeof(name), 0);
    EXPECT_EQ(0, std::string(name).rfind("cuda" + std::to_string(device) + "_impl0", 0)) << name;
  }
  EXPECT_EQ(-1, starpu_worker_get_by_type(STARPU_CUDA_WORKER, 2));
  int devices[8] = {};
  EXPECT_EQ(3, starpu_worker_get_devids(STARPU_CPU_WORKER, devices, 8));
  EXPECT_EQ(2, devices[2]);
  EXPECT_EQ(STARPU_CPU_WORKER,
            starpu_worker_get_type(starpu_worker_get_by_type(STARPU_CPU_WORKER, 0)));
}

TEST_F(SimulationTest, HasAsManyDevicesAsTheProgramWants) {
  Devices(3);
  setenv("STARPU_NCUDA", "1", 1);
  {
    Started started(1);
    EXPECT_EQ(1u, starpu_cuda_worker_get_count());
  }
  unsetenv("STARPU_NCUDA");
}

TEST_F(SimulationTest, HasNoMoreDevicesThanFit) {
  Devices(STARPU_MAXCUDADEVS + 1);
  ::testing::internal::CaptureStderr();
  Started started(1);
  EXPECT_NE(std::string::npos, ::testing::internal::GetCapturedStderr().find(
                                   "STARPU_NSIM_CUDA=17: at most 16 devices are simulated"));
  EXPECT_EQ(16u, starpu_cuda_worker_get_count());
  EXPECT_EQ(17u, starpu_memory_nodes_get_count());
  const std::vector<int> workers = RunOn(160);
  for (int device = 0; device < 16; ++device)
    EXPECT_NE(workers.end(), std::find(workers.begin(), workers.end(),
                                       starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device)))
        << device;
}

TEST_F(SimulationTest, GivesATaskOnlyToWorkersThatCanRunIt) {
  Devices(2);
  for (const char* policy :
       {"lws", "ws", "eager", "prio", "random", "dm", "dmda", "dmdas", "heteroprio", "graph_test",
        "modular-eager", "modular-prio", "modular-random", "modular-heft"}) {
    Started started(2, policy);
    std::vector<std::vector<int>> ran;
    for (const uint32_t where : {STARPU_CPU, STARPU_CUDA, STARPU_CPU | STARPU_CUDA}) {
      codelet_.where = where;
      ran.push_back(RunOn(20));
    }
    const auto is_cuda = [](int worker) {
      return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    };
    for (const auto& workers : ran) EXPECT_EQ(20u, workers.size()) << policy;
    EXPECT_TRUE(std::none_of(ran[0].begin(), ran[0].end(), is_cuda)) << policy;
    EXPECT_TRUE(std::all_of(ran[1].begin(), ran[1].end(), is_cuda)) << policy;
  }
}

TEST_F(SimulationTest, AsksAWorkerByItsKindWhetherItCanRunATask) {
  Devices(1);
  Started started(1);
  starpu_task task;
  starpu_task_init(&task);
  task.cl = &codelet_;
  const auto cuda = static_cast<unsigned>(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0));
  const auto cpu = static_cast<unsigned>(starpu_worker_get_by_type(STARPU_CPU_WORKER, 0));
  EXPECT_TRUE(starpu_worker_can_execute_task(cuda, &task, 0));
  EXPECT_TRUE(starpu_worker_can_execute_task(cpu, &task, 0));
  task.where = STARPU_CPU;
  EXPECT_FALSE(starpu_worker_can_execute_task(cuda, &task, 0));
  task.where = STARPU_CUDA;
  EXPECT_FALSE(starpu_worker_can_execute_task(cpu, &task, 0));
  starpu_task_clean(&task);
}

TEST_F(SimulationTest, LetsTheTimePassThatModelsKnow) {
  Devices(1);
  Started started(1);
  for (const auto& [where, length_us] : {std::pair{STARPU_CPU, 1e6}, {STARPU_CUDA, 1e5}}) {
    codelet_.where = static_cast<uint32_t>(where);
    const double start_us = starpu_timing_now();
    RunOn(3);  // one after the other: there is one worker of the kind
    EXPECT_DOUBLE_EQ(3 * length_us, starpu_timing_now() - start_us);
  }
}

TEST_F(SimulationTest, StandsStillWhileTheProgramRunsAndGoesOnWhileItSleeps) {
  Devices(0);
  Started started(1);
  const double start_us = starpu_timing_now();
  using Clock = std::chrono::steady_clock;
  for (const auto begin = Clock::now(); Clock::now() - begin < std::chrono::milliseconds(1);) {
  }
  EXPECT_DOUBLE_EQ(start_us, starpu_timing_now());
  starpu_sleep(3600);
  EXPECT_DOUBLE_EQ(3600e6, starpu_timing_now() - start_us);
}

TEST_F(SimulationTest, LetsOtherThreadsOfTheProgramSubmitAndWait) {
  Devices(1);
  Started started(2, "dmda");
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EXPECT_EQ(50u, RunOn(50).size());
      ++done;
    });
  }
  while (done < 4) starpu_usleep(1e6);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SimulationTest, RefusesATaskThatNoModelKnows) {
  Devices(1);
  Started started(1);
  codelet_.model = nullptr;
  starpu_task* task = starpu_task_create();
  task->cl = &codelet_;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(-ENODEV, starpu_task_submit(task));
  EXPECT_NE(std::string::npos,
            ::testing::internal::GetCapturedStderr().find("needs a performance model"));
  starpu_task_destroy(task);
}

TEST_F(SimulationTest, RunsFunctionsOnlyWhereTheirCodeletSaysSo) {
  static std::atomic<int> calls;
  const auto count = [](void**, void*) { ++calls; };
  Devices(1);
  Started started(1);
  codelet_.cpu_funcs[0] = codelet_.cuda_funcs[0] = count;
  for (const int flags : {0, STARPU_CODELET_SIMGRID_EXECUTE}) {
    codelet_.flags = flags;
    calls = 0;
    RunOn(5);
    EXPECT_EQ(flags ? 5 : 0, calls) << flags;
  }
}

TEST_F(SimulationTest, RunsTasksOfOneProgramAtTheSameDatesEachTime) {
  Devices(2);
  struct Row {
    uint32_t worker;
    int64_t start_ns, end_ns;
    bool operator==(const Row&) const = default;
  };
  for (const char* policy : {"lws", "eager", "random", "dmdas"}) {
    setenv("STARPU_RAND_SEED", "7", 1);
    std::vector<Row> first;
    for (const char* name : {"once", "again"}) {
      const TraceModel model =
          Recorded({.name = std::string(policy) + name, .workers = 3, .policy = policy}, [&] {
            for (int i = 0; i < 200; ++i) Submit(i % 3);
          });
      std::vector<Row> rows;
      for (size_t i = 0; i < model.tasks.size(); ++i)
        if (model.tasks.worker[i] != kNone)
          rows.push_back({model.tasks.worker[i], model.tasks.start_ns[i], model.tasks.end_ns[i]});
      EXPECT_EQ(200u, rows.size());
      if (first.empty()) first = rows;
      EXPECT_TRUE(first == rows) << policy;
    }
    unsetenv("STARPU_RAND_SEED");
  }
}

TEST_F(SimulationTest, RecordsTheKindsOfWorkers) {
  Devices(2);
  const TraceModel model = Recorded({.name = "kinds", .workers = 1}, [&] {
    codelet_.where = STARPU_CUDA;
    Submit();
  });
  ASSERT_EQ(3u, model.workers.size());
  int cuda = 0;
  for (size_t i = 0; i < model.workers.size(); ++i) {
    if (static_cast<WorkerArch>(model.workers.arch[i]) != WorkerArch::kCuda) continue;
    ++cuda;
  }
  EXPECT_EQ(2, cuda);
}

// Which kinds of tasks a worker of a kind ran, in their order: 'a' gains little on a device, 'b'
// much.
std::string g_on_cuda, g_on_cpu;

// Queues of one task below heft, which keeps the others and looks at five of a priority.
TEST_F(SimulationTest, ModularHeftGivesADeviceFirstWhatGainsMost) {
  Devices(1);
  setenv("STARPU_NTASKS_THRESHOLD", "1", 1);
  model_.arch_cost_function = [](starpu_task* task, starpu_perfmodel_arch* arch, unsigned) {
    const bool is_cuda = arch->devices[0].type == STARPU_CUDA_WORKER;
    return !is_cuda ? 1e6 : *static_cast<const char*>(task->cl_arg) == 'a' ? 9e5 : 1e5;
  };
  codelet_.flags = STARPU_CODELET_SIMGRID_EXECUTE;
  codelet_.cpu_funcs[0] = [](void**, void* kind) { g_on_cpu += *static_cast<char*>(kind); };
  codelet_.cuda_funcs[0] = [](void**, void* kind) { g_on_cuda += *static_cast<char*>(kind); };
  static char kinds[] = {'a', 'b'};
  const auto run = [&](const std::string& order, int priority_of_a) {
    g_on_cuda = g_on_cpu = "";
    Started started(1, "modular-heft");
    starpu_pause();
    for (const char kind : order) {
      starpu_task* task = starpu_task_create();
      task->cl = &codelet_;
      task->cl_arg = &kinds[kind - 'a'];
      task->priority = kind == 'a' ? priority_of_a : 0;
      EXPECT_EQ(0, starpu_task_submit(task));
    }
    starpu_resume();
    starpu_task_wait_for_all();
  };
  // The first two go to the two queues at once. Then the device gets what gains most there, though
  // it was submitted last.
  run("aaaaabbb", 0);
  EXPECT_EQ("abbb", g_on_cuda.substr(0, 4));
  EXPECT_EQ(std::string::npos, g_on_cpu.find('b'));
  // What is urgent goes before it.
  run("aaaaabbb", 1);
  EXPECT_EQ('a', g_on_cuda[1]);
  // Of what gains as much, the first.
  run("bbbbbbbb", 0);
  EXPECT_EQ(8u, g_on_cuda.size() + g_on_cpu.size());
  unsetenv("STARPU_NTASKS_THRESHOLD");
}

TEST_F(SimulationTest, TellsWhatTheBusFilesHave) {
  Devices(1);
  Buses(1, /*latency_us=*/7, /*megabytes_per_s=*/12000);
  Started started(1);
  EXPECT_EQ(12000, starpu_transfer_bandwidth(0, 1));
  EXPECT_EQ(7, starpu_transfer_latency(1, 0));
  EXPECT_TRUE(std::isnan(starpu_transfer_latency(0, 5)));
  char* text = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  starpu_bus_print_bandwidth(file);
  starpu_bus_print_filenames(file);
  fclose(file);
  char name[64];
  starpu_memory_node_get_name(1, name, sizeof(name));
  const std::string device = name;
  starpu_memory_node_get_name(0, name, sizeof(name));
  const std::string ram = name;
  EXPECT_EQ("from/to\t" + ram + "\t" + device + "\t\n" + ram + "\t0\t12000\t\n" + device +
                "\t12000\t0\t\n\n" + ram + "\t0\t7\t\n" + device + "\t7\t0\t\n" +
                "\nGPU\tNUMA in preference order (logical index), host-to-device, "
                "device-to-host\nCUDA_0\t\n" +
                "bandwidth: <" + folder_ + "/bus/simulated.bandwidth>\n affinity: <" + folder_ +
                "/bus/simulated.affinity>\n  latency: <" + folder_ + "/bus/simulated.latency>\n",
            std::string(text, size));
  free(text);
}

}  // namespace
}  // namespace tasklens
