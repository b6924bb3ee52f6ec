// SPDX-License-Identifier: Apache-2.0
// The operations on one row of the timeline, packed (4 to 8 bytes each), until the states are built
// from them: they may arrive out of order, from several threads.
//
// An operation is a head byte (operation: 2 bits; lengths of the two numbers: 3 bits each), a byte
// for the state, and the differences to the previous time and job as little-endian zigzag numbers
// of these lengths. The next length cannot be predicted, so reading and writing do not branch on
// it.
#pragma once

#include <cstdint>
#include <cstring>
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
  // The job of the task that the state belongs to; for a named state, its name, see Machine. 0:
  // none.
  uint64_t job = 0;
};

// Threads: one. REQUIRES: |time_ns| <= 2^62.
class StateLog {
 public:
  // All but the latest operations lie in `scratch`, which must outlive this; nullptr: all in
  // memory.
  explicit StateLog(BlockStream* scratch = nullptr) : scratch_(scratch) {}

  void Append(const StateOp& op);

  bool empty() const { return size_ == 0; }
  bool sorted() const { return sorted_; }
  size_t size() const { return size_; }
  // REQUIRES: !empty().
  int64_t min_time_ns() const { return min_time_ns_; }
  int64_t max_time_ns() const { return max_time_ns_; }

  // Calls f(const StateOp&) for each operation in the order of time, at equal times in the order of
  // Append(), then removes all.
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
  static constexpr size_t kLeastBytes = 64, kSpillBytes = 8 * 1024, kMostBytes = 64 * 1024;
  static constexpr size_t kMostRecordBytes = 2 + 8 + 8;
  // A length in the head: the number of bytes, where 7 stands for 7 and for 8.
  static constexpr int kTimeShift = 2, kJobShift = 5;
  static constexpr uint64_t kMost = 7;
  static constexpr size_t BytesOf(uint64_t length) { return length + (length == kMost); }
  struct Piece {  // whole records
    const uint8_t* data;
    size_t size;
    std::unique_ptr<uint8_t[]> own;  // memory of `data` if it does not lie in scratch_
  };

  template <class F>
  void Decode(F f) const {
    StateOp op;
    uint64_t last_job = 0;
    const auto decode = [&](const uint8_t* at, const uint8_t* end) {
      while (at < end) {
        const uint8_t head = at[0];
        op.op = static_cast<StateOpKind>(head & 3);
        op.state = static_cast<StateKind>(at[1]);
        at += 2;
        op.time_ns += Take(at, head >> kTimeShift & kMost);
        const uint64_t job_length = head >> kJobShift;
        last_job += static_cast<uint64_t>(Take(at, job_length));
        op.job = job_length != 0 ? last_job : 0;
        f(static_cast<const StateOp&>(op));
      }
    };
    for (const Piece& piece : pieces_) decode(piece.data, piece.data + piece.size);
    decode(bytes_.get(), bytes_.get() + used_);
  }
  std::vector<StateOp> Sorted() const;
  void MakeRoom();

  // REQUIRES: 8 bytes can be read.
  static int64_t Take(const uint8_t*& at, uint64_t length) {
    static constexpr uint64_t kMask[] = {0,          0xff,         0xffff,         0xffffff,
                                         0xffffffff, 0xffffffffff, 0xffffffffffff, ~uint64_t{0}};
    uint64_t value;
    std::memcpy(&value, at, sizeof value);
    value &= kMask[length];
    at += BytesOf(length);
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

  BlockStream* scratch_;
  std::vector<Piece> pieces_;
  std::unique_ptr<uint8_t[]> bytes_;      // operations after those pieces
  size_t used_ = 0, capacity_bytes_ = 0;  // of bytes_
  size_t size_ = 0;
  bool sorted_ = true;
  int64_t last_time_ns_ = 0, min_time_ns_ = 0, max_time_ns_ = 0;
  uint64_t last_job_ = 0;
};

}  // namespace tasklens
