// SPDX-License-Identifier: Apache-2.0
// Alignment of the ranks' clocks on the barriers that they passed together, or by the time of day.
#include <algorithm>
#include <limits>

#include "trace/model/build/ranks.h"

namespace tasklens::build {
namespace {

// Sums of untrusted times: wraps instead of overflowing; the caller clamps the result.
int64_t Add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// Returns the number of barriers that all ranks have in common; 0 if they belong to different runs.
size_t CommonBarriers(const std::vector<RankData>& ranks) {
  size_t common = ranks.front().barriers.size();
  for (const RankData& rank : ranks) {
    common = std::min(common, rank.barriers.size());
    if (common == 0) return 0;
    if (rank.barriers.front().run != ranks.front().barriers.front().run) return 0;
  }
  return common;
}

bool DifferentRuns(const std::vector<RankData>& ranks) {
  const RankData* first = nullptr;
  for (const RankData& rank : ranks) {
    if (rank.barriers.empty()) continue;
    if (first && rank.barriers.front().run != first->barriers.front().run) return true;
    first = &rank;
  }
  return false;
}

// Returns the time of barrier `b` on the clock of the rank that had been recording longest before
// it.
int64_t TimeOfBarrier(const std::vector<RankData>& ranks, size_t b) {
  int64_t longest = 0;
  for (const RankData& rank : ranks)
    longest = std::max(longest, rank.barriers[b].local_ns - rank.first_ns);
  return longest;
}

Clock AlignedClock(const RankData& rank, size_t last, int64_t first_sync_ns, int64_t last_sync_ns) {
  const int64_t from_ns = rank.barriers[0].local_ns;
  const int64_t to_ns = rank.barriers[last].local_ns;
  const int64_t from_offset_ns = first_sync_ns - from_ns;
  if (last == 0 || to_ns <= from_ns || last_sync_ns <= first_sync_ns)
    return Clock::Shift(from_offset_ns);
  return Clock::Drift(from_ns, from_offset_ns, to_ns, last_sync_ns - to_ns);
}

// Add this to a rank's own time to get the time of day.
int64_t WallOffset(const RankData& rank) { return Add(rank.wall_unix_ns, -rank.wall_local_ns); }

// Whether all ranks know the time of day and ran together; ranks of successive runs are compared
// from their beginnings instead. A launcher may start the ranks of one run one after another, so
// that short ones do not overlap.
bool RanTogether(const std::vector<RankData>& ranks) {
  int64_t last_start_ns = 0, first_end_ns = kMaxTime;
  for (const RankData& rank : ranks) {
    if (rank.wall_unix_ns <= 0 || rank.wall_unix_ns >= kMaxTime) return false;
    last_start_ns = std::max(last_start_ns, Add(rank.first_ns, WallOffset(rank)));
    first_end_ns = std::min(first_end_ns, Add(rank.last_ns, WallOffset(rank)));
  }
  constexpr int64_t kLaunchNs = 1'000'000'000;
  return last_start_ns <= first_end_ns + kLaunchNs;
}

// Returns the time of day at which the first rank began.
int64_t FirstStart(const std::vector<RankData>& ranks) {
  int64_t start_ns = std::numeric_limits<int64_t>::max();
  for (const RankData& rank : ranks)
    start_ns = std::min(start_ns, Add(rank.first_ns, WallOffset(rank)));
  return start_ns;
}

}  // namespace

Clock Clock::Shift(int64_t offset_ns) {
  Clock clock;
  clock.from_offset_ns_ = offset_ns;
  return clock;
}

Clock Clock::Drift(int64_t from_ns, int64_t from_offset_ns, int64_t to_ns, int64_t to_offset_ns) {
  Clock clock;
  clock.from_ns_ = from_ns;
  clock.from_offset_ns_ = from_offset_ns;
  clock.span_ns_ = to_ns - from_ns;
  clock.drift_ns_ = to_offset_ns - from_offset_ns;
  return clock;
}

int64_t Clock::Offset(int64_t local_ns) const {
  if (span_ns_ == 0 || local_ns <= from_ns_) return from_offset_ns_;
  if (local_ns - from_ns_ >= span_ns_) return Add(from_offset_ns_, drift_ns_);
  const double share = static_cast<double>(local_ns - from_ns_) / static_cast<double>(span_ns_);
  return Add(from_offset_ns_, static_cast<int64_t>(share * static_cast<double>(drift_ns_)));
}

int64_t Clock::operator()(int64_t local_ns) const {
  if (local_ns == kNever) return kNever;
  return std::clamp<int64_t>(Add(local_ns, Offset(local_ns)), 0, 2 * kMaxTime - 1);
}

void Clock::MoveZero(int64_t zero_ns) { from_offset_ns_ = Add(from_offset_ns_, -zero_ns); }

Clocks AlignClocks(const std::vector<RankData>& ranks, RankTable& table, Diagnostics& diags) {
  Clocks clocks;
  const size_t common = CommonBarriers(ranks);
  const int64_t first_sync_ns = common == 0 ? 0 : TimeOfBarrier(ranks, 0);
  const int64_t last_sync_ns = common == 0 ? 0 : TimeOfBarrier(ranks, common - 1);
  const bool different_runs = common == 0 && DifferentRuns(ranks);
  const bool by_the_clock = common == 0 && !different_runs && RanTogether(ranks);
  const int64_t start_ns = by_the_clock ? FirstStart(ranks) : 0;
  int64_t zero_ns = 2 * kMaxTime;
  for (const RankData& rank : ranks) {
    if (common > 0) {
      clocks.of_rank.push_back(AlignedClock(rank, common - 1, first_sync_ns, last_sync_ns));
    } else {
      clocks.of_rank.push_back(
          Clock::Shift(by_the_clock ? Add(WallOffset(rank), -start_ns) : -rank.first_ns));
    }
    zero_ns = std::min(zero_ns, clocks.of_rank.back()(rank.first_ns));
  }
  for (const RankData& rank : ranks) {
    Clock& clock = clocks.of_rank[rank.index];
    clock.MoveZero(zero_ns);
    table.rank.push_back(rank.rank);
    table.clock_offset_ns.push_back(clock.offset_ns());
    table.aligned.push_back(common > 0 || by_the_clock || ranks.size() == 1);
    table.world_size.Set(rank.index, rank.world_size);
  }
  if (ranks.size() > 1 && common == 0) {
    clocks.same_run = !different_runs;
    const std::string where = std::to_string(ranks.size()) + " files";
    diags.Skip(different_runs ? "model_different_runs"
               : by_the_clock ? "model_clocks_by_time_of_day"
                              : "model_clocks_not_aligned",
               where);
  }
  return clocks;
}

}  // namespace tasklens::build
