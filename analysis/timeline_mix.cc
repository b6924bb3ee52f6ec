// SPDX-License-Identifier: Apache-2.0
// Sweeps over the states of a track with a stack of open states.
#include "analysis/timeline_mix.h"

#include <algorithm>

#include "analysis/pixels.h"

namespace tasklens {
namespace {

// Kinds without a codelet, and kinds with one.
constexpr size_t kMostKinds = 2 * static_cast<size_t>(StateKind::kCount) + kMostMixCodelets;
static_assert(kMostKinds <= 256, "TrackMix::kind_of_ is of 8 bits");
constexpr size_t kMostDepths = 256;  // StateTable::depth is of 8 bits

uint64_t Length(int64_t from_ns, int64_t to_ns) {
  return static_cast<uint64_t>(to_ns) - static_cast<uint64_t>(from_ns);
}

// Adds the time from `at_ns` to `time_ns`, which becomes `at_ns`, to the kinds of the first `open`
// of the states on the stack: at each moment to that of the last one that is open. `open` becomes
// the number of those that are still open at the end.
template <class Open>
void Advance(const std::vector<Open>& stack, size_t& open, int64_t& at_ns, int64_t time_ns,
             std::vector<uint64_t>& times_ns) {
  for (; open > 0; --open) {
    const Open& top = stack[open - 1];
    if (top.end_ns <= at_ns) continue;
    const int64_t until_ns = std::min(top.end_ns, time_ns);
    times_ns[top.kind] += Length(at_ns, until_ns);
    at_ns = until_ns;
    if (top.end_ns > time_ns) return;
  }
  at_ns = time_ns;
}

}  // namespace

// --- Filling

uint8_t TrackMix::Filler::NumberOf(MixKind kind) {
  // A linear search: there are few kinds.
  const auto number = [&] {
    return static_cast<size_t>(std::find(mix_.kinds_.begin(), mix_.kinds_.end(), kind) -
                               mix_.kinds_.begin());
  };
  size_t found = number();
  if (found == mix_.kinds_.size() && kind.codelet != kNone && codelets_ == kMostMixCodelets) {
    kind.codelet = kNone;
    found = number();
  }
  if (found < mix_.kinds_.size()) return static_cast<uint8_t>(found);
  codelets_ += kind.codelet != kNone;
  mix_.kinds_.push_back(kind);
  times_ns_.push_back(0);
  ColumnFiller<uint64_t>& sums = sums_.emplace_back(mix_.times_ns_.emplace_back());
  for (size_t i = 0; i < samples_; ++i) sums.Add(0);
  return static_cast<uint8_t>(found);
}

void TrackMix::Filler::Sample(int64_t start_ns, size_t depth) {
  starts_.Add(start_ns);
  task_counts_.Add(tasks_);
  for (size_t kind = 0; kind < sums_.size(); ++kind) sums_[kind].Add(times_ns_[kind]);
  while (opens_.size() < std::min(depth, open_)) {
    ColumnFiller<uint32_t>& opens = opens_.emplace_back(mix_.open_.emplace_back());
    for (size_t i = 0; i < samples_; ++i) opens.Add(0);
  }
  for (size_t i = 0; i < opens_.size(); ++i)
    opens_[i].Add(i < std::min(depth, open_) ? stack_[i].state : 0);
  ++samples_;
}

void TrackMix::Filler::Add(int64_t start_ns, int64_t end_ns, uint8_t depth, MixKind kind) {
  Advance(stack_, open_, at_ns_, std::max(start_ns, at_ns_), times_ns_);
  if (states_ % kStride == 0) Sample(start_ns, depth);
  ++states_;
  const uint8_t number = NumberOf(kind);
  kinds_.Add(number);
  tasks_ += mix_.kinds_[number].IsTask();
  // The states around it must be open; otherwise the excess depth is dropped.
  open_ = std::min<size_t>(open_, depth);
  stack_.resize(std::max(stack_.size(), open_ + 1));
  stack_[open_++] = {end_ns, states_, number};
}

void TrackMix::Filler::Finish() {
  kinds_.Finish();
  starts_.Finish();
  task_counts_.Finish();
  for (auto& sums : sums_) sums.Finish();
  for (auto& opens : opens_) opens.Finish();
}

void TrackMix::Save(ColumnSaver& save) const {
  std::vector<uint8_t> kinds, internal;
  std::vector<StringId> codelets;
  for (const MixKind& kind : kinds_) {
    kinds.push_back(static_cast<uint8_t>(kind.kind));
    internal.push_back(kind.is_internal);
    codelets.push_back(kind.codelet);
  }
  save(kinds);
  save(internal);
  save(codelets);
  save(uint64_t{open_.size()});
  save(kind_of_);
  save(starts_ns_);
  save(tasks_);
  for (const auto& times : times_ns_) save(times);
  for (const auto& open : open_) save(open);
}

bool TrackMix::Load(size_t states, size_t strings, ColumnLoader& load) {
  std::vector<uint8_t> kinds, internal;
  std::vector<StringId> codelets;
  uint64_t depths = 0;
  load(kinds);
  load(internal);
  load(codelets);
  load(depths);
  if (kinds.size() > kMostKinds || internal.size() != kinds.size() ||
      codelets.size() != kinds.size() || depths > kMostDepths)
    return false;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] >= static_cast<size_t>(StateKind::kCount) ||
        (codelets[i] != kNone && codelets[i] >= strings))
      return false;
    kinds_.push_back({static_cast<StateKind>(kinds[i]), internal[i] != 0, codelets[i]});
  }
  load(kind_of_);
  if (kind_of_.size() != states ||
      (states > 0 &&
       (kinds.empty() || !kind_of_.Within(0, static_cast<uint8_t>(kinds.size() - 1)))))
    return false;
  const size_t samples = (states + kStride - 1) / kStride;
  const auto is_right = [&](auto& column) {
    load(column);
    return column.size() == samples;
  };
  bool ok = is_right(starts_ns_) && is_right(tasks_);
  for (size_t i = 0; i < kinds_.size() && ok; ++i) ok = is_right(times_ns_.emplace_back());
  for (uint64_t i = 0; i < depths && ok; ++i) {
    Column<uint32_t>& open = open_.emplace_back();
    ok = is_right(open) && open.Within(0, static_cast<uint32_t>(states));
  }
  return ok;
}

