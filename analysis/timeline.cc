// SPDX-License-Identifier: Apache-2.0
// Binary search for the states of a pixel, a pyramid for the one to show.
#include "analysis/timeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <iterator>
#include <numeric>

#include "analysis/pixels.h"
#include "analysis/sites.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

constexpr uint64_t kMostDepths = 256;  // StateTable::depth is of 8 bits

// The importance of a state in a picture, by StateKind.
constexpr std::array<uint8_t, static_cast<size_t>(StateKind::kCount)> kMatters = [] {
  std::array<uint8_t, static_cast<size_t>(StateKind::kCount)> matters{};
#define STATE(Kind, name, group, red, green, blue)                                              \
  matters[static_cast<size_t>(StateKind::k##Kind)] = StateGroup::group == StateGroup::kTask ? 2 \
                                                     : StateGroup::group == StateGroup::kOther  \
                                                         ? 0                                    \
                                                         : 1;
#include "trace/events/states.inc"
#undef STATE
  return matters;
}();

// States of larger weight are shown first: by importance, then by length.
uint64_t WeightOf(StateKind kind, uint64_t length_ns) {
  constexpr uint64_t kLongest = (uint64_t{1} << 62) - 1;
  return std::min(length_ns, kLongest) << 2 | kMatters[static_cast<size_t>(kind)];
}

uint64_t LengthOf(int64_t start_ns, int64_t end_ns) {
  return static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(start_ns);
}

// Whether any executed task may be the runtime's own, without examining them all.
bool MayHaveInternal(const TraceModel& model) {
  if (!model.tasks.type.AllDefault()) return true;
  for (StringId id = 0; id < model.strings.size(); ++id)
    if (model.str(id).starts_with("_starpu_")) return true;
  return false;
}

}  // namespace

class TimelineIndex::RowFiller {
 public:
  explicit RowFiller(Row& row)
      : states_(row.states), starts_ns_(row.starts_ns), weightiest_(row.weightiest) {}
  // Adds the given rows of a block of states that begins with `first`.
  void Add(uint32_t first, std::span<const uint16_t> rows, const int64_t* starts_ns,
           const uint64_t* weights) {
    for (size_t i = (kStride - size_ % kStride) % kStride; i < rows.size(); i += kStride)
      starts_ns_.Add(starts_ns[rows[i]]);
    size_ += rows.size();
    for (const uint16_t row : rows) states_.Add(first + row);
    uint64_t weights_of_rows[PackedWords::kRows];
    for (size_t i = 0; i < rows.size(); ++i) weights_of_rows[i] = weights[rows[i]];
    weightiest_.Add({weights_of_rows, rows.size()});
  }
  void Finish() {
    states_.Finish();
    starts_ns_.Finish();
    weightiest_.Finish();
  }

 private:
  ColumnFiller<uint32_t> states_;
  ColumnFiller<int64_t> starts_ns_;
  decltype(Row::weightiest)::Filler weightiest_;
  size_t size_ = 0;
};

TimelineIndex::TimelineIndex(const TraceModel& model, Stop stop)
    : model_(model), rows_(model.tracks.size()), mixes_(model.tracks.size()) {
  const bool has_internal = MayHaveInternal(model);
  const auto& first = model.states.first_of_track;
  // The longest rows first, so that threads that take rows in turn end at about the same time.
  std::vector<uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto states_of = [&](uint32_t track) { return first[track + 1] - first[track]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return states_of(a) > states_of(b); });
  std::atomic<size_t> next = 0;
  const auto add = [&] {
    for (size_t i; (i = next++) < order.size() && !Stopped(stop);)
      AddTrack(order[i], has_internal, stop);
  };
  constexpr uint32_t kManyStates = 500'000;
  std::future<void> second = BesideIf(first.back() >= kManyStates, add);
  add();
  second.get();
}

