// SPDX-License-Identifier: Apache-2.0
// The whole hierarchy of the task graph's groups, for a page that opens and closes them without a
// server: each group's parts, and the dependencies among the smallest ones.
//
// Pure; any thread. O((tasks + dependencies) * depth).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/graph_view.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct GraphTree {
  struct Node {
    GraphNode node;              // node.can_open: it has parts
    uint32_t parent = kNone;     // row of `nodes`; parents come before their parts
    std::vector<int64_t> means;  // of each of the measures over its members; kNever: none has one
  };
  std::vector<Node> nodes;        // the first is the whole graph
  std::vector<GraphEdge> edges;   // between nodes without parts, as rows of `nodes`
  std::vector<uint32_t> leaf_of;  // per task: the smallest node that holds it; kNone: hidden
  uint64_t not_split = 0;         // groups of several tasks that stay closed for want of room
};

// At most `room` nodes; the groups with the most time are split first. `measures`: values by row of
// tasks, kNever where there is none. `internal`: also of the runtime's own tasks. REQUIRES: room >
// 0.
GraphTree BuildGraphTree(const TraceModel& model, const Topology& topology,
                         const std::vector<GroupBy>& nesting, size_t room,
                         std::span<const std::vector<int64_t>* const> measures = {},
                         bool internal = false);

}  // namespace tasklens
