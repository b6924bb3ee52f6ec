// SPDX-License-Identifier: Apache-2.0
// Hands each event to tasks or data.
#include "trace/model/build/work.h"

#include "trace/model/build/routes.h"

namespace tasklens::build {

const std::vector<WorkOfRank>& Work::Ranks(size_t count) {
  if (count > 0) RankOf(static_cast<uint32_t>(count - 1));
  return ranks_;
}

WorkOfRank& Work::NewRank(uint32_t index) {
  while (index >= ranks_.size()) ranks_.push_back({.index = static_cast<uint32_t>(ranks_.size())});
  return ranks_[index];
}

// `row` returns the row of the event's task.
template <class Kind, class Row>
inline void Work::On(Kind kind, WorkOfRank& rank, Row row, const Event& event) {
  switch (WorkRoute(kind)) {
    case WorkPart::kTask: return tasks_.OnTaskEvent(kind, rank, row(), event);
    case WorkPart::kTasks: return tasks_.OnEvent(rank, event);
    case WorkPart::kData: return data_.TaskEvent(kind, rank, row(), event);
    case WorkPart::kHandles: return data_.HandleEvent(rank, event);
    case WorkPart::kCopies: return data_.CopyEvent(rank, event);
    case WorkPart::kNone: return;
  }
}

void Work::OnEvent(WorkOfRank& rank, const Event& event) {
  On(
      event.kind, rank, [&] { return tasks_.RowOf(rank, event.args[0]); }, event);
}

void Work::OnJoint(const JointEvent& joint) {
  WorkOfRank& rank = RankOf(joint.rank);
  // All events of `joint` are of one task. (Dependencies mention another task first.)
  const uint32_t task =
      joint.kind == Joint::kDependencies ? kNone : tasks_.RowOf(rank, joint.args[0]);
  TakeApart(joint.kind, joint.args, [&](auto kind, std::span<const uint64_t> args) {
    On(kind, rank, [&] { return task; }, {joint.time_ns, kind, joint.rank, 0, args});
  });
}

}  // namespace tasklens::build