void TimelineIndex::AddTrack(uint32_t track, bool has_internal, Stop stop) {
  const StateTable& states = model_.states;
  const uint32_t first = states.first_of_track[track], last = states.first_of_track[track + 1];
  // A block of each column at a time, so that intermediate data stay in the cache.
  constexpr uint32_t kBlock = PackedWords::kRows;
  int64_t starts_ns[kBlock], ends_ns[kBlock];
  uint64_t weights[kBlock];
  StateKind kinds[kBlock];
  uint8_t depths[kBlock];
  uint16_t at_depth[kBlock];  // rows of the block
  std::deque<Row> rows;
  std::deque<RowFiller> fillers;
  TrackMix::Filler mix(mixes_[track]);
  const auto mixed = [&](uint32_t state, StateKind kind) {
    if (Decl(kind).group != StateGroup::kTask) return MixKind{kind, false};
    const uint32_t task = states.task[state];
    if (task >= model_.tasks.size()) return MixKind{kind, false};
    return MixKind{kind, has_internal && !IsUserTask(model_, task), model_.tasks.name[task]};
  };
  for (uint32_t begin = first, end; begin < last; begin = end) {
    if (Stopped(stop)) return;
    end = std::min(last, begin / kBlock * kBlock + kBlock);
    const uint32_t size = end - begin;
    states.start_ns.ForEach(begin, end, [&](size_t i, int64_t ns) { starts_ns[i - begin] = ns; });
    states.end_ns.ForEach(begin, end, [&](size_t i, int64_t ns) { ends_ns[i - begin] = ns; });
    states.kind.ForEach(begin, end, [&](size_t i, StateKind kind) { kinds[i - begin] = kind; });
    states.depth.ForEach(begin, end, [&](size_t i, uint8_t depth) { depths[i - begin] = depth; });
    for (uint32_t i = 0; i < size; ++i)
      weights[i] = WeightOf(kinds[i], LengthOf(starts_ns[i], ends_ns[i]));
    for (uint32_t i = 0; i < size; ++i)
      mix.Add(starts_ns[i], ends_ns[i], depths[i], mixed(begin + i, kinds[i]));
    const auto [least, most] = std::minmax_element(depths, depths + size);
    for (unsigned depth = *least; depth <= *most; ++depth) {
      while (depth >= rows.size()) fillers.emplace_back(rows.emplace_back());
      // Without branches, because the next depth is unpredictable.
      size_t count = 0;
      for (uint32_t i = 0; i < size; ++i) {
        at_depth[count] = static_cast<uint16_t>(i);
        count += depths[i] == depth;
      }
      fillers[depth].Add(begin, {at_depth, count}, starts_ns, weights);
    }
  }
  for (RowFiller& filler : fillers) filler.Finish();
  mix.Finish();
  rows_[track] = {std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end())};
}

void TimelineIndex::Save(ColumnSaver& save) const {
  save(uint64_t{rows_.size()});
  for (const std::vector<Row>& rows : rows_) {
    save(uint64_t{rows.size()});
    for (const Row& row : rows) {
      save(row.states);
      save(row.starts_ns);
      row.weightiest.VisitColumns(save);
    }
  }
  for (const TrackMix& mix : mixes_) mix.Save(save);
}

Result<TimelineIndex> TimelineIndex::Load(const TraceModel& model, ColumnLoader& load) {
  uint64_t tracks = 0;
  load(tracks);
  TimelineIndex index(model, Unfilled());
  const size_t states = model.states.size();
  // Checks that every value can be queried safely.
  const auto is_right = [&](Row& row) {
    load(row.states);
    load(row.starts_ns);
    const size_t size = row.states.size();
    return size > 0 && size <= states && row.states.Within(0, static_cast<uint32_t>(states - 1)) &&
           row.starts_ns.size() == (size + kStride - 1) / kStride &&
           row.weightiest.LoadColumns(size, load);
  };
  bool ok = tracks == model.tracks.size();
  for (size_t track = 0; track < index.rows_.size() && ok; ++track) {
    uint64_t depths = 0;
    load(depths);
    ok = depths <= kMostDepths;
    for (uint64_t depth = 0; depth < depths && ok; ++depth)
      ok = is_right(index.rows_[track].emplace_back());
  }
  const auto& first = model.states.first_of_track;
  for (size_t track = 0; track < index.mixes_.size() && ok; ++track)
    ok = index.mixes_[track].Load(first[track + 1] - first[track], model.strings.size(), load);
  if (!ok || !load.ok()) return Status(ErrorCode::kCorrupt, "not a saved timeline");
  return index;
}

// Queries on the states of a row, by index into row.states.
class TimelineIndex::RowView {
 public:
  RowView(const StateTable& states, const Row& row) : states_(states), row_(row) {}

  size_t size() const { return row_.states.size(); }
  uint32_t State(size_t i) const { return row_.states[i]; }  // row of model.states
  int64_t StartNs(size_t i) const { return states_.start_ns[State(i)]; }
  int64_t EndNs(size_t i) const { return states_.end_ns[State(i)]; }

