// SPDX-License-Identifier: Apache-2.0
// What each task that ran had to wait for: other tasks that ran, directly or by their tags
// (tag_links.h), or behind tasks that did
// not run (acquisitions of data by the program, the two ends of a message), or on another rank,
// with a message between.
//
// A task that did not run is a *passage*: it takes no time and is open when the last of what it
// waits for is there. A message leads from the task (or passage) on whose behalf it was sent to the
// one that it was received for; what it brings is there when it was received. A passage behind
// which nothing ran is none: a message whose sender is not known holds nobody up, for what follows
// from it cannot be told.
//
// An edge that the clock contradicts (its first end is dated after its second's start: clocks of
// ranks that are not aligned, damaged traces) is left out, and so is what closes a circle of
// passages: there is no cycle whatever the input.
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

// The messages that are known at both ends, by the task that they were received for.
class ReceivedMessages {
 public:
  struct Message {
    uint32_t receiver, sender;  // rows of tasks
    uint32_t row;               // of messages
  };
  explicit ReceivedMessages(const TraceModel& model);
  bool empty() const { return messages_.empty(); }
  // In order of their rows.
  std::span<const Message> To(uint32_t task) const;

 private:
  std::vector<Message> messages_;  // by receiver
};

class Waits {
 public:
  // `before` (a task that ran, or a passage) had to be over for another.
  struct Edge {
    uint32_t before;
    uint32_t message;    // row of messages that it came with; kNone: none
    int64_t arrival_ns;  // from when on it held the other up no more
    int64_t room_ns;     // by so much later it could have been over, the other no later
  };

  // Both must outlive this. 8 bytes a task and 24 a passage where there are passages.
  Waits(const TraceModel& model, const ExecutionOrder& order, Stop stop = nullptr);

  // Rows of the tasks that ran, and of passages: whatever one waits for comes before it.
  std::span<const uint32_t> sequence() const {
    return passages_.empty() ? std::span<const uint32_t>(order_.tasks) : sequence_;
  }
  // The index of a row in sequence(); kNone: it is not there.
  uint32_t position(uint32_t row) const {
    return passages_.empty() ? order_.place[row] : position_[row];
  }
  bool IsPassage(uint32_t row) const { return order_.place[row] == kNone; }
  const ExecutionOrder& order() const { return order_; }

  // Calls visit(edge) for each edge that leads to `after`, a row of sequence(), but not for that
  // from the worker's task before.
  template <class Visit>
  void ForEach(uint32_t after, const Visit& visit) const {
    for (const DepEnd& dep : model_.predecessors[after]) Try(dep.task, kNone, after, visit);
    for (const uint32_t before : tags_.before[after]) Try(before, kNone, after, visit);
    if (messages_.empty()) return;
    for (const ReceivedMessages::Message& message : messages_.To(after))
      Try(message.sender, message.row, after, visit);
  }

  // The last task that ran behind a passage, and the first message met on the way back to it.
  struct Origin {
    uint32_t task, message;
  };
  Origin Behind(uint32_t passage) const;

 private:
  struct Passage {
    uint32_t row;
    uint32_t place;   // after so many of those that ran
    int64_t end_ns;   // the last end of what ran behind it
    int64_t open_ns;  // the same, or when the last message arrived
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
  // Makes the edge that of a message; false: it arrived before it could be sent.
  bool Carry(uint32_t message, int64_t begin_ns, Edge& edge) const;

  const TraceModel& model_;
  const ExecutionOrder& order_;
  const ReceivedMessages messages_;
  const TagLinks tags_;
  std::vector<Passage> passages_;  // whatever one waits for comes before it
  std::vector<uint32_t> passage_of_row_, position_, sequence_;  // empty without passages
};

// Those of critical_path.h for one who has `waits`.
CriticalPath ObservedCriticalPath(const TraceModel& model, const Waits& waits, Stop stop = nullptr);
LongestChain LongestDependencyChain(const TraceModel& model, const Waits& waits,
                                    Stop stop = nullptr);

}  // namespace tasklens
