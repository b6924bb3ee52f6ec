// SPDX-License-Identifier: Apache-2.0
// The graph and the timeline as commands print them (printed.h). Requests answer with columns
// instead.
//
// Pure; any thread.
#pragma once

#include <string>

namespace tasklens {

struct GraphView;
struct TimelineScene;
struct TraceModel;

// {"caption", "nodes": [...], "edges": [...]} with the counts of what is not shown.
std::string DumpGraph(const TraceModel& model, const GraphView& view);

// {"begin_ns", "end_ns", "pixels", "rows": [{"name", "kind", "rank", "layers": [[{"start_ns",
// "end_ns", "state", "count", "task"}]], "flags": [{"time_ns", "text", "count"}]}], "counters":
// [{"name", "kind", "unit", "row", "min", "max", "slices": [{"start_ns", "end_ns", "min", "max",
// "mean"}]}], "arrows": [{"kind", "in_view", "left_out", "arrows": [{"from_row", "start_ns",
// "to_row", "end_ns", "count", "from_task", "to_task"}]}]}; rows are numbers in "rows", and what
// the scene does not have is empty. With estimates each state of a layer has "expected_end_ns" as
// well, see ExpectedEnd(), else null.
std::string DumpTimeline(const TimelineScene& scene);

}  // namespace tasklens
