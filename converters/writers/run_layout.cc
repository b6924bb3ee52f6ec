// SPDX-License-Identifier: Apache-2.0
// What waits for what in a run's task graph.
#include "converters/writers/run_layout.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tasklens {
namespace {

// Nodes are the rows of tasks, then those of tags, then the messages. A tag hangs behind the task
// that owns it, and in front of the tasks whose tags depend on it; in the drawn graph tag and owner
// point at each other.
class Nodes : public LevelGraph {
 public:
  Nodes(const TraceModel& model, const GraphTasks& graph)
      : model_(model),
        shown_(graph.shown),
        first_tag_(static_cast<uint32_t>(model.tasks.size())),
        first_message_(first_tag_ + static_cast<uint32_t>(model.tags.size())),
        size_(first_message_ + static_cast<uint32_t>(graph.messages.size())) {
    std::vector<uint32_t> owner(model.tags.size(), kNone);
    for (const auto& [tag, task] : model.tags.owners) {
      if (!shown_[task]) continue;
      owner[tag] = task;
      more_.push_back({first_tag_ + tag, task});
    }
    for (const auto& [father, child] : model.tags.deps)
      more_.push_back(
          {owner[child] == kNone ? first_tag_ + child : owner[child], first_tag_ + father});
    for (uint32_t i = 0; i < graph.messages.size(); ++i) {
      more_.push_back({first_message_ + i, graph.messages[i].from});
      more_.push_back({graph.messages[i].to, first_message_ + i});
    }
    std::sort(more_.begin(), more_.end());
  }

  uint32_t first_tag() const { return first_tag_; }
  uint32_t first_message() const { return first_message_; }
  uint32_t size() const override { return size_; }
  bool IsShown(uint32_t node) const override { return node >= first_tag_ || shown_[node]; }

  void AppendBefore(uint32_t node, std::vector<uint32_t>& before) const override {
    if (node < first_tag_) {
      for (const DepEnd& dep : model_.predecessors[node])
        if (dep.task < first_tag_ && shown_[dep.task]) before.push_back(dep.task);
    }
    if (more_.empty()) return;
    for (auto it = std::lower_bound(more_.begin(), more_.end(), std::make_pair(node, uint32_t{0}));
         it != more_.end() && it->first == node; ++it)
      before.push_back(it->second);
  }

 private:
  const TraceModel& model_;
  const std::vector<bool>& shown_;
  const uint32_t first_tag_, first_message_, size_;
  std::vector<std::pair<uint32_t, uint32_t>> more_;  // (node, one it waits for), sorted
};

}  // namespace

RunLayout LayoutByRun(const TraceModel& model, const GraphTasks& graph) {
  const Nodes nodes(model, graph);
  RunLayout layout;
  layout.layout_ = PlaceByLevel(nodes);
  layout.first_tag_ = nodes.first_tag();
  layout.first_message_ = nodes.first_message();
  return layout;
}

}  // namespace tasklens
