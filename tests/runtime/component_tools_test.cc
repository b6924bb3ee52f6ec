// SPDX-License-Identifier: Apache-2.0
// The toolbox of modular policies: trees of every shape, choices of the user's, combined workers,
// the machine's levels, and what a component says of a task.
#include <starpu_sched_component.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

using Component = starpu_sched_component;

starpu_sched_policy PolicyOfTree(void (*init)(unsigned context)) {
  starpu_sched_policy policy = {};
  policy.policy_name = "toolbox";
  policy.init_sched = init;
  policy.deinit_sched = starpu_sched_tree_deinitialize;
  policy.add_workers = starpu_sched_tree_add_workers;
  policy.remove_workers = starpu_sched_tree_remove_workers;
  policy.push_task = starpu_sched_tree_push_task;
  policy.pop_task = starpu_sched_tree_pop_task;
  policy.do_schedule = starpu_sched_tree_do_schedule;
  policy.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook;
  policy.post_exec_hook = starpu_sched_component_worker_post_exec_hook;
  return policy;
}

Component* CreateFifo(starpu_sched_tree* tree, void*) {
  return starpu_sched_component_fifo_create(tree, nullptr);
}
Component* CreatePrio(starpu_sched_tree* tree, void*) {
  return starpu_sched_component_prio_create(tree, nullptr);
}
Component* CreateMct(starpu_sched_tree* tree, void*) {
  return starpu_sched_component_mct_create(tree, nullptr);
}
Component* CreateHeft(starpu_sched_tree* tree, void*) {
  return starpu_sched_component_heft_create(tree, nullptr);
}
Component* CreateHeteroprio(starpu_sched_tree* tree, void*) {
  return starpu_sched_component_heteroprio_create(tree, nullptr);
}

// --- Random trees -------------------------------------------------------------------------------

constexpr starpu_sched_component_create_t kDecisions[] = {
    starpu_sched_component_eager_create,
    starpu_sched_component_random_create,
    starpu_sched_component_eager_prio_create,
    starpu_sched_component_work_stealing_create,
    CreateMct,
    CreateHeft,
    CreateHeteroprio,
    CreatePrio,
};
constexpr unsigned kChoices[] = {STARPU_SCHED_SIMPLE_DECIDE_WORKERS,
                                 STARPU_SCHED_SIMPLE_DECIDE_MEMNODES,
                                 STARPU_SCHED_SIMPLE_DECIDE_ARCHS};
constexpr unsigned kFlags[] = {
    STARPU_SCHED_SIMPLE_DECIDE_ALWAYS,
    STARPU_SCHED_SIMPLE_PERFMODEL,
    STARPU_SCHED_SIMPLE_IMPL,
    STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO,
    STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO,
    STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY,
    STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT,
    STARPU_SCHED_SIMPLE_WS_BELOW,
    STARPU_SCHED_SIMPLE_COMBINED_WORKERS,
    STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP,
};

unsigned g_seed = 0;
unsigned g_decisions = 0;

// What its flags ask for is random, but what keeps tasks is above and below what keeps none, as the
// flags' page says.
struct RandomDecision {
  explicit RandomDecision(std::mt19937& random) {
    create = kDecisions[random() % std::size(kDecisions)];
    for (const unsigned flag : kFlags)
      if (random() % 3 == 0) flags |= flag;
    flags |= STARPU_SCHED_SIMPLE_FIFO_ABOVE;
    if (random() % 2) flags |= STARPU_SCHED_SIMPLE_FIFOS_BELOW;
  }
  starpu_sched_component_create_t create;
  unsigned flags = 0;
};

