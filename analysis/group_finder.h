// SPDX-License-Identifier: Apache-2.0
// Which groups of a graph a task lies in, as they are while no others are open, and which tasks a
// group has.
//
// The parts of the whole graph are kept, and those of each group on the way to what was found last,
// so that only the groups in which the next way differs are split again.
//
// The first search costs O(tasks + dependencies), others the size of the groups that are split anew
// and a look at the tasks beside them; 4 bytes a task, and as much for each task in a group that
// was split. Threads: one at a time.
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
  // All must outlive this, also query.selection. What query.open says does not matter.
  GroupFinder(const TraceModel& model, const Topology& topology, GraphQuery query)
      : model_(model), topology_(topology), query_(std::move(query)) {}
  GroupFinder(const GroupFinder&) = delete;
  GroupFinder& operator=(const GroupFinder&) = delete;

  // The groups around the task, the outermost first; a group of one is shown as its task and is
  // none. Valid until the next call.
  std::vector<const GraphSet*> Around(uint32_t task, Stop stop = nullptr);
  // The group `id` and those around it, as far as they exist.
  std::vector<const GraphSet*> WayTo(std::string_view id, Stop stop = nullptr);

 private:
  struct Level {
    std::vector<GraphSet> parts;
    size_t room = 0;           // that their own parts have in the picture
    size_t chosen = SIZE_MAX;  // whose parts the next level is
  };

  std::vector<const GraphSet*> Descend(const std::function<bool(const GraphSet&)>& holds,
                                       Stop stop);

  const TraceModel& model_;
  const Topology& topology_;
  const GraphQuery query_;
  std::vector<Level> levels_;
};

}  // namespace tasklens
