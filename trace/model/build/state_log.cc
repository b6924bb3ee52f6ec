// SPDX-License-Identifier: Apache-2.0
// Encoding of state operations: a head byte, the state, and two zigzag varint differences.
#include "trace/model/build/state_log.h"

#include <algorithm>
#include <utility>

namespace tasklens {
namespace {

uint8_t* PutSigned(uint8_t* to, int64_t value) {
  uint64_t v = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  for (; v >= 0x80; v >>= 7) *to++ = static_cast<uint8_t>(v | 0x80);
  *to++ = static_cast<uint8_t>(v);
  return to;
}

}  // namespace

void StateLog::Append(const StateOp& op) {
  const bool first = empty();
  if (!first && op.time_ns < max_time_ns_) sorted_ = false;
  max_time_ns_ = first ? op.time_ns : std::max(max_time_ns_, op.time_ns);
  min_time_ns_ = first ? op.time_ns : std::min(min_time_ns_, op.time_ns);

  if (used_ + kMostRecordBytes > capacity_bytes_) MakeRoom();
  uint8_t* to = bytes_.get() + used_;
  const bool has_task = op.task != 0xffffffff;
  *to++ = static_cast<uint8_t>(static_cast<uint8_t>(op.op) | (has_task ? kHasTask : 0));
  if (op.op != StateOpKind::kPop) *to++ = static_cast<uint8_t>(op.state);
  to = PutSigned(to, op.time_ns - last_time_ns_);
  if (has_task) {
    to = PutSigned(to, static_cast<int32_t>(op.task - last_task_));
    last_task_ = op.task;
  }
  last_time_ns_ = op.time_ns;
  used_ = static_cast<size_t>(to - bytes_.get());
  ++size_;
}

void StateLog::MakeRoom() {
  if (scratch_ != nullptr && capacity_bytes_ >= kSpillBytes) {
    const std::byte* data = scratch_->Store(bytes_.get(), used_);
    if (data != nullptr) {
      pieces_.push_back({reinterpret_cast<const uint8_t*>(data), used_, nullptr});
      used_ = 0;
      return;
    }
  }
  if (used_ > 0) pieces_.push_back({bytes_.get(), used_, std::move(bytes_)});
  capacity_bytes_ = std::clamp(2 * capacity_bytes_, kLeastBytes, kMostBytes);
  bytes_ = std::make_unique_for_overwrite<uint8_t[]>(capacity_bytes_);
  used_ = 0;
}

std::vector<StateOp> StateLog::Sorted() const {
  std::vector<StateOp> ops;
  ops.reserve(size_);
  Decode([&](const StateOp& op) { ops.push_back(op); });
  std::stable_sort(ops.begin(), ops.end(),
                   [](const StateOp& a, const StateOp& b) { return a.time_ns < b.time_ns; });
  return ops;
}

}  // namespace tasklens
