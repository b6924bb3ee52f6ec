// SPDX-License-Identifier: Apache-2.0
// The bytes of a .tlt file, as the writer and the reader share them. format.md explains them.
//
// A file is a header, then chunks. A chunk belongs to one thread and holds its records. All numbers
// are in the byte order of the machine that wrote them; the header says which.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/events/event_table.h"

namespace tasklens::tlt {

inline constexpr std::array<unsigned char, 8> kMagic = {0x89, 'T',  'L',  'T',
                                                        '\r', '\n', 0x1a, '\n'};
inline constexpr uint32_t kByteOrderMark = 0x01020304;
// A reader accepts every minor version of its major version: it skips records that it does not
// know.
inline constexpr uint16_t kVersionMajor = 0;
inline constexpr uint16_t kVersionMinor = 9;
// The major version of files written before the first release. No release has it or reads such
// files.
inline constexpr uint16_t kUnreleasedMajor = 1;

// The header and all chunks begin at multiples of this; it is the page size of most machines.
inline constexpr size_t kAlignBytes = 4096;
inline constexpr size_t kHeaderBytes = 4096;
inline constexpr size_t kMaxStringBytes = 16384;  // longer ones are cut

enum HeaderFlags : uint32_t {
  kClosed = 1,               // the recorder finished; nothing follows
  kTicksAreNanoseconds = 2,  // ticks are CLOCK_MONOTONIC: no steady counter on that machine
};

// The same moment on three clocks.
struct ClockSample {
  uint64_t ticks;
  int64_t monotonic_ns;  // CLOCK_MONOTONIC
  int64_t realtime_ns;   // CLOCK_REALTIME: since 1970
};

struct FileHeader {
  std::array<unsigned char, 8> magic;
  uint32_t byte_order;
  uint16_t version_major;
  uint16_t version_minor;
  uint32_t header_bytes;  // where the first chunk begins
  uint32_t flags;         // HeaderFlags
  uint64_t file_bytes;    // since it last grew, or was closed
  uint64_t dropped;       // events of threads that never got a chunk
  uint32_t pid;
  int32_t rank;            // -1: the program did not say
  uint64_t category_mask;  // bit c: Category c was recorded, at the start
  double ns_per_tick;      // estimated at the start; for files without a second clock sample
  ClockSample start;
  ClockSample end;  // zero until closed
  uint64_t reserved[2];
  std::array<char, 256> host;      // name of the machine in UTF-8, padded with zeros
  std::array<char, 1024> program;  // path of the program, padded with zeros
};
static_assert(sizeof(FileHeader) == 1408 && sizeof(FileHeader) <= kHeaderBytes);

inline constexpr uint64_t kChunkMagic = 0x314b4e5548435454;  // "TTCHUNK1" where little end is first
struct ChunkHeader {
  uint64_t magic;          // written last
  uint32_t chunk_bytes;    // with this header; the next chunk begins behind it
  uint32_t used_bytes;     // with this header; 0 while the thread writes to it
  uint64_t tid;            // OS thread id
  uint32_t thread_serial;  // number of the thread in this process: ids of dead threads come back
  uint32_t sequence;       // number of the chunk within the thread
  uint64_t base_ticks;
  uint64_t dropped;  // events of this thread lost after the last record of this chunk
  uint64_t reserved[2];
};
static_assert(sizeof(ChunkHeader) == 64);
inline constexpr size_t kMinChunkBytes = 64 * 1024;
inline constexpr size_t kMaxChunkBytes = 64 * 1024 * 1024;

// The first word of a record, stored after all others of the record. Zero: no record (yet).
//   bits 0..10   kind
//   bits 11..15  length in words of 8 bytes, this one included; 0: a string record
//   bits 16..63  ticks since the chunk's base_ticks
inline constexpr int kKindBits = 11;
inline constexpr int kWordsBits = 5;
inline constexpr int kTicksShift = kKindBits + kWordsBits;
inline constexpr uint64_t kMaxDeltaTicks = (uint64_t{1} << (64 - kTicksShift)) - 1;
inline constexpr uint32_t kMaxRecordWords = (1u << kWordsBits) - 1;

// Kinds below kFirstEventKind belong to the format itself.
inline constexpr uint32_t kStringRecord = 1;  // u32 id, u32 bytes, the bytes, zeros to a full word
inline constexpr uint32_t kClockRecord = 2;   // ClockSample
inline constexpr uint32_t kFirstJointKind = 3;  // several events in one: joint_records.h
inline constexpr uint32_t kFirstEventKind = 32;
static_assert(kFirstEventKind + kEventKinds <= 1u << kKindBits);

constexpr uint32_t RecordKind(EventKind kind) {
  return kFirstEventKind + static_cast<uint32_t>(kind);
}
constexpr uint64_t RecordWord(uint32_t kind, uint32_t words, uint64_t delta_ticks) {
  return delta_ticks << kTicksShift | uint64_t{words} << kKindBits | kind;
}
constexpr size_t PadToWord(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

constexpr size_t ArgBytes(ArgType type) {
  switch (type) {
    case ArgType::kU32:
    case ArgType::kI32:
    case ArgType::kStr: return 4;
    default: return 8;
  }
}

// The number of arguments that are not repeated.
constexpr size_t FixedArgs(const EventDecl& decl) {
  return decl.arg_count - (decl.repeats_last ? 1u : 0u);
}

// How often a repeated last argument may occur; at least once.
constexpr size_t MaxRepeats(const EventDecl& decl) { return decl.max_args - FixedArgs(decl); }

// Where argument `arg` begins, counted from the first one.
constexpr size_t ArgOffset(const EventDecl& decl, size_t arg) {
  size_t bytes = 0;
  for (size_t i = 0; i < arg; ++i) bytes += ArgBytes(decl.arg_types[i]);
  return bytes;
}

// Returns the words of a record of `decl`, its first word included, with `repeats` times the last
// argument.
constexpr uint32_t RecordWords(const EventDecl& decl, size_t repeats = 0) {
  size_t bytes = 8 + ArgOffset(decl, FixedArgs(decl));
  if (decl.repeats_last) bytes += 4 + repeats * ArgBytes(decl.arg_types[decl.arg_count - 1]);
  return static_cast<uint32_t>(PadToWord(bytes) / 8);
}

constexpr bool EveryRecordFits() {
  for (const EventDecl& decl : kEventTable)
    if (RecordWords(decl, decl.repeats_last ? MaxRepeats(decl) : 0) > kMaxRecordWords) return false;
  return true;
}
static_assert(EveryRecordFits());

}  // namespace tasklens::tlt