void InitRandom(unsigned context) {
  std::mt19937 random(g_seed);
  const unsigned choices = kChoices[random() % std::size(kChoices)];
  const RandomDecision a(random), b(random), c(random);
  void* const none = nullptr;
  g_decisions = 1 + random() % 3;
  if (g_decisions == 1) {
    starpu_sched_component_initialize_simple_schedulers(
        context, 1, a.create, none, STARPU_SCHED_SIMPLE_PRE_DECISION,
        starpu_sched_component_eager_create, none, a.flags | choices);
  } else if (g_decisions == 2) {
    starpu_sched_component_initialize_simple_schedulers(
        context, 2, a.create, none, a.flags | choices, b.create, none, b.flags | choices);
  } else {
    starpu_sched_component_initialize_simple_schedulers(
        context, 3, a.create, none, a.flags | choices, b.create, none, b.flags | choices, c.create,
        none, c.flags | choices);
  }
}

constexpr int kTasks = 60;
std::atomic<int> g_ran[kTasks];

void Count(void**, void* number) { ++g_ran[reinterpret_cast<uintptr_t>(number)]; }

TEST(RandomTrees, RunEveryTaskExactlyOnce) {
  starpu_perfmodel model = {};
  model.type = STARPU_COMMON;
  model.cost_function = [](starpu_task*, unsigned) { return 10.; };
  starpu_codelet sequential = {}, parallel = {};
  sequential.cpu_funcs[0] = parallel.cpu_funcs[0] = Count;
  sequential.model = &model;
  parallel.type = STARPU_FORKJOIN;
  parallel.max_parallelism = 2;
  for (g_seed = 0; g_seed < 40; ++g_seed) {
    SCOPED_TRACE(g_seed);
    for (auto& ran : g_ran) ran = 0;
    starpu_sched_policy policy = PolicyOfTree(InitRandom);
    Started started(3, "toolbox", &policy);
    for (uintptr_t i = 0; i < kTasks; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = i % 5 == 0 ? &parallel : &sequential;
      task->cl_arg = reinterpret_cast<void*>(i);
      task->priority = static_cast<int>(i % 3);
      task->sched_data = reinterpret_cast<void*>(i % g_decisions);
      ASSERT_EQ(0, starpu_task_submit(task));
    }
    ASSERT_EQ(0, starpu_task_wait_for_all());
    for (int i = 0; i < kTasks; ++i) ASSERT_EQ(1, g_ran[i]) << "task " << i;
  }
}

// --- The user's choice --------------------------------------------------------------------------

// userchoice above a queue for each worker.
void InitUserchoice(unsigned context) {
  starpu_sched_tree* tree = starpu_sched_tree_create(context);
  starpu_sched_ctx_set_policy_data(context, tree);
  tree->root = starpu_sched_component_userchoice_create(tree, nullptr);
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    Component* queue = CreateFifo(tree, nullptr);
    starpu_sched_component_connect(tree->root, queue);
    starpu_sched_component_connect(
        queue, starpu_sched_component_worker_get(context, static_cast<int>(worker)));
  }
}

TEST(Userchoice, IsObeyed) {
  static std::atomic<int> wrong;
  wrong = 0;
  starpu_sched_policy policy = PolicyOfTree(InitUserchoice);
  Started started(3, "toolbox", &policy);
  Component* root = starpu_sched_tree_get(0)->root;
  EXPECT_TRUE(starpu_sched_component_is_userchoice(root));
  EXPECT_FALSE(starpu_sched_component_is_userchoice(root->children[0]));
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    const auto wanted = reinterpret_cast<uintptr_t>(starpu_task_get_current()->sched_data);
    wrong += static_cast<int>(wanted) != starpu_worker_get_id();
  };
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->sched_data = reinterpret_cast<void*>(uintptr_t{random() % 3});
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(0, wrong);
}

TEST(Userchoice, OfAChildThatIsNotThereAbortsWithALine) {
  starpu_sched_policy policy = PolicyOfTree(InitUserchoice);
  Started started(2, "toolbox", &policy);
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.name = "lost";
  EXPECT_DEATH(
      {
        starpu_task* task = starpu_task_create();
        task->cl = &codelet;
        task->sched_data = reinterpret_cast<void*>(uintptr_t{2});
        (void)starpu_sched_component_push_task(nullptr, starpu_sched_tree_get(0)->root, task);
      },
      "userchoice: sched_data of task 'lost' is 2, and there are 2 components");
}

