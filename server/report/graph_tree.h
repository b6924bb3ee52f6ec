// SPDX-License-Identifier: Apache-2.0
// The complete hierarchy of groups of the task graph, for a page that opens and closes groups
// without a server: the parts of each group, and the dependencies between the smallest ones.
//
// Threads: a pure function. O((tasks + dependencies) * depth).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/colours.h"
#include "analysis/graph_view.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct GraphTree {
  struct Node {
    GraphNode node;                 // node.can_open: it has parts
    uint32_t parent = kNone;        // row of `nodes`; parents come before their parts
    std::vector<uint32_t> colours;  // its entry in the legend of each colouring
  };
  std::vector<Node> nodes;        // the first is the whole graph
  std::vector<GraphEdge> edges;   // between nodes without parts, as rows of `nodes`
  std::vector<uint32_t> leaf_of;  // per task: the smallest node that contains it; kNone: hidden
  uint64_t not_split = 0;         // groups of several tasks not split, as `room` is used up
};

// Returns at most `room` nodes; the groups with the most time are split first.
// `internal`: includes the runtime's own tasks.
// REQUIRES: room > 0.
GraphTree BuildGraphTree(const TraceModel& model, const Topology& topology,
                         const std::vector<GroupBy>& nesting, size_t room,
                         std::span<const std::shared_ptr<const TaskColours>> colourings = {},
                         bool internal = false);

}  // namespace tasklens
