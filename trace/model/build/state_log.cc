// SPDX-License-Identifier: Apache-2.0
// Writing state operations.
#include "trace/model/build/state_log.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tasklens {
namespace {

uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

}  // namespace

void StateLog::Append(const StateOp& op) {
  const bool first = empty();
  if (!first && op.time_ns < max_time_ns_) sorted_ = false;
  max_time_ns_ = first ? op.time_ns : std::max(max_time_ns_, op.time_ns);
  min_time_ns_ = first ? op.time_ns : std::min(min_time_ns_, op.time_ns);

  if (used_ + kMostRecordBytes > capacity_bytes_) MakeRoom();
  const bool has_job = op.job != 0;
  const uint64_t time = ZigZag(op.time_ns - last_time_ns_);
  const uint64_t job_change = has_job ? op.job - last_job_ : 0;
  const uint64_t job = ZigZag(static_cast<int64_t>(job_change));
  const auto length_of = [](uint64_t value) {
    return std::min<uint64_t>((static_cast<uint64_t>(std::bit_width(value)) + 7) / 8, kMost);
  };
  const uint64_t time_length = length_of(time);
  // A job equal to the previous one takes a byte, because a length of 0 means that there is no job.
  const uint64_t job_length = std::max<uint64_t>(length_of(job), has_job);
  uint8_t* to = bytes_.get() + used_;
  to[0] = static_cast<uint8_t>(static_cast<uint64_t>(op.op) | time_length << kTimeShift |
                               job_length << kJobShift);
  to[1] = static_cast<uint8_t>(op.state);
  to += 2;
  std::memcpy(to, &time, sizeof time);
  to += BytesOf(time_length);
  std::memcpy(to, &job, sizeof job);
  to += BytesOf(job_length);
  last_job_ += job_change;
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
