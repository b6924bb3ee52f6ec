// SPDX-License-Identifier: Apache-2.0
// The task graph at any level of detail: groups of tasks that open into smaller groups and finally
// into tasks.
//
// For any nesting of groups, the graph of the groups has no cycle. For that a group may be divided:
// with tasks in topological order and group keys numbered by first appearance, a task's stage is
// the largest of its predecessors' stages, plus one if such a predecessor has a higher key; a group
// is one (stage, key). So every edge goes to an equal or higher (stage, key). A tiled Cholesky by
// codelet thus shows potrf, trsm, gemm once per iteration, as they happened.
//
// No picture exceeds its budget: if the requested grouping gives too many groups, intervals of
// levels (or, within one level, runs of tasks) are inserted. The view says what it shows.
//
// To open and close groups one by one, use GraphBrowser (graph_browser.h).
//
// Pure; any thread. A view costs O(tasks + dependencies) time and 16 bytes per task while it is
// built.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/joined_dependencies.h"
#include "analysis/stop.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class GroupBy : uint8_t { kIteration, kCodelet, kSite, kLevels, kData, kWorker };
std::string_view GroupByName(GroupBy by);  // "iteration", "codelet", ...
std::optional<GroupBy> ParseGroupBy(std::string_view name);

// The tasks of a graph and the dependencies between them, including those through other tasks
// (joined_dependencies.h). Tasks hidden by the runtime are left out, except those through which too
// many dependencies run.
struct TaskSelection {
  std::vector<uint8_t> is_shown;  // by row
  uint64_t count = 0;             // without the exceptions
  JoinedDependencies dependencies;

  // `internal`: include the runtime's own tasks (acquisitions of data, synchronisation); otherwise
  // only those of IsUserTask() (sites.h).
  TaskSelection(const TraceModel& model, bool internal, Stop stop = nullptr);
};

struct GraphQuery {
  std::vector<GroupBy> nesting{GroupBy::kIteration, GroupBy::kCodelet};  // outermost first
  std::vector<std::string> open;             // ids of groups to show the inside of
  const TaskSelection* selection = nullptr;  // must outlive the view; nullptr: all tasks including
                                             // internal ones, with the trace's own dependencies
                                             // only
  // Show only these rows of the selection.
  std::optional<std::vector<uint32_t>> only;
  uint32_t max_nodes = 2000;
  uint32_t max_edges = 4000;  // beyond it the edges with the fewest dependencies are left out, and
                              // counted

  const JoinedDependencies& dependencies() const;  // of the selection
};

struct GraphNode {
  std::string id;           // stable: the same members under the same query have the same id
  std::string parent;       // id of the opened group that contains it, "" at the top
  std::string label;        // "gemm", "iteration 3", "levels 0 to 17", "tasks 1 to 500"
  uint32_t task = kNone;    // the row if this is a single task
  uint32_t first_task = 0;  // a member, for colours and links
  uint64_t tasks = 0;       // members
  int64_t total_ns = 0;     // their execution time
  int64_t start_ns = kNever, end_ns = kNever;  // first start, last end
  uint32_t first_level = 0, last_level = 0;
  bool can_open = false;  // a group that was not opened (or for which there was no room)
  bool one_name = true;   // whether all members have the name of first_task
};

struct GraphEdge {
  uint32_t from, to;   // indices of nodes
  uint64_t count = 0;  // dependencies in the edge
};

struct GraphView {
  std::vector<GraphNode> nodes;  // predecessors before successors
  std::vector<GraphEdge> edges;
  uint64_t tasks_shown = 0;    // as nodes of their own
  uint64_t tasks_covered = 0;  // these, and the tasks inside groups
  uint64_t tasks_total = 0;    // of the selection
  uint64_t tasks_joining = 0;  // others, shown only because too many dependencies run through them
  // Open groups: an outer one before the groups inside it.
  std::vector<GraphNode> frames;
  uint64_t dependencies_inside = 0;     // between members of one group
  uint64_t dependencies_left_out = 0;   // of edges beyond the budget
  std::vector<std::string> not_opened;  // requested, but there was no room
  std::vector<std::string> not_found;   // requested, but no group, or inside a closed one

  // "1,832 of 1,000,000 tasks in 214 groups", "3 of 3 tasks", "5 of 5 tasks and 1 of the
  // runtime's", "1,000,000 of 1,000,000 tasks in 64 groups, 12 by themselves".
  std::string Caption() const;
};

// The beginning of a caption: "5 of 5 tasks and 1 of the runtime's".
std::string TasksCaption(uint64_t covered, uint64_t total, uint64_t joining);

GraphView ViewGraph(const TraceModel& model, const Topology& topology, const GraphQuery& query);

}  // namespace tasklens
