// SPDX-License-Identifier: Apache-2.0
// dm and its kin: tasks go where the models expect them to end first, and the trace says why.
#include <starpu_sched_component.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "perfmodel/places.h"
#include "tests/runtime/recorded.h"
#include "tests/runtime/spin.h"

namespace tasklens {
namespace {

constexpr const char* kPolicies[] = {"dm",    "dmda",   "dmdap", "dmdar",
                                     "dmdas", "dmdasd", "pheft", "modular-heft"};

// Who ran the tasks, and in which order.
struct Ran {
  std::mutex lock;
  std::vector<int> workers, priorities, implementations;
  long On(int worker) const { return std::count(workers.begin(), workers.end(), worker); }
};
Ran* g_ran;

template <int kImplementation>
void See(void**, void*) {
  std::lock_guard guard(g_ran->lock);
  g_ran->workers.push_back(starpu_worker_get_id());
  g_ran->priorities.push_back(starpu_task_get_current()->priority);
  g_ran->implementations.push_back(kImplementation);
}

class ModelPolicies : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/model_policies_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    setenv("STARPU_PERF_MODEL_DIR", folder_.c_str(), 1);
    setenv("STARPU_HOSTNAME", "node0", 1);
    // On a busy machine tasks of one kind take any time: none is an outlier.
    setenv("STARPU_HISTORY_MAX_ERROR", "100000000", 1);
    g_ran = &ran_;
    codelet_.cpu_funcs[0] = See<0>;
    codelet_.model = &model_;
    codelet_.name = "seen";
  }
  void TearDown() override {
    starpu_perfmodel_deinit(&model_);
    starpu_perfmodel_deinit(&energy_);
  }
  // Costs of tasks on each worker.
  void Cost(double (*of_worker)(starpu_task*, unsigned, unsigned)) {
    model_.type = STARPU_PER_WORKER;
    model_.worker_cost_function = of_worker;
  }
  // Submits them all before any runs, and waits.
  void Run(const std::vector<int>& priorities) {
    starpu_pause();
    for (const int priority : priorities) Submit(priority);
    starpu_resume();
    EXPECT_EQ(0, starpu_task_wait_for_all());
  }
  void Run(int count) { Run(std::vector<int>(static_cast<size_t>(count))); }
  void Submit(int priority) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->priority = priority;
    EXPECT_EQ(0, starpu_task_submit(task));
  }

  std::string folder_;
  Ran ran_;
  starpu_perfmodel model_ = {}, energy_ = {};
  starpu_codelet codelet_ = {};
};

TEST_F(ModelPolicies, GiveEachTaskToTheWorkerThatIsExpectedToEndItFirst) {
  // Worker 0 ends 10 tasks in the second of worker 1's first: 20 and 2 end all at once.
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1e5 : 1e6; });
  for (const char* policy : kPolicies) {
    ran_.workers.clear();
    Started started(2, policy);
    EXPECT_STREQ(policy, starpu_sched_ctx_get_sched_policy(0)->policy_name);
    Run(22);
    EXPECT_EQ(20, ran_.On(0)) << policy;
    EXPECT_EQ(2, ran_.On(1)) << policy;
  }
}

TEST_F(ModelPolicies, SpreadTasksOfEqualLengthEvenly) {
  model_.type = STARPU_COMMON;
  model_.cost_function = [](starpu_task*, unsigned) { return 1e5; };
  for (const char* policy : kPolicies) {
    ran_.workers.clear();
    Started started(3, policy);
    Run(30);
    for (int worker = 0; worker < 3; ++worker) EXPECT_EQ(10, ran_.On(worker)) << policy;
  }
}

TEST_F(ModelPolicies, TakeTheImplementationThatIsExpectedToBeFaster) {
  codelet_.cpu_funcs[1] = See<1>;
  model_.type = STARPU_COMMON;
  model_.cost_function = [](starpu_task*, unsigned implementation) {
    return implementation == 1 ? 1e3 : 1e4;
  };
  Started started(2, "dmda");
  Run(10);
  EXPECT_EQ(std::vector<int>(10, 1), ran_.implementations);
}

