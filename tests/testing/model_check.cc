// SPDX-License-Identifier: Apache-2.0
// The promises of trace_model.h, one by one.
#include "tests/testing/model_check.h"

#include <algorithm>
#include <set>

namespace tasklens::testing {
namespace {

// Collects the first complaint.
class Checker {
 public:
  explicit Checker(const TraceModel& model) : m_(model) {}

  std::string Run() {
    Ranks();
    Workers();
    Tracks();
    for (uint32_t track = 0; track < m_.tracks.size() && what_.empty(); ++track) States(track);
    Tasks();
    Edges();
    Data();
    Moments();
    return what_;
  }

 private:
  bool Check(bool ok, const char* what, size_t row) {
    if (!ok && what_.empty()) what_ = std::string(what) + " (row " + std::to_string(row) + ")";
    return ok;
  }
  bool IsTime(int64_t time_ns) const { return time_ns >= 0 && time_ns <= m_.duration_ns; }
  bool IsTimeOrNever(int64_t time_ns) const { return time_ns == kNever || IsTime(time_ns); }
  bool IsRank(uint32_t index) const { return index < m_.ranks.size(); }
  bool IsTrackOrNone(uint32_t index) const { return index == kNone || index < m_.tracks.size(); }

  void Ranks() {
    std::set<uint32_t> seen;
    for (size_t i = 0; i < m_.ranks.size(); ++i)
      Check(seen.insert(m_.ranks.rank[i]).second, "ranks: the same twice", i);
    Check(m_.ranks.clock_offset_ns.size() == m_.ranks.size(), "ranks: clock_offset_ns", 0);
    Check(m_.ranks.aligned.size() == m_.ranks.size(), "ranks: aligned", 0);
    Check(m_.duration_ns >= 0, "duration_ns is negative", 0);
  }

  void Workers() {
    const WorkerTable& w = m_.workers;
    for (size_t i = 0; i < w.size(); ++i) {
      Check(IsRank(w.rank_index[i]), "workers: rank_index", i);
      if (!Check(w.track[i] < m_.tracks.size(), "workers: track", i)) return;
      Check(m_.tracks.kind[w.track[i]] == TrackKind::kWorker, "workers: kind of the track", i);
      Check(m_.tracks.id[w.track[i]] == w.id[i], "workers: id of the track", i);
      Check(IsTimeOrNever(w.start_ns[i]) && IsTimeOrNever(w.ready_ns[i]) &&
                IsTimeOrNever(w.stop_ns[i]) && IsTimeOrNever(w.end_ns[i]),
            "workers: a time", i);
      const bool in_order = i == 0 || std::make_pair(w.rank_index[i - 1], w.id[i - 1]) <
                                          std::make_pair(w.rank_index[i], w.id[i]);
      Check(in_order, "workers: not in order of (rank, id)", i);
    }
    for (size_t i = 0; i < m_.memory_nodes.size(); ++i) {
      Check(IsRank(m_.memory_nodes.rank_index[i]), "memory_nodes: rank_index", i);
      if (!Check(m_.memory_nodes.track[i] < m_.tracks.size(), "memory_nodes: track", i)) return;
      Check(m_.tracks.kind[m_.memory_nodes.track[i]] == TrackKind::kMemoryNode,
            "memory_nodes: kind of the track", i);
    }
  }

  void Tracks() {
    const TrackTable& t = m_.tracks;
    for (size_t i = 0; i < t.size(); ++i) {
      Check(IsRank(t.rank_index[i]), "tracks: rank_index", i);
      Check(!m_.str(t.name[i]).empty(), "tracks: no name", i);
      Check(IsTime(t.start_ns[i]) && IsTime(t.end_ns[i]) && t.start_ns[i] <= t.end_ns[i],
            "tracks: times", i);
    }
    Check(m_.states.first_of_track.size() == t.size() + 1, "states: first_of_track", 0);
    Check(m_.states.first_of_track.back() == m_.states.size(), "states: first_of_track's end", 0);
  }

