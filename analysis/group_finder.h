// SPDX-License-Identifier: Apache-2.0
// Finds the groups of a graph that contain a task, assuming that no other groups are open, and the
// tasks of a group.
//
// Keeps the parts of the whole graph, and those of each group on the path of the last search, so
// that only groups off that path are split again.
//
// The first search costs O(tasks + dependencies), others the size of the groups that are split and
// a scan of the tasks beside them; 4 bytes per task, and as much for each task in a group that was
// split. Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/graph_split.h"
#include "analysis/graph_view.h"
#include "analysis/stop.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

class GroupFinder {
 public:
  // All must outlive this, including query.selection. query.open is ignored.
  GroupFinder(const TraceModel& model, const Topology& topology, GraphQuery query)
      : model_(model), topology_(topology), query_(std::move(query)) {}
  GroupFinder(const GroupFinder&) = delete;
  GroupFinder& operator=(const GroupFinder&) = delete;

  const GraphQuery& query() const { return query_; }

  // Returns the groups around the task, the outermost first; a group of one task is shown as the
  // task and is not included. Valid until the next call.
  std::vector<const GraphSet*> Around(uint32_t task, Stop stop = nullptr);
  // Returns the group `id` and the groups around it, as far as they exist.
  std::vector<const GraphSet*> WayTo(std::string_view id, Stop stop = nullptr);

 private:
  struct Level {
    std::vector<GraphSet> parts;
    size_t room = 0;           // room for its parts in the picture
    size_t chosen = SIZE_MAX;  // index of the part that the next level divides
  };

  std::vector<const GraphSet*> Descend(const std::function<bool(const GraphSet&)>& holds,
                                       Stop stop);

  const TraceModel& model_;
  const Topology& topology_;
  const GraphQuery query_;
  std::vector<Level> levels_;
};

}  // namespace tasklens
