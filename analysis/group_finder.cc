// SPDX-License-Identifier: Apache-2.0
// Descends level by level, and splits sets that are not split yet.
#include "analysis/group_finder.h"

#include <algorithm>

namespace tasklens {

std::vector<const GraphSet*> GroupFinder::Around(uint32_t task, Stop stop) {
  return Descend(
      [&](const GraphSet& part) {
        return std::find(part.members.begin(), part.members.end(), task) != part.members.end();
      },
      stop);
}

std::vector<const GraphSet*> GroupFinder::WayTo(std::string_view id, Stop stop) {
  // The id of a part begins with that of its group.
  return Descend(
      [&](const GraphSet& part) {
        const std::string_view outer = part.node.id;
        return id.starts_with(outer) && (id.size() == outer.size() || id[outer.size()] == '/');
      },
      stop);
}

std::vector<const GraphSet*> GroupFinder::Descend(const std::function<bool(const GraphSet&)>& holds,
                                                  Stop stop) {
  size_t depth = 0;
  for (const GraphSet* outer = nullptr;; ++depth) {
    if (depth == levels_.size()) {
      GraphSplitter splitter(model_, topology_, query_, stop);
      const size_t room = depth == 0 ? query_.max_nodes : levels_[depth - 1].room;
      Level level;
      level.parts = splitter.Split(outer ? *outer : splitter.Whole(), room);
      if (Stopped(stop)) return {};
      level.room =
          room - std::min(room, level.parts.size() - std::min<size_t>(1, level.parts.size()));
      levels_.push_back(std::move(level));
    }
    Level& level = levels_[depth];
    const auto found = std::find_if(level.parts.begin(), level.parts.end(), holds);
    if (found == level.parts.end() || found->members.size() < 2) break;
    const auto chosen = static_cast<size_t>(found - level.parts.begin());
    if (chosen != level.chosen) levels_.resize(depth + 1);
    level.chosen = chosen;
    outer = &*found;
  }
  std::vector<const GraphSet*> way;
  for (size_t i = 0; i < depth; ++i) way.push_back(&levels_[i].parts[levels_[i].chosen]);
  return way;
}

}  // namespace tasklens
