// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules/copies_of_data.h"

#include <algorithm>

#include "analysis/execution_order.h"
#include "analysis/sum.h"

namespace tasklens {

CopiesOfData::CopiesOfData(const TraceModel& model) : model_(model), data_(model.handles.size()) {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> handle_of;  // by rank and address: the latest
                                                                // handle
  for (uint32_t handle = 0; handle < model.handles.size(); ++handle)
    handle_of[{model.handles.rank_index[handle], model.handles.address[handle]}] = handle;
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const bool ran = Executed(tasks, task) && tasks.worker[task] < model.workers.size();
    // An acquisition: the program itself uses the data in main memory.
    const bool is_acquired =
        !ran && (tasks.type[task] & kTaskDataAcquire) && tasks.submit_ns[task] != kNever;
    if (!ran && !is_acquired) continue;
    const uint32_t node = ran ? model.workers.memory_node[tasks.worker[task]] : 0;
    const int64_t time_ns =
        ran ? tasks.start_ns[task] : std::max(tasks.submit_ns[task], tasks.done_ns[task]);
    for (const TaskAccess& access : model.accesses[task]) {
      Data& data = data_[access.handle];
      if (ran) data.users.insert(node);
      if (access.mode & kAccessWrite) data.writes.emplace_back(time_ns, node);
    }
  }
  for (Data& data : data_) std::sort(data.writes.begin(), data.writes.end());
  const TransferTable& copies = model.transfers;
  for (uint32_t copy = 0; copy < copies.size(); ++copy) {
    if (copies.handle[copy] == 0 || copies.end_ns[copy] == kNever) continue;
    const auto handle = handle_of.find({copies.rank_index[copy], copies.handle[copy]});
    if (handle != handle_of.end()) Add(data_[handle->second], copy);
  }
}

int64_t CopiesOfData::UnderWayNs(uint32_t handle, uint32_t node, int64_t from_ns,
                                 int64_t to_ns) const {
  const TransferTable& copies = model_.transfers;
  const Data& data = data_[handle];
  auto copy = std::partition_point(data.copies.begin(), data.copies.end(), [&](uint32_t row) {
    return copies.start_ns[row] < from_ns - data.longest_ns;
  });
  int64_t under_way_ns = 0, until_ns = from_ns;
  for (; copy != data.copies.end() && copies.start_ns[*copy] < to_ns; ++copy) {
    if (copies.target_node[*copy] != node) continue;
    const int64_t begin_ns = std::max(copies.start_ns[*copy], until_ns);
    const int64_t end_ns = std::min(copies.end_ns[*copy], to_ns);
    if (begin_ns >= end_ns) continue;
    AddNs(under_way_ns, end_ns - begin_ns);
    until_ns = end_ns;
  }
  return under_way_ns;
}

std::vector<uint32_t> CopiesOfData::ReloadsOf(uint32_t handle) const {
  const TransferTable& copies = model_.transfers;
  const Data& data = data_[handle];
  std::map<uint32_t, int64_t> last_ns;  // start of the last copy to each node
  std::vector<uint32_t> reloads;
  for (const uint32_t copy : data.copies) {
    const uint32_t node = copies.target_node[copy];
    const auto [before, is_first] = last_ns.try_emplace(node, copies.start_ns[copy]);
    if (is_first) continue;
    const int64_t since_ns = std::exchange(before->second, copies.start_ns[copy]);
    auto write = std::partition_point(data.writes.begin(), data.writes.end(),
                                      [&](const auto& one) { return one.first <= since_ns; });
    bool elsewhere = false;
    for (; write != data.writes.end() && write->first <= copies.start_ns[copy]; ++write)
      elsewhere |= write->second != node;
    // A reload costs time only on nodes where tasks use the data.
    if (!elsewhere && node != 0 && data.users.contains(node)) reloads.push_back(copy);
  }
  return reloads;
}

void CopiesOfData::Add(Data& data, uint32_t copy) const {
  const TransferTable& copies = model_.transfers;
  data.copies.push_back(copy);
  data.longest_ns = std::max(data.longest_ns, copies.end_ns[copy] - copies.start_ns[copy]);
  const auto way = std::pair(copies.source_node[copy], copies.target_node[copy]);
  if (!data.users.contains(way.first) || !data.users.contains(way.second)) return;
  const int64_t count = ++data.ways[way];
  if (const auto back = data.ways.find({way.second, way.first}); back != data.ways.end())
    data.round_trips = std::max(data.round_trips, std::min(count, back->second));
}

Reloads FindReloads(const TraceModel& model, const CriticalPath& path) {
  Reloads reloads;
  const TransferTable& copies = model.transfers;
  if (copies.size() == 0) return reloads;
  const CopiesOfData of_data(model);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> made;  // by handle and node
  struct Of {
    uint64_t copies = 0, bytes = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, Of> of_node;  // by rank row and id
  for (uint32_t handle = 0; handle < model.handles.size(); ++handle) {
    for (const uint32_t copy : of_data.ReloadsOf(handle)) {
      made[{handle, copies.target_node[copy]}].push_back(copy);
      Of& of = of_node[{copies.rank_index[copy], copies.target_node[copy]}];
      ++of.copies;
      of.bytes += copies.size_bytes[copy];
    }
  }
  for (uint32_t node = 0; node < model.memory_nodes.size(); ++node) {
    const auto of =
        of_node.find({model.memory_nodes.rank_index[node], model.memory_nodes.id[node]});
    if (of == of_node.end() || of->second.copies <= reloads.copies) continue;
    reloads.copies = of->second.copies;
    reloads.bytes = of->second.bytes;
    reloads.node = node;
  }
  if (reloads.node == kNone) return reloads;
  std::map<uint32_t, int64_t> of_site;
  for (const CriticalStep& step : path.steps) {
    if (step.wait_ns <= 0 || model.tasks.worker[step.task] >= model.workers.size()) continue;
    const int64_t start_ns = model.tasks.start_ns[step.task];
    const uint32_t node = model.workers.memory_node[model.tasks.worker[step.task]];
    int64_t waited_ns = 0;
    for (const TaskAccess& access : model.accesses[step.task]) {
      const auto of = made.find({access.handle, node});
      if (of == made.end()) continue;
      const auto after =
          std::partition_point(of->second.begin(), of->second.end(),
                               [&](uint32_t copy) { return copies.start_ns[copy] < start_ns; });
      if (after == of->second.begin()) continue;
      // A copy that was requested early enough is not waited for to its end.
      const uint32_t copy = *std::prev(after);
      waited_ns = std::max(waited_ns, std::min(copies.end_ns[copy], start_ns) -
                                          std::max(copies.start_ns[copy], start_ns - step.wait_ns));
    }
    if (waited_ns <= 0) continue;
    AddNs(reloads.wait_ns, waited_ns);
    AddNs(of_site[model.tasks.site[step.task]], waited_ns);
  }
  reloads.site = KeyOfMost(of_site, reloads.site);
  return reloads;
}

}  // namespace tasklens
