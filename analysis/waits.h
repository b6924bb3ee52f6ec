// SPDX-License-Identifier: Apache-2.0
// What each executed task had to wait for: other executed tasks, directly, by their tags
// (tag_links.h), through tasks that did not run (acquisitions of data by the program, the two ends
// of a message), or on another rank, with a message between.
//
// A task that did not run is a *passage*: it takes no time and opens when everything that it waits
// for is there. A message leads from the task (or passage) for which it was sent to the one for
// which it was received, and its data are there when it was received. A passage with no executed
// task before it is ignored: a message with unknown sender delays no task, because nothing can be
// concluded from it.
//
// An edge that contradicts the clock (its first end is dated after the start of its second:
// unaligned clocks, damaged traces) is left out, and so is an edge that closes a cycle of passages:
// the result has no cycle whatever the input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/execution_order.h"
#include "analysis/stop.h"
#include "analysis/tag_links.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct CriticalPath;
struct LongestChain;

// The messages with both ends known, by the task for which they were received.
class ReceivedMessages {
 public:
  struct Message {
    uint32_t receiver, sender;  // rows of tasks
    uint32_t row;               // of messages
  };
  explicit ReceivedMessages(const TraceModel& model);
  bool empty() const { return messages_.empty(); }
  // In order of the rows of messages.
  std::span<const Message> To(uint32_t task) const;

 private:
  std::vector<Message> messages_;  // by receiver
};

class Waits {
 public:
  // `before` (an executed task, or a passage) had to end before another could start.
  struct Edge {
    uint32_t before;
    uint32_t message;    // row of the message that carried the data; kNone: none
    int64_t arrival_ns;  // when it stopped delaying the other
    int64_t room_ns;     // how much later it could have ended without delaying the other
  };

  // Both must outlive this. 8 bytes per task, and 24 per passage if there are any.
  Waits(const TraceModel& model, const ExecutionOrder& order, Stop stop = nullptr);

  // Rows of the executed tasks and of passages, predecessors first.
  std::span<const uint32_t> sequence() const {
    return passages_.empty() ? std::span<const uint32_t>(order_.tasks) : sequence_;
  }
  // Returns the index of a row in sequence(), or kNone.
  uint32_t position(uint32_t row) const {
    return passages_.empty() ? order_.place[row] : position_[row];
  }
  bool IsPassage(uint32_t row) const { return order_.place[row] == kNone; }
  const ExecutionOrder& order() const { return order_; }

  // Calls visit(edge) for each edge to `after`, a row of sequence(), except the one from the
  // worker's previous task.
  template <class Visit>
  void ForEach(uint32_t after, const Visit& visit) const {
    for (const DepEnd& dep : model_.predecessors[after]) Try(dep.task, kNone, after, visit);
    for (const uint32_t before : tags_.before[after]) Try(before, kNone, after, visit);
    if (messages_.empty()) return;
    for (const ReceivedMessages::Message& message : messages_.To(after))
      Try(message.sender, message.row, after, visit);
  }

  // The last executed task before a passage, and the first message on the way back to it.
  struct Origin {
    uint32_t task, message;
  };
  Origin Behind(uint32_t passage) const;

 private:
  struct Passage {
    uint32_t row;
    uint32_t place;   // number of executed tasks before it
    int64_t end_ns;   // the last end of the tasks before it
    int64_t open_ns;  // the same, or the arrival of the last message
  };

  void FindPassages(Stop stop);
  void Open(uint32_t row);
  void MakeSequence();

  const Passage& PassageOf(uint32_t row) const { return passages_[passage_of_row_[row]]; }
  bool IsKnown(uint32_t row) const {
    return !IsPassage(row) || (!passage_of_row_.empty() && passage_of_row_[row] != kNone);
  }
  // REQUIRES: IsKnown(row).
  int64_t EndNs(uint32_t row) const {
    return IsPassage(row) ? PassageOf(row).end_ns : model_.tasks.end_ns[row];
  }
  int64_t OverNs(uint32_t row) const {
    return IsPassage(row) ? PassageOf(row).open_ns : model_.tasks.end_ns[row];
  }

  template <class Visit>
  void Try(uint32_t before, uint32_t message, uint32_t after, const Visit& visit) const {
    const uint32_t place = position(before);
    if (place == kNone || place >= position(after)) return;
    const bool into_passage = IsPassage(after);
    const int64_t begin_ns = into_passage ? PassageOf(after).open_ns : model_.tasks.start_ns[after];
    if (EndNs(before) > begin_ns) return;
    const int64_t over_ns = OverNs(before);
    Edge edge{before, message, over_ns, std::max<int64_t>(0, begin_ns - over_ns)};
    if (message != kNone && !Carry(message, begin_ns, edge)) return;
    edge.arrival_ns = std::min(edge.arrival_ns, begin_ns);
    visit(edge);
  }
  // Turns `edge` into that of a message; returns false if it arrived before it could be sent.
  bool Carry(uint32_t message, int64_t begin_ns, Edge& edge) const;

  const TraceModel& model_;
  const ExecutionOrder& order_;
  const ReceivedMessages messages_;
  const TagLinks tags_;
  std::vector<Passage> passages_;                               // predecessors first
  std::vector<uint32_t> passage_of_row_, position_, sequence_;  // empty without passages
};

// The functions of critical_path.h for callers that have `waits`.
CriticalPath ObservedCriticalPath(const TraceModel& model, const Waits& waits, Stop stop = nullptr);
LongestChain LongestDependencyChain(const TraceModel& model, const Waits& waits,
                                    Stop stop = nullptr);

}  // namespace tasklens
