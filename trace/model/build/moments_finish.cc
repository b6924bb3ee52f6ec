// SPDX-License-Identifier: Apache-2.0
// Points, steals, messages and counters when all events have arrived.
#include <algorithm>
#include <map>
#include <tuple>

#include "trace/model/build/moments.h"
#include "trace/model/build/time_order.h"

namespace tasklens::build {

void Moments::RenameStrings(const StringIds& new_id) {
  pipe_.reset();
  PointTable& points = model_.points;
  points.kind.ForEach(0, points.size(), [&](size_t row, EventKind kind) {
    const EventDecl& decl = Decl(kind);
    for (size_t i = 0; i < decl.arg_count; ++i) {
      if (decl.arg_types[i] != ArgType::kStr) continue;
      const size_t at = points.args.offsets[row] + i;
      points.args.items.Set(at, new_id[points.args.items[at]]);
    }
  });
  for (Curve& curve : curves_) curve.name = new_id[curve.name];
}

void Moments::PlaceRows() {
  const auto place = [&](uint32_t rank_index, uint32_t& thread, int64_t time_ns) {
    if (thread != kNone) thread = machine_.LaneOf(rank_index, thread, time_ns);
  };
  for (Whole& message : wholes_) {
    place(message.source, message.sender, message.times.send_ns);
    if (message.target != kNone) place(message.target, message.receiver, message.times.send_ns);
  }
  for (Curve& curve : curves_) place(curve.rank_index, curve.thread, curve.time_ns[0]);
}

void Moments::FinishPoints(const Clocks& clocks) {
  PointTable& points = model_.points;
  const std::vector<uint32_t>& track_of_lane = machine_.track_of_lane();
  points.track.Transform(
      [&](size_t, uint32_t lane) { return lane == kNone ? kNone : track_of_lane[lane]; });
  clocks.Align(points.time_ns, [&](size_t row) { return points.rank_index[row]; });
  const std::vector<uint32_t> order = OrderByTime(points.time_ns);
  if (order.empty()) return;
  PackedLists<Column<uint64_t>> args;
  args.UseStore(columns_);
  for (uint32_t row : order) {
    for (const uint64_t arg : points.args[row]) args.items.push_back(arg);
    args.offsets.push_back(static_cast<uint32_t>(args.items.size()));
  }
  points.args.offsets.Clear();
  points.args.items.Clear();
  points.args = std::move(args);
  points.time_ns.Reorder(order);
  points.kind.Reorder(order);
  points.track.Reorder(order);
  points.rank_index.Reorder(order);
}

void Moments::FinishSteals(const Clocks& clocks) {
  StealTable& steals = model_.steals;
  for (size_t i = 0; i < steals.size(); ++i)
    steals.time_ns[i] = clocks.of_rank[steals.rank_index[i]](steals.time_ns[i]);
  const std::vector<uint32_t> order = OrderByTime(steals.time_ns);
  Reorder(order, steals.time_ns, steals.rank_index, steals.thief, steals.victim);
}

// Sets the memory node of messages, from events that give it for all messages between two ranks on
// behalf of one task.
void Moments::FinishMessageNuma() {
  if (message_numas_.empty()) return;
  std::map<std::tuple<bool, uint32_t, int64_t, uint64_t>, int64_t> nodes;
  for (const MessageNuma& numa : message_numas_)
    nodes[{numa.is_send, numa.rank_index, numa.peer, numa.job}] = numa.nodes;
  const auto apply = [&](std::vector<Side>& sides, bool is_send) {
    for (Side& side : sides) {
      const auto it = nodes.find({is_send, side.rank_index, side.peer, side.job});
      if (it != nodes.end()) side.numa = it->second;
    }
  };
  apply(sends_, true);
  apply(receives_, false);
}

void Moments::AddMessage(const Side* send, const Side* receive,
                         const std::map<int64_t, uint32_t>& index_of_rank, const Clocks& clocks) {
  const auto row_of_peer = [&](int64_t rank) {
    const auto it = index_of_rank.find(rank);
    return it == index_of_rank.end() ? kNone : it->second;
  };
  MessageTable& m = model_.messages;
  const Side& any = send ? *send : *receive;
  m.send_ns.push_back(send ? clocks.of_rank[send->rank_index](send->time_ns) : kNever);
  m.receive_ns.push_back(receive ? clocks.of_rank[receive->rank_index](receive->time_ns) : kNever);
  m.left_ns.push_back(kNever);
  m.asked_ns.push_back(kNever);
  m.source_track.push_back(kNone);
  m.target_track.push_back(kNone);
  m.source.push_back(send ? send->rank_index : row_of_peer(receive->peer));
  m.target.push_back(receive ? receive->rank_index : row_of_peer(send->peer));
  m.tag.push_back(any.tag);
  m.size_bytes.push_back(any.size_bytes);
  m.type.push_back(any.type);
  m.priority.push_back(any.priority);
  m.send_job.push_back(send ? send->job : 0);
  m.receive_job.push_back(receive ? receive->job : 0);
  m.after_send_job.push_back(send ? send->other_job : 0);
  m.before_receive_job.push_back(receive ? receive->other_job : 0);
  m.send_handle.push_back(send ? send->handle : 0);
  m.receive_handle.push_back(receive ? receive->handle : 0);
  m.send_numa.push_back(send ? send->numa : -1);
  m.receive_numa.push_back(receive ? receive->numa : -1);
}

void Moments::AddWhole(const Whole& message, const Clocks& clocks) {
  const bool has_target = message.target != kNone;
  const Clock& from = clocks.of_rank[message.source];
  const Clock& to = has_target ? clocks.of_rank[message.target] : from;
  const auto track_of = [&](uint32_t lane) {
    return lane == kNone ? kNone : machine_.track_of_lane()[lane];
  };
  MessageTable& m = model_.messages;
  m.send_ns.push_back(from(message.times.send_ns));
  m.receive_ns.push_back(to(message.times.arrived_ns));
  m.left_ns.push_back(from(message.times.left_ns));
  m.asked_ns.push_back(to(message.times.asked_ns));
  m.source_track.push_back(track_of(message.sender));
  m.target_track.push_back(has_target ? track_of(message.receiver) : kNone);
  m.source.push_back(message.source);
  m.target.push_back(message.target);
  m.tag.push_back(message.tag);
  m.size_bytes.push_back(message.size_bytes);
  m.type.push_back(MessageType::kPointToPoint);
  m.priority.push_back(0);
  m.send_job.push_back(0);
  m.receive_job.push_back(0);
  m.after_send_job.push_back(0);
  m.before_receive_job.push_back(0);
  m.send_handle.push_back(0);
  m.receive_handle.push_back(0);
  m.send_numa.push_back(-1);
  m.receive_numa.push_back(-1);
}

// A message that arrives before it is sent shows that clocks of the trace do not fit, and by how
// much at least.
void Moments::ReportBackward(const std::vector<RankData>& ranks, Diagnostics& diags) const {
  const MessageTable& m = model_.messages;
  uint64_t count = 0;
  int64_t most_ns = 0;
  size_t worst = 0;
  for (size_t i = 0; i < m.size(); ++i) {
    const int64_t left_ns = m.left_ns[i] != kNever ? m.left_ns[i] : m.send_ns[i];
    if (left_ns == kNever || m.receive_ns[i] == kNever || m.receive_ns[i] >= left_ns) continue;
    ++count;
    if (left_ns - m.receive_ns[i] <= most_ns) continue;
    most_ns = left_ns - m.receive_ns[i];
    worst = i;
  }
  if (count == 0) return;
  const auto name = [&](uint32_t rank, uint32_t track) {
    std::string text = "rank ";
    text += rank == kNone ? "?" : std::to_string(ranks[rank].rank);
    if (track != kNone) text += " '" + std::string(model_.str(model_.tracks.name[track])) + '\'';
    return text;
  };
  diags.Skip("model_message_backward",
             "the clocks of " + name(m.source[worst], m.source_track[worst]) + " and " +
                 name(m.target[worst], m.target_track[worst]) + " differ by " +
                 std::to_string(most_ns) + " ns at least",
             count);
}

// Reports messages whose other rank is in no input.
void Moments::ReportHalves(const std::vector<RankData>& ranks,
                           const std::map<int64_t, uint32_t>& index_of_rank,
                           Diagnostics& diags) const {
  std::map<std::pair<int64_t, int64_t>, uint64_t> count_of;  // from a rank of the trace to a peer
  const auto count = [&](const std::vector<Side>& sides) {
    for (const Side& side : sides)
      if (side.peer >= 0 && !index_of_rank.contains(side.peer))
        ++count_of[{side.peer, int64_t{ranks[side.rank_index].rank}}];
  };
  count(sends_);
  count(receives_);
  for (const auto& [pair, messages] : count_of)
    diags.Skip("model_message_half",
               "rank " + std::to_string(pair.second) + "'s messages with rank " +
                   std::to_string(pair.first),
               messages);
}

// The n-th send with a sender, a receiver and a tag matches the n-th receive with the same three.
void Moments::FinishMessages(const std::vector<RankData>& ranks, const Clocks& clocks,
                             Diagnostics& diags) {
  FinishMessageNuma();
  std::map<int64_t, uint32_t> index_of_rank;
  for (const RankData& rank : ranks) index_of_rank[rank.rank] = rank.index;
  ReportHalves(ranks, index_of_rank, diags);
  const auto send_key = [&](const Side& s) {
    return std::make_tuple(int64_t{ranks[s.rank_index].rank}, s.peer, s.tag);
  };
  const auto receive_key = [&](const Side& r) {
    return std::make_tuple(r.peer, int64_t{ranks[r.rank_index].rank}, r.tag);
  };
  const auto sort = [](std::vector<Side>& sides, auto key) {
    std::stable_sort(sides.begin(), sides.end(), [&](const Side& a, const Side& b) {
      return std::make_pair(key(a), a.time_ns) < std::make_pair(key(b), b.time_ns);
    });
  };
  sort(sends_, send_key);
  sort(receives_, receive_key);
  size_t s = 0, r = 0;
  while (s < sends_.size() || r < receives_.size()) {
    const bool no_send = s == sends_.size(), no_receive = r == receives_.size();
    if (no_receive || (!no_send && send_key(sends_[s]) < receive_key(receives_[r])))
      AddMessage(&sends_[s++], nullptr, index_of_rank, clocks);
    else if (no_send || receive_key(receives_[r]) < send_key(sends_[s]) || !clocks.same_run)
      AddMessage(nullptr, &receives_[r++], index_of_rank, clocks);
    else
      AddMessage(&sends_[s++], &receives_[r++], index_of_rank, clocks);
  }
  for (const Whole& message : wholes_) AddWhole(message, clocks);
  SortMessages();
}

void Moments::SortMessages() {
  MessageTable& m = model_.messages;
  std::vector<int64_t> first(m.size());
  for (size_t i = 0; i < m.size(); ++i)
    first[i] = m.send_ns[i] != kNever ? m.send_ns[i] : m.receive_ns[i];
  const std::vector<uint32_t> order = OrderByTime(first);
  Reorder(order, m.send_ns, m.receive_ns, m.left_ns, m.asked_ns, m.source_track, m.target_track,
          m.source, m.target, m.tag, m.size_bytes, m.type, m.priority, m.send_job, m.receive_job,
          m.after_send_job, m.before_receive_job, m.send_handle, m.receive_handle, m.send_numa,
          m.receive_numa);
}

// Without task_count events (only StarPU writes them) a task counts from its submission until it is
// taken from the scheduler or, if that is not recorded, until it starts or is done. Tasks without a
// known submission do not count.
void Moments::CountSubmissions(const std::vector<RankData>& ranks) {
  for (const RankData& rank : ranks)
    if (!rank.counts_tasks) ChangesOf(rank.index).submitted.Clear();
  const TaskTable& tasks = model_.tasks;
  for (size_t row = 0; row < tasks.size(); ++row) {
    const RankData& rank = ranks[tasks.rank_index[row]];
    if (rank.counts_tasks || tasks.submit_ns[row] == kNever) continue;
    Column<int64_t>& submitted = ChangesOf(rank.index).submitted;
    submitted.push_back(tasks.submit_ns[row] * 2);
    const int64_t over_ns = tasks.pop_ns[row] != kNever     ? tasks.pop_ns[row]
                            : tasks.start_ns[row] != kNever ? tasks.start_ns[row]
                                                            : tasks.done_ns[row];
    if (over_ns != kNever) submitted.push_back(over_ns * 2 + 1);
  }
}

CounterSeries& Moments::AddSeries(CounterKind kind, uint32_t rank_index, uint32_t track) {
  CounterSeries& series =
      model_.counters.emplace_back(CounterSeries{kind, rank_index, track, {}, {}});
  series.time_ns.UseStore(columns_);
  series.value.UseStore(columns_);
  return series;
}

void Moments::FinishTaskCounters(const std::vector<RankData>& ranks,
                                 const std::vector<RepeatedRuns::Surplus>& surplus,
                                 const Clocks& clocks) {
  CountSubmissions(ranks);
  // Surplus events in the form of TaskChanges, sorted: of ready tasks and, if counted, of submitted
  // ones.
  std::vector<std::vector<int64_t>> not_ready(ranks.size()), not_submitted(ranks.size());
  for (const RepeatedRuns::Surplus& event : surplus) {
    const bool taken = event.what == RepeatedRuns::What::kTaken;
    const int64_t change = event.time_ns * 2 + taken;
    not_ready[event.rank_index].push_back(change);
    if (taken && ranks[event.rank_index].counts_tasks)
      not_submitted[event.rank_index].push_back(change);
  }
  const auto add = [&](CounterKind kind, uint32_t rank_index, Column<int64_t>& packed,
                       std::vector<int64_t>& left_out) {
    if (packed.empty()) return;
    CounterSeries& series = AddSeries(kind, rank_index, kNone);
    std::sort(left_out.begin(), left_out.end());
    auto next_left_out = left_out.begin();
    int64_t value = 0;
    const auto apply = [&](size_t, int64_t change) {
      if (next_left_out != left_out.end() && *next_left_out == change) {
        ++next_left_out;
        return;
      }
      value += change & 1 ? -1 : 1;
      series.time_ns.push_back(clocks.of_rank[rank_index](change >> 1));
      series.value.push_back(static_cast<double>(value));
    };
    if (packed.IsSorted()) {
      packed.ForEach(0, packed.size(), apply);
    } else {
      for (const int64_t change : SortedValues(packed)) apply(0, change);
    }
    packed.Clear();
  };
  for (const RankData& rank : ranks) {
    TaskChanges& changes = ChangesOf(rank.index);
    add(CounterKind::kSubmittedTasks, rank.index, changes.submitted, not_submitted[rank.index]);
    add(CounterKind::kReadyTasks, rank.index, changes.ready, not_ready[rank.index]);
  }
}

void Moments::FinishMemory(const Clocks& clocks) {
  std::stable_sort(memory_.begin(), memory_.end(),
                   [](const MemorySample& a, const MemorySample& b) {
                     return std::tie(a.node, a.time_ns) < std::tie(b.node, b.time_ns);
                   });
  uint32_t node = kNone;
  for (const MemorySample& sample : memory_) {
    const Node& of = machine_.node(sample.node);
    if (sample.node != node) {
      node = sample.node;
      AddSeries(CounterKind::kMemoryUsedBytes, of.rank_index, machine_.track_of_lane()[of.lane]);
    }
    CounterSeries& series = model_.counters.back();
    series.time_ns.push_back(clocks.of_rank[of.rank_index](sample.time_ns));
    series.value.push_back(static_cast<double>(sample.used_bytes));
  }
}

void Moments::FinishCurves(const Clocks& clocks) {
  for (Curve& curve : curves_) {
    const Clock& clock = clocks.of_rank[curve.rank_index];
    CounterSeries& series =
        AddSeries(CounterKind::kOfFile, curve.rank_index, machine_.track_of_lane()[curve.thread]);
    series.name = curve.name;
    curve.time_ns.Transform([&](size_t, int64_t local_ns) { return clock(local_ns); });
    const std::vector<uint32_t> order = OrderByTime(curve.time_ns);
    if (!order.empty()) {
      curve.time_ns.Reorder(order);
      curve.value.Reorder(order);
    }
    series.time_ns = std::move(curve.time_ns);
    series.value = std::move(curve.value);
  }
  curves_.clear();
}

void Moments::Finish(const std::vector<RankData>& ranks,
                     const std::vector<RepeatedRuns::Surplus>& surplus, const Clocks& clocks,
                     Diagnostics& diags) {
  pipe_.reset();
  diags.Skip("model_too_many_points", "points", lost_points_);
  FinishPoints(clocks);
  FinishSteals(clocks);
  FinishMessages(ranks, clocks, diags);
  ReportBackward(ranks, diags);
  if (!(parts_ & kPartCounters)) return;
  FinishTaskCounters(ranks, surplus, clocks);
  FinishMemory(clocks);
  FinishCurves(clocks);
}

}  // namespace tasklens::build
