// SPDX-License-Identifier: Apache-2.0
// Blocks of events from one thread to another.
#include "trace/events/event_pipe.h"

#include <utility>

namespace tasklens {
namespace {

constexpr size_t kBlockWords = size_t{1} << 14;  // 128 KiB: fits into a core's cache
// One side may be delayed for a while. A reader that waits on a full pipe sleeps until half of it
// is empty: a wakeup for every block takes the other side longer than some blocks do.
constexpr size_t kWaitingBlocks = 16;
constexpr size_t kPrefetchWords = 64;
// Larger than any EventKind that a sink may get.
constexpr uint64_t kFirstJoint = uint64_t{1} << 15;

}  // namespace

EventPipe::EventPipe(EventSink& target) : target_(target) {
  thread_ = std::thread([this] { Deliver(); });
}

EventPipe::Block EventPipe::NewBlock() {
  return {std::make_unique_for_overwrite<uint64_t[]>(kBlockWords), 0};
}

inline void EventPipe::Put(int64_t time_ns, uint64_t kind, uint32_t rank, uint64_t tid,
                           std::span<const uint64_t> args) {
  const size_t count = args.size();
  if (block_.used + kHeaderWords + count > kBlockWords) Send();
  uint64_t* const to = block_.words.get() + block_.used;
  // The block was last in the cache of the other thread's processor, so its lines arrive late.
  __builtin_prefetch(to + kPrefetchWords, 1);
  // Word by word, here and below: loading a word right after it was stored in smaller pieces takes
  // a processor much longer than all the rest of this function.
  to[0] = static_cast<uint64_t>(time_ns);
  to[1] = tid;
  to[2] = rank | kind << 32 | uint64_t{count} << 48;
  for (size_t i = 0; i < count; ++i) to[kHeaderWords + i] = args[i];
  block_.used += kHeaderWords + count;
}

void EventPipe::OnEvent(const Event& event) {
  Put(event.time_ns, static_cast<uint64_t>(event.kind), event.rank, event.tid, event.args);
}

void EventPipe::OnJoint(const JointEvent& joint) {
  Put(joint.time_ns, kFirstJoint + static_cast<uint64_t>(joint.kind), joint.rank, joint.tid,
      joint.args);
}

void EventPipe::Send() {
  std::unique_lock lock(mutex_);
  if (full_.size() == kWaitingBlocks)
    changed_.wait(lock, [this] { return full_.size() <= kWaitingBlocks / 2; });
  full_.push_back(std::move(block_));
  if (empty_.empty()) {
    block_ = NewBlock();
  } else {
    block_ = std::move(empty_.back());
    empty_.pop_back();
  }
  if (full_.size() == 1) changed_.notify_all();
}

void EventPipe::Deliver() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !full_.empty() || closed_; });
    if (full_.empty()) return;
    Block block = std::move(full_.front());
    full_.pop_front();
    if (full_.size() == kWaitingBlocks / 2) changed_.notify_all();
    lock.unlock();
    Replay(block, target_);
    block.used = 0;
    lock.lock();
    empty_.push_back(std::move(block));
  }
}

void EventPipe::Replay(const Block& block, EventSink& target) {
  const uint64_t* const end = block.words.get() + block.used;
  for (const uint64_t* at = block.words.get(); at < end;) {
    const uint64_t kind = at[2] >> 32 & 0xffff;
    const size_t count = at[2] >> 48;
    const auto time_ns = static_cast<int64_t>(at[0]);
    const auto rank = static_cast<uint32_t>(at[2]);
    const std::span<const uint64_t> args(at + kHeaderWords, count);
    if (kind >= kFirstJoint)
      target.OnJoint({time_ns, static_cast<Joint>(kind - kFirstJoint), rank, at[1], args});
    else
      target.OnEvent({time_ns, static_cast<EventKind>(kind), rank, at[1], args});
    at += kHeaderWords + count;
  }
}

void EventPipe::Close() {
  if (!thread_.joinable()) return;
  if (block_.used > 0) Send();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace tasklens
