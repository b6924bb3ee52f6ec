// SPDX-License-Identifier: Apache-2.0
// Merges streams, and replays states as actions on a stack.
#include "converters/writers/line_streams.h"

#include <algorithm>

namespace tasklens {

// A heap of streams: its top moves down only past streams that come before its next line.
void MergeStreams(const LineStreams& streams) {
  struct Head {
    int64_t time_ns;
    uint32_t stream;
    bool operator<(const Head& other) const {
      return time_ns != other.time_ns ? time_ns < other.time_ns : stream < other.stream;
    }
  };
  std::vector<Head> heap;
  for (uint32_t i = 0; i < streams.size(); ++i) {
    if (streams[i]->next_ns() != LineStream::kEnd) heap.push_back({streams[i]->next_ns(), i});
  }
  const auto later = [](const Head& a, const Head& b) { return b < a; };
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    LineStream& stream = *streams[heap[0].stream];
    const int64_t limit_ns = heap.size() < 2   ? LineStream::kEnd
                             : heap.size() < 3 ? heap[1].time_ns
                                               : std::min(heap[1].time_ns, heap[2].time_ns);
    do {
      stream.Emit();
    } while (stream.next_ns() < limit_ns);
    Head moved{stream.next_ns(), heap[0].stream};
    if (moved.time_ns == LineStream::kEnd) {
      moved = heap.back();
      heap.pop_back();
      if (heap.empty()) return;
    }
    size_t hole = 0;
    for (size_t child = 1; child < heap.size(); child = 2 * hole + 1) {
      if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
      if (!(heap[child] < moved)) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = moved;
  }
}

StateCursor::StateCursor(const TraceModel& model, uint32_t track)
    : states_(model.states),
      row_(states_.first_of_track[track]),
      end_row_(states_.first_of_track[track + 1]) {
  FindRow();
  Find();
}

// Moves row_ to the next visible row.
void StateCursor::FindRow() {
  for (; row_ < end_row_; ++row_) {
    const StateKind kind = states_.kind[row_];
    if (kind == StateKind::kNone && states_.name[row_] == 0) continue;
    row_start_ns_ = states_.start_ns[row_];
    next_ = {states_.end_ns[row_], states_.depth[row_]};
    if (row_start_ns_ < next_.end_ns || kind == StateKind::kTask) return;
  }
}

void StateCursor::Next() {
  if (action_ == Action::kPop) {
    open_.pop_back();
  } else {
    open_.push_back(next_);
    ++row_;
    FindRow();
  }
  Find();
}

void StateCursor::Find() {
  const int64_t last_ns = time_ns_;  // times never decrease, whatever the table contains
  const bool more = row_ < end_row_;
  const int64_t start_ns = more ? std::max(last_ns, row_start_ns_) : LineStream::kEnd;
  while (!open_.empty()) {
    const Open& top = open_.back();
    const bool ends_first = !more || top.end_ns <= row_start_ns_ || top.depth >= next_.depth;
    if (!ends_first) break;
    const bool replaced = more && top.depth == 0 && next_.depth == 0 && top.end_ns >= row_start_ns_;
    if (!replaced) {
      action_ = Action::kPop;
      time_ns_ = std::min(std::max(last_ns, top.end_ns), start_ns);
      return;
    }
    open_.pop_back();  // a new set state replaces it
  }
  time_ns_ = start_ns;
  if (more) action_ = next_.depth == 0 ? Action::kSet : Action::kPush;
}

}  // namespace tasklens