// --- eager_prio ---------------------------------------------------------------------------------

starpu_codelet g_nothing = [] {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  return codelet;
}();

starpu_task* NewTask(int priority = 0) {
  starpu_task* task = starpu_task_create();
  task->cl = &g_nothing;
  task->priority = priority;
  return task;
}

void Put(Component* component, int worker) {
  starpu_bitmap_set(&component->workers, worker);
  starpu_bitmap_set(&component->workers_in_ctx, worker);
}

TEST(EagerPrio, GivesTheHighestPriorityFirstAndKeepsWhatNobodyTakes) {
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  starpu_sched_component_fifo_data one = {.ntasks_threshold = 1};
  tree->root = starpu_sched_component_eager_prio_create(tree, nullptr);
  EXPECT_TRUE(starpu_sched_component_is_eager_prio(tree->root));
  Component* queue = starpu_sched_component_fifo_create(tree, &one);
  Put(queue, 0);
  starpu_sched_component_connect(tree->root, queue);
  starpu_task* tasks[] = {NewTask(), NewTask(1), NewTask(3), NewTask(2)};
  for (starpu_task* task : tasks)
    EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, task));
  EXPECT_EQ(4, tree->root->estimated_load(tree->root));
  // The first found the queue empty. Whoever pulls from that makes room for the next.
  for (starpu_task* expected : {tasks[0], tasks[2], tasks[3], tasks[1]})
    EXPECT_EQ(expected, starpu_sched_component_pull_task(queue, nullptr));
  EXPECT_EQ(nullptr, starpu_sched_component_pull_task(queue, nullptr));
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

// --- Combined workers ---------------------------------------------------------------------------

void InitPair(unsigned context) {
  starpu_sched_tree* tree = starpu_sched_tree_create(context);
  starpu_sched_ctx_set_policy_data(context, tree);
  tree->root = CreateFifo(tree, nullptr);
  unsigned workers[] = {0, 1};
  Component* eager = starpu_sched_component_eager_create(tree, nullptr);
  starpu_sched_component_connect(tree->root, eager);
  starpu_sched_component_connect(eager,
                                 starpu_sched_component_parallel_worker_create(tree, 2, workers));
  for (const int worker : {0, 1})
    starpu_sched_component_connect(eager, starpu_sched_component_worker_get(context, worker));
}

TEST(CombinedWorkers, InATreeRunParallelTasksTogether) {
  static std::atomic<int> sizes[4], ranks;
  for (auto& size : sizes) size = 0;
  ranks = 0;
  starpu_sched_policy policy = PolicyOfTree(InitPair);
  Started started(2, "toolbox", &policy);
  Component* pair = starpu_sched_tree_get(0)->root->children[0]->children[0];
  EXPECT_TRUE(starpu_sched_component_is_combined_worker(pair));
  EXPECT_TRUE(starpu_sched_component_is_worker(pair));
  EXPECT_FALSE(starpu_sched_component_is_simple_worker(pair));
  EXPECT_EQ(2, starpu_sched_component_worker_get_workerid(pair));
  EXPECT_TRUE(starpu_sched_component_is_simple_worker(pair->children[1]));
  starpu_codelet together = {}, alone = {};
  together.type = STARPU_SPMD;
  together.max_parallelism = 2;
  together.cpu_funcs[0] = [](void**, void*) {
    ++sizes[starpu_combined_worker_get_size()];
    ranks += starpu_combined_worker_get_rank();
  };
  alone.cpu_funcs[0] = [](void**, void*) { ++sizes[starpu_combined_worker_get_size()]; };
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(0, starpu_task_insert(&together, 0));
    ASSERT_EQ(0, starpu_task_insert(&alone, 0));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  // Some went to a single worker, which asked first; the others were called twice.
  EXPECT_EQ(100, sizes[1] + ranks);
  EXPECT_EQ(ranks * 2, sizes[2]);
}

