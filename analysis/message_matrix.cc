// SPDX-License-Identifier: Apache-2.0
// Counts messages.
#include "analysis/message_matrix.h"

#include <algorithm>
#include <numeric>

#include "trace/model/questions.h"

namespace tasklens {

uint64_t MessageMatrix::messages() const {
  return std::accumulate(count.begin(), count.end(), uint64_t{0});
}

MessageMatrix MessagesBetween(const TraceModel& model) {
  MessageMatrix result;
  const size_t ranks = model.ranks.size();
  std::vector<uint32_t> order(ranks), place(ranks);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return model.ranks.rank[a] < model.ranks.rank[b]; });
  for (uint32_t i = 0; i < ranks; ++i) {
    place[order[i]] = i;
    result.ranks.push_back(model.ranks.rank[order[i]]);
  }
  const MessageTable& messages = model.messages;
  if (messages.size() == 0) {  // no matrix for ranks without messages
    result.ranks.clear();
    return result;
  }
  result.count.resize(ranks * ranks);
  result.bytes.resize(ranks * ranks);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!HasBothEnds(model, i)) continue;
    const size_t at = result.At(place[messages.source[i]], place[messages.target[i]]);
    ++result.count[at];
    result.bytes[at] += std::min(messages.size_bytes[i], UINT64_MAX - result.bytes[at]);
  }
  return result;
}

}  // namespace tasklens
