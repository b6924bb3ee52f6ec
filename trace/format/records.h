// SPDX-License-Identifier: Apache-2.0
// Decodes the records of a .tlt file, for its readers. format.md explains them.
//
// Threads: values and pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "trace/events/event_table.h"
#include "trace/format/format.h"
#include "trace/format/joint_records.h"

namespace tasklens::tlt {

// Reads numbers of either byte order.
class Decoder {
 public:
  explicit Decoder(bool swap) : swap_(swap) {}

  uint32_t U32(const std::byte* at) const {
    uint32_t value;
    std::memcpy(&value, at, 4);
    return swap_ ? __builtin_bswap32(value) : value;
  }
  uint64_t U64(const std::byte* at) const {
    uint64_t value;
    std::memcpy(&value, at, 8);
    return swap_ ? __builtin_bswap64(value) : value;
  }
  ClockSample Clock(const std::byte* at) const {
    return {U64(at), static_cast<int64_t>(U64(at + 8)), static_cast<int64_t>(U64(at + 16))};
  }

 private:
  bool swap_;
};

// The fields of the first word of a record.
struct Word {
  uint32_t kind, words;
  uint64_t delta_ticks;
  explicit Word(uint64_t word)
      : kind(word & ((1u << kKindBits) - 1)),
        words(word >> kKindBits & ((1u << kWordsBits) - 1)),
        delta_ticks(word >> kTicksShift) {}
};

// The size of the record at `at`; 0 if there is no record within the `left` bytes that follow.
inline size_t RecordBytes(const Decoder& decode, const std::byte* at, size_t left) {
  const Word word(decode.U64(at));
  size_t bytes = word.words * size_t{8};
  if (word.words == 0) {
    if (word.kind != kStringRecord || left < 16) return 0;
    bytes = 16 + PadToWord(size_t{decode.U32(at + 12)});
  }
  return bytes <= left ? bytes : 0;
}

// Whether a chunk can have these sizes.
inline bool IsChunkSize(uint32_t size, uint32_t used) {
  if (size < kAlignBytes || size % kAlignBytes != 0 || size > 2 * kMaxChunkBytes) return false;
  return used <= size && (used == 0 || used >= sizeof(ChunkHeader));
}

// The arguments of a record with events. Text(id, value) turns the number of a string (never 0)
// into an argument; it returns false if there is no such string.
template <class Text>
class Args {
 public:
  Args(const Decoder& decode, Text text) : decode_(decode), text_(std::move(text)) {}

  // Decodes the `words` - 1 words at `at`. Returns false if a record of this kind cannot have this
  // many words, or if a string is missing.
  bool Read(uint32_t kind, const std::byte* at, uint32_t words) {
    return kind < kReaders.size() && (this->*kReaders[kind])(at, words);
  }
  std::span<const uint64_t> values() const { return {values_.data(), count_}; }

 private:
  using Reader = bool (Args::*)(const std::byte* at, uint32_t words);

  bool ReadUnknown(const std::byte*, uint32_t) { return false; }

  // One function per kind, because every record goes through here: the compiler knows the offset of
  // each argument.
  template <uint32_t kKind>
  bool ReadKind(const std::byte* at, uint32_t words) {
    constexpr const EventDecl& decl = *DeclOf(kKind);
    constexpr uint32_t kWords = RecordWords(decl);
    constexpr size_t kFixed = FixedArgs(decl);
    count_ = kFixed;
    if (words < kWords || (!decl.repeats_last && words != kWords)) return false;
    const bool there = [&]<size_t... kArg>(std::index_sequence<kArg...>) {
      return (Take<decl.arg_types[kArg]>(at + ArgOffset(decl, kArg), values_[kArg]) && ...);
    }
    (std::make_index_sequence<kFixed>());
    if constexpr (decl.repeats_last) {
      if (!there) return false;
      constexpr ArgType kType = decl.arg_types[kFixed];
      at += ArgOffset(decl, kFixed);
      const uint32_t repeats = decode_.U32(at);
      if (repeats == 0 || repeats > MaxRepeats(decl) || words != RecordWords(decl, repeats))
        return false;
      at += 4;
      for (uint32_t i = 0; i < repeats; ++i, at += ArgBytes(kType))
        if (!Take<kType>(at, values_[count_++])) return false;
    }
    return there;
  }

  template <ArgType kType>
  bool Take(const std::byte* at, uint64_t& value) {
    if constexpr (kType == ArgType::kStr) {
      value = 0;
      const uint32_t id = decode_.U32(at);
      return id == 0 || text_(id, value);
    } else if constexpr (kType == ArgType::kI32) {
      value = static_cast<uint64_t>(int64_t{static_cast<int32_t>(decode_.U32(at))});
    } else {
      value = kType == ArgType::kU32 ? decode_.U32(at) : decode_.U64(at);
    }
    return true;
  }

  template <uint32_t kKind>
  static constexpr Reader ReaderOf() {
    if constexpr (HasDecl(kKind))
      return &Args::template ReadKind<kKind>;
    else
      return &Args::ReadUnknown;
  }
  static constexpr auto kReaders = []<size_t... kKind>(std::index_sequence<kKind...>) {
    return std::array<Reader, sizeof...(kKind)>{ReaderOf<kKind>()...};
  }
  (std::make_index_sequence<kFirstEventKind + kEventKinds>());

  const Decoder decode_;
  Text text_;
  std::array<uint64_t, std::max<size_t>(kMaxArgs, kMaxJointArgs)> values_;
  size_t count_ = 0;
};

}  // namespace tasklens::tlt
