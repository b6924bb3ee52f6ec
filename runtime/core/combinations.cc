// SPDX-License-Identifier: Apache-2.0
// Walks down the levels of the machine's topology.
#include "runtime/core/combinations.h"

#include <hwloc.h>

#include <algorithm>
#include <climits>
#include <span>

#include "runtime/core/runtime.h"
#include "runtime/support/environment.h"

namespace tasklens::runtime {
namespace {

using Group = std::vector<int>;

struct Part {
  Group workers;
  std::vector<Part> parts;  // the subparts that have workers
};

Part PartOf(hwloc_obj_t object, const std::vector<const Worker*>& cpus) {
  Part part;
  for (const Worker* worker : cpus)
    if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(worker->os_cpu)))
      part.workers.push_back(worker->id);
  for (unsigned i = 0; i < object->arity; ++i) {
    Part below = PartOf(object->children[i], cpus);
    if (!below.workers.empty()) part.parts.push_back(std::move(below));
  }
  return part;
}

class Finder {
 public:
  Finder() {
    min_ = static_cast<size_t>(std::max(2, EnvironmentNumber("STARPU_MIN_WORKERSIZE").value_or(2)));
    max_ = static_cast<size_t>(EnvironmentNumber("STARPU_MAX_WORKERSIZE").value_or(INT_MAX));
    arity_ = static_cast<size_t>(
        std::max(2, EnvironmentNumber("STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER").value_or(2)));
  }

  void Add(Group group) {
    std::ranges::sort(group);
    if (group.size() < min_ || group.size() > max_ || std::ranges::count(found_, group)) return;
    found_.push_back(std::move(group));
  }
  void LookInto(const Part& part) {
    if (part.parts.size() != 1) {
      Add(part.workers);
      Divide(part.parts);
    }
    for (const Part& below : part.parts) LookInto(below);
  }

  size_t min() const { return min_; }
  std::vector<Group> Take() {
    // Small groups first, which determines their ids.
    std::ranges::stable_sort(found_, {}, [](const Group& group) { return group.size(); });
    return std::move(found_);
  }

 private:
  void Divide(std::span<const Part> parts) {
    if (parts.size() <= arity_) return;
    const size_t chunk = (parts.size() + arity_ - 1) / arity_;
    for (size_t first = 0; first < parts.size(); first += chunk) {
      const auto some = parts.subspan(first, std::min(chunk, parts.size() - first));
      Group group;
      for (const Part& part : some)
        group.insert(group.end(), part.workers.begin(), part.workers.end());
      if (some.size() > 1) Add(std::move(group));
      Divide(some);
    }
  }

  size_t min_, max_, arity_;
  std::vector<Group> found_;
};

}  // namespace

std::vector<std::vector<int>> FindCombinations(const Runtime& runtime, bool single) {
  std::vector<const Worker*> cpus;
  for (const auto& worker : runtime.workers())
    if (worker->kind == STARPU_CPU_WORKER) cpus.push_back(worker.get());
  Finder finder;
  if (single) {
    Group first;
    for (const Worker* worker : cpus) {
      first.push_back(worker->id);
      finder.Add(first);
    }
    return finder.Take();
  }
  hwloc_topology_t topology = runtime.topology().hwloc();
  const bool are_bound =
      topology && std::ranges::all_of(cpus, [](const Worker* one) { return one->os_cpu >= 0; });
  if (are_bound && !cpus.empty()) {
    finder.LookInto(PartOf(hwloc_get_root_obj(topology), cpus));
  } else {
    Part all;
    for (const Worker* worker : cpus) {
      all.workers.push_back(worker->id);
      all.parts.push_back({{worker->id}, {}});
    }
    finder.LookInto(all);
  }
  return finder.Take();
}

}  // namespace tasklens::runtime
