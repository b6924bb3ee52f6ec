// SPDX-License-Identifier: Apache-2.0
// The task graph at any level of detail: groups of tasks that open into smaller groups and at last
// into tasks.
//
// Whatever is grouped by whatever, the graph of the groups has no cycle. For that a group may come
// in parts: with tasks in topological order and group keys numbered as they appear, a task's stage
// is the largest of its predecessors' stages, plus one where such a predecessor has a higher key;
// a group is one (stage, key). So every edge goes to an equal or higher (stage, key). A tiled
// Cholesky by codelet thus shows potrf, trsm, gemm once an iteration, which is what happened.
//
// No picture exceeds its budget: where the grouping asked for gives too many groups, intervals of
// levels (or, within one level, runs of tasks) come in between. The view says what it shows.
//
// To open and close groups one by one, use GraphBrowser (graph_browser.h).
//
// Pure; any thread. A view costs O(tasks + dependencies) time, 16 bytes a task while it is made.
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

// Which tasks a graph is made of, and the dependencies between them, also those that run through
// other tasks (joined_dependencies.h). What the runtime hides is not among them, unless so many
// dependencies run through it that it has to be seen.
struct TaskSelection {
  std::vector<uint8_t> is_shown;  // by row
  uint64_t count = 0;             // without those that only have to be seen
  JoinedDependencies dependencies;

  // `internal`: also the runtime's own tasks (acquisitions of data, synchronisation), which nobody
  // wrote; else those of IsUserTask() (sites.h).
  TaskSelection(const TraceModel& model, bool internal, Stop stop = nullptr);
};

struct GraphQuery {
  std::vector<GroupBy> nesting{GroupBy::kIteration, GroupBy::kCodelet};  // outermost first
  std::vector<std::string> open;             // ids of groups to show the inside of
  const TaskSelection* selection = nullptr;  // must outlive the view; nullptr: all with internal,
                                             // and no dependencies but the trace's own
  // Of these, the rows to show and no others.
  std::optional<std::vector<uint32_t>> only;
  uint32_t max_nodes = 2000;
  uint32_t max_edges = 4000;  // beyond it the edges that stand for least are left out, and counted

  const JoinedDependencies& dependencies() const;  // of the selection
};

struct GraphNode {
  std::string id;           // stable: the same members under the same query have the same id
  std::string parent;       // id of the opened group it lies in, "" at the top
  std::string label;        // "gemm", "iteration 3", "levels 0 to 17", "tasks 1 to 500"
  uint32_t task = kNone;    // the row, when this is a single task
  uint32_t first_task = 0;  // a member, for colours and links
  uint64_t tasks = 0;       // members
  int64_t total_ns = 0;     // their execution time
  int64_t start_ns = kNever, end_ns = kNever;  // first start, last end
  uint32_t first_level = 0, last_level = 0;
  bool can_open = false;  // a group that was not asked for (or for which there was no room)
  bool one_name = true;   // whether all members have the name of first_task
};

struct GraphEdge {
  uint32_t from, to;   // indices of nodes
  uint64_t count = 0;  // dependencies it stands for
};

struct GraphView {
  std::vector<GraphNode> nodes;  // predecessors before successors
  std::vector<GraphEdge> edges;
  uint64_t tasks_shown = 0;    // as nodes of their own
  uint64_t tasks_covered = 0;  // these, and those inside groups
  uint64_t tasks_total = 0;    // of the selection
  uint64_t tasks_joining = 0;  // besides, shown only because so many dependencies meet there
  // Groups that are open: an outer one before those inside it.
  std::vector<GraphNode> frames;
  uint64_t dependencies_inside = 0;     // between members of one group
  uint64_t dependencies_left_out = 0;   // of edges beyond the budget
  std::vector<std::string> not_opened;  // asked for, but there was no room
  std::vector<std::string> not_found;   // asked for, but no group, or inside one that is closed

  // "1,832 of 1,000,000 tasks in 214 groups", "3 of 3 tasks", "5 of 5 tasks and 1 of the
  // runtime's", "1,000,000 of 1,000,000 tasks in 64 groups, 12 by themselves".
  std::string Caption() const;
};

// The beginning of a caption: "5 of 5 tasks and 1 of the runtime's".
std::string TasksCaption(uint64_t covered, uint64_t total, uint64_t joining);

GraphView ViewGraph(const TraceModel& model, const Topology& topology, const GraphQuery& query);

}  // namespace tasklens
