// SPDX-License-Identifier: Apache-2.0
#include "analysis/message_waits.h"

#include <algorithm>
#include <map>

#include "analysis/sum.h"
#include "analysis/task_times.h"

namespace tasklens {
namespace {

// For each task, the last message that delayed it, as an index of `waits_`; kNone: none.
class MessagesBehind {
 public:
  MessagesBehind(const TraceModel& model, const Waits& waits, Stop stop)
      : model_(model), waits_of_(waits), behind_(model.tasks.size(), kNone) {
    uint64_t step = 0;
    for (const uint32_t task : waits.sequence()) {
      if (Stopped(stop, step++)) return;
      if (!waits.IsPassage(task)) Find(task);
    }
  }

  uint32_t Of(uint32_t task) const { return behind_[task]; }
  std::vector<MessageWait>& waits() { return waits_; }

 private:
  void Find(uint32_t task) {
    Waits::Edge last{kNone, kNone, kNever, 0};
    waits_of_.ForEach(task, [&last](const Waits::Edge& edge) {
      if (last.before == kNone || edge.arrival_ns > last.arrival_ns) last = edge;
    });
    if (last.before == kNone) return;
    uint32_t message = last.message, producer = last.before;
    if (waits_of_.IsPassage(producer)) {
      const Waits::Origin origin = waits_of_.Behind(producer);
      if (message == kNone) message = origin.message;
      producer = origin.task;
    }
    if (message == kNone) {
      // A delay of a task of this rank delayed this task, too; for a task of another rank, the
      // message is missing in the trace.
      if (producer != kNone && model_.tasks.rank_index[producer] == model_.tasks.rank_index[task])
        behind_[task] = behind_[producer];
      return;
    }
    const auto [known, is_new] =
        wait_of_message_.try_emplace(message, static_cast<uint32_t>(waits_.size()));
    if (is_new) waits_.push_back({.message = message, .producer = producer, .consumer = task});
    behind_[task] = known->second;
  }

  const TraceModel& model_;
  const Waits& waits_of_;
  std::vector<uint32_t> behind_;
  std::vector<MessageWait> waits_;
  std::map<uint32_t, uint32_t> wait_of_message_;
};

int64_t CommonNs(Span a, int64_t begin_ns, int64_t end_ns) {
  return std::max<int64_t>(0, std::min(a.end_ns, end_ns) - std::max(a.begin_ns, begin_ns));
}

// Divides `waited`, which ends at the arrival of the message or before.
void Divide(const TraceModel& model, Span waited, MessageWait& wait) {
  const int64_t sent_ns = std::min(model.messages.send_ns[wait.message], waited.end_ns);
  int64_t rest_ns = waited.length_ns();
  const auto take = [&rest_ns](int64_t& part_ns, int64_t ns) {
    AddNs(part_ns, ns);
    rest_ns -= ns;
  };
  take(wait.travelling_ns, CommonNs(waited, sent_ns, waited.end_ns));
  if (wait.producer != kNone) {
    const TaskTimes times = TimesOf(model, wait.producer);
    const int64_t end_ns = std::min(times.end_ns, sent_ns);
    const int64_t start_ns = std::min(times.start_ns, end_ns);
    take(wait.unsent_ns, CommonNs(waited, end_ns, sent_ns));
    take(wait.running_ns, CommonNs(waited, start_ns, end_ns));
    if (times.ready_ns != kNever)
      take(wait.queued_ns, CommonNs(waited, std::min(times.ready_ns, start_ns), start_ns));
  }
  AddNs(wait.before_ns, rest_ns);
}

}  // namespace

MessageWaits WaitsForMessages(const TraceModel& model, const Waits& waits, const IdleReport& idle,
                              Stop stop) {
  MessageWaits found;
  if (model.messages.size() == 0) return found;
  MessagesBehind behind(model, waits, stop);
  found.travelling_ns.assign(idle.pauses.size(), 0);
  for (size_t row = 0; row < idle.pauses.size(); ++row) {
    const IdlePause& pause = idle.pauses[row];
    if (pause.next_task == kNone || !idle.workers[pause.worker].counts) continue;
    const uint32_t of_message = behind.Of(pause.next_task);
    if (of_message == kNone) continue;
    MessageWait& wait = behind.waits()[of_message];
    const int64_t arrival_ns = model.messages.receive_ns[wait.message];
    if (model.messages.send_ns[wait.message] == kNever || arrival_ns <= pause.start_ns) continue;
    const int64_t before_ns = wait.travelling_ns;
    Divide(model, {pause.start_ns, std::min(pause.end_ns, arrival_ns)}, wait);
    found.travelling_ns[row] = wait.travelling_ns - before_ns;
  }
  found.waits = std::move(behind.waits());
  std::erase_if(found.waits, [](const MessageWait& wait) { return wait.wait_ns() == 0; });
  std::sort(found.waits.begin(), found.waits.end(),
            [](const MessageWait& a, const MessageWait& b) { return a.message < b.message; });
  return found;
}

}  // namespace tasklens