  // Tiles of depth 0 without gap, doubles or empty ones; deeper ones within those they interrupt.
  void States(uint32_t track) {
    const StateTable& s = m_.states;
    const uint32_t first = s.first_of_track[track], end = s.first_of_track[track + 1];
    if (first == end) return;
    if (!Check(first < end && end <= s.size(), "states: range of a track", track)) return;
    Check(s.depth[first] == 0, "states: a track begins inside a state", first);
    Check(s.start_ns[first] == m_.tracks.start_ns[track], "states: begin after their track", first);
    std::vector<uint32_t> open;  // the latest row of each depth
    uint32_t tile = first;
    for (uint32_t i = first; i < end && what_.empty(); ++i) {
      Check(s.kind[i] < StateKind::kCount, "states: kind", i);
      Check(s.start_ns[i] <= s.end_ns[i], "states: ends before it starts", i);
      Check(i == first || s.start_ns[i] >= s.start_ns[i - 1], "states: not sorted", i);
      Check(s.task[i] == kNone || s.task[i] < m_.tasks.size(), "states: task", i);
      if (!Check(s.depth[i] <= open.size(), "states: a depth is left out", i)) return;
      open.resize(s.depth[i]);
      if (s.depth[i] > 0) {
        const uint32_t outer = open.back();
        Check(s.start_ns[i] >= s.start_ns[outer] && s.end_ns[i] <= s.end_ns[outer],
              "states: not within the one it interrupts", i);
      } else if (i > first) {
        Check(s.start_ns[i] == s.end_ns[tile], "states: gap between tiles", i);
        const bool is_task = s.kind[i] == StateKind::kTask && s.task[i] != kNone;
        Check(s.start_ns[i] < s.end_ns[i] || is_task, "states: empty tile", i);
        Check(is_task || s.kind[i] != s.kind[tile] || s.task[i] != s.task[tile] ||
                  s.name[i] != s.name[tile],
              "states: equal tiles", i);
        tile = i;
      }
      open.push_back(i);
    }
    Check(s.end_ns[tile] == m_.tracks.end_ns[track], "states: end before their track", tile);
  }

  void Tasks() {
    const TaskTable& t = m_.tasks;
    for (uint32_t i = 0; i < t.size() && what_.empty(); ++i) {
      Check(IsRank(t.rank_index[i]), "tasks: rank_index", i);
      Check(t.site[i] == kNone || t.site[i] < m_.sites.size(), "tasks: site", i);
      Check(t.worker[i] == kNone || t.worker[i] < m_.workers.size(), "tasks: worker", i);
      Check(t.parent[i] == kNone || t.parent[i] < t.size(), "tasks: parent", i);
      Check(IsTimeOrNever(t.submit_ns[i]) && IsTimeOrNever(t.ready_ns[i]) &&
                IsTimeOrNever(t.pop_ns[i]) && IsTimeOrNever(t.start_ns[i]) &&
                IsTimeOrNever(t.end_ns[i]) && IsTimeOrNever(t.done_ns[i]),
            "tasks: a time", i);
      Check(t.start_ns[i] == kNever || t.end_ns[i] >= t.start_ns[i], "tasks: end", i);
      Check(m_.FindTask(t.rank_index[i], t.job[i]) == i, "tasks: not found by its job", i);
    }
    const ExecutionTable& x = m_.executions;
    for (uint32_t i = 0; i < x.size() && what_.empty(); ++i) {
      Check(x.task[i] < t.size() && (x.worker[i] == kNone || x.worker[i] < m_.workers.size()),
            "executions: rows", i);
      Check(IsTime(x.start_ns[i]) && IsTime(x.end_ns[i]) && x.start_ns[i] <= x.end_ns[i] &&
                IsTimeOrNever(x.submit_ns[i]),
            "executions: times", i);
      Check(i == 0 || x.task[i - 1] < x.task[i] ||
                (x.task[i - 1] == x.task[i] && x.start_ns[i - 1] <= x.start_ns[i] &&
                 x.run[i - 1] <= x.run[i]),
            "executions: order", i);
    }
    for (const auto& [releaser, delayed] : m_.end_deps)
      Check(releaser < t.size() && delayed < t.size(), "end_deps", releaser);
    for (const auto& [tag, task] : m_.tags.owners)
      Check(tag < m_.tags.size() && task < t.size(), "tags: owners", tag);
    for (const auto& [father, child] : m_.tags.deps)
      Check(father < m_.tags.size() && child < m_.tags.size(), "tags: deps", father);
    for (uint32_t task : m_.papi.task) Check(task < t.size(), "papi: task", task);
    for (uint32_t task : m_.estimates.task) Check(task < t.size(), "estimates: task", task);
  }

