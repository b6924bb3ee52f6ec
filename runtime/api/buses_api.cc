// SPDX-License-Identifier: Apache-2.0
// starpu_bus_*: the buses between memory nodes, and their traffic.
#include <starpu.h>

#include <cerrno>

#include "runtime/core/runtime.h"
#include "runtime/core/task_times.h"
#include "runtime/data/disk/buses.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

unsigned Nodes() {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->memory_nodes() : 1;
}
bool IsBus(int id) { return id >= 0 && id < Buses::CountFor(Nodes()); }

}  // namespace

extern "C" {

int starpu_bus_get_count(void) { return Buses::CountFor(Nodes()); }
int starpu_bus_get_id(int source, int target) {
  const auto is_node = [](int node) { return node >= 0 && node < static_cast<int>(Nodes()); };
  if (!is_node(source) || !is_node(target) || source == target) return -1;
  return Buses::IdOf({static_cast<unsigned>(source), static_cast<unsigned>(target)});
}
int starpu_bus_get_src(int id) {
  return IsBus(id) ? static_cast<int>(Buses::EndsOf(id).source) : -EINVAL;
}
int starpu_bus_get_dst(int id) {
  return IsBus(id) ? static_cast<int>(Buses::EndsOf(id).target) : -EINVAL;
}
// For GPUs that share a bus: not supported.
int starpu_bus_set_direct(int, int) { return -EINVAL; }
int starpu_bus_get_direct(int id) { return IsBus(id) ? 0 : -EINVAL; }
int starpu_bus_set_ngpus(int, int) { return -EINVAL; }
int starpu_bus_get_ngpus(int id) { return IsBus(id) ? 0 : -EINVAL; }

int starpu_bus_get_profiling_info(int id, starpu_profiling_bus_info* info) {
  if (!IsBus(id)) return -EINVAL;
  const uint64_t now_ns = NowNs();
  const Buses::Load load = Runtime::Instance()->disks().buses().Look(id, /*restart=*/true, now_ns);
  if (!info) return 0;
  info->start_time = ToTimespec(load.since_ns);
  info->total_time = ToTimespec(now_ns - load.since_ns);
  info->transferred_bytes = static_cast<long long>(load.bytes);
  info->transfer_count = static_cast<int>(load.transfers);
  return 0;
}

}  // extern "C"
