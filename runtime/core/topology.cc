// SPDX-License-Identifier: Apache-2.0
// Queries hwloc, once per start.
#include "runtime/core/topology.h"

#include <algorithm>

namespace tasklens::runtime {

Topology Topology::Load() {
  Topology result;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) {
    result.units_ = {0};
    return result;
  }
  result.hwloc_.reset(topology);
  // Skip devices and instruction caches, which makes the start faster.
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(topology) != 0) {
    result.hwloc_.reset();
    result.units_ = {0};
    return result;
  }
  // Sorted by (rank among the threads of its core, position): the first threads of all cores come
  // first.
  struct Unit {
    int rank_in_core, position, os_index;
  };
  std::vector<Unit> units;
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  for (int i = 0; i < count; ++i) {
    hwloc_obj_t unit = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, static_cast<unsigned>(i));
    if (!hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology), unit->os_index)) continue;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    const int rank = core ? static_cast<int>(unit->sibling_rank) : 0;
    units.push_back({rank, i, static_cast<int>(unit->os_index)});
  }
  // Only the units that this process is bound to (by taskset, a batch system).
  hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
      !hwloc_bitmap_iszero(bound)) {
    std::erase_if(units, [&](const Unit& unit) {
      return !hwloc_bitmap_isset(bound, static_cast<unsigned>(unit.os_index));
    });
  }
  hwloc_bitmap_free(bound);
  std::sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) {
    return a.rank_in_core != b.rank_in_core ? a.rank_in_core < b.rank_in_core
                                            : a.position < b.position;
  });
  for (const Unit& unit : units) result.units_.push_back(unit.os_index);
  if (result.units_.empty()) result.units_ = {0};
  return result;
}

uint32_t Topology::cores() const {
  const int cores = hwloc_ ? hwloc_get_nbobjs_by_type(hwloc_.get(), HWLOC_OBJ_CORE) : 0;
  return static_cast<uint32_t>(cores > 0 ? cores : static_cast<int>(units_.size()));
}

bool Topology::BindThisThread(int os_index) const {
  if (!hwloc_) return false;
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  hwloc_bitmap_only(set, static_cast<unsigned>(os_index));
  const bool bound = hwloc_set_cpubind(hwloc_.get(), set, HWLOC_CPUBIND_THREAD) == 0;
  hwloc_bitmap_free(set);
  return bound;
}

}  // namespace tasklens::runtime
