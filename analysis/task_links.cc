// SPDX-License-Identifier: Apache-2.0
#include "analysis/task_links.h"

#include <utility>
#include <vector>

#include "analysis/lists.h"
#include "analysis/tag_links.h"
#include "analysis/waits.h"

namespace tasklens {

TaskLinks::TaskLinks(const TraceModel& model) {
  const ReceivedMessages messages(model);
  const TagLinks tags(model);
  if (messages.empty() && tags.before.items.empty()) return;
  std::vector<RowPair> links;  // before, after
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    for (const uint32_t row : tags.before[task]) links.push_back({row, task});
    for (const ReceivedMessages::Message& message : messages.To(task))
      links.push_back({message.sender, task});
  }
  after = ListsOf(model.tasks.size(), links);
  before = ListsBySecond(model.tasks.size(), links);
}

}  // namespace tasklens
