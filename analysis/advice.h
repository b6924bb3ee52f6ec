// SPDX-License-Identifier: Apache-2.0
// What is wrong with a run and what to try: the checklist of StarPU's handbook ("StarPU
// Performances", chapter 4) as rules, each finding with its numbers and the line it is about.
//
// The cost of a finding is by how much the run could be shorter at most if it were mended: worker
// time lost to it over the number of workers, where not said otherwise, and no more than its rule's
// CostLimit. A rule speaks up only where that is kWorthSaying of the run's span; what concerns
// settings rather than time costs 0 and is information. Costs of several findings overlap, so they
// do not add up. The rules are rows of
// advice_rules.inc; each is a function in analysis/rules whose comment is its definition.
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
  std::string_view rule;  // its id
  AdviceSeverity severity = AdviceSeverity::kInformation;
  int64_t cost_ns = 0;
  uint32_t site = kNone;  // row of model.sites it is about, kNone: the run as a whole
  std::string message;    // what, how much, what to try; one line, no full stop at the end
  std::vector<Evidence> evidence;
};

// The findings, the most expensive first, equals by the order of the rules. Empty: nothing to say.
// `idle`: ExplainIdleness(model), most of the work, for those who have it already.
std::vector<Finding> Advise(const TraceModel& model, const IdleReport& idle, Stop stop = nullptr);
std::vector<Finding> Advise(const TraceModel& model, Stop stop = nullptr);

struct AdviceContext;

// What a run can become shorter by at most.
enum class CostLimit : uint8_t {
  // What it took beyond the lower bound of its tasks (bounds.h): the rule's remedy has the same
  // tasks run at other times or on other workers, and no schedule of these is shorter.
  kBound,
  // What it took beyond the area bound alone: the remedy changes which tasks wait for which, or
  // into how many the work is divided, and the same work on these workers takes no less.
  kArea,
  // What it took: the remedy changes how long tasks take, or where they can run.
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
