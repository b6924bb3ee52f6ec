// SPDX-License-Identifier: Apache-2.0
// The contents of a row of the timeline in any period: the time of each kind of state and of each
// codelet's tasks, and the numbers of states and of tasks. Used for pixels with several states.
//
// At any moment only the deepest state of a row counts: a task in which a callback was pushed is
// interrupted, as in `tasklens stats --by state`. So the times of a period never add up to more
// than its length.
//
// The sums so far, and the open states, are stored at every 32nd state of a track; a query walks
// from the nearest stored position. Some 1.5 bytes per state; a query walks past at most 32 states
// at each end, however long the period is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "trace/model/saved_columns.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A kind of state; tasks of the runtime (see IsUserTask()) differ from the program's, and tasks of
// one codelet from those of another.
struct MixKind {
  StateKind kind;
  bool is_internal;
  StringId codelet = kNone;  // of tasks, 0: without a name; kNone: of any codelet, or no task

  bool operator==(const MixKind&) const = default;
  // Whether its time is time in tasks of the program.
  bool IsTask() const { return Decl(kind).group == StateGroup::kTask && !is_internal; }
};

// The first codelets of a track, up to this number, have kinds of their own; all others share
// kNone. A row does not have enough pixels for a readable stack of more.
inline constexpr size_t kMostMixCodelets = 48;

// The mix of one track. Built by a Filler, then const; any thread.
class TrackMix {
 public:
  class Filler;
  class Walk;

  // Kinds on the track, in the order of their first occurrence.
  std::span<const MixKind> kinds() const { return kinds_; }

  // Saves the mix as columns and loads it, see TimelineIndex. Returns false if the columns do not
  // fit a track with this number of states. Their times are not checked.
  void Save(ColumnSaver& save) const;
  bool Load(size_t states, size_t strings, ColumnLoader& load);

 private:
  static constexpr size_t kStride = 32;

  std::vector<MixKind> kinds_;
  Column<uint8_t> kind_of_;  // by state of the track: of kinds_
  // By sample: the values before the start of every kStride-th state of the track.
  Column<int64_t> starts_ns_;
  std::deque<Column<uint64_t>> times_ns_;  // by kind
  Column<uint32_t> tasks_;                 // tasks of the program that have begun
  std::deque<Column<uint32_t>> open_;  // by depth: the enclosing state, counted from 1 in the track
};

// Fills an empty mix with the states of its track, in order.
class TrackMix::Filler {
 public:
  explicit Filler(TrackMix& mix) : mix_(mix) {}
  void Add(int64_t start_ns, int64_t end_ns, uint8_t depth, MixKind kind);
  void Finish();

 private:
  struct Open {
    int64_t end_ns;
    uint32_t state;  // counted from 1
    uint8_t kind;    // of mix_.kinds_
  };
  void Sample(int64_t start_ns, size_t depth);
  uint8_t NumberOf(MixKind kind);

  TrackMix& mix_;
  size_t codelets_ = 0;  // number of kinds with a codelet
  int64_t at_ns_ = INT64_MIN;
  size_t open_ = 0;  // size of stack_ in use
  std::vector<Open> stack_;
  std::vector<uint64_t> times_ns_;  // by kind
  uint32_t states_ = 0, tasks_ = 0;
  size_t samples_ = 0;
  ColumnFiller<uint8_t> kinds_{mix_.kind_of_};
  ColumnFiller<int64_t> starts_{mix_.starts_ns_};
  ColumnFiller<uint32_t> task_counts_{mix_.tasks_};
  std::deque<ColumnFiller<uint64_t>> sums_;
  std::deque<ColumnFiller<uint32_t>> opens_;
};

// Moves along a track from time to time, forwards only. Both arguments must outlive it.
class TrackMix::Walk {
 public:
  Walk(const TraceModel& model, const TrackMix& mix, uint32_t track);

  // REQUIRES: `time_ns` is not before that of the last call.
  void MoveTo(int64_t time_ns);

  // Totals up to the current time: the time of each of kinds(), and the number of states begun.
  std::span<const uint64_t> times_ns() const { return times_ns_; }
  uint32_t states() const { return states_; }
  uint32_t tasks() const { return tasks_; }
  // States that began before the current time and end later, and the program's tasks among them.
  uint32_t open() const { return open_count_; }
  uint32_t open_tasks() const { return open_tasks_; }

 private:
  struct Open {
    int64_t end_ns;
    uint8_t kind;
  };
  void AdvanceTo(int64_t time_ns);
  void Put(size_t depth, uint32_t state);  // by its number in the track
  bool IsTask(const Open& open) const { return mix_.kinds_[open.kind].IsTask(); }

  const TraceModel& model_;
  const TrackMix& mix_;
  const uint32_t first_, count_;  // states of the track
  int64_t at_ns_ = INT64_MIN;
  std::vector<Open> stack_;
  std::vector<uint64_t> times_ns_;
  uint32_t states_ = 0, tasks_ = 0, open_count_ = 0, open_tasks_ = 0;
  size_t sample_ = 0;
};

}  // namespace tasklens
