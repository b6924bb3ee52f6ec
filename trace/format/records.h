// SPDX-License-Identifier: Apache-2.0
// Records of a .tlt file taken apart, for those that read one. format.md explains them.
//
// Threads: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "trace/events/event_table.h"
#include "trace/format/format.h"

namespace tasklens::tlt {

// Numbers of a file in either byte order.
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

// The first word of a record, taken apart.
struct Word {
  uint32_t kind, words;
  uint64_t delta_ticks;
  explicit Word(uint64_t word)
      : kind(word & ((1u << kKindBits) - 1)),
        words(word >> kKindBits & ((1u << kWordsBits) - 1)),
        delta_ticks(word >> kTicksShift) {}
};

// Bytes of the record at `at`, of which `left` are there; 0 when it is not a record.
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

// The arguments of an event, as they are in a record.
class Args {
 public:
  std::span<const uint64_t> values() const { return {values_.data(), count_}; }

  // Takes the `words` - 1 words at `at`. False when they are not what `decl` says, or when
  // text(id, value), which turns the number of a string (never 0) into an argument, says so.
  template <class Text>
  bool Read(const Decoder& decode, const EventDecl& decl, const std::byte* at, uint32_t words,
            Text text) {
    count_ = 0;
    if (words < RecordWords(decl)) return false;
    const size_t fixed = FixedArgs(decl);
    for (size_t i = 0; i < fixed; ++i)
      if (!Add(decode, decl.arg_types[i], at, text)) return false;
    if (!decl.repeats_last) return words == RecordWords(decl);
    const uint32_t repeats = decode.U32(at);
    at += 4;
    if (repeats == 0 || repeats > MaxRepeats(decl) || words != RecordWords(decl, repeats))
      return false;
    for (uint32_t i = 0; i < repeats; ++i)
      if (!Add(decode, decl.arg_types[fixed], at, text)) return false;
    return true;
  }

 private:
  template <class Text>
  bool Add(const Decoder& decode, ArgType type, const std::byte*& at, Text& text) {
    uint64_t value = 0;
    if (type == ArgType::kStr) {
      if (const uint32_t id = decode.U32(at); id != 0 && !text(id, value)) return false;
    } else if (type == ArgType::kI32) {
      value = static_cast<uint64_t>(int64_t{static_cast<int32_t>(decode.U32(at))});
    } else {
      value = type == ArgType::kU32 ? decode.U32(at) : decode.U64(at);
    }
    at += ArgBytes(type);
    values_[count_++] = value;
    return true;
  }

  std::array<uint64_t, kMaxArgs> values_;
  size_t count_ = 0;
};

}  // namespace tasklens::tlt