TEST_F(ModelPolicies, SpreadTasksThatNobodyMeasuredAndKnowThemInTheNextRun) {
  model_.type = STARPU_HISTORY_BASED;
  model_.symbol = "measured";
  codelet_.cpu_funcs[0] = [](void** buffers, void* argument) {
    SpinUs(500);
    See<0>(buffers, argument);
  };
  starpu_task task;
  starpu_task_init(&task);
  task.cl = &codelet_;
  starpu_perfmodel_arch* cpu = starpu_worker_get_perf_archtype(0, 0);
  for (const bool is_known : {false, true}) {
    ran_.workers.clear();
    Started started(2, "dmda");
    EXPECT_EQ(!is_known, std::isnan(starpu_task_expected_length(&task, cpu, 0)));
    Run(60);
    if (!is_known) {
      EXPECT_EQ(30, ran_.On(0));
    }
    EXPECT_EQ(60u, ran_.workers.size());
  }
  starpu_task_clean(&task);
  EXPECT_TRUE(FindPerfmodel({{folder_}, "node0"}, "measured").ok());
}

TEST_F(ModelPolicies, RunTasksWithoutAModel) {
  codelet_.model = nullptr;
  for (const char* policy : kPolicies) {
    ran_.workers.clear();
    Started started(2, policy);
    Run(20);
    EXPECT_EQ(10, ran_.On(0)) << policy;
  }
}

TEST_F(ModelPolicies, WithSortedTasksRunTheHighestPriorityFirst) {
  Cost([](starpu_task*, unsigned, unsigned) { return 100.0; });
  const std::vector<int> given = {0, 3, -2, 3, 5, 0};
  std::vector<int> sorted = given;
  std::sort(sorted.rbegin(), sorted.rend());
  for (const char* policy : {"dmdap", "dmdas", "dmdasd", "modular-heft"}) {
    ran_.priorities.clear();
    Started started(1, policy);
    Run(given);
    EXPECT_EQ(sorted, ran_.priorities) << policy;
  }
  for (const char* policy : {"dm", "dmda", "dmdar", "pheft"}) {
    ran_.priorities.clear();
    Started started(1, policy);
    Run(given);
    EXPECT_EQ(given, ran_.priorities) << policy;
  }
}

TEST_F(ModelPolicies, OfDmdasdCountOnlyWhatRunsBeforeATask) {
  // The fast worker has five seconds of work of low priority: a task of high priority goes before
  // it.
  Cost([](starpu_task* task, unsigned worker, unsigned) {
    if (task->priority < 0) return worker == 0 ? 1e6 : 1e9;
    return worker == 0 ? 1e6 : 2e6;
  });
  for (const auto& [policy, worker] : {std::pair("dmdas", 1), std::pair("dmdasd", 0)}) {
    ran_.workers.clear();
    ran_.priorities.clear();
    Started started(2, policy);
    Run({-1, -1, -1, -1, -1, 5});
    const auto high = std::find(ran_.priorities.begin(), ran_.priorities.end(), 5);
    EXPECT_EQ(worker, ran_.workers[static_cast<size_t>(high - ran_.priorities.begin())]) << policy;
  }
}

TEST_F(ModelPolicies, WeighEnergyByGamma) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1e3 : 5e3; });
  energy_.type = STARPU_PER_WORKER;
  energy_.worker_cost_function = [](starpu_task*, unsigned worker, unsigned) {
    return worker == 0 ? 10.0 : 1.0;
  };
  codelet_.energy_model = &energy_;
  for (const auto& [gamma, expected] : {std::pair("0", 10L), std::pair("1e9", 0L)}) {
    ran_.workers.clear();
    setenv("STARPU_SCHED_GAMMA", gamma, 1);
    Started started(2, "dmda");
    Run(12);
    EXPECT_EQ(expected, ran_.On(0)) << gamma;
  }
  setenv("STARPU_SCHED_GAMMA", "1e9", 1);
  ran_.workers.clear();
  Started started(2, "dm");  // by lengths alone
  Run(12);
  EXPECT_EQ(10, ran_.On(0));
  unsetenv("STARPU_SCHED_GAMMA");
}

TEST_F(ModelPolicies, WeighTheEndByAlpha) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1e5 : 5e5; });
  energy_.type = STARPU_PER_WORKER;
  energy_.worker_cost_function = [](starpu_task*, unsigned worker, unsigned) {
    return worker == 0 ? 10.0 : 1.0;
  };
  codelet_.energy_model = &energy_;
  // By energy alone, and by ends alone.
  for (const auto& [alpha, expected] : {std::pair("0", 0L), std::pair("1e6", 10L)}) {
    ran_.workers.clear();
    setenv("STARPU_SCHED_ALPHA", alpha, 1);
    Started started(2, "dmda");
    Run(12);
    EXPECT_EQ(expected, ran_.On(0)) << alpha;
  }
  unsetenv("STARPU_SCHED_ALPHA");
}

