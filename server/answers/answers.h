// SPDX-License-Identifier: Apache-2.0
// What the analyses found, as JSON: one function for each answer, used by the commands with --json
// and open to requests of the server.
//
// Keys are in snake_case with units; times are nanoseconds since the first event of the trace; a
// time that is not known, a task or a line that is not there, is null. Texts are as the trace has
// them, so print with Dump(), which survives bytes that are no UTF-8.
//
// Pure; any thread.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/compare.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/graph_view.h"
#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/timeline_scene.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Of answers.md, which describes the answers of the commands with --json. Members may be added
// under the same number; none is removed, renamed or given another meaning.
inline constexpr int kAnswerVersion = 1;

// The object with that number as its first member: indented, with a newline at the end; bytes that
// are no UTF-8 become U+FFFD.
std::string Dump(const nlohmann::ordered_json& answer);

// The same text, piece by piece to `write`, of an answer whose empty array `list` has `count` rows:
// row(0), row(1), ... Each is made when it is its turn, so that a list of millions takes no memory.
void DumpRows(const nlohmann::ordered_json& answer, const std::string& list, size_t count,
              const std::function<nlohmann::ordered_json(size_t)>& row,
              const std::function<void(std::string_view)>& write);

// The same answer with keys as requests have them: "cost_ns" becomes "costNs".
nlohmann::json CamelCase(const nlohmann::ordered_json& answer);

// Who, where and when: {"task", "rank", "job", "name", "worker", "site", "file", "line",
// "submit_ns", "start_ns", "end_ns"}; "task" and "site" are rows. null for kNone.
nlohmann::ordered_json TaskAnswer(const TraceModel& model, uint32_t task);

// {"tasks", "ran", "submissions", "executions", "dependencies", "workers", "ranks", "span_ns",
// "busy_ns", "efficiency"}
nlohmann::ordered_json SummaryAnswer(const RunSummary& run);

// {"by", "groups": [{"label", "tasks", "ran", "total_ns", ..., "histogram", "gflops",
// "estimates"}]}
nlohmann::ordered_json StatisticsAnswer(const TraceModel& model, StatisticsBy by,
                                        std::span<const StatisticsRow> rows);

// {"tasks", "nothing submitted", ...}: nanoseconds of all workers, by what they did and waited for.
nlohmann::ordered_json StretchTimeAnswer(const StretchTime& time);

// {"findings": [{"rule", "severity", "cost_ns", "file", "line", "message", "evidence"}]}; file ""
// and line 0 where a finding is about the whole run.
nlohmann::ordered_json AdviceAnswer(const TraceModel& model, std::span<const Finding> findings);

// {"work_ns", "wait_ns", "steps": [{"task", "hold", "wait_ns", "length_ns"}]}
nlohmann::ordered_json CriticalPathAnswer(const TraceModel& model, const CriticalPath& path);
nlohmann::ordered_json CriticalStepAnswer(const TraceModel& model, const CriticalStep& step);

// {"task", "chain": [{"task", "gap_ns"}]}: gap_ns from the end of the next one of the chain to the
// start of this.
nlohmann::ordered_json LastDependencyAnswer(const TraceModel& model,
                                            std::span<const uint32_t> chain);
// The one of `chain` at `place`.
nlohmann::ordered_json ChainLinkAnswer(const TraceModel& model, std::span<const uint32_t> chain,
                                       size_t place);

// {"worker", "start_ns", "end_ns", "cause", "causes_ns": {...}, "waited", "next_task", "chain"}.
// "waited": {"site", "file", "line", "waited_ns"}, where the program waited longest meanwhile, if
// nothing was submitted for a part of it and the trace has such a line, else null. `chain`:
// that of the next task, as much of it as shall be told; where there is no next task it is null.
nlohmann::ordered_json PauseAnswer(const TraceModel& model, const IdlePause& pause,
                                   std::span<const uint32_t> chain);

// {"worker", "what", "task", "begin_ns", "end_ns"}: what it did instead of being idle, and when it
// was there to work.
nlohmann::ordered_json NotIdleAnswer(const TraceModel& model, uint32_t worker,
                                     const NotIdle& instead);

// {"whole": {"task_ns", ..., "locality", ..., "total"}, "ranks": [...], "workers": [...]}
nlohmann::ordered_json EfficiencyAnswer(const TraceModel& model, const EfficiencyReport& report);

// {"span_ns", "bound_ns", "bound_over_span", "critical_path_ns", "ranks": [{"area_bound_ns",
// "placements"}]}
nlohmann::ordered_json BoundsAnswer(const TraceModel& model, const Bounds& bounds);

// [{"label", "verdict", "change_ns", "before": {...}, "after": {...}, "p", ...}]
nlohmann::ordered_json ChangesAnswer(std::span<const Change> changes);

// {"count_before", "count_after", "before_ns", "after_ns", "change_ns", "by_count_ns", ...}; null
// by state, as a state counts with what is nested in it.
nlohmann::ordered_json TotalChangeAnswer(StatisticsBy by, std::span<const Change> changes);

// {"caption", "nodes": [...], "edges": [...]} with the counts of what is not shown.
nlohmann::ordered_json GraphAnswer(const TraceModel& model, const GraphView& view);

// {"begin_ns", "end_ns", "pixels", "rows": [{"name", "kind", "rank", "layers": [[{"start_ns",
// "end_ns", "state", "count", "task"}]], "flags": [{"time_ns", "text", "count"}]}], "counters":
// [{"name", "kind", "unit", "row", "min", "max", "slices": [{"start_ns", "end_ns", "min", "max",
// "mean"}]}], "arrows": [{"kind", "in_view", "left_out", "arrows": [{"from_row", "start_ns",
// "to_row", "end_ns", "count", "from_task", "to_task"}]}]}; rows are numbers in "rows", and what
// the scene does not have is empty. With estimates each state of a layer has "expected_end_ns" as
// well, see ExpectedEnd(), else null.
nlohmann::ordered_json TimelineAnswer(const TimelineScene& scene);

}  // namespace tasklens
