// SPDX-License-Identifier: Apache-2.0
// Modular policies: trees of components, ready-made and of the program's own, and what a trace
// tells of them.
#include <starpu_sched_component.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/recorded.h"

namespace tasklens {
namespace {

using Component = starpu_sched_component;

// --- Bitmaps ------------------------------------------------------------------------------------

TEST(Bitmap, IsASetOfNumbers) {
  starpu_bitmap* set = starpu_bitmap_create();
  EXPECT_EQ(-1, starpu_bitmap_first(set));
  EXPECT_EQ(-1, starpu_bitmap_last(set));
  for (const int e : {200, 3, 64, 63}) starpu_bitmap_set(set, e);
  starpu_bitmap_unset(set, 1000);
  starpu_bitmap_unset(set, 64);
  EXPECT_EQ(3, starpu_bitmap_cardinal(set));
  std::vector<int> found;
  for (int e = starpu_bitmap_first(set); e >= 0; e = starpu_bitmap_next(set, e)) found.push_back(e);
  EXPECT_EQ((std::vector<int>{3, 63, 200}), found);
  EXPECT_EQ(200, starpu_bitmap_last(set));
  EXPECT_TRUE(starpu_bitmap_has_next(set, 63));
  EXPECT_FALSE(starpu_bitmap_has_next(set, 200));
  starpu_bitmap *other = starpu_bitmap_create(), *both = starpu_bitmap_create();
  starpu_bitmap_set(other, 63);
  starpu_bitmap_set(other, 5);
  EXPECT_TRUE(starpu_bitmap_and_get(set, other, 63));
  EXPECT_FALSE(starpu_bitmap_and_get(set, other, 5));
  starpu_bitmap_unset_and(both, set, other);
  EXPECT_EQ(1, starpu_bitmap_cardinal(both));
  starpu_bitmap_or(both, other);
  EXPECT_EQ(2, starpu_bitmap_cardinal(both));
  starpu_bitmap_unset_all(set);
  EXPECT_EQ(0, starpu_bitmap_cardinal(set));
  for (starpu_bitmap* one : {set, other, both}) starpu_bitmap_destroy(one);
}

// --- Ready-made policies, as a trace tells them -------------------------------------------------

starpu_codelet& Nothing() {
  static starpu_codelet codelet = [] {
    starpu_codelet made = {};
    made.cpu_funcs[0] = [](void**, void*) {};
    made.name = "nothing";
    return made;
  }();
  return codelet;
}

struct Steps {
  std::multiset<std::string> names;
  std::map<uint64_t, std::string> name_of;
  std::set<std::string> links;  // "eager > worker 1"
  size_t pushes_from_outside = 0, pulls_to_outside = 0, pushes = 0, pulls = 0;
};

Steps StepsOf(const TraceModel& model) {
  Steps steps;
  const PointTable& points = model.points;
  for (size_t i = 0; i < points.size(); ++i) {
    if (points.kind[i] != EventKind::kComponentNew) continue;
    const auto args = points.Args(i);
    const std::string name(model.str(static_cast<StringId>(args[1])));
    steps.names.insert(name);
    steps.name_of[args[0]] = name;
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const auto args = points.Args(i);
    switch (points.kind[i]) {
      case EventKind::kComponentLink:
        steps.links.insert(steps.name_of[args[0]] + " > " + steps.name_of[args[1]]);
        break;
      case EventKind::kComponentPush:
        ++steps.pushes;
        steps.pushes_from_outside += args[0] == 0;
        break;
      case EventKind::kComponentPull:
        ++steps.pulls;
        steps.pulls_to_outside += args[1] == 0;
        break;
      default: break;
    }
  }
  return steps;
}

std::string Page(const TraceModel& model) {
  MemoryOutputs outputs;
  EXPECT_TRUE(FindWriter("scheduler-page")->write(model, {}, outputs).ok());
  return outputs.Text("trace.html");
}

TraceModel RunOf(const char* policy, starpu_sched_policy* own = nullptr) {
  return Recorded({.name = policy, .workers = 2, .policy = policy, .own_policy = own}, [] {
    for (int i = 0; i < 50; ++i) ASSERT_EQ(0, starpu_task_insert(&Nothing(), 0));
  });
}

TEST(ModularPolicies, ShowTheirComponentsInTheTrace) {
  const std::multiset<std::string> below = {"best_impl", "best_impl", "worker 0", "worker 1"};
  const std::map<std::string, std::vector<std::string>> above = {
      {"modular-eager", {"fifo", "eager"}},
      {"modular-prio", {"prio", "eager"}},
      {"modular-random", {"fifo", "random", "fifo", "fifo"}},
      {"modular-heft", {"heft", "prio", "prio"}},
      {"modular-ws", {"work_stealing"}},
  };
  for (const auto& [policy, components] : above) {
    std::multiset<std::string> expected = below;
    expected.insert(components.begin(), components.end());
    EXPECT_EQ(expected, StepsOf(RunOf(policy.c_str())).names) << policy;
  }
}

TEST(ModularPolicies, ShowHowTasksWanderThroughThem) {
  const TraceModel model = RunOf("modular-eager");
  const Steps steps = StepsOf(model);
  EXPECT_EQ((std::set<std::string>{"fifo > eager", "eager > best_impl", "best_impl > worker 0",
                                   "best_impl > worker 1"}),
            steps.links);
  // Each task enters the queue, and is pulled through eager and best_impl to a worker and out.
  EXPECT_EQ(50u, steps.pushes);
  EXPECT_EQ(50u, steps.pushes_from_outside);
  EXPECT_EQ(50u, steps.pulls_to_outside);
  EXPECT_EQ(200u, steps.pulls);
  const std::string page = Page(model);
  for (const char* name : {"\"fifo\"", "\"eager\"", "\"best_impl\"", "\"worker 1\""})
    EXPECT_NE(std::string::npos, page.find(name)) << name;
}

TEST(ModularPolicies, RandomPushesTasksDownToTheQueuesOfWorkers) {
  const Steps steps = StepsOf(RunOf("modular-random"));
  // Into the queue above, to the decision, and to a queue below.
  EXPECT_EQ(150u, steps.pushes);
  EXPECT_EQ(50u, steps.pulls_to_outside);
}

TEST(ModularPolicies, HaveNothingToDecideForOneWorker) {
  const TraceModel model = Recorded({.name = "one", .workers = 1, .policy = "modular-eager"},
                                    [] { ASSERT_EQ(0, starpu_task_insert(&Nothing(), 0)); });
  EXPECT_EQ((std::multiset<std::string>{"fifo", "eager", "best_impl", "worker 0"}),
            StepsOf(model).names);
}

TEST(ModularPolicies, AreInTheListOfPolicies) {
  std::set<std::string> names;
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at)
    names.insert((*at)->policy_name);
  for (const char* name : {"modular-eager", "modular-prio", "modular-random", "modular-ws"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(ModularPolicies, RunTheHighestPriorityFirst) {
  static std::vector<int> order;
  order.clear();
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {
    order.push_back(starpu_task_get_current()->priority);
  };
  Started started(1, "modular-prio");
  starpu_pause();
  for (const int priority : {0, 2, -1}) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_PRIORITY, priority, 0));
  }
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ((std::vector<int>{2, 0, -1}), order);
}

// --- Components of the program's own -------------------------------------------------------------

// A stack that a program puts in the place of the decision.
struct Stack {
  starpu_task_list tasks;
  starpu_pthread_mutex_t lock = STARPU_PTHREAD_MUTEX_INITIALIZER;
};
Stack& StackOf(Component* component) { return *static_cast<Stack*>(component->data); }

Component* CreateStack(starpu_sched_tree* tree, void*) {
  Component* component = starpu_sched_component_create(tree, "stack");
  component->data = new Stack;
  starpu_task_list_init(&StackOf(component).tasks);
  component->deinit_data = [](Component* self) { delete &StackOf(self); };
  component->push_task = [](Component* self, starpu_task* task) {
    STARPU_COMPONENT_MUTEX_LOCK(&StackOf(self).lock);
    starpu_task_list_push_front(&StackOf(self).tasks, task);
    starpu_push_task_end(task);
    STARPU_COMPONENT_MUTEX_UNLOCK(&StackOf(self).lock);
    self->can_pull(self);
    return 0;
  };
  component->pull_task = [](Component* self, Component*) -> starpu_task* {
    STARPU_COMPONENT_MUTEX_LOCK(&StackOf(self).lock);
    starpu_task* task = starpu_task_list_empty(&StackOf(self).tasks)
                            ? nullptr
                            : starpu_task_list_pop_front(&StackOf(self).tasks);
    STARPU_COMPONENT_MUTEX_UNLOCK(&StackOf(self).lock);
    return task;
  };
  component->can_push = [](Component* self, Component* to) -> int {
    int moved = 0;
    if (starpu_task* refused = starpu_sched_component_pump_to(self, to, &moved)) {
      STARPU_COMPONENT_MUTEX_LOCK(&StackOf(self).lock);
      starpu_task_list_push_front(&StackOf(self).tasks, refused);
      STARPU_COMPONENT_MUTEX_UNLOCK(&StackOf(self).lock);
    }
    return moved || starpu_sched_component_can_push(self, to);
  };
  return component;
}

starpu_sched_policy OwnModular() {
  starpu_sched_policy policy = {};
  policy.policy_name = "own-modular";
  policy.init_sched = [](unsigned context) {
    starpu_sched_component_initialize_simple_scheduler(CreateStack, nullptr,
                                                       STARPU_SCHED_SIMPLE_DECIDE_WORKERS |
                                                           STARPU_SCHED_SIMPLE_FIFOS_BELOW |
                                                           STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO,
                                                       context);
  };
  policy.deinit_sched = starpu_sched_tree_deinitialize;
  policy.add_workers = starpu_sched_tree_add_workers;
  policy.remove_workers = starpu_sched_tree_remove_workers;
  policy.push_task = starpu_sched_tree_push_task;
  policy.pop_task = starpu_sched_tree_pop_task;
  policy.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook;
  policy.post_exec_hook = starpu_sched_component_worker_post_exec_hook;
  return policy;
}

TEST(Components, OfTheProgramsOwnTakePart) {
  starpu_sched_policy policy = OwnModular();
  const TraceModel model = RunOf("own-modular", &policy);
  const Steps steps = StepsOf(model);
  EXPECT_EQ((std::multiset<std::string>{"stack", "prio", "prio", "worker 0", "worker 1"}),
            steps.names);
  EXPECT_EQ(50u, steps.pulls_to_outside);
  size_t ran = 0;
  for (size_t task = 0; task < model.tasks.size(); ++task)
    ran += model.str(model.tasks.name[task]) == "nothing" && model.tasks.end_ns[task] != kNever;
  EXPECT_EQ(50u, ran);
}

// A queue above a decision that is itself a queue above one at random.
Component* CreateComposed(starpu_sched_tree* tree, void* argument) {
  starpu_sched_component_composed_recipe* recipe =
      starpu_sched_component_composed_recipe_create_singleton(
          [](starpu_sched_tree* of, void*) {
            return starpu_sched_component_prio_create(of, nullptr);
          },
          nullptr);
  starpu_sched_component_composed_recipe_add(recipe, starpu_sched_component_random_create,
                                             argument);
  Component* component = starpu_sched_component_composed_component_create(tree, recipe);
  starpu_sched_component_composed_recipe_destroy(recipe);
  return component;
}

TEST(Components, MayBeOneMadeOfSeveral) {
  starpu_sched_policy policy = OwnModular();
  policy.policy_name = "composed";
  policy.init_sched = [](unsigned context) {
    starpu_sched_component_initialize_simple_scheduler(CreateComposed, nullptr,
                                                       STARPU_SCHED_SIMPLE_DECIDE_WORKERS |
                                                           STARPU_SCHED_SIMPLE_FIFO_ABOVE |
                                                           STARPU_SCHED_SIMPLE_FIFOS_BELOW,
                                                       context);
  };
  const Steps steps = StepsOf(RunOf("composed", &policy));
  EXPECT_EQ((std::multiset<std::string>{"composed", "fifo", "fifo", "fifo", "prio", "random",
                                        "worker 0", "worker 1"}),
            steps.names);
  EXPECT_EQ((std::set<std::string>{"prio > random", "fifo > composed", "composed > fifo",
                                   "fifo > worker 0", "fifo > worker 1"}),
            steps.links);
  EXPECT_EQ(50u, steps.pulls_to_outside);
}

TEST(Components, MadeOfOneAreThatOne) {
  Started started(1, "modular-eager");
  auto* recipe = starpu_sched_component_composed_recipe_create();
  starpu_sched_component_composed_recipe_add(recipe, starpu_sched_component_eager_create, nullptr);
  Component* only =
      starpu_sched_component_composed_component_create(starpu_sched_tree_get(0), recipe);
  EXPECT_TRUE(starpu_sched_component_is_eager(only));
  starpu_sched_component_destroy(only);
  starpu_sched_component_composed_recipe_destroy(recipe);
}

TEST(Components, StealFromEachOther) {
  Started started(2, "modular-ws");
  Component* root = starpu_sched_tree_get(0)->root;
  ASSERT_TRUE(starpu_sched_component_is_work_stealing(root));
  // A task that submits others keeps its worker until the other one has run them all.
  static std::atomic<int> stolen;
  stolen = 0;
  static starpu_codelet small = {};
  small.cpu_funcs[0] = [](void**, void*) { ++stolen; };
  starpu_codelet large = {};
  large.cpu_funcs[0] = [](void**, void*) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(0, starpu_task_insert(&small, 0));
    while (stolen < 10) std::this_thread::yield();
  };
  ASSERT_EQ(0, starpu_task_insert(&large, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(0, root->estimated_load(root));
}

TEST(Components, KnowWhatIsBelowThem) {
  Started started(3, "modular-random");
  starpu_sched_tree* tree = starpu_sched_tree_get(0);
  ASSERT_TRUE(tree);
  EXPECT_TRUE(starpu_sched_component_is_fifo(tree->root));
  Component* random = tree->root->children[0];
  EXPECT_TRUE(starpu_sched_component_is_random(random));
  EXPECT_FALSE(starpu_sched_component_is_eager(random));
  EXPECT_EQ(3, starpu_bitmap_cardinal(&random->workers));
  Component* leaf = starpu_sched_component_worker_get(0, 1);
  EXPECT_TRUE(starpu_sched_component_is_worker(leaf));
  EXPECT_EQ(1, starpu_sched_component_worker_get_workerid(leaf));
  starpu_pause();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(0, starpu_task_insert(&Nothing(), 0));
  starpu_task* task = starpu_task_create();
  task->cl = &Nothing();
  uint32_t second = 1u << 1;
  task->workerids = &second;
  task->workerids_len = 1;
  EXPECT_TRUE(starpu_sched_component_can_execute_task(leaf, task));
  EXPECT_FALSE(
      starpu_sched_component_can_execute_task(starpu_sched_component_worker_get(0, 0), task));
  EXPECT_GE(tree->root->estimated_load(tree->root), 0);
  ASSERT_EQ(0, starpu_task_submit(task));
  starpu_resume();
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(0, tree->root->estimated_load(tree->root));
}

TEST(Components, BoundedQueuesRefuseWhatIsTooMuch) {
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  starpu_sched_component_fifo_data two = {.ntasks_threshold = 2};
  tree->root = starpu_sched_component_fifo_create(tree, &two);
  starpu_task* tasks[3];
  for (starpu_task*& task : tasks) {
    task = starpu_task_create();
    task->cl = &Nothing();
  }
  EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, tasks[0]));
  EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, tasks[1]));
  EXPECT_EQ(1, starpu_sched_component_push_task(nullptr, tree->root, tasks[2]));
  EXPECT_EQ(2, tree->root->estimated_load(tree->root));
  EXPECT_EQ(tasks[0], starpu_sched_component_pull_task(tree->root, nullptr));
  EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, tasks[2]));
  EXPECT_EQ(tasks[1], starpu_sched_component_pull_task(tree->root, nullptr));
  EXPECT_EQ(tasks[2], starpu_sched_component_pull_task(tree->root, nullptr));
  EXPECT_EQ(nullptr, starpu_sched_component_pull_task(tree->root, nullptr));
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

