// SPDX-License-Identifier: Apache-2.0
// The layout of FxT files: see fxt_file.h.
#include "converters/readers/fxt_file.h"

#include <algorithm>
#include <bit>

namespace tasklens {
namespace {

// The first word of a file: little-endian machines are numbered from 0, big-endian ones in steps of
// 0x10000; the last number of each is "unknown".
constexpr uint32_t kLastLittleEndian = 9;
constexpr uint32_t kUnknownLittleEndian = 0xff;
constexpr uint32_t kFirstBigEndian = 0x10000;
constexpr uint32_t kUnknownBigEndian = 0xff0000;
constexpr size_t kMachineBytes = 4;

bool IsBigEndian(uint32_t machine) { return machine >= kFirstBigEndian; }

bool IsKnownMachine(uint32_t machine) {
  if (!IsBigEndian(machine)) return machine <= kLastLittleEndian || machine == kUnknownLittleEndian;
  return machine <= kUnknownBigEndian && machine % kFirstBigEndian == 0;
}

uint32_t Swap(uint32_t value) { return __builtin_bswap32(value); }
uint64_t Swap(uint64_t value) { return __builtin_bswap64(value); }

template <class T>
T Get(const std::byte* at, bool swap) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return swap ? Swap(value) : value;
}

uint32_t Machine(std::span<const std::byte> bytes) {
  return Get<uint32_t>(bytes.data(), std::endian::native == std::endian::little);
}

bool MustSwap(uint32_t machine) {
  return IsBigEndian(machine) != (std::endian::native == std::endian::big);
}

struct BlockHeader {
  uint64_t size;
  uint32_t type;
};

// REQUIRES: at + kFxtBlockHeaderBytes <= bytes.size().
BlockHeader Header(std::span<const std::byte> bytes, size_t at, bool swap) {
  return {Get<uint64_t>(&bytes[at], swap), Get<uint32_t>(&bytes[at + 8], swap)};
}

// Returns the second word of "sysname nodename release ...".
std::string HostOf(std::span<const std::byte> uname, bool swap) {
  if (uname.size() < 4) return "";
  const size_t size = std::min<size_t>(Get<uint32_t>(uname.data(), swap), uname.size() - 4);
  const std::string_view text(reinterpret_cast<const char*>(uname.data() + 4), size);
  const size_t begin = text.find(' ');
  if (begin == text.npos) return "";
  const std::string_view rest = text.substr(begin + 1);
  return std::string(rest.substr(0, std::min(rest.find(' '), size_t{256})));
}

// Returns the end of a PIDS block without a size: after the process with number 0.
size_t EndOfPids(std::span<const std::byte> bytes, size_t at) {
  constexpr size_t kPidBytes = 8, kNameBytes = 16;
  while (at + kPidBytes <= bytes.size()) {
    const bool last = Get<uint64_t>(&bytes[at], false) == 0;
    at += kPidBytes;
    if (last) return at;
    at += kNameBytes;
  }
  return bytes.size();
}

}  // namespace

bool LooksLikeFxt(std::span<const std::byte> head) {
  if (head.size() < kMachineBytes + kFxtBlockHeaderBytes) return false;
  const uint32_t machine = Machine(head);
  if (!IsKnownMachine(machine)) return false;
  const bool swap = MustSwap(machine);
  const BlockHeader infos = Header(head, kMachineBytes, swap);
  if (infos.type != kFxtInfos) return false;
  if (infos.size != 0 && infos.size < 2 * kFxtBlockHeaderBytes) return false;
  const size_t inner = kMachineBytes + kFxtBlockHeaderBytes;
  if (head.size() < inner + kFxtBlockHeaderBytes) return true;  // everything that is there fits
  return Header(head, inner, swap).type == kFxtTime;
}

