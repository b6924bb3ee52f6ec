// SPDX-License-Identifier: Apache-2.0
// Joint events: one record for several events of the same moment. A joint event takes less time to
// record, less room in the file, and less time to read than its events one by one.
//
// The rules of change are those of events (events.inc).
//
// Threads: constants and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include "trace/events/event_table.h"

namespace tasklens {

enum class Joint : uint16_t {
  kSubmission,  // task_count, task_submit; and with texts: task_site, task_name, task_model
  kAccesses,    // task_access of each: handle, then size_bytes << kAccessModeBits | mode
  kTaken,       // task_pop, state_set
  kBegin,       // task_details, task_start
  kParameters,  // task_parameter of each
  // For most tasks, in fewer bytes:
  kPlainBegin,  // with a text: task_parameter; kBegin without tag and flops
  kFetch,       // task_pop, state_set to FetchingInput, data_load
  // For small numbers: FitsShort() is true for each number that the record holds as u32.
  kShortSubmission,  // if the bit in its type is set: state_push to SubmittingTask; kSubmission
  kShortAccess,      // kShortSubmission, task_access
  kShortBegin,       // kPlainBegin
  kShortEnd,         // task_end; if the bit beside its worker is set: state_set to PushingOutput
  kDone,             // task_done, state_set to Scheduling
  // For tasks with several buffers, as many as fit into a record, and small numbers:
  kWholeSubmission,  // if the bit in its type is set: state_push to SubmittingTask; kSubmission;
                     // with a colour: task_color; task_access of each: handle, SizeAndMode()
  kDependencies,     // task_dep of each predecessor
  kWholeBegin,       // task_parameter of each; task_details without tag, task_start
  kCount,
};

namespace internal {
constexpr EventDecl ParseJoint(std::string_view name, std::string_view args,
                               uint8_t max_args = kMaxArgs) {
  EventDecl decl = ParseEvent(EventKind::kCount, name, Category::kMeta, args, "");
  decl.max_args = max_args;
  return decl;
}
}  // namespace internal
// The most arguments of a joint event, repeated ones included.
inline constexpr uint8_t kMaxJointArgs = 35;
// Names and arguments, in the notation of events.inc.
inline constexpr EventDecl kJointTable[] = {
    internal::ParseJoint(
        "submission",
        "u64 job, u64 submit_order, i32 iteration, i32 subiteration, i32 priority, u32 type,"
        " u32 line, str file, str function, str name, str model"),
    internal::ParseJoint("accesses", "u64 job, hex access..."),
    internal::ParseJoint("taken", "u64 job, i32 priority, u32 state"),
    internal::ParseJoint(
        "begin",
        "u64 job, u64 size_bytes, hex footprint, hex tag, f64 flops, u32 worker, u32 node,"
        " u32 ctx"),
    internal::ParseJoint("parameters", "u64 job, str description..."),
    internal::ParseJoint("plain_begin",
                         "u64 job, u64 size_bytes, hex footprint, u32 worker, u32 node, u32 ctx,"
                         " str description"),
    internal::ParseJoint("fetch", "u64 job, u64 size_bytes, i32 priority, u32 worker"),
    internal::ParseJoint(
        "short_submission",
        "u32 job, u32 submit_order, i32 priority, u32 type_and_line, str file, str function,"
        " str name, str model"),
    internal::ParseJoint(
        "short_access",
        "u32 job, u32 submit_order, i32 priority, u32 type_and_line, str file, str function,"
        " str name, str model, hex handle, u32 size_bytes, u32 mode"),
    internal::ParseJoint(
        "short_begin",
        "u32 job, u32 size_bytes, u32 footprint, u32 worker_node_ctx, str description"),
    internal::ParseJoint("short_end",
                         "u32 job, u32 size_bytes, u32 footprint, u32 worker_and_state, str arch"),
    internal::ParseJoint("done", "u64 job"),
    internal::ParseJoint(
        "whole_submission",
        "u32 job, u32 submit_order, i32 iteration, i32 subiteration, i32 priority,"
        " u32 type_and_line, u32 rgb, str file, str function, str name, str model, hex access...",
        kMaxJointArgs),
    internal::ParseJoint("dependencies", "u32 succ, u32 type, str label, u32 pred...",
                         kMaxJointArgs),
    internal::ParseJoint("whole_begin",
                         "u32 job, u32 size_bytes, u32 footprint, u32 worker_node_ctx, f64 flops,"
                         " str description...",
                         kMaxJointArgs),
};
static_assert(std::size(kJointTable) == static_cast<size_t>(Joint::kCount));

constexpr const EventDecl& Decl(Joint joint) { return kJointTable[static_cast<size_t>(joint)]; }

// An access as one number: its size and, in the low bits, its mode. FitsAccess() returns whether
// both fit.
inline constexpr int kAccessModeBits = 16;
constexpr bool FitsAccess(uint64_t size_bytes, uint32_t mode) {
  return size_bytes >> (64 - kAccessModeBits) == 0 && mode >> kAccessModeBits == 0;
}
constexpr uint64_t SizeAndMode(uint64_t size_bytes, uint32_t mode) {
  return size_bytes << kAccessModeBits | mode;
}
constexpr uint64_t SizeOfAccess(uint64_t size_and_mode) { return size_and_mode >> kAccessModeBits; }
constexpr uint32_t ModeOfAccess(uint64_t size_and_mode) {
  return static_cast<uint32_t>(size_and_mode & ((uint64_t{1} << kAccessModeBits) - 1));
}
// Iteration and subiteration of a task outside of any iteration.
inline constexpr uint64_t kNoIteration = ~uint64_t{0};

// Several small numbers packed into one argument of a short record.
constexpr bool FitsShort(uint64_t number) { return number >> 32 == 0; }
constexpr bool FitsTypeAndLine(uint32_t type, uint32_t line) {
  return type < 1u << 8 && line < 1u << 23;
}
constexpr uint32_t TypeAndLine(uint32_t type, bool with_state, uint32_t line) {
  return line << 9 | uint32_t{with_state} << 8 | type;
}
constexpr bool FitsWorkerNodeCtx(uint32_t worker, uint32_t node, uint32_t ctx) {
  return worker < 1u << 16 && node < 1u << 8 && ctx < 1u << 8;
}
constexpr uint32_t WorkerNodeCtx(uint32_t worker, uint32_t node, uint32_t ctx) {
  return worker << 16 | node << 8 | ctx;
}
constexpr bool FitsWorkerAndState(uint32_t worker) { return worker < 1u << 31; }
constexpr uint32_t WorkerAndState(uint32_t worker, bool with_state) {
  return worker << 1 | uint32_t{with_state};
}

// A kind of event as a constant, so that a switch on it is decided at compile time.
template <EventKind kKind>
inline constexpr std::integral_constant<EventKind, kKind> kIs{};

// Calls deliver(kIs<kind>, std::span<const uint64_t> args) for each event of a joint event.
// REQUIRES: `args` as Decl(joint) says.
template <class Deliver>
void TakeApart(Joint joint, std::span<const uint64_t> args, Deliver deliver) {
  using K = EventKind;
  const auto event = [&](auto kind, auto... values) {
    const std::array<uint64_t, sizeof...(values)> list = {values...};
    deliver(kind, std::span<const uint64_t>(list));
  };
  const uint64_t job = args[0];
  // `of`: line, file, function, name and model of the task.
  const auto texts = [&](std::span<const uint64_t> of) {
    if (of[1] != 0) event(kIs<K::kTaskSite>, job, of[0], of[1], of[2]);
    if (of[3] != 0) event(kIs<K::kTaskName>, job, of[3]);
    if (of[4] != 0) event(kIs<K::kTaskModel>, job, of[4]);
  };
  const auto push = [&](uint64_t type_and_line) {
    if (type_and_line >> 8 & 1)
      event(kIs<K::kStatePush>, static_cast<uint64_t>(StateKind::kSubmittingTask));
  };
  // From the first eight arguments of kShortSubmission and kShortAccess.
  const auto short_submission = [&] {
    push(args[3]);
    event(kIs<K::kTaskCount>);
    event(kIs<K::kTaskSubmit>, job, args[1], kNoIteration, kNoIteration, args[2], args[3] & 0xff);
    const std::array<uint64_t, 5> of = {args[3] >> 9, args[4], args[5], args[6], args[7]};
    texts(of);
  };
  const auto access = [&](uint64_t handle, uint64_t size_and_mode) {
    event(kIs<K::kTaskAccess>, job, handle, SizeOfAccess(size_and_mode),
          uint64_t{ModeOfAccess(size_and_mode)});
  };
  switch (joint) {
    case Joint::kSubmission:
      event(kIs<K::kTaskCount>);
      deliver(kIs<K::kTaskSubmit>, args.first(6));
      texts(args.subspan(6));
      break;
    case Joint::kAccesses:
      for (size_t i = 1; i + 1 < args.size(); i += 2) access(args[i], args[i + 1]);
      break;
    case Joint::kTaken:
      deliver(kIs<K::kTaskPop>, args.first(2));
      event(kIs<K::kStateSet>, args[2]);
      break;
    case Joint::kBegin:
      deliver(kIs<K::kTaskDetails>, args.first(5));
      event(kIs<K::kTaskStart>, job, args[5], args[6], args[7]);
      break;
    case Joint::kParameters:
      for (const uint64_t description : args.subspan(1))
        event(kIs<K::kTaskParameter>, job, description);
      break;
    case Joint::kPlainBegin:
      if (args[6] != 0) event(kIs<K::kTaskParameter>, job, args[6]);
      event(kIs<K::kTaskDetails>, job, args[1], args[2], uint64_t{0}, uint64_t{0});
      event(kIs<K::kTaskStart>, job, args[3], args[4], args[5]);
      break;
    case Joint::kFetch:
      event(kIs<K::kTaskPop>, job, args[2]);
      event(kIs<K::kStateSet>, static_cast<uint64_t>(StateKind::kFetchingInput));
      event(kIs<K::kDataLoad>, args[3], args[1]);
      break;
    case Joint::kShortSubmission: short_submission(); break;
    case Joint::kShortAccess:
      short_submission();
      event(kIs<K::kTaskAccess>, job, args[8], args[9], args[10]);
      break;
    case Joint::kShortBegin:
      if (args[4] != 0) event(kIs<K::kTaskParameter>, job, args[4]);
      event(kIs<K::kTaskDetails>, job, args[1], args[2], uint64_t{0}, uint64_t{0});
      event(kIs<K::kTaskStart>, job, args[3] >> 16, args[3] >> 8 & 0xff, args[3] & 0xff);
      break;
    case Joint::kShortEnd:
      event(kIs<K::kTaskEnd>, job, args[3] >> 1, args[1], args[2], args[4]);
      if (args[3] & 1) event(kIs<K::kStateSet>, static_cast<uint64_t>(StateKind::kPushingOutput));
      break;
    case Joint::kDone:
      event(kIs<K::kTaskDone>, job);
      event(kIs<K::kStateSet>, static_cast<uint64_t>(StateKind::kScheduling));
      break;
    case Joint::kWholeSubmission: {
      push(args[5]);
      event(kIs<K::kTaskCount>);
      event(kIs<K::kTaskSubmit>, job, args[1], args[2], args[3], args[4], args[5] & 0xff);
      const std::array<uint64_t, 5> of = {args[5] >> 9, args[7], args[8], args[9], args[10]};
      texts(of);
      if (args[6] != 0) event(kIs<K::kTaskColor>, job, args[6]);
      for (size_t i = 11; i + 1 < args.size(); i += 2) access(args[i], args[i + 1]);
      break;
    }
    case Joint::kDependencies:
      for (const uint64_t pred : args.subspan(3))
        event(kIs<K::kTaskDep>, pred, job, args[1], args[2]);
      break;
    case Joint::kWholeBegin:
      for (const uint64_t description : args.subspan(5))
        event(kIs<K::kTaskParameter>, job, description);
      event(kIs<K::kTaskDetails>, job, args[1], args[2], uint64_t{0}, args[4]);
      event(kIs<K::kTaskStart>, job, args[3] >> 16, args[3] >> 8 & 0xff, args[3] & 0xff);
      break;
    case Joint::kCount: break;
  }
}

}  // namespace tasklens