// Worker 1 is slow and cheap: 0.5 s and 100 J, 0.6 in all with 1 ms a joule, beside 0.1 + 1.2 on
// worker 0. So is a second task, 1 + 0.1 beside 1.3; but with 1000 W for all who wait until then,
// 0.5 s longer, it is 1.6.
TEST_F(ModelPolicies, WeighIdleWorkersByTheirPower) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1e5 : 5e5; });
  energy_.type = STARPU_PER_WORKER;
  energy_.worker_cost_function = [](starpu_task*, unsigned worker, unsigned) {
    return worker == 0 ? 1200.0 : 100.0;
  };
  codelet_.energy_model = &energy_;
  for (const auto& [watts, expected] : {std::pair("0", 0L), std::pair("1000", 1L)}) {
    ran_.workers.clear();
    setenv("STARPU_IDLE_POWER", watts, 1);
    Started started(2, "dmda");
    Run(2);
    EXPECT_EQ(expected, ran_.On(0)) << watts;
  }
  unsetenv("STARPU_IDLE_POWER");
}

TEST_F(ModelPolicies, RecordWhatTheyExpectedOfEachWorker) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1e5 : 3e5; });
  for (const char* policy : {"dmda", "modular-heft"}) {
    SCOPED_TRACE(policy);
    ran_.workers.clear();
    const TraceModel model =
        Recorded({.name = "estimates", .workers = 2, .policy = policy}, [&] { Run(8); });
    const EstimateTable& estimates = model.estimates;
    ASSERT_EQ(16u, estimates.task.size());
    std::map<uint32_t, std::map<int, double>> of_task;
    for (size_t i = 0; i < estimates.task.size(); ++i)
      of_task[estimates.task[i]][estimates.worker[i]] = estimates.length_ns[i];
    EXPECT_EQ(8u, of_task.size());
    for (const auto& [task, length_ns] : of_task)
      EXPECT_EQ((std::map<int, double>{{0, 1e8}, {1, 3e8}}), length_ns);
    // The placement follows from them: one after the other, to the earlier end.
    double end_ns[2] = {0, 0};
    long expected[2] = {0, 0};
    for (int i = 0; i < 8; ++i) {
      const int worker = end_ns[0] + 1e8 <= end_ns[1] + 3e8 ? 0 : 1;
      end_ns[worker] += worker == 0 ? 1e8 : 3e8;
      ++expected[worker];
    }
    EXPECT_EQ(expected[0], ran_.On(0));
    EXPECT_EQ(expected[1], ran_.On(1));
  }
}

// The same components with weights of their own: energy is dear.
TEST_F(ModelPolicies, OfComponentsDecideByTheirOwnWeights) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1e3 : 5e3; });
  energy_.type = STARPU_PER_WORKER;
  energy_.worker_cost_function = [](starpu_task*, unsigned worker, unsigned) {
    return worker == 0 ? 10.0 : 1.0;
  };
  codelet_.energy_model = &energy_;
  static starpu_sched_component_mct_data dear = {1, 1, 1e9, 0};
  constexpr auto kInit = [](unsigned context) {
    starpu_sched_component_initialize_simple_scheduler(
        reinterpret_cast<starpu_sched_component_create_t>(starpu_sched_component_mct_create), &dear,
        STARPU_SCHED_SIMPLE_DECIDE_WORKERS, context);
    starpu_sched_component* const root = starpu_sched_tree_get(context)->root;
    EXPECT_TRUE(starpu_sched_component_is_mct(root));
    EXPECT_FALSE(starpu_sched_component_is_heft(root));
  };
  starpu_sched_policy policy = {};
  policy.policy_name = "mct";
  policy.init_sched = kInit;
  policy.deinit_sched = starpu_sched_tree_deinitialize;
  policy.add_workers = starpu_sched_tree_add_workers;
  policy.remove_workers = starpu_sched_tree_remove_workers;
  policy.push_task = starpu_sched_tree_push_task;
  policy.pop_task = starpu_sched_tree_pop_task;
  for (const auto& [gamma, expected] : {std::pair(1e9, 0L), std::pair(0.0, 10L)}) {
    dear._gamma = gamma;
    ran_.workers.clear();
    Started started(2, nullptr, &policy);
    Run(12);
    EXPECT_EQ(expected, ran_.On(0)) << gamma;
  }
}

// More tasks than the queue below takes: heft keeps them, and gives it the urgent ones first.
TEST_F(ModelPolicies, OfHeftKeepWhatQueuesRefuse) {
  setenv("STARPU_NTASKS_THRESHOLD", "2", 1);
  Cost([](starpu_task*, unsigned, unsigned) { return 100.0; });
  {
    Started started(1, "modular-heft");
    Run({0, 0, 1, 2, 3, 4, 5});
  }
  unsetenv("STARPU_NTASKS_THRESHOLD");
  EXPECT_EQ((std::vector<int>{0, 5, 4, 3, 2, 1, 0}), ran_.priorities);
}

