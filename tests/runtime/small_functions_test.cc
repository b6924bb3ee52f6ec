// SPDX-License-Identifier: Apache-2.0
// Functions of StarPU's that do one small thing each.
#include <starpu.h>
#include <starpu_bitmap.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace {

class SmallFunctions : public testing::Test {
 protected:
  SmallFunctions() {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    EXPECT_EQ(0, starpu_init(&conf));
  }
  ~SmallFunctions() override { starpu_shutdown(); }
};

TEST_F(SmallFunctions, KindsOfWorkersThatAreNotThereCanBeAskedFor) {
  static std::atomic<int> runs{0};
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) { ++runs; };
  codelet.hip_funcs[0] = [](void**, void*) { ADD_FAILURE(); };
  constexpr uint64_t kKinds[] = {STARPU_HIP, STARPU_MAX_FPGA, STARPU_TCPIP_MS, STARPU_MPI_MS,
                                 STARPU_OPENCL};
  uint64_t all = STARPU_CPU | STARPU_CUDA;
  for (const uint64_t kind : kKinds) {
    EXPECT_EQ(0u, all & kind) << "each has a bit of its own";
    all |= kind;
    codelet.where = static_cast<decltype(codelet.where)>(kind);
    EXPECT_EQ(-ENODEV, starpu_task_insert(&codelet, 0)) << kind;
  }
  codelet.where = static_cast<decltype(codelet.where)>(all);
  EXPECT_EQ(0, starpu_task_insert(&codelet, 0));
  starpu_task_wait_for_all();
  EXPECT_EQ(1, runs.load());
}

TEST_F(SmallFunctions, MacrosOfNodesLocksAndMatricesDoTheirWork) {
  starpu_codelet codelet = {};
  STARPU_CODELET_SET_NODE(&codelet, 3, 1);
  EXPECT_EQ(3, STARPU_CODELET_GET_NODE(&codelet, 1));
  int nodes[] = {0, 7};
  codelet.dyn_nodes = nodes;
  EXPECT_EQ(7, STARPU_CODELET_GET_NODE(&codelet, 1));
  STARPU_CODELET_SET_NODE(&codelet, 8, 0);
  EXPECT_EQ(8, nodes[0]);

  starpu_pthread_mutex_t mutex;
  STARPU_PTHREAD_MUTEX_INIT0(&mutex, nullptr);
  STARPU_PTHREAD_MUTEX_LOCK_SCHED(&mutex);
  EXPECT_EQ(EBUSY, STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(&mutex));
  STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(&mutex);
  EXPECT_EQ(0, STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(&mutex));
  STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(&mutex);
  STARPU_PTHREAD_MUTEX_DESTROY(&mutex);

  uint32_t columns = 1, rows = 2;
  starpu_csr_interface csr = {};
  csr.ram_colind = &columns;
  csr.ram_rowptr = &rows;
  EXPECT_EQ(&columns, STARPU_CSR_GET_RAM_COLIND(&csr));
  EXPECT_EQ(&rows, STARPU_CSR_GET_RAM_ROWPTR(&csr));

  STARPU_ASSERT_MSG_ALWAYS(true, "not said");
  EXPECT_DEATH(STARPU_ASSERT_MSG_ALWAYS(columns == 2, "there are %u", columns), "there are 1");
}

TEST_F(SmallFunctions, ABitmapOfTheProgramsOwnHasAllNumbersOfWorkers) {
  starpu_bitmap bits;
  starpu_bitmap_init(&bits);
  EXPECT_EQ(-1, starpu_bitmap_first(&bits));
  for (int e = 0; e < STARPU_BITMAP_NUMBERS; e += 7) starpu_bitmap_set(&bits, e);
  int at = -1;
  for (int e = 0; e < STARPU_BITMAP_NUMBERS; e += 7) {
    at = starpu_bitmap_next(&bits, at);
    ASSERT_EQ(e, at);
  }
  EXPECT_FALSE(starpu_bitmap_has_next(&bits, at));
  EXPECT_EQ(at, starpu_bitmap_last(&bits));
  EXPECT_FALSE(starpu_bitmap_get(&bits, STARPU_BITMAP_NUMBERS));
  EXPECT_DEATH(starpu_bitmap_set(&bits, STARPU_BITMAP_NUMBERS), "is not below");
}

TEST_F(SmallFunctions, AnArgumentThatIsDiscardedIsSkipped) {
  int one = 1, two = 2;
  void* packed;
  size_t size;
  starpu_codelet_pack_args(&packed, &size, STARPU_VALUE, &one, sizeof one, STARPU_VALUE, &two,
                           sizeof two, 0);
  starpu_codelet_pack_arg_data state;
  starpu_codelet_unpack_arg_init(&state, packed, size);
  starpu_codelet_unpack_discard_arg(&state);
  int read = 0;
  starpu_codelet_unpack_arg(&state, &read, sizeof read);
  EXPECT_EQ(2, read);
  starpu_codelet_unpack_arg_fini(&state);
  free(packed);
}

