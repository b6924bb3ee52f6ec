// SPDX-License-Identifier: Apache-2.0
// Checks and counts the events of a trace.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "trace/events/event_sink.h"
#include "trace/events/event_table.h"

namespace tasklens::build {

// The number of arguments of a kind. Argument `index` is an index of ours, smaller than `limit`;
// limit 0: no argument is one.
struct ArgRule {
  uint8_t count = 0, index = 0, limit = 0;
};

inline constexpr std::array<ArgRule, kEventKinds> kArgRules = [] {
  std::array<ArgRule, kEventKinds> rules{};
  for (const EventDecl& decl : kEventTable)
    rules[static_cast<size_t>(decl.kind)].count = static_cast<uint8_t>(decl.arg_count);
  const auto limit = [&](EventKind kind, uint8_t index, auto end) {
    rules[static_cast<size_t>(kind)].index = index;
    rules[static_cast<size_t>(kind)].limit = static_cast<uint8_t>(end);
  };
  limit(EventKind::kStateSet, 0, StateKind::kCount);
  limit(EventKind::kStatePush, 0, StateKind::kCount);
  limit(EventKind::kWorkerStateSet, 1, StateKind::kCount);
  limit(EventKind::kNamedState, 0, StateKind::kCount);
  limit(EventKind::kMemoryOpStart, 1, MemoryOp::kCount);
  limit(EventKind::kMemoryOpEnd, 1, MemoryOp::kCount);
  return rules;
}();

// Whether the event has a valid time, the number of arguments that its kind needs, and indices
// within their tables.
inline bool IsValid(const Event& event) {
  if (event.kind >= EventKind::kCount) return false;
  const ArgRule& rule = kArgRules[static_cast<size_t>(event.kind)];
  // One comparison for both ends of the range, here and below.
  if (event.args.size() - rule.count > size_t{kMaxArgs} - rule.count) return false;
  if (rule.limit != 0 && event.args[rule.index] >= rule.limit) return false;
  constexpr uint64_t kTimes = 2 * static_cast<uint64_t>(kMaxTime) - 1;
  return static_cast<uint64_t>(event.time_ns) + (static_cast<uint64_t>(kMaxTime) - 1) < kTimes;
}

// Returns a description of the event's place, for messages.
std::string Place(const Event& event);

// Counts the events of a trace and its invalid events. Threads: one.
struct Tally {
  uint64_t events = 0, bad = 0;
  std::string first_bad;  // its place

  // Whether `event` is valid; counts it as bad if it is not.
  bool Accepts(const Event& event) {
    if (IsValid(event)) return true;
    if (bad++ == 0) first_bad = Place(event);
    return false;
  }
  void Add(const Tally& other) {
    if (bad == 0) first_bad = other.first_bad;
    events += other.events;
    bad += other.bad;
  }
};

}  // namespace tasklens::build
