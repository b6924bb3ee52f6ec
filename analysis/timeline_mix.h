// SPDX-License-Identifier: Apache-2.0
// What a row of the timeline is in any stretch of time: how long which kind of state and tasks of
// which codelet, how many states, how many tasks. What a pixel that holds several states is made
// of.
//
// At any moment a row is what its deepest state says: a task in which a callback was pushed is not
// in the task meanwhile, as in `tasklens stats --by state`. So the times of a stretch never add up
// to more than it.
//
// Every 32 states of a track the sums so far are kept, with the states that are open there; from
// the nearest such place the states are walked. Some 1.5 bytes a state; a stretch costs a walk past
// at most 32 states at each end, whatever lies between.
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

// A kind of state; tasks of the runtime's own (see IsUserTask()) are told from the program's, and
// tasks of one codelet from those of another.
struct MixKind {
  StateKind kind;
  bool is_internal;
  StringId codelet = kNone;  // of tasks, 0: of those without a name; kNone: of any, or no task

  bool operator==(const MixKind&) const = default;
  // Whether time of it is time in tasks of the program.
  bool IsTask() const { return Decl(kind).group == StateGroup::kTask && !is_internal; }
};

// So many codelets of a track, the first ones on it, are told from each other; what is beyond them
// is of kNone. A row has not so many pixels that a stack of more could be read.
inline constexpr size_t kMostMixCodelets = 48;

// Of one track. Made by a Filler, then const; any thread.
class TrackMix {
 public:
  class Filler;
  class Walk;

  // Those that occur on the track, in the order in which they first do.
  std::span<const MixKind> kinds() const { return kinds_; }

  // As columns and back, see TimelineIndex. False: no mix of a track with so many states is like
  // this. What it says of their times is believed.
  void Save(ColumnSaver& save) const;
  bool Load(size_t states, size_t strings, ColumnLoader& load);

 private:
  static constexpr size_t kStride = 32;

  std::vector<MixKind> kinds_;
  Column<uint8_t> kind_of_;  // by state of the track: of kinds_
  // By number of sample: what was before the start of every kStride-th state of the track.
  Column<int64_t> starts_ns_;
  std::deque<Column<uint64_t>> times_ns_;  // by kind
  Column<uint32_t> tasks_;                 // of the program, that have begun
  std::deque<Column<uint32_t>> open_;  // by depth: the state around it, counted from 1 in the track
};

// Fills an empty one with the states of its track, in their order.
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
  void AdvanceTo(int64_t time_ns);
  void Sample(int64_t start_ns, size_t depth);
  uint8_t NumberOf(MixKind kind);

  TrackMix& mix_;
  size_t codelets_ = 0;  // kinds of one
  int64_t at_ns_ = INT64_MIN;
  size_t open_ = 0;  // of stack_
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

// From one time to a later one along a track, as often as one likes. Both must outlive it.
class TrackMix::Walk {
 public:
  Walk(const TraceModel& model, const TrackMix& mix, uint32_t track);

  // REQUIRES: no earlier time than before.
  void MoveTo(int64_t time_ns);

  // Before the time that it was moved to: of each of kinds(), and what has begun.
  std::span<const uint64_t> times_ns() const { return times_ns_; }
  uint32_t states() const { return states_; }
  uint32_t tasks() const { return tasks_; }
  // States that began before it and end later, and the program's tasks among them.
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
