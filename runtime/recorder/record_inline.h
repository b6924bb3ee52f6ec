// SPDX-License-Identifier: Apache-2.0
// The inline part of trace points. Included by recorder.h only.
#pragma once

#include "runtime/recorder/recorder.h"
#include "trace/events/event_table.h"

namespace tasklens {
namespace internal {

// The state that trace points of all threads read; written only by Start(), Stop(), Pause() and
// Resume().
struct alignas(64) RecorderState {
  std::atomic<uint32_t> categories{0};  // enabled categories; 0: no trace
  tlt::Writer writer;
};
extern constinit RecorderState recorder_state;

// The buffer of this thread. initial-exec: accessed by one instruction, also in a shared library; a
// pointer to the buffer would make a traced task 5 % slower. It is the only large thread-local
// variable, because a process that loads the library at run time, as Python does, has little room
// for such storage.
extern constinit thread_local tlt::ThreadBuffer thread_buffer
    __attribute__((tls_model("initial-exec")));

uint32_t InternAt(std::string_view text, uint64_t ticks);
uint32_t InternPointerAt(const char* text, uint64_t ticks);

template <class T>
inline constexpr bool kIsText = std::is_convertible_v<T, std::string_view> ||
                                std::is_same_v<T, StrId> || std::is_same_v<T, std::nullptr_t>;
template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> || std::is_enum_v<T>;

// Whether an argument of type T may be passed for `type`.
template <class T>
constexpr bool Fits(ArgType type) {
  switch (type) {
    case ArgType::kStr: return kIsText<T>;
    case ArgType::kF64: return std::is_floating_point_v<T>;
    case ArgType::kHex: return (kIsInteger<T> && sizeof(T) <= 8) || std::is_pointer_v<T>;
    case ArgType::kU64:
    case ArgType::kI64: return kIsInteger<T> && sizeof(T) <= 8;
    case ArgType::kU32:
    case ArgType::kI32: return kIsInteger<T> && sizeof(T) <= 4;
  }
  return false;
}

template <class... Args>
constexpr bool AllFit(const EventDecl& decl, size_t count) {
  size_t i = 0;
  return sizeof...(Args) >= count &&
         ((i >= count || Fits<std::decay_t<Args>>(decl.arg_types[i]) ? (++i, true) : false) && ...);
}

// Returns the 4 or 8 bytes of the argument in the file, right-aligned in a word.
template <class T>
uint64_t Bits(const T& value, uint64_t ticks) {
  using D = std::decay_t<T>;
  if constexpr (std::is_same_v<D, StrId>)
    return value.value;
  else if constexpr (std::is_same_v<D, std::nullptr_t>)
    return 0;
  else if constexpr (std::is_same_v<D, const char*> || std::is_same_v<D, char*>)
    return InternPointerAt(value, ticks);
  else if constexpr (std::is_convertible_v<D, std::string_view>)
    return InternAt(value, ticks);
  else if constexpr (std::is_floating_point_v<D>)
    return FromDouble(value);
  else if constexpr (std::is_pointer_v<D>)
    return reinterpret_cast<uintptr_t>(value);
  else if constexpr (std::is_enum_v<D>)
    return static_cast<uint64_t>(static_cast<std::underlying_type_t<D>>(value));
  else
    return static_cast<uint64_t>(
        static_cast<std::conditional_t<std::is_signed_v<D>, int64_t, uint64_t>>(value));
}

template <size_t kBytes>
inline char* Put(char* at, uint64_t bits) {
  if constexpr (kBytes == 8) {
    std::memcpy(at, &bits, 8);
  } else {
    const uint32_t low = static_cast<uint32_t>(bits);
    std::memcpy(at, &low, 4);
  }
  return at + kBytes;
}

// The kinds of records: one event, or one joint record for several events.
template <EventKind kKind>
struct EventRow {
  static constexpr const EventDecl& kDecl = kEventTable[static_cast<size_t>(kKind)];
  static constexpr uint32_t kRecordKind = tlt::RecordKind(kKind);
};
template <tlt::Joint kJoint>
struct JointRow {
  static constexpr const EventDecl& kDecl = tlt::kJointTable[static_cast<size_t>(kJoint)];
  static constexpr uint32_t kRecordKind = tlt::RecordKind(kJoint);
};

template <class Row, size_t... kIndex>
inline void WriteFixed(uint64_t ticks, std::index_sequence<kIndex...>, const uint64_t* bits) {
  constexpr const EventDecl& kDecl = Row::kDecl;
  constexpr uint32_t kWords = tlt::RecordWords(kDecl);
  tlt::ThreadBuffer& buffer = thread_buffer;
  char* const record = recorder_state.writer.Reserve(buffer, kWords * 8, ticks);
  if (record == nullptr) return;
  [[maybe_unused]] char* at = record + 8;
  ((at = Put<tlt::ArgBytes(kDecl.arg_types[kIndex])>(at, bits[kIndex])), ...);
  tlt::Writer::Publish(record,
                       tlt::RecordWord(Row::kRecordKind, kWords, ticks - buffer.base_ticks));
}

}  // namespace internal

inline bool Recorder::Enabled(EventKind kind) {
  return (internal::recorder_state.categories.load(std::memory_order_relaxed) &
          CategoryBit(Decl(kind).category)) != 0;
}

template <EventKind kKind>
bool Recorder::Enabled() {
  constexpr Category kCategory = kEventTable[static_cast<size_t>(kKind)].category;
  return (internal::recorder_state.categories.load(std::memory_order_relaxed) &
          CategoryBit(kCategory)) != 0;
}

inline bool Recorder::EnabledIn(uint32_t categories) {
  return (internal::recorder_state.categories.load(std::memory_order_relaxed) & categories) != 0;
}
inline bool Recorder::EnabledInAll(uint32_t categories) {
  return (~internal::recorder_state.categories.load(std::memory_order_relaxed) & categories) == 0;
}

namespace internal {

// Writes one record. The caller has checked that its category is enabled.
template <class Row, class... Args>
inline void Write(uint64_t ticks, const Args&... args) {
  constexpr const EventDecl& kDecl = Row::kDecl;
  static_assert(sizeof...(Args) == kDecl.arg_count, "the table declares another number");
  static_assert(internal::AllFit<Args...>(kDecl, tlt::FixedArgs(kDecl)),
                "an argument's type is not what the table declares");
  if constexpr (kDecl.repeats_last) {
    uint64_t bits[kDecl.max_args];
    size_t count = 0;
    auto add = [&](const auto& arg) {
      if constexpr (requires {
                      arg.data();
                      arg.size();
                    } &&
                    !std::is_convertible_v<decltype(arg), std::string_view>) {
        static_assert(
            internal::Fits<std::decay_t<decltype(arg[0])>>(kDecl.arg_types[kDecl.arg_count - 1]),
            "the span's type is not what the table declares");
        for (const auto& element : arg)
          if (count < kDecl.max_args) bits[count++] = internal::Bits(element, ticks);
      } else {
        bits[count++] = internal::Bits(arg, ticks);
      }
    };
    (add(args), ...);
    internal::recorder_state.writer.AppendRecord(internal::thread_buffer, Row::kRecordKind, ticks,
                                                 {bits, count});
  } else {
    const uint64_t bits[sizeof...(Args) + 1] = {internal::Bits(args, ticks)...};
    internal::WriteFixed<Row>(ticks, std::make_index_sequence<sizeof...(Args)>(), bits);
  }
}

}  // namespace internal

inline RecordMoment Recorder::Now() { return {internal::recorder_state.writer.Now()}; }

template <EventKind kKind, class... Args>
inline void RecordIn(uint32_t categories, const Args&... args) {
  if (Recorder::EnabledIn(categories)) {
    internal::Write<internal::EventRow<kKind>>(internal::recorder_state.writer.Now(), args...);
  }
}

template <EventKind kKind, class... Args>
inline void Record(const Args&... args) {
  constexpr Category kCategory = kEventTable[static_cast<size_t>(kKind)].category;
  RecordIn<kKind>(CategoryBit(kCategory), args...);
}

template <EventKind kKind, class... Args>
inline void RecordAt(RecordMoment moment, const Args&... args) {
  if (Recorder::Enabled<kKind>()) internal::Write<internal::EventRow<kKind>>(moment.ticks, args...);
}

template <tlt::Joint kJoint, class... Args>
inline void RecordJointAt(RecordMoment moment, const Args&... args) {
  internal::Write<internal::JointRow<kJoint>>(moment.ticks, args...);
}

}  // namespace tasklens