FxtFile ParseFxtFile(std::span<const std::byte> bytes) {
  FxtFile file;
  if (bytes.size() < kMachineBytes) {
    file.bad_block_at = bytes.size();
    return file;
  }
  file.machine = Machine(bytes);
  file.swap = MustSwap(file.machine);
  size_t at = kMachineBytes;
  // One loop for both levels: it descends into INFOS, whose own size therefore does not matter.
  while (at < bytes.size()) {
    const size_t left = bytes.size() - at;
    if (left < kFxtBlockHeaderBytes) {
      file.bad_block_at = at;
      return file;
    }
    const BlockHeader header = Header(bytes, at, file.swap);
    const size_t body = at + kFxtBlockHeaderBytes;
    const bool open = header.size == 0;
    const bool too_short = !open && header.size < kFxtBlockHeaderBytes;
    const size_t end = open || header.size > left ? bytes.size() : at + header.size;
    if (too_short || (header.type != kFxtInfos && header.type > kFxtUser64)) {
      file.bad_block_at = at;
      return file;
    }
    switch (header.type) {
      case kFxtInfos: at = body; continue;
      case kFxtUser32:
      case kFxtUser64:
        file.events.push_back({bytes.subspan(body, end - body), body, header.type == kFxtUser64,
                               open, header.size > left ? header.size - left : 0});
        break;
      case kFxtUname: file.host = HostOf(bytes.subspan(body, end - body), file.swap); break;
      case kFxtPids:
        if (open) {
          at = EndOfPids(bytes, body);
          continue;
        }
        break;
      case kFxtTime:
      case kFxtIrqs:
      case kFxtAddrs:
      case kFxtKernel32:
      case kFxtKernel64: break;
      default: file.bad_block_at = at; return file;
    }
    if (header.size > left && file.events.empty()) file.bad_block_at = at;
    at = end;
  }
  return file;
}

FxtRecords::FxtRecords(const FxtEventBlock& block, bool swap)
    : begin_(block.records.data()),
      at_(begin_),
      end_(begin_ + block.records.size()),
      base_offset_(block.offset),
      fast_(block.wide && !swap),
      swap_(swap),
      wide_(block.wide) {
  record_.raw_word_bytes = wide_ ? 8 : 4;
  if (!fast_) buffer_.resize(kFxtMaxParams);
}

size_t FindFxtRecords(std::span<const std::byte> bytes, bool wide, bool swap, bool is_end,
                      const IsFxtRecord& may_be) {
  constexpr int kInARow = 4;
  const size_t word = wide ? 8 : 4, header_bytes = 8 + 2 * word;
  const auto get = [&](size_t at) -> uint64_t {
    return wide ? Get<uint64_t>(&bytes[at], swap) : Get<uint32_t>(&bytes[at], swap);
  };
  // Returns the size of the record at `at`, or 0 if there is none.
  const auto size_at = [&](size_t at) -> size_t {
    if (bytes.size() - at < header_bytes) return 0;
    const uint64_t code = get(at + 8 + word);
    if ((code & 0xff) == 0 || !IsFxtCode(code >> 8)) return 0;
    const auto params = static_cast<uint32_t>(code & 0xff) - 1;
    const size_t size = header_bytes + params * word;
    if (size > bytes.size() - at) return 0;
    return may_be(static_cast<int64_t>(Get<uint64_t>(&bytes[at], swap)), code >> 8, params) ? size
                                                                                            : 0;
  };
  for (size_t begin = 0; begin < bytes.size(); ++begin) {
    size_t at = begin;
    for (int row = 0; row < kInARow; ++row) {
      const size_t size = at < bytes.size() ? size_at(at) : 0;
      if (size == 0) break;
      at += size;
      if (row + 1 == kInARow || (is_end && at == bytes.size())) return begin;
    }
  }
  return bytes.size();
}

const FxtRecord* FxtRecords::NextSlow() {
  const size_t left = static_cast<size_t>(end_ - at_);
  const size_t word = record_.raw_word_bytes;
  const size_t header_bytes = 8 + 2 * word;
  if (left < header_bytes) {
    truncated_ = left != 0;
    return nullptr;
  }
  const auto get = [&](const std::byte* at) -> uint64_t {
    return wide_ ? Get<uint64_t>(at, swap_) : Get<uint32_t>(at, swap_);
  };
  const uint64_t code = get(at_ + 8 + word);
  if ((code & 0xff) == 0 || !IsFxtCode(code >> 8)) {
    damaged_ = true;
    return nullptr;
  }
  const uint32_t params = static_cast<uint32_t>(code & 0xff) - 1;
  const size_t size = header_bytes + params * word;
  if (size > left) {
    truncated_ = true;
    return nullptr;
  }
  record_.time_ns = last_time_ns_ = static_cast<int64_t>(Get<uint64_t>(at_, swap_));
  record_.tid = get(at_ + 8);
  record_.code = code >> 8;
  record_.params = params;
  record_.raw = at_ + header_bytes;
  for (uint32_t i = 0; i < params; ++i) buffer_[i] = get(record_.raw + i * word);
  record_.words = reinterpret_cast<const std::byte*>(buffer_.data());
  at_ += size;
  return &record_;
}

}  // namespace tasklens