TEST(CombinedWorkers, AreThoseThatTheMachineSuggests) {
  setenv("STARPU_WORKERS_NOBIND", "1", 1);
  const auto sizes = [] {
    std::multiset<int> found;
    Started started(4, "eager");
    EXPECT_EQ(0u, starpu_combined_worker_get_count());
    starpu_sched_find_all_worker_combinations();
    starpu_sched_find_all_worker_combinations();
    for (unsigned i = 0; i < starpu_combined_worker_get_count(); ++i) {
      int size = 0;
      starpu_combined_worker_get_description(4 + static_cast<int>(i), &size, nullptr);
      found.insert(size);
    }
    return found;
  };
  EXPECT_EQ((std::multiset<int>{2, 2, 4}), sizes());
  setenv("STARPU_MIN_WORKERSIZE", "3", 1);
  EXPECT_EQ((std::multiset<int>{4}), sizes());
  unsetenv("STARPU_MIN_WORKERSIZE");
  setenv("STARPU_SINGLE_COMBINED_WORKER", "1", 1);
  setenv("STARPU_MAX_WORKERSIZE", "3", 1);
  EXPECT_EQ((std::multiset<int>{2, 3}), sizes());
  unsetenv("STARPU_SINGLE_COMBINED_WORKER");
  unsetenv("STARPU_MAX_WORKERSIZE");
  setenv("STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER", "4", 1);
  EXPECT_EQ((std::multiset<int>{4}), sizes());
  unsetenv("STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER");
  unsetenv("STARPU_WORKERS_NOBIND");
}

// --- The machine's levels -----------------------------------------------------------------------

int g_recipes = 0;

void InitMachine(unsigned context) {
  starpu_sched_component_specs specs = {};
  const auto recipe = [](starpu_sched_component_create_t create) {
    return starpu_sched_component_composed_recipe_create_singleton(create, nullptr);
  };
  specs.hwloc_machine_composed_sched_component = recipe(CreatePrio);
  specs.hwloc_component_composed_sched_component = recipe(starpu_sched_component_eager_create);
  specs.worker_composed_sched_component = [](starpu_worker_archtype) {
    ++g_recipes;
    return starpu_sched_component_composed_recipe_create_singleton(CreateFifo, nullptr);
  };
  starpu_sched_tree* tree = starpu_sched_component_make_scheduler(context, specs);
  starpu_sched_ctx_set_policy_data(context, tree);
  starpu_sched_component_composed_recipe_destroy(specs.hwloc_machine_composed_sched_component);
  starpu_sched_component_composed_recipe_destroy(specs.hwloc_component_composed_sched_component);
}

TEST(MachineTree, HasAllWorkersBelowItsLevels) {
  for (auto& ran : g_ran) ran = 0;
  g_recipes = 0;
  starpu_sched_policy policy = PolicyOfTree(InitMachine);
  Started started(2, "toolbox", &policy);
  Component* root = starpu_sched_tree_get(0)->root;
  EXPECT_TRUE(starpu_sched_component_is_prio(root));
  ASSERT_NE(nullptr, root->obj);
  EXPECT_EQ(HWLOC_OBJ_MACHINE, root->obj->type);
  EXPECT_EQ(2, starpu_bitmap_cardinal(&root->workers_in_ctx));
  EXPECT_TRUE(STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(root));
  EXPECT_TRUE(STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(root));
  EXPECT_EQ(2, g_recipes);
  for (const int worker : {0, 1}) {
    Component* leaf = starpu_sched_component_worker_get(0, worker);
    ASSERT_EQ(1u, leaf->nparents);
    EXPECT_TRUE(starpu_sched_component_is_fifo(leaf->parents[0]));
  }
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Count;
  for (uintptr_t i = 0; i < kTasks; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = reinterpret_cast<void*>(i);
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  for (const auto& ran : g_ran) EXPECT_EQ(1, ran);
}

// --- What a component says of a task ------------------------------------------------------------

class Predictions : public testing::Simulated {};

TEST_F(Predictions, AreTheLeastOfTheWorkersBelow) {
  Devices(1);
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  tree->root = starpu_sched_component_eager_create(tree, nullptr);
  const int cpu = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0);
  const int gpu = starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0);
  starpu_task* task = starpu_task_create();
  task->cl = &codelet_;
  double length_us = -1;
  EXPECT_FALSE(starpu_sched_component_execute_preds(tree->root, task, &length_us));
  EXPECT_EQ(0, length_us);
  Put(tree->root, cpu);
  EXPECT_TRUE(starpu_sched_component_execute_preds(tree->root, task, &length_us));
  EXPECT_EQ(1e6, length_us);
  Put(tree->root, gpu);
  EXPECT_TRUE(starpu_sched_component_execute_preds(tree->root, task, &length_us));
  EXPECT_EQ(1e5, length_us);
  model_.arch_cost_function = [](starpu_task*, starpu_perfmodel_arch* arch, unsigned) {
    return arch->devices[0].type == STARPU_CUDA_WORKER ? NAN : 1e6;
  };
  EXPECT_TRUE(starpu_sched_component_execute_preds(tree->root, task, nullptr));
  starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

