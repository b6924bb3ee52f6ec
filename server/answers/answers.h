// SPDX-License-Identifier: Apache-2.0
// Converts results of the analyses to the messages of ide-plugin/protocol.json. Requests of the
// server and commands with --json (printed.h) answer with these messages.
//
// Times are nanoseconds since the first event of the trace; texts are those of the trace. The types
// of the results are only declared here, so that a file includes just the analyses that it uses.
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

// `busy_ns`: the busy time of all workers in the run.
messages::OverviewSite OverviewSiteMessage(const TraceModel& model, const SiteCost& cost,
                                           int64_t busy_ns);

// REQUIRES: the task is a row of the model.
// Without its worker.
messages::Task TaskMessage(const TraceModel& model, uint32_t task);
messages::TaskWithLine TaskWithLineMessage(const TraceModel& model, uint32_t task);
// Returns nothing for kNone.
std::optional<messages::TaskWithLine> KnownTask(const TraceModel& model, uint32_t task);

std::vector<messages::Finding> FindingMessages(const TraceModel& model,
                                               std::span<const Finding> findings);

messages::PathStep PathStepMessage(const TraceModel& model, const CriticalStep& step);

// The task of `chain` at `place`, with the gap between its start and the end of the next task in
// the chain.
messages::ChainLink ChainLinkMessage(const TraceModel& model, std::span<const uint32_t> chain,
                                     size_t place);
std::vector<messages::ChainLink> ChainMessages(const TraceModel& model,
                                               std::span<const uint32_t> chain);

// `chain`: the chain of the next task, cut to the length to be shown. A pause without a next task
// has no chain.
messages::Pause PauseMessage(const TraceModel& model, const IdlePause& pause,
                             std::span<const uint32_t> chain);
messages::NotIdle NotIdleMessage(const TraceModel& model, uint32_t worker, const NotIdle& instead);

// The time of all workers: in tasks ("tasks"), and by the name of each cause of idleness.
std::map<std::string, int64_t> TimesByCause(const StretchTime& time);

// The message is empty if nothing was measured.
messages::Efficiency EfficiencyMessage(const Efficiency& efficiency);
messages::Bound BoundMessage(const TraceModel& model, const Bounds& bounds,
                             const EfficiencyReport& efficiency);

messages::Statistics StatisticsMessage(const TraceModel& model, StatisticsBy by,
                                       const StatisticsRow& row);

// Sets the members of an answer about groups: the first `limit` groups, the number of all groups,
// and the stretch of the run, if one was given.
template <class Answer>
void SetGroups(const TraceModel& model, StatisticsBy by, std::span<const StatisticsRow> rows,
               size_t limit, const std::optional<Span>& stretch, Answer& answer);

// Contains the first `limit` changes. The caller sets the members about the runs themselves:
// `before`, `after`, their spans, and `complete`.
messages::Comparison ComparisonMessage(StatisticsBy by, std::span<const Change> changes,
                                       size_t limit);

messages::Legend LegendMessage(const Legend& legend);

}  // namespace tasklens
