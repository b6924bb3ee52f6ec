// SPDX-License-Identifier: Apache-2.0
// The timeline at any level of detail: the contents of each pixel of each row.
//
// A pixel that no single state fills has a mix: the time of each kind of state in it, and the
// number of states (TimelineMix). It also has a representative state (TimelineSlice): the longest
// task, else the longest other activity of the worker, else idle state, so that a short task never
// disappears. A picture of a million tasks costs as much as one of a hundred.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/max_pyramid.h"
#include "analysis/stop.h"
#include "analysis/timeline_mix.h"
#include "trace/model/saved_columns.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// A part of a row that is drawn as one.
struct TimelineSlice {
  int64_t start_ns, end_ns;  // on pixel borders if several states share it; a single state ends
                             // where such a pixel begins
  uint32_t state;            // row of model.states: the representative one
  uint32_t count;            // states that overlap it; 1: only `state`
};

// The contents of a row in pixels with several states, or with one that is shorter than a pixel.
struct TimelineMix {
  struct Pixel {
    int64_t start_ns, end_ns;
    uint32_t depth;  // the least depth at which no single state fills the pixel
    uint32_t count;  // states of any depth that overlap it
    uint32_t tasks;  // the program's tasks among them
  };
  std::vector<MixKind> kinds;
  std::vector<Pixel> pixels;       // left to right
  std::vector<uint64_t> times_ns;  // for each of `pixels`, the time of each of `kinds`

  uint64_t TimeNs(size_t pixel, size_t kind) const { return times_ns[pixel * kinds.size() + kind]; }
  // The same without codelets: the tasks of all codelets are one kind.
  TimelineMix WithoutCodelets() const;
};

// A row in one view.
struct TimelinePicture {
  std::vector<std::vector<TimelineSlice>> layers;  // by depth
  TimelineMix mixed;
};

// Built once for a model, which must outlive it; then const, any thread. Building takes O(states);
// memory some 7 bytes per state.
class TimelineIndex {
 public:
  explicit TimelineIndex(const TraceModel& model, Stop stop = nullptr);

  // Saves the index as columns, and loads it without building it, in the time of a pass over the
  // columns; memory borrowed by the columns (saved_columns.h) must outlive the index. Untrusted
  // input: any columns give an index that is safe to use, or kCorrupt.
  void Save(ColumnSaver& save) const;
  static Result<TimelineIndex> Load(const TraceModel& model, ColumnLoader& load);

  // Returns the number of layers of row `track`: states of depth 0 tile it, deeper ones are drawn
  // over.
  uint32_t Depths(uint32_t track) const { return static_cast<uint32_t>(rows_[track].size()); }

  // Returns the slices of row `track` at `depth` from `begin_ns` to `end_ns` drawn on `pixels`
  // pixels, left to right and without overlap; at most 2 * pixels + 1 slices, in O(pixels log
  // states). Times without a state have none. REQUIRES: track exists, begin_ns < end_ns, pixels >
  // 0.
  std::vector<TimelineSlice> Slices(uint32_t track, uint32_t depth, int64_t begin_ns,
                                    int64_t end_ns, uint32_t pixels) const;

  // Returns the whole row: the slices at each depth, and the mix of pixels that no single state
  // fills.
  TimelinePicture Picture(uint32_t track, int64_t begin_ns, int64_t end_ns, uint32_t pixels) const;

  // The same for each of `tracks`, on two threads if that is much work; empty for kNone, and for
  // tracks not reached before `stop`.
  std::vector<TimelinePicture> Pictures(std::span<const uint32_t> tracks, int64_t begin_ns,
                                        int64_t end_ns, uint32_t pixels, Stop stop = nullptr) const;

  // Returns the mix of every pixel of the row, including pixels filled by a single state; `depth`
  // is 0.
  TimelineMix Mix(uint32_t track, int64_t begin_ns, int64_t end_ns, uint32_t pixels) const;

  // Returns the states of `track` that overlap [begin_ns, end_ns), in order, for lists and pop-ups.
  std::vector<uint32_t> StatesIn(uint32_t track, uint32_t depth, int64_t begin_ns,
                                 int64_t end_ns) const;

 private:
  static constexpr size_t kStride = 8;

  // The importance of a state is in the two lowest bits, its length above: few bits for most.
  struct Lighter {
    bool operator()(uint64_t a, uint64_t b) const { return std::rotr(a, 2) < std::rotr(b, 2); }
  };
  struct Row {
    Column<uint32_t> states;    // of one depth, by start; they do not overlap
    Column<int64_t> starts_ns;  // of every kStride-th of them, so that searches read fewer columns
    MaxPyramid<uint64_t, Lighter> weightiest;  // by Weight()
  };
  class RowFiller;
  class RowView;
  struct Unfilled {};
  TimelineIndex(const TraceModel& model, Unfilled)
      : model_(model), rows_(model.tracks.size()), mixes_(model.tracks.size()) {}
  void AddTrack(uint32_t track, bool has_internal, Stop stop);

  const TraceModel& model_;
  std::vector<std::vector<Row>> rows_;  // by track and depth
  std::vector<TrackMix> mixes_;         // by track
};

}  // namespace tasklens
