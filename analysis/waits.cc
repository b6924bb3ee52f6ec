// SPDX-License-Identifier: Apache-2.0
// Searches backwards through tasks that did not run, and merges them with those that did.
#include "analysis/waits.h"

namespace tasklens {

ReceivedMessages::ReceivedMessages(const TraceModel& model) {
  const MessageTable& table = model.messages;
  for (uint32_t row = 0; row < table.size(); ++row) {
    if (table.send_ns[row] == kNever || table.receive_ns[row] == kNever) continue;
    if (table.send_job[row] == 0 || table.receive_job[row] == 0) continue;
    const uint32_t sender = model.FindTask(table.source[row], table.send_job[row]);
    const uint32_t receiver = model.FindTask(table.target[row], table.receive_job[row]);
    if (sender != kNone && receiver != kNone) messages_.push_back({receiver, sender, row});
  }
  std::sort(messages_.begin(), messages_.end(), [](const Message& a, const Message& b) {
    return a.receiver != b.receiver ? a.receiver < b.receiver : a.row < b.row;
  });
}

std::span<const ReceivedMessages::Message> ReceivedMessages::To(uint32_t task) const {
  const auto first =
      std::lower_bound(messages_.begin(), messages_.end(), task,
                       [](const Message& message, uint32_t row) { return message.receiver < row; });
  auto last = first;
  while (last != messages_.end() && last->receiver == task) ++last;
  return {first, last};
}

Waits::Waits(const TraceModel& model, const ExecutionOrder& order, Stop stop)
    : model_(model), order_(order), messages_(model), tags_(model) {
  if (order.tasks.empty() || order.tasks.size() == model.tasks.size()) return;
  FindPassages(stop);
  if (!passages_.empty()) MakeSequence();
}

// A depth-first search: a passage is complete after all passages before it.
void Waits::FindPassages(Stop stop) {
  passage_of_row_.assign(model_.tasks.size(), kNone);
  std::vector<uint8_t> is_met(model_.tasks.size());
  struct Visit {
    uint32_t row;
    bool all_behind_done;
  };
  std::vector<Visit> stack;
  uint64_t step = 0;
  const auto go_to = [&](uint32_t row) {
    if (IsPassage(row) && !is_met[row]) stack.push_back({row, false});
  };
  for (uint32_t first = 0; first < model_.tasks.size(); ++first) {
    go_to(first);
    while (!stack.empty()) {
      if (Stopped(stop, step++)) return;
      const Visit visit = stack.back();
      stack.pop_back();
      if (visit.all_behind_done) {
        Open(visit.row);
      } else if (!is_met[visit.row]) {
        is_met[visit.row] = 1;
        stack.push_back({visit.row, true});
        for (const DepEnd& dep : model_.predecessors[visit.row]) go_to(dep.task);
        for (const uint32_t before : tags_.before[visit.row]) go_to(before);
        for (const ReceivedMessages::Message& message : messages_.To(visit.row))
          go_to(message.sender);
      }
    }
  }
}

void Waits::Open(uint32_t row) {
  Passage passage{row, 0, kNever, kNever};
  const auto wait_for = [&](uint32_t before, uint32_t message) {
    if (!IsKnown(before)) return;
    Edge edge{before, message, OverNs(before), 0};
    if (message != kNone && !Carry(message, model_.messages.receive_ns[message], edge)) return;
    const uint32_t place = IsPassage(before) ? PassageOf(before).place : order_.place[before] + 1;
    passage.place = std::max(passage.place, place);
    passage.end_ns = std::max(passage.end_ns, EndNs(before));
    passage.open_ns = std::max(passage.open_ns, edge.arrival_ns);
  };
  for (const DepEnd& dep : model_.predecessors[row]) wait_for(dep.task, kNone);
  for (const uint32_t before : tags_.before[row]) wait_for(before, kNone);
  for (const ReceivedMessages::Message& message : messages_.To(row))
    wait_for(message.sender, message.row);
  if (passage.end_ns == kNever) return;
  passage_of_row_[row] = static_cast<uint32_t>(passages_.size());
  passages_.push_back(passage);
}

bool Waits::Carry(uint32_t message, int64_t begin_ns, Edge& edge) const {
  const int64_t received_ns = model_.messages.receive_ns[message];
  if (received_ns < EndNs(edge.before)) return false;
  const int64_t sent_ns = std::max(model_.messages.send_ns[message], edge.arrival_ns);
  const int64_t flight_ns = std::max<int64_t>(0, received_ns - sent_ns);
  edge.room_ns = std::max<int64_t>(0, begin_ns - edge.arrival_ns - flight_ns);
  edge.arrival_ns = received_ns;
  return true;
}

void Waits::MakeSequence() {
  std::vector<uint32_t> by_place(passages_.size());
  for (uint32_t i = 0; i < by_place.size(); ++i) by_place[i] = i;
  std::stable_sort(by_place.begin(), by_place.end(),
                   [&](uint32_t a, uint32_t b) { return passages_[a].place < passages_[b].place; });
  position_.assign(model_.tasks.size(), kNone);
  sequence_.reserve(order_.tasks.size() + passages_.size());
  size_t next = 0;
  const auto add = [&](uint32_t row) {
    position_[row] = static_cast<uint32_t>(sequence_.size());
    sequence_.push_back(row);
  };
  for (uint32_t place = 0; place <= order_.tasks.size(); ++place) {
    for (; next < by_place.size() && passages_[by_place[next]].place == place; ++next)
      add(passages_[by_place[next]].row);
    if (place < order_.tasks.size()) add(order_.tasks[place]);
  }
}

Waits::Origin Waits::Behind(uint32_t passage) const {
  Origin origin{passage, kNone};
  while (IsPassage(origin.task)) {
    Edge last{kNone, kNone, kNever, 0};
    ForEach(origin.task, [&](const Edge& edge) {
      if (last.before == kNone || edge.arrival_ns > last.arrival_ns) last = edge;
    });
    if (origin.message == kNone) origin.message = last.message;
    origin.task = last.before;
  }
  return origin;
}

}  // namespace tasklens
