// SPDX-License-Identifier: Apache-2.0
// Splits sets of tasks into parts without cycles among them; implements graph_view.h.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/graph_view.h"
#include "analysis/stop.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A set of tasks that becomes one node or several.
struct GraphSet {
  GraphNode node;
  std::vector<uint32_t> members;  // in topological order
  size_t depth = 0;               // number of levels of the nesting used so far
};

class GraphSplitter {
 public:
  // All must outlive this.
  GraphSplitter(const TraceModel& model, const Topology& topology, const GraphQuery& query,
                Stop stop = nullptr)
      : model_(model),
        topology_(topology),
        query_(query),
        dependencies_(query.dependencies()),
        rank_digits_(RankDigits(model)),
        stop_(stop) {}

  // Returns the parts of `set`: at most `room`, at least two; none if it cannot be split.
  std::vector<GraphSet> Split(const GraphSet& set, size_t room);
  GraphSet Whole() const;
  // For the following calls.
  void set_stop(Stop stop) { stop_ = stop; }
  // Fills in the node's data about its members.
  void Describe(GraphSet& set) const;

 private:
  static constexpr size_t kIntervals = 64;  // number of parts where it is free to choose

  uint64_t KeyOf(GroupBy by, uint32_t task) const;
  std::string KeyLabel(GroupBy by, uint32_t task) const;
  // Groups of equal key, in as many stages as needed to avoid cycles among them. Stops at room + 1
  // parts, because there may be as many parts as tasks.
  std::vector<GraphSet> ByKey(const GraphSet& set, GroupBy by, size_t depth, size_t room);
  // Parts are met in topological order of their first member; edges go by (stage, key).
  void SortByStageAndKey(std::vector<GraphSet>& parts,
                         const std::unordered_map<uint64_t, uint32_t>& index) const;
  // At most `most` intervals of the levels that `set` spans.
  std::vector<GraphSet> ByLevels(const GraphSet& set, size_t most, size_t depth) const;
  // Runs of tasks. REQUIRES: all of one level, so that any order among them is correct.
  std::vector<GraphSet> Runs(const GraphSet& set, size_t most) const;
  std::vector<GraphSet> Tasks(const GraphSet& set) const;
  void BecomeTask(GraphNode& node, uint32_t task) const;
  static size_t RankDigits(const TraceModel& model);

  const TraceModel& model_;
  const Topology& topology_;
  const GraphQuery& query_;
  const JoinedDependencies& dependencies_;
  const size_t rank_digits_;  // of the largest rank; 0: there is only one rank
  Stop stop_;
  std::vector<uint32_t> stage_, key_, part_;  // per task, from its last ByKey(); or empty
  uint32_t marks_ = 0;
};

}  // namespace tasklens
