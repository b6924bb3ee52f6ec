// SPDX-License-Identifier: Apache-2.0
// Joint events (trace/events/joint_events.h) as records: the kinds between those of the format
// itself and those of events.
//
// Threads: constants and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "trace/events/event_sink.h"
#include "trace/events/event_table.h"
#include "trace/events/joint_events.h"
#include "trace/format/format.h"

namespace tasklens::tlt {

using tasklens::FitsAccess;
using tasklens::FitsShort;
using tasklens::FitsTypeAndLine;
using tasklens::FitsWorkerAndState;
using tasklens::FitsWorkerNodeCtx;
using tasklens::Joint;
using tasklens::kJointTable;
using tasklens::SizeAndMode;
using tasklens::TypeAndLine;
using tasklens::WorkerAndState;
using tasklens::WorkerNodeCtx;

static_assert(kFirstJointKind + std::size(kJointTable) <= kFirstEventKind);

constexpr bool EveryJointRecordFits() {
  for (const EventDecl& decl : kJointTable)
    if (RecordWords(decl, decl.repeats_last ? MaxRepeats(decl) : 0) > kMaxRecordWords) return false;
  return true;
}
static_assert(EveryJointRecordFits());

constexpr uint32_t RecordKind(Joint joint) {
  return kFirstJointKind + static_cast<uint32_t>(joint);
}
// Returns the joint event of a record kind; kCount: none.
constexpr Joint JointOf(uint32_t record_kind) {
  const uint32_t row = record_kind - kFirstJointKind;  // wraps around for smaller kinds
  return row < std::size(kJointTable) ? static_cast<Joint>(row) : Joint::kCount;
}
// Whether a record of this kind is one event or several.
constexpr bool HasEvents(uint32_t record_kind) {
  return record_kind >= kFirstEventKind || JointOf(record_kind) != Joint::kCount;
}
// Whether DeclOf() is not nullptr. (To g++ 12 with the undefined-behaviour sanitizer, that
// comparison is no constant expression.)
constexpr bool HasDecl(uint32_t record_kind) {
  return JointOf(record_kind) != Joint::kCount || record_kind - kFirstEventKind < kEventKinds;
}
// Returns the declaration of a record with events; nullptr for a kind of a later version.
constexpr const EventDecl* DeclOf(uint32_t record_kind) {
  const Joint joint = JointOf(record_kind);
  if (joint != Joint::kCount) return &kJointTable[static_cast<size_t>(joint)];
  const uint32_t event = record_kind - kFirstEventKind;
  return event < kEventKinds ? &kEventTable[event] : nullptr;
}

// The most accesses and parameters in one record.
inline constexpr size_t kMaxJointAccesses = MaxRepeats(Decl(Joint::kAccesses)) / 2;
inline constexpr size_t kMaxJointParameters = MaxRepeats(Decl(Joint::kParameters));
inline constexpr size_t kMaxWholeAccesses = MaxRepeats(Decl(Joint::kWholeSubmission)) / 2;
inline constexpr size_t kMaxJointDependencies = MaxRepeats(Decl(Joint::kDependencies));
inline constexpr size_t kMaxWholeParameters = MaxRepeats(Decl(Joint::kWholeBegin));

// Delivers the events of a record to `sink`. REQUIRES: DeclOf(record_kind), and `args` match it.
inline void Deliver(int64_t time_ns, uint32_t record_kind, uint32_t rank, uint64_t tid,
                    std::span<const uint64_t> args, EventSink& sink) {
  const Joint joint = JointOf(record_kind);
  if (joint != Joint::kCount)
    sink.OnJoint({time_ns, joint, rank, tid, args});
  else
    sink.OnEvent({time_ns, static_cast<EventKind>(record_kind - kFirstEventKind), rank, tid, args});
}

}  // namespace tasklens::tlt
