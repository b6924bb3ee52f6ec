// SPDX-License-Identifier: Apache-2.0
// The timeline at any level of detail: what each pixel of each row shows.
//
// A pixel that no single state fills says what is beneath it: how long which kind of state, and how
// many (TimelineMix). And it names the most telling of them (TimelineSlice), tasks before whatever
// else a worker does and that before idleness, the longest of these: a short task never disappears.
// A picture of a million tasks costs as much as one of a hundred.
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

// A stretch of a row that shows one thing.
struct TimelineSlice {
  int64_t start_ns, end_ns;  // on pixel borders where several states share it; of a state alone
                             // what no such pixel takes
  uint32_t state;            // row of model.states: the one shown
  uint32_t count;            // states that lie (partly) here; 1: it is `state` itself
};

// What a row is made of in pixels that hold several states, or one that is shorter than they.
struct TimelineMix {
  struct Pixel {
    int64_t start_ns, end_ns;
    uint32_t depth;  // the least at which no single state tells all
    uint32_t count;  // states of any depth that lie (partly) here
    uint32_t tasks;  // the program's tasks of them
  };
  std::vector<MixKind> kinds;
  std::vector<Pixel> pixels;       // left to right
  std::vector<uint64_t> times_ns;  // of each of `pixels`, as long as the row is each of `kinds`

  uint64_t TimeNs(size_t pixel, size_t kind) const { return times_ns[pixel * kinds.size() + kind]; }
  // The same where nobody asks for codelets: tasks of all of them are one kind.
  TimelineMix WithoutCodelets() const;
};

// A row in one view.
struct TimelinePicture {
  std::vector<std::vector<TimelineSlice>> layers;  // by depth
  TimelineMix mixed;
};

// Built once for a model, which must outlive it; then const, any thread.
// Building takes O(states); memory some 7 bytes a state.
class TimelineIndex {
 public:
  explicit TimelineIndex(const TraceModel& model, Stop stop = nullptr);

  // As columns, and back without building it, in the time that a look at them takes; what the
  // columns borrow (saved_columns.h) must outlive the index. They need not be trusted: an index of
  // any that are loaded is safe to ask, or kCorrupt.
  void Save(ColumnSaver& save) const;
  static Result<TimelineIndex> Load(const TraceModel& model, ColumnLoader& load);

  // How many layers row `track` has: states of depth 0 tile it, deeper ones are drawn over them.
  uint32_t Depths(uint32_t track) const { return static_cast<uint32_t>(rows_[track].size()); }

  // What row `track` shows at `depth` from `begin_ns` to `end_ns` drawn on `pixels` pixels, left to
  // right and without overlap; at most 2 * pixels + 1 slices, in O(pixels log states). Times
  // without a state give none. REQUIRES: track exists, begin_ns < end_ns, pixels > 0.
  std::vector<TimelineSlice> Slices(uint32_t track, uint32_t depth, int64_t begin_ns,
                                    int64_t end_ns, uint32_t pixels) const;

  // What the whole row shows: at each depth, and in the pixels where that does not tell all.
  TimelinePicture Picture(uint32_t track, int64_t begin_ns, int64_t end_ns, uint32_t pixels) const;

  // The same of each of `tracks`, on two threads where that is much; empty for kNone, and for those
  // that were not looked at before `stop`.
  std::vector<TimelinePicture> Pictures(std::span<const uint32_t> tracks, int64_t begin_ns,
                                        int64_t end_ns, uint32_t pixels, Stop stop = nullptr) const;

  // What every pixel of the row is made of, also where a single state fills it: `depth` is 0.
  TimelineMix Mix(uint32_t track, int64_t begin_ns, int64_t end_ns, uint32_t pixels) const;

  // The states of `track` that meet [begin_ns, end_ns), first to last, for lists and pop-ups.
  std::vector<uint32_t> StatesIn(uint32_t track, uint32_t depth, int64_t begin_ns,
                                 int64_t end_ns) const;

 private:
  static constexpr size_t kStride = 8;

  // How much a state matters in the two lowest bits, its length above: few bits for most.
  struct Lighter {
    bool operator()(uint64_t a, uint64_t b) const { return std::rotr(a, 2) < std::rotr(b, 2); }
  };
  struct Row {
    Column<uint32_t> states;    // of one depth, by start; they do not overlap
    Column<int64_t> starts_ns;  // of every kStride-th of them: fewer looks at the columns
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
