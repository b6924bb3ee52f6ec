// SPDX-License-Identifier: Apache-2.0
// A view of the graph (graph_view.h) whose groups are opened and closed one by one, in time
// proportional to the group and not to the graph.
//
// The constructor costs as much as ViewGraph(); Open() costs O(tasks and dependencies of the group
// + edges shown), Close() O(tasks of the group + edges shown). Memory: some 20 bytes per task
// during its life. Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/graph_split.h"
#include "analysis/graph_view.h"
#include "analysis/stop.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

class GraphBrowser {
 public:
  // `model` and `topology` must outlive this. The groups of query.open are open at first, as in
  // ViewGraph().
  GraphBrowser(const TraceModel& model, const Topology& topology, GraphQuery query,
               Stop stop = nullptr);
  GraphBrowser(const GraphBrowser&) = delete;
  GraphBrowser& operator=(const GraphBrowser&) = delete;

  // Replaces the group `id` by its parts. Returns false if it is not shown, is a single task, or
  // there is no room for its parts (then View().not_opened names it).
  bool Open(std::string_view id);
  // Replaces the parts of the group `id` by the group. Returns false if it is not open.
  bool Close(std::string_view id);
  // Opens and closes groups until exactly the groups `ids` are open, as far as there is room. Ids
  // inside a closed group are ignored.
  void SetOpen(const std::vector<std::string>& ids);

  // For the following calls. After a stop, only the destructor may be called.
  void set_stop(Stop stop);

  GraphView View() const;

  // Returns for each node of View() the mean of `values` (by row of tasks) over its members, kNever
  // if none has a value. Cached per node under `name`, so that only new nodes cost time.
  std::vector<double> Means(std::string_view name, const std::vector<int64_t>& values);

 private:
  struct Slot {
    GraphSet set;
    uint64_t inside = 0;                       // dependencies between members
    std::map<std::string_view, double> means;  // by Means()' argument `name`
  };

  bool OpenAt(size_t position);
  // Replaces the `count` slots from `position` on by `sets`.
  void Replace(size_t position, size_t count, std::vector<GraphSet> sets);
  // Replaces the slots in [first, last) of order_, the parts of `whole`, by `whole`.
  void Rejoin(size_t first, size_t last, Slot whole);
  void CountDependencies(const std::vector<uint32_t>& added, uint32_t first_new);
  uint32_t NewSlot(GraphSet set);
  size_t PositionOf(std::string_view id) const;
  bool IsInside(const GraphNode& node, std::string_view id) const;

  const TraceModel& model_;
  const Topology& topology_;
  const GraphQuery query_;
  Stop stop_;
  GraphSplitter splitter_;
  std::vector<uint32_t> order_;               // the slots shown, predecessors first
  std::unordered_map<uint32_t, Slot> slots_;  // by number; numbers are not reused
  uint32_t next_slot_ = 0;
  std::vector<uint32_t> slot_of_;                    // per task; kNone: hidden
  std::unordered_map<uint64_t, uint64_t> counts_;    // (from slot, to slot) to dependencies
  std::map<std::string, Slot, std::less<>> opened_;  // groups that were replaced by their parts
  std::vector<std::string> not_opened_, asked_;
  uint64_t tasks_covered_ = 0, tasks_total_ = 0, tasks_joining_ = 0;
};

}  // namespace tasklens
