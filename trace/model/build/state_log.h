// SPDX-License-Identifier: Apache-2.0
// What happened to one row of the timeline, compactly (4 to 8 bytes an operation), until its states
// can be put together: they may arrive out of order, from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/events/events.h"
#include "trace/support/block_store.h"

namespace tasklens {

enum class StateOpKind : uint8_t { kSet, kPush, kPop };

struct StateOp {
  int64_t time_ns = 0;
  StateOpKind op = StateOpKind::kSet;
  StateKind state = StateKind::kNone;  // kSet, kPush
  uint32_t task = 0xffffffff;          // kSet: the task it belongs to, or kNone
};

// Threads: one. REQUIRES: |time_ns| <= 2^62.
class StateLog {
 public:
  // All but the latest operations lie in `scratch`, which must outlive this; nullptr: in memory.
  explicit StateLog(BlockStream* scratch = nullptr) : scratch_(scratch) {}

  void Append(const StateOp& op);

  bool empty() const { return size_ == 0; }
  bool sorted() const { return sorted_; }
  size_t size() const { return size_; }
  // REQUIRES: !empty().
  int64_t min_time_ns() const { return min_time_ns_; }
  int64_t max_time_ns() const { return max_time_ns_; }

  // Calls f(const StateOp&) for every operation in the order of time, in the order of Append() at
  // equal times, and forgets them.
  template <class F>
  void Consume(F f) {
    if (sorted_) {
      Decode(f);
    } else {
      for (const StateOp& op : Sorted()) f(op);
    }
    *this = StateLog(scratch_);
  }

 private:
  static constexpr uint8_t kHasTask = 4;
  static constexpr size_t kLeastBytes = 64, kSpillBytes = 8 * 1024, kMostBytes = 64 * 1024;
  static constexpr size_t kMostRecordBytes = 2 + 10 + 5;
  struct Piece {  // whole records
    const uint8_t* data;
    size_t size;
    std::unique_ptr<uint8_t[]> own;  // where `data` lies, if not in scratch_
  };

  template <class F>
  void Decode(F f) const {
    StateOp op;
    uint32_t last_task = 0;
    const auto decode = [&](const uint8_t* at, const uint8_t* end) {
      while (at < end) {
        const uint8_t head = *at++;
        op.op = static_cast<StateOpKind>(head & 3);
        op.state = op.op == StateOpKind::kPop ? StateKind::kNone : StateKind(*at++);
        op.time_ns += Signed(at);
        op.task = 0xffffffff;
        if (head & kHasTask) op.task = last_task += static_cast<uint32_t>(Signed(at));
        f(static_cast<const StateOp&>(op));
      }
    };
    for (const Piece& piece : pieces_) decode(piece.data, piece.data + piece.size);
    decode(bytes_.get(), bytes_.get() + used_);
  }
  std::vector<StateOp> Sorted() const;
  void MakeRoom();

  static int64_t Signed(const uint8_t*& at) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint64_t byte = *at++;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

  BlockStream* scratch_;
  std::vector<Piece> pieces_;
  std::unique_ptr<uint8_t[]> bytes_;      // what came after these
  size_t used_ = 0, capacity_bytes_ = 0;  // of bytes_
  size_t size_ = 0;
  bool sorted_ = true;
  int64_t last_time_ns_ = 0, min_time_ns_ = 0, max_time_ns_ = 0;
  uint32_t last_task_ = 0;
};

}  // namespace tasklens
