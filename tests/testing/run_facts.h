// SPDX-License-Identifier: Apache-2.0
// What two models of one run must agree on: for files that are written and read again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens::testing {

// The states of a row: "Idle 0 100".
std::vector<std::string> StatesOf(const TraceModel& model, std::string_view name);

// Messages of threads: "120 text".
std::vector<std::string> TextsOf(const TraceModel& model);

// Of those that ran: rank, number, name, row, start, end, submission site.
using RunTask =
    std::tuple<uint32_t, uint64_t, std::string, std::string, int64_t, int64_t, std::string>;
std::multiset<RunTask> TasksOf(const TraceModel& model);

// How long each row is in each state and in none within it. Memory nodes go by their numbers: not
// every format has their names.
using StateTimes = std::map<std::tuple<uint32_t, std::string, StateKind>, int64_t>;
StateTimes TimesOf(const TraceModel& model);

// Of which both ends are known: source, target, times, tag, bytes.
using RunMessage = std::tuple<uint32_t, uint32_t, int64_t, int64_t, int64_t, uint64_t>;
std::multiset<RunMessage> MessagesOf(const TraceModel& model);

// Rank, times, bytes, reason.
using RunTransfer = std::tuple<uint32_t, int64_t, int64_t, uint64_t, CopyReason>;
std::multiset<RunTransfer> TransfersOf(const TraceModel& model);

}  // namespace tasklens::testing