TEST_F(SmallFunctions, AfterClearTheTagsAreUnknown) {
  starpu_task* const task = starpu_task_create();
  task->use_tag = 1;
  task->tag_id = 7;
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_tag_wait(7));
  starpu_tag_clear();
  EXPECT_EQ(nullptr, starpu_tag_get_task(7));
}

TEST_F(SmallFunctions, EnergyIsWhatWasAccounted) {
  const double before = starpu_energy_used();
  starpu_energy_use(2.5f);
  starpu_energy_use(0.5f);
  EXPECT_DOUBLE_EQ(before + 3, starpu_energy_used());
}

TEST_F(SmallFunctions, AllMemoryIsOnNodeZero) {
  int here;
  EXPECT_EQ(1, starpu_get_memory_location_bitmap(&here, sizeof here));
  EXPECT_LT(starpu_get_memory_location_bitmap(nullptr, 1), 0);
}

TEST_F(SmallFunctions, TheMeanOfManyMeasuresWeighsAsMuchAsMany) {
  starpu_perfmodel model{};
  model.type = STARPU_HISTORY_BASED;
  model.symbol = "small_functions_test";
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.model = &model;
  starpu_perfmodel_init(&model);
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  starpu_perfmodel_arch* const arch = starpu_worker_get_perf_archtype(0, 0);
  // The first measure of all is left out, as that of a task is.
  starpu_perfmodel_update_history_n(&model, task, arch, 0, 0, 100, 31);
  starpu_perfmodel_update_history_n(&model, task, arch, 0, 0, 104, 10);
  const double mean = starpu_perfmodel_history_based_expected_perf(
      &model, arch, starpu_task_footprint(&model, task, arch, 0));
  EXPECT_NEAR((31 * 100 + 10 * 104) / 41.0, mean, 0.1);
  task->cl = nullptr;
  starpu_task_destroy(task);
}

// The next task's number.
unsigned long NextTask() {
  starpu_task* task = starpu_task_create();
  task->destroy = 0;
  task->detach = 0;
  EXPECT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(0, starpu_task_wait(task));
  const unsigned long number = starpu_task_get_job_id(task);
  starpu_task_destroy(task);
  return number + 1;
}

TEST(Breakpoints, StopATaskOfThatNumberAtThatMoment) {
  for (const char* moment : {"PUSH", "SCHED", "POP", "EXEC"}) {
    const std::string variable = std::string("STARPU_TASK_BREAK_ON_") + moment;
    const auto run = [&](unsigned long skipped) {
      ASSERT_EQ(0, starpu_init(nullptr));
      const unsigned long next = NextTask();
      starpu_shutdown();
      setenv(variable.c_str(), std::to_string(next + skipped).c_str(), 1);
      ASSERT_EQ(0, starpu_init(nullptr));
      starpu_codelet codelet{};
      codelet.cpu_funcs[0] = [](void**, void*) {};
      ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
      ASSERT_EQ(0, starpu_task_wait_for_all());
      starpu_shutdown();
      unsetenv(variable.c_str());
    };
    EXPECT_EXIT(run(0), testing::KilledBySignal(SIGTRAP), "") << moment;
    run(1);  // another task's number
  }
}

TEST(Breakpoints, AreForPoliciesOfTheProgramsOwn) {
  const auto run = [] {
    ASSERT_EQ(0, starpu_init(nullptr));
    const unsigned long next = NextTask();
    starpu_shutdown();
    setenv("STARPU_TASK_BREAK_ON_SCHED", std::to_string(next).c_str(), 1);
    ASSERT_EQ(0, starpu_init(nullptr));
    starpu_task* task = starpu_task_create();
    task->destroy = 0;
    task->detach = 0;
    ASSERT_EQ(0, starpu_task_submit(task));
    ASSERT_EQ(0, starpu_task_wait(task));
    starpu_sched_task_break(task);
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGTRAP), "");
}

TEST(ExpectedEnd, OfTheTaskAtHandIsWhatItsPolicyPredicted) {
  static double until_us;
  static starpu_perfmodel model = {};
  model.type = STARPU_COMMON;
  model.cost_function = [](starpu_task*, unsigned) { return 3e6; };
  starpu_codelet codelet = {};
  codelet.model = &model;
  codelet.cpu_funcs[0] = [](void**, void*) {
    timespec end;
    starpu_worker_get_current_task_exp_end(static_cast<unsigned>(starpu_worker_get_id()), &end);
    until_us = starpu_timing_timespec_to_us(&end) - starpu_timing_now();
  };
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  conf.sched_policy_name = "dm";
  ASSERT_EQ(0, starpu_init(&conf));
  timespec end;
  starpu_worker_get_current_task_exp_end(0, &end);
  EXPECT_EQ(0, starpu_timing_timespec_to_us(&end));
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
  starpu_shutdown();
  EXPECT_LE(until_us, 3e6);
  EXPECT_GT(until_us, 1e6);
}

}  // namespace
