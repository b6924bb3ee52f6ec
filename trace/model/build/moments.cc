// SPDX-License-Identifier: Apache-2.0
// Points, steals, messages and counters as their events arrive.
#include "trace/model/build/moments.h"

#include <algorithm>
#include <array>

#include "trace/model/build/routes.h"

namespace tasklens::build {
namespace {

// The offsets of PointTable::args have 32 bits.
constexpr size_t kMaxPointArgs = 0xffffffff - kMaxArgs;

// With more points than this, a thread of their own saves more time than it costs.
constexpr uint64_t kFewPoints = 1 << 16;

}  // namespace

bool Moments::Keeps(EventKind kind) const {
  return (parts_ & PointPart(kind)) != 0 || (CountsTasks(kind) && (parts_ & kPartCounters) != 0);
}

void Moments::Point(const RankData& rank, uint32_t thread, const Event& event) {
  const bool is_point = (parts_ & PointPart(event.kind)) != 0;
  const uint64_t lane = is_point ? machine_.LaneOf(rank, thread, event.time_ns) : kNone;
  const Event kept{event.time_ns, event.kind, rank.index, lane, event.args};
  if (pipe_) return pipe_->OnEvent(kept);
  keeper_.OnEvent(kept);
  if (++kept_ == kFewPoints) pipe_.emplace(keeper_);
}

void Moments::Keeper::OnEvent(const Event& event) {
  if (moments_.parts_ & PointPart(event.kind)) moments_.KeepPoint(event);
  if (moments_.parts_ & kPartCounters) moments_.CountTask(event);
}

void Moments::KeepPoint(const Event& event) {
  PointTable& points = model_.points;
  if (points.args.items.size() > kMaxPointArgs) {
    ++lost_points_;
    return;
  }
  points.time_ns.push_back(event.time_ns);
  points.kind.push_back(event.kind);
  points.track.push_back(static_cast<uint32_t>(event.tid));
  points.rank_index.Set(points.size() - 1, event.rank);
  for (const uint64_t arg : event.args) points.args.items.push_back(arg);
  points.args.offsets.push_back(static_cast<uint32_t>(points.args.items.size()));
}

void Moments::Steal(const RankData& rank, const Event& event) {
  if (!(parts_ & kPartPoints)) return;
  model_.steals.time_ns.push_back(event.time_ns);
  model_.steals.rank_index.push_back(rank.index);
  model_.steals.thief.push_back(static_cast<uint32_t>(event.args[0]));
  model_.steals.victim.push_back(static_cast<uint32_t>(event.args[1]));
}

void Moments::Message(const RankData& rank, const Event& event) {
  if (!(parts_ & kPartMessages)) return;
  const auto args = event.args;
  const int64_t peer = static_cast<int32_t>(args[0]);
  switch (event.kind) {
    case EventKind::kMpiSend:
      return sends_.push_back({.time_ns = event.time_ns,
                               .rank_index = rank.index,
                               .peer = peer,
                               .tag = static_cast<int64_t>(args[1]),
                               .size_bytes = args[2],
                               .job = args[4],
                               .handle = args[5],
                               .priority = static_cast<int32_t>(args[6]),
                               .type = static_cast<MessageType>(std::min<uint64_t>(args[3], 2))});
    case EventKind::kMpiReceived:
      return receives_.push_back({.time_ns = event.time_ns,
                                  .rank_index = rank.index,
                                  .peer = peer,
                                  .tag = static_cast<int64_t>(args[1]),
                                  .size_bytes = 0,
                                  .job = args[2],
                                  .handle = args[3],
                                  .priority = 0,
                                  .type = MessageType::kUnknown});
    case EventKind::kMpiAfterSend: return SetOtherJob(sends_, rank, peer, args);
    case EventKind::kMpiBeforeReceive: return SetOtherJob(receives_, rank, peer, args);
    case EventKind::kMpiSendNuma:
    case EventKind::kMpiReceiveNuma:
      return message_numas_.push_back({event.kind == EventKind::kMpiSendNuma, rank.index, peer,
                                       args[1], static_cast<int64_t>(args[2])});
    default: return;
  }
}

// The event directly follows its side of the message.
void Moments::SetOtherJob(std::vector<Side>& sides, const RankData& rank, int64_t peer,
                          std::span<const uint64_t> args) {
  if (sides.empty()) return;
  Side& side = sides.back();
  if (side.rank_index == rank.index && side.peer == peer &&
      side.tag == static_cast<int64_t>(args[1]))
    side.other_job = args[2];
}

Moments::TaskChanges& Moments::ChangesOf(uint32_t rank_index) {
  while (rank_index >= changes_.size()) {
    TaskChanges& changes = changes_.emplace_back();
    changes.submitted.UseStore(scratch_);
    changes.ready.UseStore(scratch_);
  }
  return changes_[rank_index];
}

void Moments::CountTask(const Event& event) {
  const int64_t increase = event.time_ns * 2, decrease = event.time_ns * 2 + 1;
  switch (event.kind) {
    case EventKind::kTaskCount: return ChangesOf(event.rank).submitted.push_back(increase);
    case EventKind::kTaskReady: return ChangesOf(event.rank).ready.push_back(increase);
    case EventKind::kTaskPop: {
      TaskChanges& changes = ChangesOf(event.rank);
      changes.submitted.push_back(decrease);
      return changes.ready.push_back(decrease);
    }
    default: return;
  }
}

void Moments::MemoryUsed(RankData& rank, const Event& event) {
  if (!(parts_ & kPartCounters)) return;
  const uint32_t node = machine_.NodeOf(rank, event.args[0], event.time_ns);
  memory_.push_back({event.time_ns, node, event.args[1]});
}

void Moments::WholeMessage(const RankData& rank, uint32_t sender, uint32_t target,
                           uint32_t receiver, const MessageTimes& times, const Event& event) {
  if (!(parts_ & kPartMessages)) return;
  wholes_.push_back({times, rank.index, target, sender, receiver,
                     static_cast<int64_t>(event.args[3]), event.args[4]});
}

void Moments::CounterValue(const RankData& rank, uint32_t thread, const Event& event) {
  if (!(parts_ & kPartCounters)) return;
  const auto name = static_cast<StringId>(event.args[0]);
  const uint64_t key = uint64_t{thread} << 32 | name;
  if (last_curve_ == nullptr || key != last_curve_key_) {
    const auto [found, is_new] = curve_of_.emplace(key, static_cast<uint32_t>(curves_.size()));
    if (is_new) {
      Curve& curve = curves_.emplace_back(Curve{rank.index, thread, name, {}, {}});
      curve.time_ns.UseStore(columns_);
      curve.value.UseStore(columns_);
    }
    last_curve_key_ = key;
    last_curve_ = &curves_[found->second];
  }
  last_curve_->time_ns.push_back(event.time_ns);
  last_curve_->value.push_back(AsDouble(event.args[1]));
}

}  // namespace tasklens::build
