// SPDX-License-Identifier: Apache-2.0
// Lets a reader decode on one core while the model is built on another, and the model keep its
// points on a third.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "trace/events/event_sink.h"

namespace tasklens {

// Hands events, in their order, to `target` on a thread of its own, in blocks, of which a few may
// wait: memory is bounded. Strings are interned at once, on the caller's thread. What the target
// does not want is counted here, and told at the end.
//
// Life cycle: any number of Intern(), OnEvent() and OnJoint(), from one thread; then Close(), after
// which `target` has had every event and may be used again. The destructor closes. REQUIRES:
// target.Intern() may run while target.OnEvent() does.
class EventPipe : public EventSink {
 public:
  explicit EventPipe(EventSink& target);
  ~EventPipe() override { Close(); }

  StringId Intern(std::string_view text) override { return target_.Intern(text); }
  void OnEvent(const Event& event) override;
  void OnJoint(const JointEvent& joint) override;
  void Close();

 private:
  // Events, each as kHeaderWords (time, thread, and the rest packed) and its arguments.
  static constexpr size_t kHeaderWords = 3;
  struct Block {
    std::unique_ptr<uint64_t[]> words;
    size_t used = 0;
  };

  static Block NewBlock();
  // Another rank is made known to the target by an event.
  bool IsWanted(const Event& event) const {
    return event.tid != 0 || event.kind >= EventKind::kCount ||
           wanted_[static_cast<size_t>(event.kind)] || event.rank != rank_ ||
           event.time_ns >= kMaxTime || event.time_ns <= -kMaxTime;
  }
  void CountUnwanted(const Event& event);
  // `kind`: an EventKind, or a Joint behind those.
  void Put(int64_t time_ns, uint64_t kind, uint32_t rank, uint64_t tid,
           std::span<const uint64_t> args);
  void Send();
  void Deliver();
  static void Replay(const Block& block, EventSink& target);

  EventSink& target_;
  std::array<bool, kEventKinds> wanted_;
  uint64_t rank_ = ~uint64_t{0};          // of the last one handed on
  std::vector<UnwantedEvents> unwanted_;  // a row for each stretch of events of one rank
  Block block_ = NewBlock();              // being filled

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> full_;    // guarded by mutex_
  std::vector<Block> empty_;  // guarded by mutex_
  bool closed_ = false;       // guarded by mutex_
  std::thread thread_;        // last: it uses all of the above
};

}  // namespace tasklens
