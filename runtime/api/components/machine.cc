// SPDX-License-Identifier: Apache-2.0
// Builds a tree of components along the machine's levels: memories, sockets, caches.
#include <hwloc.h>

#include <vector>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

using Recipe = starpu_sched_component_composed_recipe;
using Specs = starpu_sched_component_specs;

// The component to make for an object, and whether it represents a memory.
struct Level {
  Recipe* recipe = nullptr;
  bool is_memory = false;
};

Level LevelOf(hwloc_obj_t object, const Specs& specs) {
  if (object->type == HWLOC_OBJ_MACHINE) return {specs.hwloc_machine_composed_sched_component};
  if (object->type == HWLOC_OBJ_GROUP || object->type == HWLOC_OBJ_NUMANODE)
    return {specs.hwloc_component_composed_sched_component, true};
  if (object->type == HWLOC_OBJ_PACKAGE) return {specs.hwloc_socket_composed_sched_component};
  if (hwloc_obj_type_is_cache(object->type)) return {specs.hwloc_cache_composed_sched_component};
  return {};
}

class Builder {
 public:
  Builder(starpu_sched_tree* tree, const Specs& specs, hwloc_obj_t machine)
      : tree_(tree), specs_(specs), machine_(machine) {
    tree_->root = starpu_sched_component_composed_component_create(
        tree_, specs.hwloc_machine_composed_sched_component);
    tree_->root->obj = machine;
    made_.push_back({machine, nullptr, tree_->root});
  }

  void Add(const Worker& worker, hwloc_obj_t unit) {
    Component* above = worker.kind == STARPU_CPU_WORKER ? Above(unit) : AboveDevice(worker);
    Recipe* recipe = specs_.worker_composed_sched_component
                         ? specs_.worker_composed_sched_component(worker.kind)
                         : nullptr;
    if (recipe) {
      Component* const own = starpu_sched_component_composed_component_create(tree_, recipe);
      starpu_sched_component_composed_recipe_destroy(recipe);
      own->obj = above->obj;
      starpu_sched_component_connect(above, own);
      above = own;
    }
    Component* const leaf = starpu_sched_component_worker_get(tree_->sched_ctx_id, worker.id);
    leaf->tree = tree_;
    leaf->obj = unit;
    starpu_sched_component_connect(above, leaf);
  }

 private:
  // The component made for an object, or for the device workers of a kind and memory.
  struct Made {
    hwloc_obj_t object;
    const Worker* device;
    Component* component;
  };

  // Returns the component of the nearest enclosing object that has one, made on first use.
  Component* Above(hwloc_obj_t object) {
    if (!object) return tree_->root;
    // In hwloc a NUMA node is not an ancestor of its processing units, but a memory child of
    // theirs.
    for (hwloc_obj_t memory = object->memory_first_child; memory; memory = memory->next_sibling)
      if (memory->type == HWLOC_OBJ_NUMANODE) return Get(memory);
    return Get(object);
  }

  Component* Get(hwloc_obj_t object) {
    if (object == machine_) return tree_->root;
    const Level level = LevelOf(object, specs_);
    const bool is_beside = object->type == HWLOC_OBJ_NUMANODE;
    const auto next = [&] { return is_beside ? Get(object->parent) : Above(object->parent); };
    if (!level.recipe) return next();
    for (const Made& made : made_)
      if (made.object == object && !made.device) return made.component;
    Component* const component = Make(next(), level.recipe, object);
    made_.push_back({object, nullptr, component});
    if (level.is_memory && !first_memory_) first_memory_ = component;
    return component;
  }

  Component* AboveDevice(const Worker& worker) {
    Recipe* const recipe = specs_.hwloc_component_composed_sched_component;
    if (!recipe) return tree_->root;
    if (specs_.mix_heterogeneous_workers) return first_memory_ ? first_memory_ : tree_->root;
    for (const Made& made : made_)
      if (made.device && made.device->kind == worker.kind && made.device->node == worker.node)
        return made.component;
    Component* const component = Make(tree_->root, recipe, machine_);
    made_.push_back({machine_, &worker, component});
    return component;
  }

  Component* Make(Component* above, Recipe* recipe, hwloc_obj_t object) {
    Component* const component = starpu_sched_component_composed_component_create(tree_, recipe);
    component->obj = object;
    starpu_sched_component_connect(above, component);
    return component;
  }

  starpu_sched_tree* const tree_;
  const Specs& specs_;
  const hwloc_obj_t machine_;
  std::vector<Made> made_;
  Component* first_memory_ = nullptr;
};

}  // namespace
}  // namespace tasklens::runtime

extern "C" starpu_sched_tree* starpu_sched_component_make_scheduler(
    unsigned context, starpu_sched_component_specs specs) {
  using namespace tasklens::runtime;  // NOLINT: the helpers above
  Runtime& runtime = Runtime::Get(__func__);
  if (!specs.hwloc_machine_composed_sched_component)
    Fatal("%s(): hwloc_machine_composed_sched_component has to be there", __func__);
  hwloc_topology_t topology = runtime.topology().hwloc();
  starpu_sched_tree* tree = starpu_sched_tree_create(context);
  Builder builder(tree, specs, topology ? hwloc_get_root_obj(topology) : nullptr);
  // CPUs first, so that the main memory's component exists.
  for (const bool cpus : {true, false}) {
    for (const auto& worker : runtime.workers()) {
      if ((worker->kind == STARPU_CPU_WORKER) != cpus) continue;
      const bool is_bound = topology && worker->os_cpu >= 0;
      builder.Add(*worker, is_bound ? hwloc_get_pu_obj_by_os_index(
                                          topology, static_cast<unsigned>(worker->os_cpu))
                                    : nullptr);
    }
  }
  starpu_sched_tree_update_workers(tree);
  return tree;
}
