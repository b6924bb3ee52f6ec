// SPDX-License-Identifier: Apache-2.0
// A queue of events between the thread that reads a trace and a thread that builds a part of the
// model.
#pragma once

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

// Hands events to `target`, in order, on a thread of its own. Events travel in blocks; few blocks
// may wait, so memory is bounded. Strings are interned on the caller's thread.
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
  // Each event is kHeaderWords words (time, thread, and the rest packed), then its arguments.
  static constexpr size_t kHeaderWords = 3;
  struct Block {
    std::unique_ptr<uint64_t[]> words;
    size_t used = 0;
  };

  static Block NewBlock();
  // `kind`: an EventKind, or kFirstJoint plus a Joint.
  void Put(int64_t time_ns, uint64_t kind, uint32_t rank, uint64_t tid,
           std::span<const uint64_t> args);
  void Send();
  void Deliver();
  static void Replay(const Block& block, EventSink& target);

  EventSink& target_;
  Block block_ = NewBlock();  // being filled

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> full_;    // guarded by mutex_
  std::vector<Block> empty_;  // guarded by mutex_
  bool closed_ = false;       // guarded by mutex_
  std::thread thread_;        // last: the thread uses all of the above
};

}  // namespace tasklens