TEST_F(Predictions, OfTransfersAreTheMeanOverTheMemories) {
  Devices(1);
  Buses(1, 1000, 1000);
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  tree->root = starpu_sched_component_eager_create(tree, nullptr);
  std::vector<char> memory(1'000'000);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(memory.data()),
                              static_cast<uint32_t>(memory.size()), 1);
  starpu_codelet codelet = codelet_;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_R;
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->handles[0] = handle;
  EXPECT_EQ(0, starpu_sched_component_transfer_length(tree->root, task));
  Put(tree->root, starpu_worker_get_by_type(STARPU_CPU_WORKER, 0));
  EXPECT_EQ(0, starpu_sched_component_transfer_length(tree->root, task));
  Put(tree->root, starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0));
  const double there_us = starpu_task_expected_data_transfer_time(1, task);
  EXPECT_GE(there_us, 2000);
  EXPECT_DOUBLE_EQ(there_us / 2, starpu_sched_component_transfer_length(tree->root, task));
  task->destroy = 0;
  starpu_task_destroy(task);
  starpu_data_unregister(handle);
  starpu_sched_tree_destroy(tree);
}

TEST(Ends, OnTheAverageAreTheMeanOfTheChildren) {
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  tree->root = starpu_sched_component_eager_create(tree, nullptr);
  for (const double end_us : {1000., 4000.}) {
    Component* child = CreateFifo(tree, nullptr);
    child->deinit_data(child);
    child->data = nullptr;
    starpu_sched_component_connect(tree->root, child);
    child->estimated_end =
        end_us == 1000. ? [](Component*) { return 1000.; } : [](Component*) { return 4000.; };
    child->deinit_data = [](Component*) {};
  }
  EXPECT_EQ(2500, starpu_sched_component_estimated_end_average(tree->root));
  EXPECT_EQ(1000, starpu_sched_component_estimated_end_min(tree->root));
  starpu_sched_tree_destroy(tree);
}

// --- The program waits --------------------------------------------------------------------------

std::atomic<int> g_told;

TEST(DoSchedule, IsTellingEachComponentOnce) {
  g_told = 0;
  starpu_sched_policy policy = PolicyOfTree([](unsigned context) {
    InitUserchoice(context);
    Component* root = starpu_sched_tree_get(context)->root;
    root->do_schedule = [](Component*) { g_told += 1; };
    for (unsigned i = 0; i < root->nchildren; ++i)
      root->children[i]->do_schedule = [](Component*) { g_told += 100; };
  });
  Started started(2, "toolbox", &policy);
  starpu_sched_tree_do_schedule(0);
  EXPECT_EQ(201, g_told);
  starpu_do_schedule();
  EXPECT_EQ(402, g_told);
}

}  // namespace
}  // namespace tasklens
