// SPDX-License-Identifier: Apache-2.0
// Blocks of events from one thread to another.
#include "converters/event_pipe.h"

#include <utility>

namespace tasklens {
namespace {

constexpr size_t kBlockEvents = 4096;  // some 250 KB: fits into a core's cache
constexpr size_t kWaitingBlocks = 4;

}  // namespace

EventPipe::EventPipe(EventSink& target) : target_(target), thread_([this] { Deliver(); }) {}

void EventPipe::OnEvent(const Event& event) {
  block_.items.push_back(
      {event.time_ns, event.tid, event.rank, event.kind, static_cast<uint16_t>(event.args.size())});
  block_.args.insert(block_.args.end(), event.args.begin(), event.args.end());
  if (block_.items.size() == kBlockEvents) Send();
}

void EventPipe::Send() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return full_.size() < kWaitingBlocks; });
  full_.push_back(std::move(block_));
  block_ = Block();
  if (!empty_.empty()) {
    block_ = std::move(empty_.back());
    empty_.pop_back();
  }
  changed_.notify_all();
}

void EventPipe::Deliver() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !full_.empty() || closed_; });
    if (full_.empty()) return;
    Block block = std::move(full_.front());
    full_.pop_front();
    changed_.notify_all();
    lock.unlock();
    Replay(block, target_);
    block.items.clear();
    block.args.clear();
    lock.lock();
    empty_.push_back(std::move(block));
  }
}

void EventPipe::Replay(const Block& block, EventSink& target) {
  const uint64_t* args = block.args.data();
  for (const Item& item : block.items) {
    target.OnEvent({item.time_ns, item.kind, item.rank, item.tid, {args, item.arg_count}});
    args += item.arg_count;
  }
}

void EventPipe::Close() {
  if (!thread_.joinable()) return;
  if (!block_.items.empty()) Send();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace tasklens
