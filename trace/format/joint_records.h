// SPDX-License-Identifier: Apache-2.0
// Records that stand for several events of one moment. One record costs the program less than
// several, and the file fewer bytes. Readers take them apart, so that nobody behind them sees one.
//
// Rules as for events: append only, never renumber, never change the arguments of one.
//
// Threads: constants and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/events/event_table.h"
#include "trace/format/format.h"

namespace tasklens::tlt {

enum class Joint : uint32_t {
  kSubmission,  // task_count, task_submit; and with texts: task_site, task_name, task_model
  kAccesses,    // task_access of each: handle, then size_bytes << kAccessModeBits | mode
  kTaken,       // task_pop, state_set
  kBegin,       // task_details, task_start
  kParameters,  // task_parameter of each
  // Of what most tasks are, in fewer bytes:
  kOneAccess,   // kSubmission in no iteration, task_access
  kPlainBegin,  // with a text: task_parameter; kBegin without tag and flops
  kFetch,       // task_pop, state_set to FetchingInput, data_load
  kCount,
};

constexpr EventDecl ParseJoint(std::string_view name, std::string_view args) {
  return internal::ParseEvent(EventKind::kCount, name, Category::kMeta, args, "");
}
// Names and arguments, as rows of events.inc have them.
inline constexpr EventDecl kJointTable[] = {
    ParseJoint("submission",
               "u64 job, u64 submit_order, i32 iteration, i32 subiteration, i32 priority, u32 type,"
               " u32 line, str file, str function, str name, str model"),
    ParseJoint("accesses", "u64 job, hex access..."),
    ParseJoint("taken", "u64 job, i32 priority, u32 state"),
    ParseJoint("begin",
               "u64 job, u64 size_bytes, hex footprint, hex tag, f64 flops, u32 worker, u32 node,"
               " u32 ctx"),
    ParseJoint("parameters", "u64 job, str description..."),
    ParseJoint("one_access",
               "u64 job, u64 submit_order, hex handle, u64 size_and_mode, i32 priority, u32 type,"
               " u32 line, str file, str function, str name, str model"),
    ParseJoint("plain_begin",
               "u64 job, u64 size_bytes, hex footprint, u32 worker, u32 node, u32 ctx,"
               " str description"),
    ParseJoint("fetch", "u64 job, u64 size_bytes, i32 priority, u32 worker"),
};
static_assert(std::size(kJointTable) == static_cast<size_t>(Joint::kCount));
static_assert(kFirstJointKind + std::size(kJointTable) <= kFirstEventKind);

constexpr const EventDecl& Decl(Joint joint) { return kJointTable[static_cast<size_t>(joint)]; }
constexpr uint32_t RecordKind(Joint joint) {
  return kFirstJointKind + static_cast<uint32_t>(joint);
}
constexpr bool IsJoint(uint32_t record_kind) {
  return record_kind - kFirstJointKind < static_cast<uint32_t>(Joint::kCount);
}
// Whether a record of this kind is one event or several.
constexpr bool HasEvents(uint32_t record_kind) {
  return record_kind >= kFirstEventKind || IsJoint(record_kind);
}
// The declaration of a record that has events; nullptr for one of the future.
constexpr const EventDecl* DeclOf(uint32_t record_kind) {
  if (IsJoint(record_kind)) return &kJointTable[record_kind - kFirstJointKind];
  const uint32_t event = record_kind - kFirstEventKind;
  return event < kEventKinds ? &kEventTable[event] : nullptr;
}

// An access as one number, where its size leaves room for its mode.
inline constexpr int kAccessModeBits = 16;
constexpr bool FitsAccess(uint64_t size_bytes, uint32_t mode) {
  return size_bytes >> (64 - kAccessModeBits) == 0 && mode >> kAccessModeBits == 0;
}
constexpr uint64_t SizeAndMode(uint64_t size_bytes, uint32_t mode) {
  return size_bytes << kAccessModeBits | mode;
}
// Both numbers of a task that is in none.
inline constexpr uint64_t kNoIteration = ~uint64_t{0};
// So many are in one record at most.
inline constexpr size_t kMaxJointAccesses = MaxRepeats(Decl(Joint::kAccesses)) / 2;
inline constexpr size_t kMaxJointParameters = MaxRepeats(Decl(Joint::kParameters));

// Calls deliver(EventKind, std::span<const uint64_t>) for each event that a record with events
// stands for. REQUIRES: DeclOf(record_kind), and `args` as it says.
template <class Deliver>
void TakeApart(uint32_t record_kind, std::span<const uint64_t> args, Deliver deliver) {
  if (record_kind >= kFirstEventKind)
    return deliver(static_cast<EventKind>(record_kind - kFirstEventKind), args);
  const auto event = [&](EventKind kind, auto... values) {
    const std::array<uint64_t, sizeof...(values)> list = {values...};
    deliver(kind, std::span<const uint64_t>(list));
  };
  const uint64_t job = args[0];
  // Its line, file, function, name and model.
  const auto texts = [&](std::span<const uint64_t> of) {
    if (of[1] != 0) event(EventKind::kTaskSite, job, of[0], of[1], of[2]);
    if (of[3] != 0) event(EventKind::kTaskName, job, of[3]);
    if (of[4] != 0) event(EventKind::kTaskModel, job, of[4]);
  };
  const auto access = [&](uint64_t handle, uint64_t size_and_mode) {
    event(EventKind::kTaskAccess, job, handle, size_and_mode >> kAccessModeBits,
          size_and_mode & ((uint64_t{1} << kAccessModeBits) - 1));
  };
  switch (static_cast<Joint>(record_kind - kFirstJointKind)) {
    case Joint::kSubmission:
      event(EventKind::kTaskCount);
      deliver(EventKind::kTaskSubmit, args.first(6));
      texts(args.subspan(6));
      break;
    case Joint::kAccesses:
      for (size_t i = 1; i + 1 < args.size(); i += 2) access(args[i], args[i + 1]);
      break;
    case Joint::kTaken:
      deliver(EventKind::kTaskPop, args.first(2));
      event(EventKind::kStateSet, args[2]);
      break;
    case Joint::kBegin:
      deliver(EventKind::kTaskDetails, args.first(5));
      event(EventKind::kTaskStart, job, args[5], args[6], args[7]);
      break;
    case Joint::kParameters:
      for (const uint64_t description : args.subspan(1))
        event(EventKind::kTaskParameter, job, description);
      break;
    case Joint::kOneAccess:
      event(EventKind::kTaskCount);
      event(EventKind::kTaskSubmit, job, args[1], kNoIteration, kNoIteration, args[4], args[5]);
      texts(args.subspan(6));
      access(args[2], args[3]);
      break;
    case Joint::kPlainBegin:
      if (args[6] != 0) event(EventKind::kTaskParameter, job, args[6]);
      event(EventKind::kTaskDetails, job, args[1], args[2], uint64_t{0}, uint64_t{0});
      event(EventKind::kTaskStart, job, args[3], args[4], args[5]);
      break;
    case Joint::kFetch:
      event(EventKind::kTaskPop, job, args[2]);
      event(EventKind::kStateSet, static_cast<uint64_t>(StateKind::kFetchingInput));
      event(EventKind::kDataLoad, args[3], args[1]);
      break;
    case Joint::kCount: break;
  }
}

}  // namespace tasklens::tlt