// On how many workers each parallel task runs.
std::vector<int>* g_sizes;
void SeeSize(void**, void*) {
  std::lock_guard guard(g_ran->lock);
  g_sizes->push_back(starpu_combined_worker_get_size());
}

TEST_F(ModelPolicies, OfPheftRunAParallelTaskOnAsManyWorkersAsIsBest) {
  std::vector<int> sizes;
  g_sizes = &sizes;
  codelet_.cpu_funcs[0] = SeeSize;
  codelet_.type = STARPU_FORKJOIN;
  codelet_.max_parallelism = 4;
  model_.type = STARPU_PER_ARCH;
  using Cost = double (*)(starpu_task*, starpu_perfmodel_arch*, unsigned);
  const std::pair<int, Cost> cases[] = {
      {4, [](starpu_task*, starpu_perfmodel_arch* arch,
             unsigned) { return 1e6 / arch->devices[0].ncores; }},
      {2, [](starpu_task*, starpu_perfmodel_arch* arch,
             unsigned) { return arch->devices[0].ncores == 2 ? 1e5 : 1e6; }},
      {1, [](starpu_task*, starpu_perfmodel_arch*, unsigned) { return 1e6; }},
  };
  for (const auto& [size, cost] : cases) {
    model_.arch_cost_function = cost;
    sizes.clear();
    Started started(4, "pheft");
    EXPECT_STREQ("pheft", starpu_sched_ctx_get_sched_policy(0)->policy_name);
    for (int i = 0; i < 5; ++i) {
      Submit(0);
      starpu_task_wait_for_all();
    }
    EXPECT_EQ(std::vector<int>(5, size), sizes);
  }
}

// Tasks that are faster together, beside some that are not.
TEST_F(ModelPolicies, OfPheftGiveTasksToTeamsBesideSingleWorkers) {
  std::vector<int> sizes;
  g_sizes = &sizes;
  codelet_.cpu_funcs[0] = SeeSize;
  codelet_.type = STARPU_FORKJOIN;
  codelet_.max_parallelism = 4;
  model_.type = STARPU_PER_ARCH;
  model_.arch_cost_function = [](starpu_task* task, starpu_perfmodel_arch* arch, unsigned) {
    const bool scales = task->priority > 0;
    return arch->devices[0].ncores == 1 ? 1e6 : scales ? 5e5 : 2e6;
  };
  Started started(4, "pheft");
  Run({1, 0, 0, 1});
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(2, std::count(sizes.begin(), sizes.end(), 1));
  EXPECT_EQ(4u, sizes.size());
}

TEST_F(ModelPolicies, TellATaskWhatWasExpectedOfIt) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return 1e3 * (worker + 1); });
  static double predicted;
  codelet_.cpu_funcs[0] = [](void**, void*) { predicted = starpu_task_get_current()->predicted; };
  Started started(1, "dmdas");
  Run(1);
  EXPECT_EQ(1e3, predicted);
}

TEST_F(ModelPolicies, LetTheProgramLookAtATasksData) {
  model_.type = STARPU_COMMON;
  model_.cost_function = [](starpu_task* task, unsigned) {
    return static_cast<double>(STARPU_VECTOR_GET_NX(task->interfaces[0]));
  };
  codelet_.nbuffers = 1;
  codelet_.modes[0] = STARPU_R;
  static double predicted;
  codelet_.cpu_funcs[0] = [](void**, void*) { predicted = starpu_task_get_current()->predicted; };
  Started started(1, "dmda");
  float values[123] = {};
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values), 123,
                              sizeof(float));
  EXPECT_EQ(0, starpu_task_insert(&codelet_, STARPU_R, handle, 0));
  starpu_data_unregister(handle);
  EXPECT_EQ(123, predicted);
}

TEST_F(ModelPolicies, GiveNothingToWorkersThatCannotRunIt) {
  Cost([](starpu_task*, unsigned worker, unsigned) { return worker == 0 ? 1.0 : 1e6; });
  codelet_.can_execute = [](unsigned worker, starpu_task*, unsigned) {
    return worker == 1 ? 1 : 0;
  };
  for (const char* policy : kPolicies) {
    ran_.workers.clear();
    Started started(2, policy);
    Run(10);
    EXPECT_EQ(10, ran_.On(1)) << policy;
  }
}

}  // namespace
}  // namespace tasklens