  // Whether the state, which starts before the end of a range that begins at `begin_ns`, overlaps
  // it.
  bool Meets(size_t i, int64_t begin_ns) const {
    const uint32_t state = State(i);
    return states_.end_ns[state] > begin_ns || states_.start_ns[state] >= begin_ns;
  }
  // Returns the first state that overlaps [begin_ns, ...).
  size_t FirstMeeting(int64_t begin_ns) const {
    return FirstNot(0, size(), [&](size_t i) { return !Meets(i, begin_ns); });
  }
  // Returns the first state from `from` on that starts at or after `time_ns`; fast if near from +
  // guess.
  size_t FirstFrom(int64_t time_ns, size_t from, size_t guess) const {
    const size_t sample =
        FirstNot((from + kStride - 1) / kStride, row_.starts_ns.size(),
                 [&](size_t i) { return row_.starts_ns[i] < time_ns; }, guess / kStride);
    // Between this sample and the previous one.
    const size_t first = sample == 0 ? from : std::max(from, (sample - 1) * kStride);
    return FirstNot(
        first, std::min(size(), sample * kStride), [&](size_t i) { return StartNs(i) < time_ns; },
        kStride / 2);
  }

  // Returns the state of [first, last) to show.
  size_t Weightiest(size_t first, size_t last) const {
    return row_.weightiest.Largest(first, last, [&](uint32_t i) {
      const uint32_t state = State(i);
      return WeightOf(states_.kind[state],
                      LengthOf(states_.start_ns[state], states_.end_ns[state]));
    });
  }

 private:
  const StateTable& states_;
  const Row& row_;
};

std::vector<uint32_t> TimelineIndex::StatesIn(uint32_t track, uint32_t depth, int64_t begin_ns,
                                              int64_t end_ns) const {
  if (depth >= rows_[track].size()) return {};
  const Row& row = rows_[track][depth];
  const RowView view(model_.states, row);
  const size_t first = view.FirstMeeting(begin_ns);
  const size_t last = view.FirstFrom(end_ns, first, 0);
  std::vector<uint32_t> found;
  row.states.ForEach(first, last, [&](size_t, uint32_t state) { found.push_back(state); });
  return found;
}

std::vector<TimelineSlice> TimelineIndex::Slices(uint32_t track, uint32_t depth, int64_t begin_ns,
                                                 int64_t end_ns, uint32_t pixels) const {
  std::vector<TimelineSlice> slices;
  if (depth >= rows_[track].size()) return slices;
  const RowView row(model_.states, rows_[track][depth]);
  const Pixels view{begin_ns, end_ns, pixels};
  size_t first = row.FirstMeeting(begin_ns), count = 0;  // of the states on a pixel
  for (uint64_t pixel = 0; pixel < pixels;) {
    const int64_t from_ns = view.Start(pixel);
    const int64_t to_ns = view.Start(pixel + 1);
    // Of the states of the previous pixel only the last may overlap this one.
    if (count > 0) first += row.Meets(first + count - 1, from_ns) ? count - 1 : count;
    count = row.FirstFrom(to_ns, first, count) - first;
    ++pixel;
    if (count == 0) {
      // An empty pixel: continue at the pixel where the next state begins.
      if (first == row.size()) break;
      const int64_t next_ns = row.StartNs(first);
      if (next_ns >= end_ns) break;
      while (pixel < pixels && view.Start(pixel + 1) <= next_ns) ++pixel;
      continue;
    }
    if (count == 1) {
      const uint32_t state = row.State(first);
      const int64_t until_ns = std::min(row.EndNs(first), end_ns);
      if (slices.empty() || slices.back().state != state || slices.back().count != 1)
        slices.push_back({std::max(row.StartNs(first), from_ns), until_ns, state, 1});
      // Skip all pixels that this state fills alone.
      while (pixel < pixels && view.Start(pixel + 1) <= until_ns) ++pixel;
      continue;
    }
    const uint32_t shown = row.State(row.Weightiest(first, first + count));
    // A state of an earlier pixel that was drawn to its end is shortened to leave room for this
    // pixel.
    if (!slices.empty() && slices.back().end_ns > from_ns) slices.back().end_ns = from_ns;
    slices.push_back({from_ns, to_ns, shown, static_cast<uint32_t>(count)});
  }
  return slices;
}

