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
  static void Order(unsigned context, starpu_heteroprio_types kind, const std::string& buckets) {
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

}  // namespace
}  // namespace tasklens
