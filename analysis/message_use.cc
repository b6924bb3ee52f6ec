// SPDX-License-Identifier: Apache-2.0
// Finds the next task that uses the data.
#include "analysis/message_use.h"

#include <algorithm>
#include <tuple>

#include "trace/model/questions.h"

namespace tasklens {

std::vector<MessageUse> UsesAfter(std::span<const MessageEnd> ends, std::vector<DataUse>& uses) {
  const auto order = [](const DataUse& a, const DataUse& b) {
    return std::tie(a.rank, a.handle, a.start_ns, a.task) <
           std::tie(b.rank, b.handle, b.start_ns, b.task);
  };
  std::sort(uses.begin(), uses.end(), order);
  std::vector<MessageUse> result;
  for (uint32_t i = 0; i < ends.size(); ++i) {
    const MessageEnd& end = ends[i];
    if (end.handle == 0 || end.time_ns == kNever) continue;
    const auto next = std::lower_bound(uses.begin(), uses.end(),
                                       DataUse{end.rank, end.handle, end.time_ns, 0}, order);
    if (next == uses.end() || next->rank != end.rank || next->handle != end.handle) continue;
    result.push_back({i, next->task, end.time_ns, next->start_ns});
  }
  return result;
}

MessageUses UsesOfMessages(const TraceModel& model) {
  if (model.messages.size() == 0) return {};
  std::vector<DataUse> uses;
  const size_t tasks = std::min(model.tasks.size(), model.accesses.size());
  for (uint32_t task = 0; task < tasks; ++task) {
    if (model.tasks.start_ns[task] == kNever) continue;
    for (const TaskAccess access : model.accesses[task])
      if (access.handle < model.handles.size())
        uses.push_back({model.ranks.rank[model.tasks.rank_index[task]],
                        model.handles.address[access.handle], model.tasks.LastStartNs(task), task});
  }
  const MessageTable& messages = model.messages;
  MessageUses result;
  std::vector<MessageEnd> received, sent;
  for (size_t i = 0; i < messages.size(); ++i) {
    const bool is_whole = HasBothEnds(model, i);
    result.messages += is_whole;
    received.push_back(is_whole ? MessageEnd{model.ranks.rank[messages.target[i]],
                                             messages.receive_ns[i], messages.receive_handle[i]}
                                : MessageEnd{0, kNever, 0});
    sent.push_back(is_whole ? MessageEnd{model.ranks.rank[messages.source[i]], messages.send_ns[i],
                                         messages.send_handle[i]}
                            : MessageEnd{0, kNever, 0});
  }
  result.received = UsesAfter(received, uses);
  result.sent = UsesAfter(sent, uses);
  return result;
}

}  // namespace tasklens
