// SPDX-License-Identifier: Apache-2.0
// What the analyses found, as messages of ide-plugin/protocol.json: one function for each, for
// requests of the server and for commands with --json (printed.h).
//
// Times are nanoseconds since the first event of the trace, texts are as the trace has them. What
// answers are made of is declared here only, so that who needs one of them includes no more.
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/messages/messages.h"

namespace tasklens {

enum class StatisticsBy : uint8_t;
struct Bounds;
struct Change;
struct CriticalStep;
struct Efficiency;
struct EfficiencyReport;
struct Finding;
struct IdlePause;
struct Legend;
struct NotIdle;
struct RunSummary;
struct SiteCost;
struct Span;
struct StatisticsRow;
struct StretchTime;
struct TraceModel;

messages::Summary SummaryMessage(const TraceModel& model, const RunSummary& run);

// `busy_ns`: of the run.
messages::OverviewSite OverviewSiteMessage(const TraceModel& model, const SiteCost& cost,
                                           int64_t busy_ns);

// REQUIRES: the task is a row of the model.
messages::TaskWithLine TaskWithLineMessage(const TraceModel& model, uint32_t task);
// Nothing for kNone.
std::optional<messages::TaskWithLine> KnownTask(const TraceModel& model, uint32_t task);

std::vector<messages::Finding> FindingMessages(const TraceModel& model,
                                               std::span<const Finding> findings);

messages::PathStep PathStepMessage(const TraceModel& model, const CriticalStep& step);

// The one of `chain` at `place`, with the time from the end of the next one to its start.
messages::ChainLink ChainLinkMessage(const TraceModel& model, std::span<const uint32_t> chain,
                                     size_t place);
std::vector<messages::ChainLink> ChainMessages(const TraceModel& model,
                                               std::span<const uint32_t> chain);

// `chain`: that of the next task, as much of it as shall be told; without a next task there is none
// in the message.
messages::Pause PauseMessage(const TraceModel& model, const IdlePause& pause,
                             std::span<const uint32_t> chain);
messages::NotIdle NotIdleMessage(const TraceModel& model, uint32_t worker, const NotIdle& instead);

// Of all workers: by "tasks", and by the names of the causes of idleness.
std::map<std::string, int64_t> TimesByCause(const StretchTime& time);

// Where nothing was measured there is no efficiency.
messages::Efficiency EfficiencyMessage(const Efficiency& efficiency);
messages::Bound BoundMessage(const TraceModel& model, const Bounds& bounds,
                             const EfficiencyReport& efficiency);

messages::Statistics StatisticsMessage(const TraceModel& model, StatisticsBy by,
                                       const StatisticsRow& row);

// Fills an answer's members of groups with the first `limit` of them, and with the stretch that
// they are of.
template <class Answer>
void SetGroups(const TraceModel& model, StatisticsBy by, std::span<const StatisticsRow> rows,
               size_t limit, const std::optional<Span>& stretch, Answer& answer);

// With the first `limit` of the changes. What is of the runs themselves is up to the caller:
// `before`, `after`, their spans, and `complete`.
messages::Comparison ComparisonMessage(StatisticsBy by, std::span<const Change> changes,
                                       size_t limit);

messages::Legend LegendMessage(const Legend& legend);

}  // namespace tasklens
