// SPDX-License-Identifier: Apache-2.0
// The layout of FxT files: the blocks, and the records of the block of events. The meaning of
// events is in fxt_events.h.
//
// A file is a big-endian word that names the machine, then blocks in that machine's byte order:
//
//   u32 machine | block INFOS { TIME IRQS UNAME ADDRS PIDS } | block of events
//
// A block is `u64 size, i32 type, i32 subtype` and its contents; the size counts these 16 bytes. A
// size of 0 means "until the end"; a program that died while tracing leaves it so.
// A record is
//
//   64-bit: u64 time_ns, u64 tid, u64 code, params u64...
//   32-bit: u64 time_ns, u32 tid, u32 code, params u32...
//
// with code = event << 8 | (number of params + 1). A string fills the last params of a record, with
// or without a closing NUL; after a NUL there may be garbage. Nothing is aligned.
//
// PIDS lists every process of the machine, with names. It is skipped and never read.
//
// Threads: plain data and functions without state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens {

enum FxtBlockType : uint32_t {
  kFxtInfos = 0x1,
  kFxtTime = 0x10,
  kFxtUname = 0x11,
  kFxtIrqs = 0x12,
  kFxtAddrs = 0x13,
  kFxtPids = 0x14,
  kFxtKernel32 = 0x100,
  kFxtKernel64 = 0x101,
  kFxtUser32 = 0x200,
  kFxtUser64 = 0x201,
};
inline constexpr size_t kFxtBlockHeaderBytes = 16;
inline constexpr size_t kFxtMaxParams = 254;

// StarPU and FxT number events with 16 bits, from 1.
constexpr bool IsFxtCode(uint64_t code) { return code - 1 < 0xffff; }

// A range of event records.
struct FxtEventBlock {
  std::span<const std::byte> records;
  size_t offset = 0;           // of its first record in the file
  bool wide = true;            // 64-bit records
  bool open = false;           // its size was never written
  uint64_t missing_bytes = 0;  // that its size promises and the file lacks
};

struct FxtFile {
  uint32_t machine = 0;
  bool swap = false;  // the file's byte order is not this machine's
  std::string host;   // node name, "" when the file does not say
  std::vector<FxtEventBlock> events;
  size_t bad_block_at = 0;  // offset of an impossible header, 0: none
};

// Whether `head`, the beginning of a file, looks like an FxT file.
bool LooksLikeFxt(std::span<const std::byte> head);

// Finds the blocks of `bytes`. Never fails: an impossible header ends the list (bad_block_at). The
// spans of the result point into `bytes`.
FxtFile ParseFxtFile(std::span<const std::byte> bytes);

// One record. Valid until the next call of FxtRecords::Next() and as long as the file's bytes.
struct FxtRecord {
  int64_t time_ns;
  uint64_t tid;   // of the header; StarPU writes 0 and passes the thread as a parameter
  uint64_t code;  // without the length
  uint32_t params;
  const std::byte* words;   // params, 8 bytes each, in our byte order
  const std::byte* raw;     // the same in the file's byte order, for strings
  uint32_t raw_word_bytes;  // 4 or 8

  // REQUIRES: i < params.
  uint64_t operator[](size_t i) const {
    uint64_t value;
    std::memcpy(&value, words + 8 * i, sizeof value);
    return value;
  }
  // The string that begins at parameter `i`: up to a NUL or the record's end, "" beyond the end.
  std::string_view Text(size_t i) const {
    const std::string_view bytes = TextBytes(i);
    return bytes.substr(0, bytes.find('\0'));
  }
  // The same, up to the end of the record.
  std::string_view TextBytes(size_t i) const {
    if (i >= params) return {};
    return {reinterpret_cast<const char*>(raw + i * raw_word_bytes), (params - i) * raw_word_bytes};
  }
};

