// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a trace: event kinds with their declarations, states, and the small enums that
// appear as arguments. Everything here is a constant; see events.inc for the rules of change.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace tasklens {

enum class EventKind : uint16_t {
#define EVENT(Kind, name, category, args, text) k##Kind,
#include "trace/events/events.inc"
#undef EVENT
  kCount,
};
inline constexpr size_t kEventKinds = static_cast<size_t>(EventKind::kCount);

// The bits of StarPU's event mask, in its order, so that STARPU_FXT_EVENTS and the masks found in
// FxT files mean the same here.
enum class Category : uint8_t {
  kMeta,
  kUser,
  kTask,
  kTaskVerbose,
  kData,
  kDataVerbose,
  kWorker,
  kWorkerVerbose,
  kDsm,
  kDsmVerbose,
  kSched,
  kSchedVerbose,
  kLock,
  kLockVerbose,
  kEvent,
  kEventVerbose,
  kMpi,
  kMpiVerbose,
  kHyp,
  kHypVerbose,
  kTaskVerboseExtra,
  kMpiVerboseExtra,
  kCount,
};
// "TASK_VERBOSE" and the like, as users write them in STARPU_FXT_EVENTS.
std::string_view CategoryName(Category category);

enum class ArgType : uint8_t { kU64, kI64, kF64, kHex, kU32, kI32, kStr };
inline constexpr size_t kMaxArgs = 12;  // of an event, repetitions of the last one included

// An event's declaration, its arguments parsed at compile time.
struct EventDecl {
  EventKind kind;
  std::string_view name;
  Category category;
  std::string_view args;  // as written in events.inc
  std::string_view text;  // English, with %{argument}
  uint8_t arg_count = 0;  // declared arguments; a repeated last one counts once
  bool repeats_last = false;
  uint8_t max_args = kMaxArgs;  // repetitions of the last one included
  std::array<ArgType, kMaxArgs> arg_types{};
  std::array<std::string_view, kMaxArgs> arg_names{};
};

// Kinds that only the readers of other tools' files deliver: no .tlt file has them.
constexpr bool IsOfOtherTools(EventKind kind) {
  return EventKind::kNamedState <= kind && kind <= EventKind::kFlushEnd;
}

// REQUIRES: kind < kCount.
const EventDecl& Decl(EventKind kind);
std::span<const EventDecl> AllEvents();
// nullptr when no event is called `name`.
const EventDecl* FindEvent(std::string_view name);

// Job numbers of tasks to which the file gives none: the reader counts kCountedJobs + 1 and so on,
// numbers that no file uses. The model renumbers these tasks, from the largest number of the file
// on.
inline constexpr uint64_t kCountedJobs = 0x7461736b'00000000;
constexpr bool IsCountedJob(uint64_t job) { return job >> 32 == kCountedJobs >> 32; }

// A double as one of the uint64_t arguments.
inline uint64_t FromDouble(double value) { return std::bit_cast<uint64_t>(value); }
inline double AsDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

enum class StateGroup : uint8_t { kTask, kRuntime, kOther, kUser, kMpi, kMemory };
enum class StateKind : uint8_t {
#define STATE(Kind, name, group, red, green, blue) k##Kind,
#include "trace/events/states.inc"
#undef STATE
  kCount,
};
struct StateDecl {
  StateKind kind;
  std::string_view name;
  StateGroup group;
  uint32_t rgb;  // 0xRRGGBB
};
// REQUIRES: kind < kCount.
const StateDecl& Decl(StateKind kind);
std::span<const StateDecl> AllStates();

// Values of worker_new's `arch`: StarPU 1.4's numbers.
enum class WorkerArch : uint8_t {
  kCpu = 0,
  kCuda = 1,
  kOpencl = 2,
  kMaxFpga = 4,
  kMpiMs = 5,
  kTcpipMs = 6,
  kHip = 7,
  kUnknown = 255,
};
std::string_view WorkerArchName(WorkerArch arch);  // "CPU", "CUDA", ...; "UNK"

enum TaskTypeBits : uint32_t { kTaskInternal = 1, kTaskDataAcquire = 2 };

// Access modes of a task's data, StarPU's bits.
enum AccessModeBits : uint32_t {
  kAccessRead = 1,
  kAccessWrite = 2,
  kAccessScratch = 4,
  kAccessRedux = 8,
  kAccessCommute = 0x10,
  kAccessSsend = 0x20,
  kAccessLocality = 0x40,
  kAccessMpiRedux = 0x80,
  kAccessNoPlan = 0x100,
  kAccessUnmap = 0x200,
  kAccessNoFootprint = 0x400,
};

enum class CopyReason : uint8_t { kFetch = 0, kTaskPrefetch = 1, kPrefetch = 2, kIdleFetch = 3 };
enum class DataCopyState : uint8_t { kInvalid = 0, kOwner = 1, kShared = 2 };
enum class MemoryOp : uint8_t {
  kAllocate,
  kAllocateReuse,
  kFree,
  kWriteBack,
  kWriteBackAsync,
  kReclaim,
  kWontUse,
  kCount,
};
enum class MessageType : uint8_t { kPointToPoint = 0, kCollective = 1, kUnknown = 2 };

}  // namespace tasklens