// --- Walking

TrackMix::Walk::Walk(const TraceModel& model, const TrackMix& mix, uint32_t track)
    : model_(model),
      mix_(mix),
      first_(model.states.first_of_track[track]),
      count_(model.states.first_of_track[track + 1] - first_),
      times_ns_(mix.kinds_.size()) {}

void TrackMix::Walk::Put(size_t depth, uint32_t state) {
  stack_.resize(std::min(stack_.size(), depth));
  stack_.push_back({model_.states.end_ns[first_ + state], mix_.kind_of_[state]});
}

void TrackMix::Walk::AdvanceTo(int64_t time_ns) {
  size_t open = stack_.size();
  Advance(stack_, open, at_ns_, std::max(time_ns, at_ns_), times_ns_);
  stack_.resize(open);
}

void TrackMix::Walk::MoveTo(int64_t time_ns) {
  const size_t samples = mix_.starts_ns_.size();
  const size_t behind = FirstNot(
      sample_, samples, [&](size_t i) { return mix_.starts_ns_[i] < time_ns; }, 1);
  if (behind > sample_) sample_ = behind;
  // Jumps to the last sample before this time, if that is ahead of the walk.
  if (sample_ > 0 && (sample_ - 1) * kStride > states_) {
    const size_t sample = sample_ - 1;
    states_ = static_cast<uint32_t>(sample * kStride);
    at_ns_ = mix_.starts_ns_[sample];
    tasks_ = mix_.tasks_[sample];
    for (size_t kind = 0; kind < times_ns_.size(); ++kind)
      times_ns_[kind] = mix_.times_ns_[kind][sample];
    stack_.clear();
    for (size_t depth = 0; depth < mix_.open_.size(); ++depth) {
      const uint32_t open = mix_.open_[depth][sample];
      if (open == 0) break;
      Put(depth, open - 1);
    }
  }
  const StateTable& states = model_.states;
  for (; states_ < count_; ++states_) {
    const uint32_t state = first_ + states_;
    const int64_t start_ns = states.start_ns[state];
    if (start_ns >= time_ns) break;
    AdvanceTo(start_ns);
    Put(states.depth[state], states_);
    tasks_ += IsTask(stack_.back());
  }
  AdvanceTo(time_ns);
  open_count_ = open_tasks_ = 0;
  for (const Open& open : stack_) {
    if (open.end_ns <= time_ns) continue;
    ++open_count_;
    open_tasks_ += IsTask(open);
  }
}

}  // namespace tasklens
