// SPDX-License-Identifier: Apache-2.0
#include "analysis/message_links.h"

#include <utility>
#include <vector>

#include "analysis/lists.h"
#include "analysis/waits.h"

namespace tasklens {

MessageLinks::MessageLinks(const TraceModel& model) {
  const ReceivedMessages messages(model);
  if (messages.empty()) return;
  std::vector<RowPair> links;  // sender, receiver
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    for (const ReceivedMessages::Message& message : messages.To(task))
      links.push_back({message.sender, task});
  after = ListsOf(model.tasks.size(), links);
  for (auto& [sender, receiver] : links) std::swap(sender, receiver);
  before = ListsOf(model.tasks.size(), links);
}

}  // namespace tasklens
