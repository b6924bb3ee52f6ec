// SPDX-License-Identifier: Apache-2.0
// Turns set, push and pop operations into rows of the state table.
#include <algorithm>

#include "trace/model/build/machine.h"

namespace tasklens::build {
namespace {

// Deeper than the nesting of any program; depth is a byte.
constexpr size_t kMaxDepth = 64;

// Beginnings and ends of workers are recorded even while recording is off.
bool IsKnownInPause(const StateOp& op) {
  return op.op == StateOpKind::kSet &&
         (op.state == StateKind::kInitializing || op.state == StateKind::kDeinitializing);
}

// Writes the states of one track. open_ holds the rows of the open states, outermost first;
// open_[0] is the tile of depth 0. A tile that is replaced at the moment it began is overwritten,
// unless it is a task: tasks without length are kept. A tile that equals its predecessor continues
// it, unless it is a task, which then is executed again or continues after a pause. (Two equal
// tasks of the same moment are one that is recorded twice.)
class TrackStates {
 public:
  TrackStates(const IdMap& jobs, std::span<const StringId> names, const Clock& clock,
              StateRows& states, StateOddities& oddities)
      : jobs_(jobs), names_(names), clock_(clock), states_(states), oddities_(oddities) {}

  void Begin(int64_t local_ns) { Open(clock_(local_ns), StateKind::kNone, kNone, 0); }

  void Apply(const StateOp& op) {
    const int64_t time_ns = clock_(op.time_ns);
    switch (op.op) {
      case StateOpKind::kSet: Set(time_ns, op.state, TaskOf(op), NameOf(op)); break;
      case StateOpKind::kPush: Push(time_ns, op.state, NameOf(op)); break;
      case StateOpKind::kPop: Pop(time_ns); break;
    }
  }

  void End(int64_t local_ns) {
    const int64_t time_ns = clock_(local_ns);
    oddities_.never_ended += open_.size() - 1 + skipped_pushes_;
    CloseAll(time_ns);
    // An empty tile at the end is removed, unless it is the only tile of its track.
    const size_t tile = open_.front();
    if (previous_tile_ != kNoRow && states_.start_ns(tile) == time_ns && !IsTask(tile))
      states_.Erase(tile);
  }

 private:
  static constexpr size_t kNoRow = ~size_t{0};

  uint32_t TaskOf(const StateOp& op) const {
    return op.job == 0 || op.state != StateKind::kTask ? kNone : jobs_.Find(op.job);
  }
  StringId NameOf(const StateOp& op) const {
    return op.job == 0 || op.state == StateKind::kTask ? 0 : names_[op.job - 1];
  }

  bool IsTask(size_t row) const {
    return states_.kind(row) == StateKind::kTask && states_.task(row) != kNone;
  }

  void Open(int64_t time_ns, StateKind state, uint32_t task, StringId name) {
    if (!open_.empty()) task = states_.task(open_.front());
    const auto depth = static_cast<uint8_t>(open_.size());
    open_.push_back(states_.size());
    states_.Add({time_ns, time_ns, task, state, depth, name});
  }

  void CloseAll(int64_t time_ns) {
    for (size_t row : open_) states_.SetEnd(row, time_ns);
    open_.resize(1);
    skipped_pushes_ = 0;
  }

  void Set(int64_t time_ns, StateKind state, uint32_t task, StringId name) {
    CloseAll(time_ns);
    const size_t tile = open_.front();
    const bool is_execution = state == StateKind::kTask && task != kNone;
    const bool is_told_again = states_.start_ns(tile) == time_ns;
    if ((!is_execution || is_told_again) && states_.kind(tile) == state &&
        states_.task(tile) == task && states_.name(tile) == name)
      return;  // goes on
    if (states_.start_ns(tile) < time_ns || IsTask(tile)) {
      previous_tile_ = tile;
      open_.clear();
      Open(time_ns, state, task, name);
      return;
    }
    states_.SetState(tile, state, task, name);
    if (!is_execution) JoinPrevious();
  }

  // The current tile, overwritten, may now equal the previous one.
  void JoinPrevious() {
    const size_t tile = open_.front();
    if (previous_tile_ == kNoRow) return;
    if (states_.kind(previous_tile_) != states_.kind(tile)) return;
    if (states_.task(previous_tile_) != states_.task(tile)) return;
    if (states_.name(previous_tile_) != states_.name(tile)) return;
    states_.Erase(tile);  // near the end of the table, followed only by states without length
    open_.front() = previous_tile_;
    previous_tile_ = kNoRow;
  }

  void Push(int64_t time_ns, StateKind state, StringId name) {
    if (open_.size() < kMaxDepth) return Open(time_ns, state, kNone, name);
    ++skipped_pushes_;
    ++oddities_.too_deep;
  }

  void Pop(int64_t time_ns) {
    if (skipped_pushes_ > 0) {
      --skipped_pushes_;
    } else if (open_.size() > 1) {
      states_.SetEnd(open_.back(), time_ns);
      open_.pop_back();
    } else {
      ++oddities_.unmatched_pops;
    }
  }

  const IdMap& jobs_;
  const std::span<const StringId> names_;
  const Clock& clock_;
  StateRows& states_;
  StateOddities& oddities_;
  std::vector<size_t> open_;
  size_t previous_tile_ = kNoRow;  // of depth 0, the one before the current
  size_t skipped_pushes_ = 0;
};

}  // namespace

void AppendStates(Lane& lane, int64_t end_ns, const std::vector<Pause>& pauses, const IdMap& jobs,
                  std::span<const StringId> names, const Clock& clock, StateRows& states,
                  StateOddities& oddities) {
  TrackStates track(jobs, names, clock, states, oddities);
  track.Begin(lane.start_ns);
  auto next = pauses.begin();  // the first pause that has not begun
  const auto begin_pauses = [&](int64_t until_ns) {
    if (next == pauses.end() || next->begin_ns > until_ns) return;
    // Between two operations one pause has the same effect as many.
    track.Apply({.time_ns = std::max(next->begin_ns, lane.start_ns)});
    next = std::upper_bound(next, pauses.end(), until_ns,
                            [](int64_t time, const Pause& pause) { return time < pause.begin_ns; });
  };
  lane.log.Consume([&](const StateOp& op) {
    begin_pauses(op.time_ns);
    const bool paused = next != pauses.begin() && op.time_ns < std::prev(next)->end_ns;
    if (!paused || IsKnownInPause(op)) return track.Apply(op);
    if (op.op == StateOpKind::kSet) track.Apply({.time_ns = op.time_ns});
  });
  begin_pauses(end_ns);
  track.End(end_ns);
}

}  // namespace tasklens::build
