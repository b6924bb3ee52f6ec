// SPDX-License-Identifier: Apache-2.0
// The copies of each piece of data between memory nodes, and those caused by a full node.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/critical_path.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// The copies of each piece of data. O(accesses + copies) to build, some words for each piece of
// data, each copy and each write.
class CopiesOfData {
 public:
  explicit CopiesOfData(const TraceModel& model);

  // Returns how long a copy to the node was under way between the two times.
  int64_t UnderWayNs(uint32_t handle, uint32_t node, int64_t from_ns, int64_t to_ns) const;

  // Returns the copies to a node that had the data before, while no task elsewhere has written them
  // since: they had been evicted.
  std::vector<uint32_t> ReloadsOf(uint32_t handle) const;

  // Returns how often the data went from one node to another and back, for the pair of nodes with
  // tasks on the data where that is most.
  int64_t RoundTrips(uint32_t handle) const { return data_[handle].round_trips; }

 private:
  struct Data {
    std::vector<uint32_t> copies;  // rows, by start
    std::set<uint32_t> users;      // nodes of workers that ran tasks on it
    std::map<std::pair<uint32_t, uint32_t>, int64_t> ways;
    std::vector<std::pair<int64_t, uint32_t>> writes;  // start and node of tasks, by start
    int64_t longest_ns = 0, round_trips = 0;
  };

  void Add(Data& data, uint32_t copy) const;

  const TraceModel& model_;
  std::vector<Data> data_;  // by handle
};

// Copies that would not have been needed if a memory node had been larger.
struct Reloads {
  uint64_t copies = 0, bytes = 0;  // of that node
  uint32_t node = kNone;           // row of the node with the most
  int64_t wait_ns = 0;             // waiting time of tasks on the critical path for any of them
  uint32_t site = kNone;           // site of the tasks that waited most
};
Reloads FindReloads(const TraceModel& model, const CriticalPath& path);

}  // namespace tasklens
