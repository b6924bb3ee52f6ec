// SPDX-License-Identifier: Apache-2.0
// Components of modular policies that decide by performance models or by the order of their
// parents.
#include <starpu_sched_component.h>

#include <atomic>
#include <vector>

#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

using Component = starpu_sched_component;

starpu_codelet MakeCodelet(starpu_perfmodel* model) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.model = model;
  return codelet;
}

starpu_task* NewTask(starpu_codelet* codelet, int priority = 0, size_t argument = 0) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->priority = priority;
  task->cl_arg = reinterpret_cast<void*>(argument);
  return task;
}

// A queue below `parent`, above these workers.
Component* QueueBelow(Component* parent, const std::vector<unsigned>& workers) {
  Component* queue = starpu_sched_component_fifo_create(parent->tree, nullptr);
  for (const unsigned worker : workers) {
    starpu_bitmap_set(&queue->workers, static_cast<int>(worker));
    starpu_bitmap_set(&queue->workers_in_ctx, static_cast<int>(worker));
  }
  starpu_sched_component_connect(parent, queue);
  return queue;
}

int PushTo(Component* to, starpu_task* task) {
  return starpu_sched_component_push_task(nullptr, to, task);
}
starpu_task* PullFrom(Component* from) { return starpu_sched_component_pull_task(from, nullptr); }

// A tree that a test pushes to and pulls from itself.
class DecidingComponents : public testing::Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    known_.type = STARPU_COMMON;
    known_.cost_function = [](starpu_task*, unsigned) { return 10.; };
    unknown_.type = STARPU_HISTORY_BASED;
    unknown_.symbol = "nobody_measured_this";
  }
  starpu_perfmodel known_ = {}, unknown_ = {};
};

