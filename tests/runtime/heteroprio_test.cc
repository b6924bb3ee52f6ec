// SPDX-License-Identifier: Apache-2.0
// heteroprio on a simulated machine with a CPU and a CUDA device: each looks into the buckets in
// its own order, and the slower one leaves the last tasks to the faster one.
#include <schedulers/starpu_heteroprio.h>

#include <algorithm>
#include <string>

#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

// Which tasks ran there, in their order: '0' is one of bucket 0.
std::string g_on_cpu, g_on_cuda;

class Heteroprio : public testing::Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    Devices(1);
    model_.arch_cost_function = [](starpu_task*, starpu_perfmodel_arch*, unsigned) { return 1e6; };
    codelet_.flags = STARPU_CODELET_SIMGRID_EXECUTE;
    codelet_.cpu_funcs[0] = [](void**, void* bucket) { g_on_cpu += *static_cast<char*>(bucket); };
    codelet_.cuda_funcs[0] = [](void**, void* bucket) { g_on_cuda += *static_cast<char*>(bucket); };
  }
  static void Order(unsigned context, starpu_worker_archtype kind, const std::string& buckets) {
    starpu_heteroprio_set_nb_prios(context, kind, static_cast<unsigned>(buckets.size()));
    for (unsigned rank = 0; rank < buckets.size(); ++rank)
      starpu_heteroprio_set_mapping(context, kind, rank,
                                    static_cast<unsigned>(buckets[rank] - '0'));
  }
  // Submits tasks of these buckets while nobody takes any.
  void Run(const std::string& buckets, void (*configure)(unsigned context)) {
    g_on_cpu = g_on_cuda = "";
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    conf.sched_policy_name = "heteroprio";
    conf.sched_policy_callback = configure;
    ASSERT_EQ(0, starpu_init(&conf));
    starpu_pause();
    for (const char bucket : buckets) {
      starpu_task* task = starpu_task_create();
      task->cl = &codelet_;
      task->cl_arg = const_cast<char*>(&kBuckets[bucket - '0']);
      task->priority = bucket - '0';
      ASSERT_EQ(0, starpu_task_submit(task));
    }
    starpu_resume();
    ASSERT_EQ(0, starpu_task_wait_for_all());
    starpu_shutdown();
    EXPECT_EQ(buckets.size(), g_on_cpu.size() + g_on_cuda.size());
  }

  static constexpr char kBuckets[] = "0123";
};

TEST_F(Heteroprio, LooksIntoTheBucketsInTheOrderOfEachKindOfWorker) {
  Run("00112233", [](unsigned context) {
    Order(context, STARPU_CPU_IDX, "0123");
    Order(context, STARPU_CUDA_IDX, "3210");
  });
  EXPECT_EQ("0011", g_on_cpu);
  EXPECT_EQ("3322", g_on_cuda);
}

TEST_F(Heteroprio, GivesAKindOnlyWhatIsInItsBuckets) {
  Run("0001", [](unsigned context) {
    Order(context, STARPU_CPU_IDX, "1");
    Order(context, STARPU_CUDA_IDX, "01");
  });
  EXPECT_EQ("1", g_on_cpu);
  EXPECT_EQ("000", g_on_cuda);
}

TEST_F(Heteroprio, LooksAsCpusDoWhereNothingIsSaid) {
  Run("0110", [](unsigned context) { Order(context, STARPU_CPU_IDX, "10"); });
  EXPECT_EQ("10", g_on_cpu);
  EXPECT_EQ("10", g_on_cuda);
}

void LeaveThreeToTheDevice(unsigned context) {
  for (const auto kind : {STARPU_CPU_IDX, STARPU_CUDA_IDX}) {
    starpu_heteroprio_set_nb_prios(context, kind, 1);
    starpu_heteroprio_set_mapping(context, kind, 0, 0);
  }
  starpu_heteroprio_set_faster_arch(context, STARPU_CUDA_IDX, 0);
  starpu_heteroprio_set_arch_slow_factor(context, STARPU_CPU_IDX, 0, 4);
}

TEST_F(Heteroprio, LeavesTheLastTasksToTheFasterKind) {
  Run("000", &LeaveThreeToTheDevice);
  EXPECT_EQ("000", g_on_cuda);
  Run("00000000", &LeaveThreeToTheDevice);
  EXPECT_TRUE(g_on_cpu == "00" || g_on_cpu == "000") << g_on_cpu;
}

TEST_F(Heteroprio, LeavesNothingThatTheFasterKindCannotRun) {
  codelet_.where = STARPU_CPU;
  Run("000", &LeaveThreeToTheDevice);
  EXPECT_EQ("000", g_on_cpu);
}

TEST_F(Heteroprio, LosesNoTaskOfAContextWhoseDeviceLeaves) {
  g_on_cpu = g_on_cuda = "";
  Started started(1);
  int workers[] = {starpu_worker_get_by_type(STARPU_CPU_WORKER, 0),
                   starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0)};
  void (*configure)(unsigned) = [](unsigned context) {
    Order(context, STARPU_CPU_IDX, "1");
    Order(context, STARPU_CUDA_IDX, "0");
  };
  const unsigned context =
      starpu_sched_ctx_create(workers, 2, "both", STARPU_SCHED_CTX_POLICY_NAME, "heteroprio",
                              STARPU_SCHED_CTX_POLICY_INIT, configure, 0);
  starpu_pause();
  for (int i = 0; i < 4; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->cl_arg = const_cast<char*>(&kBuckets[i % 2]);
    task->priority = i % 2;
    task->sched_ctx = context;
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  starpu_sched_ctx_remove_workers(&workers[1], 1, context);
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ("1100", g_on_cpu);
  starpu_sched_ctx_delete(context);
}