// Whether such a record is plausible, for FindFxtRecords().
using IsFxtRecord = std::function<bool(int64_t time_ns, uint64_t code, uint32_t params)>;
// Returns the offset in `bytes`, a part of a block, where several plausible records in a row begin,
// or one that ends `bytes`; bytes.size() if there are none. For resuming after damage. `is_end`:
// the block ends at the end of `bytes`.
size_t FindFxtRecords(std::span<const std::byte> bytes, bool wide, bool swap, bool is_end,
                      const IsFxtRecord& may_be);

// Iterates over the records of one block, in the order of the file.
class FxtRecords {
 public:
  FxtRecords(const FxtEventBlock& block, bool swap);

  // Returns the next record; nullptr at the end, at a truncated record or at a damaged one.
  const FxtRecord* Next() {
    return NextExcept([](uint64_t, uint32_t) { return false; });
  }
  // The same for the records for which skips(code, params) is false.
  template <class Skips>
  const FxtRecord* NextExcept(Skips skips) {
    if (fast_) return NextFast(skips);
    while (const FxtRecord* record = NextSlow())
      if (!skips(record->code, record->params)) return record;
    return nullptr;
  }

  // Offset of the latest record that was returned.
  size_t record_offset() const {
    return base_offset_ + (record_.raw - begin_) - (8 + 2 * record_.raw_word_bytes);
  }
  // Time of the latest record, returned or skipped; 0 before the first.
  int64_t last_time_ns() const { return last_time_ns_; }

  // After nullptr: the offset in the file where reading stopped, and why.
  size_t offset() const { return base_offset_ + (at_ - begin_); }
  bool truncated() const { return truncated_; }  // the block ends inside a record
  // There is no record: its length is 0, or its code has more bits than any.
  bool damaged() const { return damaged_; }

 private:
  static constexpr size_t kPrefetchBytes = 1024;

  template <class Skips>
  const FxtRecord* NextFast(Skips skips);
  const FxtRecord* NextSlow();

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  size_t base_offset_;
  bool fast_;  // 64-bit records in our byte order: used in place
  bool swap_;
  bool wide_;
  bool truncated_ = false;
  bool damaged_ = false;
  int64_t last_time_ns_ = 0;
  FxtRecord record_{};
  std::vector<uint64_t> buffer_;  // params of one record, if they must be converted
};

// Many more records are skipped than are wanted: skipping takes only a few steps in registers.
template <class Skips>
const FxtRecord* FxtRecords::NextFast(Skips skips) {
  const std::byte *at = at_, *skipped = nullptr;
  for (;;) {
    const size_t left = static_cast<size_t>(end_ - at);
    if (left < 24) {
      truncated_ = left != 0;
      break;
    }
    // Pages of a file are scattered in memory, and no processor prefetches across page borders.
    __builtin_prefetch(at + kPrefetchBytes);
    uint64_t length_and_code;
    std::memcpy(&length_and_code, at + 16, sizeof length_and_code);
    const uint64_t words = length_and_code & 0xff;
    if (words == 0 || !IsFxtCode(length_and_code >> 8)) {
      damaged_ = true;
      break;
    }
    const size_t size = 16 + 8 * words;
    if (size > left) {
      truncated_ = true;
      break;
    }
    const uint64_t code = length_and_code >> 8;
    const auto params = static_cast<uint32_t>(words - 1);
    if (skips(code, params)) {
      skipped = at;
      at += size;
      continue;
    }
    uint64_t header[2];
    std::memcpy(header, at, sizeof header);
    record_.time_ns = last_time_ns_ = static_cast<int64_t>(header[0]);
    record_.tid = header[1];
    record_.code = code;
    record_.params = params;
    record_.words = record_.raw = at + 24;
    at_ = at + size;
    return &record_;
  }
  at_ = at;
  if (skipped != nullptr) std::memcpy(&last_time_ns_, skipped, sizeof last_time_ns_);
  return nullptr;
}

}  // namespace tasklens