TEST_F(DecidingComponents, SelectByWhatModelsKnow) {
  Started started(2);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  starpu_sched_component_perfmodel_select_data data = {};
  data.calibrator_component = starpu_sched_component_fifo_create(tree, nullptr);
  data.no_perfmodel_component = starpu_sched_component_fifo_create(tree, nullptr);
  data.perfmodel_component = starpu_sched_component_fifo_create(tree, nullptr);
  tree->root = starpu_sched_component_perfmodel_select_create(tree, &data);
  EXPECT_TRUE(starpu_sched_component_is_perfmodel_select(tree->root));
  EXPECT_FALSE(starpu_sched_component_is_perfmodel_select(data.perfmodel_component));
  for (Component* child :
       {data.calibrator_component, data.no_perfmodel_component, data.perfmodel_component})
    starpu_sched_component_connect(tree->root, child);
  starpu_codelet none = MakeCodelet(nullptr), known = MakeCodelet(&known_),
                 unknown = MakeCodelet(&unknown_);
  starpu_task* tasks[] = {NewTask(&unknown), NewTask(&none), NewTask(&known)};
  for (starpu_task* task : tasks) EXPECT_EQ(0, PushTo(tree->root, task));
  EXPECT_EQ(tasks[0], PullFrom(data.calibrator_component));
  EXPECT_EQ(tasks[1], PullFrom(data.no_perfmodel_component));
  EXPECT_EQ(tasks[2], PullFrom(data.perfmodel_component));
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

TEST_F(DecidingComponents, MeasureOnAllWorkersInTurn) {
  Started started(2);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  tree->root = starpu_sched_component_eager_calibration_create(tree, nullptr);
  EXPECT_TRUE(starpu_sched_component_is_eager_calibration(tree->root));
  Component* queues[] = {QueueBelow(tree->root, {0}), QueueBelow(tree->root, {1})};
  starpu_codelet unknown = MakeCodelet(&unknown_), known = MakeCodelet(&known_);
  std::vector<starpu_task*> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(NewTask(&unknown));
  for (starpu_task* task : tasks) EXPECT_EQ(0, PushTo(tree->root, task));
  for (Component* queue : queues) EXPECT_EQ(2, queue->estimated_load(queue));
  // Where nothing is to be measured it keeps nobody waiting.
  tasks.push_back(NewTask(&known));
  EXPECT_EQ(0, PushTo(tree->root, tasks.back()));
  EXPECT_EQ(5, queues[0]->estimated_load(queues[0]) + queues[1]->estimated_load(queues[1]));
  for (Component* queue : queues) {
    while (PullFrom(queue)) {
    }
  }
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

TEST_F(DecidingComponents, PullFromTheirStagesInOrder) {
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  Component* first = starpu_sched_component_fifo_create(tree, nullptr);
  Component* second = starpu_sched_component_fifo_create(tree, nullptr);
  Component* stage = starpu_sched_component_stage_create(tree, nullptr);
  EXPECT_TRUE(starpu_sched_component_is_stage(stage));
  EXPECT_FALSE(starpu_sched_component_is_stage(first));
  tree->root = first;
  starpu_sched_component_connect(first, stage);
  starpu_sched_component_connect(second, stage);
  Component* below = QueueBelow(stage, {0});
  starpu_bitmap_set(&stage->workers_in_ctx, 0);
  starpu_codelet codelet = MakeCodelet(nullptr);
  starpu_task* tasks[] = {NewTask(&codelet), NewTask(&codelet), NewTask(&codelet)};
  // (The queues tell those below that they may pull, which wakes nobody here.)
  EXPECT_EQ(0, PushTo(second, tasks[0]));
  EXPECT_EQ(0, PushTo(first, tasks[1]));
  EXPECT_EQ(0, PushTo(first, tasks[2]));
  for (starpu_task* expected : {tasks[1], tasks[2], tasks[0]})
    EXPECT_EQ(expected, starpu_sched_component_pull_task(stage, below));
  EXPECT_EQ(nullptr, starpu_sched_component_pull_task(stage, below));
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_component_destroy(second);
  starpu_sched_tree_destroy(tree);
}

TEST_F(DecidingComponents, GiveAcceleratorsWhatTheyMakeFastest) {
  Devices(1);
  Started started(1);
  // A task takes a second on a CPU, and as many times less on a device as its argument says.
  model_.arch_cost_function = [](starpu_task* task, starpu_perfmodel_arch* arch, unsigned) {
    const auto faster = static_cast<double>(reinterpret_cast<size_t>(task->cl_arg));
    return arch->devices[0].type == STARPU_CUDA_WORKER ? 1e6 / faster : 1e6;
  };
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  starpu_sched_component_heteroprio_data data = {};
  tree->root = starpu_sched_component_heteroprio_create(tree, &data);
  EXPECT_TRUE(starpu_sched_component_is_heteroprio(tree->root));
  const auto cpu_worker = static_cast<unsigned>(starpu_worker_get_by_type(STARPU_CPU_WORKER, 0));
  const auto gpu_worker = static_cast<unsigned>(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0));
  Component *cpu = QueueBelow(tree->root, {cpu_worker}),
            *gpu = QueueBelow(tree->root, {gpu_worker});
  std::vector<starpu_task*> tasks;
  for (const size_t faster : {5, 20, 2, 20, 3}) tasks.push_back(NewTask(&codelet_, 0, faster));
  tasks.push_back(NewTask(&codelet_, 1, 4));  // of a higher priority
  starpu_codelet only_cpu = codelet_;
  only_cpu.where = STARPU_CPU;
  tasks.push_back(NewTask(&only_cpu, 0, 100));
  for (starpu_task* task : tasks) EXPECT_EQ(0, PushTo(tree->root, task));
  EXPECT_EQ(7, tree->root->estimated_load(tree->root));
  const auto pull = [&](Component* to) { return starpu_sched_component_pull_task(tree->root, to); };
  EXPECT_EQ(tasks[5], pull(gpu));
  EXPECT_EQ(tasks[1], pull(gpu)) << "the older of two";
  EXPECT_EQ(tasks[3], pull(gpu));
  EXPECT_EQ(tasks[6], pull(cpu)) << "nobody else can run it";
  EXPECT_EQ(tasks[2], pull(cpu));
  EXPECT_EQ(tasks[0], pull(gpu));
  EXPECT_EQ(tasks[4], pull(gpu));
  EXPECT_EQ(nullptr, pull(gpu));
  EXPECT_EQ(nullptr, pull(cpu));
  EXPECT_EQ(0, tree->root->estimated_load(tree->root));
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

// fifo -> perfmodel_select -> eager_calibration, eager, heteroprio -> stage -> workers
void BuildTree(unsigned context) {
  starpu_sched_tree* tree = starpu_sched_tree_create(context);
  starpu_sched_ctx_set_policy_data(context, tree);
  tree->root = starpu_sched_component_fifo_create(tree, nullptr);
  starpu_sched_component_perfmodel_select_data data = {
      .calibrator_component = starpu_sched_component_eager_calibration_create(tree, nullptr),
      .no_perfmodel_component = starpu_sched_component_eager_create(tree, nullptr),
      .perfmodel_component = starpu_sched_component_heteroprio_create(tree, nullptr),
  };
  Component* select = starpu_sched_component_perfmodel_select_create(tree, &data);
  starpu_sched_component_connect(tree->root, select);
  const std::vector<Component*> kinds = {data.calibrator_component, data.no_perfmodel_component,
                                         data.perfmodel_component};
  for (Component* kind : kinds) starpu_sched_component_connect(select, kind);
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    Component* stage = starpu_sched_component_stage_create(tree, nullptr);
    for (Component* kind : kinds) {
      Component* queue = starpu_sched_component_prio_create(tree, nullptr);
      starpu_sched_component_connect(kind, queue);
      starpu_sched_component_connect(queue, stage);
    }
    starpu_sched_component_connect(
        stage, starpu_sched_component_worker_get(context, static_cast<int>(worker)));
  }
  starpu_sched_tree_update_workers(tree);
}

TEST_F(DecidingComponents, RunAProgramTogether) {
  starpu_sched_policy policy = {};
  policy.policy_name = "deciding";
  policy.init_sched = BuildTree;
  policy.deinit_sched = starpu_sched_tree_deinitialize;
  policy.add_workers = starpu_sched_tree_add_workers;
  policy.remove_workers = starpu_sched_tree_remove_workers;
  policy.push_task = starpu_sched_tree_push_task;
  policy.pop_task = starpu_sched_tree_pop_task;
  Started started(3, "deciding", &policy);
  starpu_codelet none = MakeCodelet(nullptr), known = MakeCodelet(&known_),
                 measured = MakeCodelet(&unknown_);
  static std::atomic<int> ran;
  ran = 0;
  for (starpu_codelet* codelet : {&none, &known, &measured})
    codelet->cpu_funcs[0] = [](void**, void*) { ++ran; };
  for (int i = 0; i < 300; ++i) {
    for (starpu_codelet* codelet : {&none, &known, &measured})
      ASSERT_EQ(0, starpu_task_submit(NewTask(codelet, i % 3)));
  }
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(900, ran);
  Component* root = starpu_sched_tree_get(0)->root;
  EXPECT_EQ(0, root->estimated_load(root));
}

}  // namespace
}  // namespace tasklens