TEST_F(Heteroprio, TakesLastWhatNoWorkerLooksForThatCanRunIt) {
  codelet_.where = STARPU_CPU;
  ::testing::internal::CaptureStderr();
  Run("011", [](unsigned context) {
    Order(context, STARPU_CPU_IDX, "1");
    Order(context, STARPU_CUDA_IDX, "01");
  });
  EXPECT_EQ("110", g_on_cpu);
  EXPECT_NE(std::string::npos,
            ::testing::internal::GetCapturedStderr().find("no worker looks into bucket 0"));
}

// --- Locality -----------------------------------------------------------------------------------

void WithLocality(unsigned context) {
  starpu_heteroprio_set_use_locality(context, 1);
  for (const auto kind : {STARPU_CPU_WORKER, STARPU_CUDA_WORKER}) {
    starpu_heteroprio_set_nb_prios(context, kind, 2);
    for (const unsigned rank : {0, 1}) starpu_heteroprio_set_mapping(context, kind, rank, rank);
  }
  starpu_heteroprio_map_wgroup_memory_nodes(context);
}

TEST_F(Heteroprio, WithLocalityRunsEveryTaskOnce) {
  for (const char* push : {"WORKER", "LcS", "LS_SDH", "LS_SDH2", "LS_SDHB", "LC_SMWB", "AUTO"}) {
    setenv("STARPU_LAHETEROPRIO_PUSH", push, 1);
    Run("0101001100110101", &WithLocality);
  }
  unsetenv("STARPU_LAHETEROPRIO_PUSH");
}

TEST_F(Heteroprio, WithLocalitySendsTasksToTheirData) {
  setenv("STARPU_LAHETEROPRIO_PUSH", "LS_SDH", 1);
  // Nobody looks at what is for another group before all that is for his own.
  setenv("STARPU_LAHETEROPRIO_S_CPU", "0", 1);
  setenv("STARPU_LAHETEROPRIO_S_CUDA", "0", 1);
  g_on_cpu = g_on_cuda = "";
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.sched_policy_name = "heteroprio";
  conf.sched_policy_callback = &WithLocality;
  ASSERT_EQ(0, starpu_init(&conf));
  static int values[2];
  starpu_data_handle_t handles[2];
  for (const int i : {0, 1})
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<uintptr_t>(&values[i]), sizeof(int));
  const unsigned device = starpu_worker_get_memory_node(
      static_cast<unsigned>(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0)));
  ASSERT_EQ(0, starpu_data_acquire_on_node(handles[1], static_cast<int>(device), STARPU_RW));
  starpu_data_release_on_node(handles[1], static_cast<int>(device));
  codelet_.nbuffers = 1;
  codelet_.modes[0] = STARPU_R;
  starpu_pause();
  for (int i = 0; i < 8; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->handles[0] = handles[i % 2];
    task->cl_arg = const_cast<char*>(&kBuckets[i % 2]);
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
  EXPECT_EQ("0000", g_on_cpu);
  EXPECT_EQ("1111", g_on_cuda);
  for (const char* name :
       {"STARPU_LAHETEROPRIO_PUSH", "STARPU_LAHETEROPRIO_S_CPU", "STARPU_LAHETEROPRIO_S_CUDA"})
    unsetenv(name);
}

TEST_F(Heteroprio, PrintsItsGroupsAndTheirOrder) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.sched_policy_name = "heteroprio";
  conf.sched_policy_callback = &WithLocality;
  ASSERT_EQ(0, starpu_init(&conf));
  char* text = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  starpu_heteroprio_print_wgroups(stream, 0);
  fclose(stream);
  const std::string printed = text;
  free(text);
  starpu_shutdown();
  EXPECT_EQ(
      "heteroprio: 2 groups\n"
      "group 0: worker 1 (CPU 0)\n"
      "\t1: priority 0 (bucket 0) of group 0\n"
      "\t2: priority 0 (bucket 0) of group 1\n"
      "\t3: priority 1 (bucket 1) of group 0\n"
      "\t4: priority 1 (bucket 1) of group 1\n"
      "group 1: worker 0 (CUDA 0.0 (simulated))\n"
      "\t1: priority 0 (bucket 0) of group 1\n"
      "\t2: priority 1 (bucket 1) of group 1\n"
      "\t3: priority 0 (bucket 0) of group 0\n"
      "\t4: priority 1 (bucket 1) of group 0\n",
      printed);
}

TEST_F(Heteroprio, HasGroupsWithLocalityOnly) {
  Started started(1, "heteroprio");
  EXPECT_DEATH(starpu_heteroprio_map_wgroup_memory_nodes(0),
               "call starpu_heteroprio_set_use_locality");
  EXPECT_DEATH(starpu_heteroprio_print_wgroups(stderr, 0),
               "call starpu_heteroprio_set_use_locality");
}

}  // namespace
}  // namespace tasklens