  template <class Items>
  void CheckLists(const PackedLists<Items>& lists, const char* what) {
    Check(lists.offsets.size() == 1 || lists.size() == m_.tasks.size(), what, lists.size());
    Check(std::is_sorted(lists.offsets.begin(), lists.offsets.end()), what, 0);
    Check(lists.offsets.front() == 0 && lists.offsets.back() == lists.items.size(), what, 0);
  }

  void Edges() {
    CheckLists(m_.predecessors, "predecessors: offsets");
    CheckLists(m_.successors, "successors: offsets");
    Check(m_.predecessors.items.size() == m_.successors.items.size(), "edges: counts differ", 0);
    for (uint32_t i = 0; i < m_.tasks.size() && what_.empty(); ++i) {
      for (const DepEnd& end : m_.predecessors[i]) {
        if (!Check(end.task < m_.tasks.size() && end.task != i, "predecessors: task", i)) return;
        const auto back = m_.successors[end.task];
        Check(std::count(back.begin(), back.end(), DepEnd{i, end.label}) == 1,
              "edges: not seen from the other end, or twice", i);
      }
    }
  }

  void Data() {
    CheckLists(m_.accesses, "accesses: offsets");
    CheckLists(m_.parameters, "parameters: offsets");
    for (const TaskAccess& access : m_.accesses.items)
      Check(access.handle < m_.handles.size(), "accesses: handle", access.handle);
    for (size_t i = 0; i < m_.handles.size(); ++i) {
      Check(IsRank(m_.handles.rank_index[i]), "handles: rank_index", i);
      Check(IsTimeOrNever(m_.handles.register_ns[i]) && IsTimeOrNever(m_.handles.unregister_ns[i]),
            "handles: a time", i);
    }
    const TransferTable& t = m_.transfers;
    Check(std::is_sorted(t.start_ns.begin(), t.start_ns.end()), "transfers: not sorted", 0);
    for (size_t i = 0; i < t.size(); ++i)
      Check(IsTime(t.start_ns[i]) && (t.end_ns[i] == kNever || t.end_ns[i] >= t.start_ns[i]),
            "transfers: times", i);
  }

  void Moments() {
    const PointTable& p = m_.points;
    Check(std::is_sorted(p.time_ns.begin(), p.time_ns.end()), "points: not sorted", 0);
    Check(p.args.size() == p.size() && p.args.offsets.back() == p.args.items.size(),
          "points: arguments' offsets", 0);
    for (size_t i = 0; i < p.size() && what_.empty(); ++i) {
      Check(IsTime(p.time_ns[i]), "points: time", i);
      Check(IsTrackOrNone(p.track[i]) && IsRank(p.rank_index[i]), "points: track", i);
      Check(p.Args(i).size() >= Decl(p.kind[i]).arg_count, "points: arguments", i);
    }
    const StealTable& s = m_.steals;
    Check(std::is_sorted(s.time_ns.begin(), s.time_ns.end()), "steals: not sorted", 0);
    const MessageTable& g = m_.messages;
    for (size_t i = 0; i < g.size(); ++i) {
      Check(IsTimeOrNever(g.send_ns[i]) && IsTimeOrNever(g.receive_ns[i]), "messages: time", i);
      Check(g.send_ns[i] != kNever || g.receive_ns[i] != kNever, "messages: no time", i);
      Check(g.source[i] == kNone || IsRank(g.source[i]), "messages: source", i);
      Check(g.target[i] == kNone || IsRank(g.target[i]), "messages: target", i);
    }
    for (size_t i = 0; i < m_.counters.size(); ++i) {
      const CounterSeries& c = m_.counters[i];
      Check(IsRank(c.rank_index) && IsTrackOrNone(c.track), "counters: rank or track", i);
      Check(c.time_ns.size() == c.value.size() && !c.value.empty(), "counters: lengths", i);
      Check(std::is_sorted(c.time_ns.begin(), c.time_ns.end()), "counters: not sorted", i);
    }
  }

  const TraceModel& m_;
  std::string what_;
};

}  // namespace

std::string BrokenPromise(const TraceModel& model) { return Checker(model).Run(); }

}  // namespace tasklens::testing
