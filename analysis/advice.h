// SPDX-License-Identifier: Apache-2.0
// Finds what is wrong with a run and suggests what to try: the checklist of StarPU's handbook
// ("StarPU Performances", chapter 4) as rules. Each finding has its numbers and its source line.
//
// The cost of a finding is an upper bound on how much shorter the run would be if it were fixed:
// the worker time lost to it divided by the number of workers, unless stated otherwise, and at most
// its rule's CostLimit. A rule reports only costs of kWorthSaying of the run's span or more; a
// finding about settings rather than time has cost 0 and is information. Findings overlap, so their
// costs do not add up. The rules are rows of advice_rules.inc; each is a function in
// analysis/rules, whose comment defines it.
//
// Pure; any thread. O(n log n), and the linear program of bounds.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/idle.h"
#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

inline constexpr double kWorthSaying = 0.05;

// By cost: error from half of the span, warning from a tenth, information below, and whatever
// nobody would notice.
inline constexpr int64_t kNoticedNs = 1'000'000;
enum class AdviceSeverity : uint8_t { kError, kWarning, kInformation };
std::string_view AdviceSeverityName(AdviceSeverity severity);  // "error", "warning", "information"

struct Evidence {
  std::string name;  // "tasks", "overhead_per_task_ns"
  std::variant<int64_t, double, std::string> value;
};

struct Finding {
  std::string_view rule;  // id of the rule
  AdviceSeverity severity = AdviceSeverity::kInformation;
  int64_t cost_ns = 0;
  uint32_t site = kNone;  // row of model.sites, kNone: the run as a whole
  std::string message;    // what is wrong, by how much, what to try; one line, no full stop at the
                          // end
  std::vector<Evidence> evidence;
};

// Returns the findings, the most expensive first, equals by the order of the rules; empty if there
// are none. `idle`: ExplainIdleness(model), which is most of the work, for callers that have it.
std::vector<Finding> Advise(const TraceModel& model, const IdleReport& idle, Stop stop = nullptr);
std::vector<Finding> Advise(const TraceModel& model, Stop stop = nullptr);

struct AdviceContext;

// The most that a run can become shorter by a rule's remedy.
enum class CostLimit : uint8_t {
  // The time beyond the lower bound of its tasks (bounds.h): with the remedy the same tasks run at
  // other times or on other workers, and no schedule of them is shorter than the bound.
  kBound,
  // The time beyond the area bound alone: the remedy changes dependencies, or the number of tasks
  // into which the work is divided, and the same work on these workers takes no less.
  kArea,
  // The whole span: the remedy changes how long tasks take, or where they can run.
  kSpan,
};

struct AdviceRule {
  std::string_view id;
  CostLimit limit;
  std::string_view summary;  // what it looks for
  void (*find)(const AdviceContext& context, std::vector<Finding>& findings);
};
std::span<const AdviceRule> AdviceRules();  // the rows of advice_rules.inc

}  // namespace tasklens