TEST(Components, KnowWhenATaskIsExpectedToStart) {
  Started started(1);
  starpu_sched_tree* tree = starpu_sched_tree_create(0);
  starpu_sched_component_prio_data a_second = {.exp_len_threshold = 1e6};
  tree->root = starpu_sched_component_prio_create(tree, &a_second);
  // (The clock is read between two others.)
  const auto expect_from_now = [&](double us) {
    const double before_us = starpu_timing_now();
    const double end_us = tree->root->estimated_end(tree->root);
    EXPECT_LE(before_us + us, end_us + 1e-3);
    EXPECT_GE(starpu_timing_now() + us, end_us - 1e-3);
  };
  expect_from_now(0);
  starpu_task* tasks[3];
  for (starpu_task*& task : tasks) {
    task = starpu_task_create();
    task->cl = &Nothing();
    task->predicted = 5e5;
    task->predicted_transfer = 1e5;
  }
  EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, tasks[0]));
  expect_from_now(6e5);
  EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, tasks[1]));
  expect_from_now(12e5);
  EXPECT_EQ(1, starpu_sched_component_push_task(nullptr, tree->root, tasks[2]));
  EXPECT_EQ(tasks[0], starpu_sched_component_pull_task(tree->root, nullptr));
  EXPECT_EQ(0, starpu_sched_component_push_task(nullptr, tree->root, tasks[2]));
  EXPECT_EQ(tasks[1], starpu_sched_component_pull_task(tree->root, nullptr));
  EXPECT_EQ(tasks[2], starpu_sched_component_pull_task(tree->root, nullptr));
  expect_from_now(0);
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  starpu_sched_tree_destroy(tree);
}

}  // namespace
}  // namespace tasklens