TimelineMix TimelineMix::WithoutCodelets() const {
  TimelineMix sum;
  sum.pixels = pixels;
  std::vector<size_t> number_of;
  for (MixKind kind : kinds) {
    kind.codelet = kNone;
    const auto found = std::find(sum.kinds.begin(), sum.kinds.end(), kind);
    number_of.push_back(static_cast<size_t>(found - sum.kinds.begin()));
    if (found == sum.kinds.end()) sum.kinds.push_back(kind);
  }
  sum.times_ns.resize(pixels.size() * sum.kinds.size());
  for (size_t pixel = 0; pixel < pixels.size(); ++pixel)
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      sum.times_ns[pixel * sum.kinds.size() + number_of[kind]] += TimeNs(pixel, kind);
  return sum;
}

namespace {

// Moves along a track from pixel to pixel.
class PixelMixer {
 public:
  PixelMixer(const TraceModel& model, const TrackMix& mix, uint32_t track, const Pixels& view,
             TimelineMix& mixed)
      : walk_(model, mix, track), view_(view), mixed_(mixed) {
    mixed.kinds.assign(mix.kinds().begin(), mix.kinds().end());
  }

  // REQUIRES: `pixel` is after all earlier ones.
  void Add(uint64_t pixel, uint32_t depth) {
    const int64_t from_ns = view_.Start(pixel), to_ns = view_.Start(pixel + 1);
    walk_.MoveTo(from_ns);
    before_.assign(walk_.times_ns().begin(), walk_.times_ns().end());
    const uint32_t begun = walk_.states() - walk_.open();
    const uint32_t tasks = walk_.tasks() - walk_.open_tasks();
    walk_.MoveTo(to_ns);
    mixed_.pixels.push_back({from_ns, to_ns, depth, walk_.states() - begun, walk_.tasks() - tasks});
    for (size_t kind = 0; kind < before_.size(); ++kind)
      mixed_.times_ns.push_back(walk_.times_ns()[kind] - before_[kind]);
  }

 private:
  TrackMix::Walk walk_;
  const Pixels view_;
  TimelineMix& mixed_;
  std::vector<uint64_t> before_;
};

}  // namespace

TimelinePicture TimelineIndex::Picture(uint32_t track, int64_t begin_ns, int64_t end_ns,
                                       uint32_t pixels) const {
  TimelinePicture picture;
  const Pixels view{begin_ns, end_ns, pixels};
  std::vector<std::pair<uint64_t, uint32_t>> mixed;  // pixels and depths
  for (uint32_t depth = 0; depth < Depths(track); ++depth) {
    picture.layers.push_back(Slices(track, depth, begin_ns, end_ns, pixels));
    const size_t before = mixed.size();
    for (const TimelineSlice& slice : picture.layers.back()) {
      const int64_t start_ns = std::max(slice.start_ns, begin_ns);
      const uint64_t pixel = view.Of(start_ns);
      if (slice.count > 1 ||
          LengthOf(start_ns, slice.end_ns) < LengthOf(view.Start(pixel), view.Start(pixel + 1)))
        mixed.emplace_back(pixel, depth);
    }
    std::inplace_merge(mixed.begin(), mixed.begin() + static_cast<std::ptrdiff_t>(before),
                       mixed.end());
  }
  PixelMixer mixer(model_, mixes_[track], track, view, picture.mixed);
  for (size_t i = 0; i < mixed.size(); ++i)
    if (i == 0 || mixed[i].first != mixed[i - 1].first) mixer.Add(mixed[i].first, mixed[i].second);
  return picture;
}

TimelineMix TimelineIndex::Mix(uint32_t track, int64_t begin_ns, int64_t end_ns,
                               uint32_t pixels) const {
  TimelineMix mix;
  PixelMixer mixer(model_, mixes_[track], track, {begin_ns, end_ns, pixels}, mix);
  for (uint64_t pixel = 0; pixel < pixels; ++pixel) mixer.Add(pixel, 0);
  return mix;
}

std::vector<TimelinePicture> TimelineIndex::Pictures(std::span<const uint32_t> tracks,
                                                     int64_t begin_ns, int64_t end_ns,
                                                     uint32_t pixels, Stop stop) const {
  constexpr uint64_t kManyPixels = 10'000;
  std::vector<TimelinePicture> pictures(tracks.size());
  std::atomic<size_t> next = 0;
  const auto look = [&] {
    for (size_t i; (i = next++) < tracks.size() && !Stopped(stop);)
      if (tracks[i] != kNone) pictures[i] = Picture(tracks[i], begin_ns, end_ns, pixels);
  };
  std::future<void> second = BesideIf(tracks.size() * pixels >= kManyPixels, look);
  look();
  second.get();
  return pictures;
}

}  // namespace tasklens
