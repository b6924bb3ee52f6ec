// SPDX-License-Identifier: Apache-2.0
// Checks the promises, table by table; whole blocks of packed columns at once where that is enough.
#include "trace/model/check_model.h"

#include <algorithm>
#include <future>
#include <random>
#include <string>

#include "trace/support/beside.h"

namespace tasklens {
namespace {

class ModelCheck {
 public:
  explicit ModelCheck(const TraceModel& model) : m_(model) {}

  Status Run() {
    Ranks();
    Workers();
    Tracks();
    if (broken_.empty()) States();
    Tasks();
    return Result();
  }
  // The other half, independent of the first.
  Status RunOnLists() {
    Edges();
    Data();
    Tags();
    Moments();
    Counters();
    return Result();
  }

 private:
  Status Result() const {
    if (broken_.empty()) return Status::Ok();
    return {ErrorCode::kCorrupt, "a promise of the model is broken: " + broken_};
  }
  bool Check(bool ok, const char* what) {
    if (!ok && broken_.empty()) broken_ = what;
    return ok;
  }

  // Checks that all columns of a table have `size` rows.
  template <class... Columns>
  void Rows(size_t size, const char* what, const Columns&... columns) {
    Check(((columns.size() == size) && ...), what);
  }
  // The same for columns that may be shorter than their table.
  template <class... Columns>
  void AtMost(size_t size, const char* what, const Columns&... columns) {
    Check(((columns.size() <= size) && ...), what);
  }

  bool IsTime(int64_t time_ns) const { return 0 <= time_ns && time_ns <= m_.duration_ns; }
  bool IsTimeOrNever(int64_t time_ns) const { return time_ns == kNever || IsTime(time_ns); }
  // For columns whose default is kNever or that have a value in every row.
  bool AreTimes(const Column<int64_t>& column) const { return column.Within(0, m_.duration_ns); }
  template <class Times>
  bool AllTimesOrNever(const Times& times) const {
    return std::all_of(times.begin(), times.end(),
                       [&](int64_t time_ns) { return IsTimeOrNever(time_ns); });
  }

  // Whether every value is a row of a table of `rows` rows, or the column's default if that is no
  // row.
  bool AreRows(const Column<uint32_t>& column, size_t rows) const {
    if (rows > 0) return column.Within(0, static_cast<uint32_t>(rows - 1));
    return column.empty() || (column.Within(kNone, kNone) && column[0] == kNone);
  }
  bool AreRows(const std::vector<uint32_t>& column, size_t rows) const {
    return std::all_of(column.begin(), column.end(), [&](uint32_t row) { return row < rows; });
  }
  bool AreRowsOrNone(const std::vector<uint32_t>& column, size_t rows) const {
    return std::all_of(column.begin(), column.end(),
                       [&](uint32_t row) { return row < rows || row == kNone; });
  }
  // The same for a column whose default, 0, must be a row too.
  bool AreRanks(const Column<uint32_t>& column, size_t size) const {
    return size == 0 ||
           (m_.ranks.size() > 0 && column.Within(0, static_cast<uint32_t>(m_.ranks.size() - 1)));
  }
  bool AreRanks(const std::vector<uint32_t>& column) const {
    return AreRows(column, m_.ranks.size());
  }

  void Ranks() {
    const RankTable& r = m_.ranks;
    Rows(r.size(), "ranks", r.clock_offset_ns, r.aligned);
    AtMost(r.size(), "ranks", r.world_size);
    Check(m_.duration_ns >= 0, "duration");
  }

  void Workers() {
    const WorkerTable& w = m_.workers;
    Rows(w.size(), "workers", w.rank_index, w.arch, w.device, w.memory_node, w.cpu, w.tid, w.name,
         w.track, w.start_ns, w.ready_ns, w.stop_ns, w.end_ns);
    Check(AreRanks(w.rank_index) && AreRows(w.track, m_.tracks.size()), "workers: rows");
    Check(AllTimesOrNever(w.start_ns) && AllTimesOrNever(w.ready_ns) &&
              AllTimesOrNever(w.stop_ns) && AllTimesOrNever(w.end_ns),
          "workers: times");
    const MemoryNodeTable& n = m_.memory_nodes;
    Rows(n.size(), "memory_nodes", n.rank_index, n.name, n.track, n.start_ns);
    Check(AreRanks(n.rank_index) && AreRows(n.track, m_.tracks.size()), "memory_nodes: rows");
    Check(AllTimesOrNever(n.start_ns), "memory_nodes: times");
  }

  void Tracks() {
    const TrackTable& t = m_.tracks;
    Rows(t.size(), "tracks", t.rank_index, t.id, t.name, t.start_ns, t.end_ns);
    Check(AreRanks(t.rank_index), "tracks: rank_index");
    Check(AllTimesOrNever(t.start_ns) && AllTimesOrNever(t.end_ns), "tracks: times");
    Check(std::all_of(t.kind.begin(), t.kind.end(),
                      [](TrackKind kind) { return kind <= TrackKind::kComm; }),
          "tracks: kind");
  }

  void States() {
    const StateTable& s = m_.states;
    const auto& first = s.first_of_track;
    Rows(s.size(), "states", s.start_ns, s.end_ns, s.depth);
    AtMost(s.size(), "states", s.task, s.name);
    Check(AreTimes(s.start_ns) && AreTimes(s.end_ns), "states: times");
    Check(s.kind.Within(StateKind{0}, LastState()), "states: kind");
    Check(AreRows(s.task, m_.tasks.size()), "states: task");
    const bool whole = first.size() == m_.tracks.size() + 1 && first.front() == 0 &&
                       first.back() == s.size() && std::is_sorted(first.begin(), first.end());
    if (!Check(whole || (first.size() == 1 && s.size() == 0), "states: first_of_track")) return;
    Check(s.start_ns.AtMost(s.end_ns), "states: ends before it starts");
    Check(s.start_ns.IsSorted([&](size_t row) {
      return std::binary_search(first.begin(), first.end(), static_cast<uint32_t>(row));
    }),
          "states: order");
  }
  static StateKind LastState() {
    return static_cast<StateKind>(static_cast<int>(StateKind::kCount) - 1);
  }

  void Tasks() {
    const TaskTable& t = m_.tasks;
    AtMost(t.size(), "tasks", t.rank_index, t.name, t.model, t.arch, t.site, t.submit_ns,
           t.ready_ns, t.pop_ns, t.start_ns, t.end_ns, t.done_ns, t.paused_ns, t.worker,
           t.last_start_ns, t.last_worker, t.memory_node, t.ctx, t.priority, t.iteration,
           t.subiteration, t.submit_order, t.tag, t.has_tag, t.footprint, t.has_footprint,
           t.size_bytes, t.flops, t.rgb, t.type, t.hidden, t.has_submit, t.resubmissions, t.cut,
           t.parent, t.is_recursive, t.level);
    Check(AreRanks(t.rank_index, t.size()) && AreRows(t.site, m_.sites.size()) &&
              AreRows(t.worker, m_.workers.size()) && AreRows(t.last_worker, m_.workers.size()) &&
              AreRows(t.parent, t.size()),
          "tasks: rows");
    Check(AreTimes(t.submit_ns) && AreTimes(t.ready_ns) && AreTimes(t.pop_ns) &&
              AreTimes(t.start_ns) && AreTimes(t.end_ns) && AreTimes(t.done_ns) &&
              AreTimes(t.last_start_ns),
          "tasks: times");
    Check(t.start_ns.AtMost(t.end_ns), "tasks: end");
    const StretchTable& y = m_.stretches;
    Rows(y.size(), "stretches", y.worker, y.start_ns, y.end_ns);
    Check(AreRows(y.task, t.size()) && AreRowsOrNone(y.worker, m_.workers.size()) &&
              AllTimesOrNever(y.start_ns) && AllTimesOrNever(y.end_ns),
          "stretches: rows");
    const CodeletTable& c = m_.codelets;
    Rows(c.size(), "codelets", c.rank_index, c.archs);
    Check(AreRows(c.rank_index, m_.ranks.size()), "codelets: rows");
    Rows(m_.bindings.size(), "bindings", m_.bindings.worker);
    Check(AreRows(m_.bindings.task, t.size()) && AreRows(m_.bindings.worker, m_.workers.size()) &&
              std::is_sorted(m_.bindings.task.begin(), m_.bindings.task.end()),
          "bindings: rows");
    const ExecutionTable& x = m_.executions;
    AtMost(x.size(), "executions", x.task, x.worker, x.end_ns, x.run, x.submit_ns, x.submit_order,
           x.cut);
    Check(AreRows(x.task, t.size()) && AreRows(x.worker, m_.workers.size()) && x.task.IsSorted(),
          "executions: rows");
    Check(AreTimes(x.start_ns) && AreTimes(x.end_ns) && AreTimes(x.submit_ns) &&
              x.start_ns.AtMost(x.end_ns),
          "executions: times");
    Rows(t.size(), "tasks_by_job", m_.tasks_by_job);
    Check(AreRows(m_.tasks_by_job, t.size()), "tasks_by_job: rows");
    Check(AreRows(m_.papi.task, t.size()) && AreRows(m_.estimates.task, t.size()),
          "papi, estimates: rows");
    Rows(m_.papi.task.size(), "papi", m_.papi.code, m_.papi.value);
    Rows(m_.estimates.task.size(), "estimates", m_.estimates.worker, m_.estimates.length_ns,
         m_.estimates.transfer_ns);
    for (const auto& [releaser, delayed] : m_.end_deps)
      Check(releaser < t.size() && delayed < t.size(), "end_deps");
  }

  // Checks that there are lists for each of `rows` rows, or none at all.
  template <class L>
  bool AreLists(const L& lists, size_t rows, const char* what) {
    const auto& offsets = lists.offsets;
    return Check(!offsets.empty() && (offsets.size() == 1 || lists.size() == rows) &&
                     offsets.front() == 0 && offsets.back() == lists.items.size(),
                 what);
  }

  void Edges() {
    const size_t tasks = m_.tasks.size();
    if (!AreLists(m_.predecessors, tasks, "predecessors") ||
        !AreLists(m_.successors, tasks, "successors") ||
        !Check(m_.predecessors.offsets.IsSorted() && m_.successors.offsets.IsSorted(),
               "edges: offsets") ||
        !Check(AreEnds(m_.predecessors) && AreEnds(m_.successors), "edges: rows"))
      return;
    // Both lists must give the same sum of random numbers, one per edge. A file cannot predict the
    // numbers, so it cannot be made to pass with different edges.
    std::random_device device;
    const auto draw = [&] { return (uint64_t{device()} << 32 | device()) | 1; };
    const Drawn before{draw(), draw()}, after{draw(), draw()};
    Check(SumOfEdges(m_.predecessors, after, before) == SumOfEdges(m_.successors, before, after),
          "edges: ends differ");
  }
  bool AreEnds(const DepLists& lists) const {
    const Column<uint32_t>& task = lists.items.template Field<0>();
    // A row without a value would be read as task 0.
    return task.size() <= lists.items.size() &&
           (lists.items.empty() ||
            (m_.tasks.size() > 0 && task.Within(0, static_cast<uint32_t>(m_.tasks.size() - 1))));
  }
  // A random number for each task; the number of an edge is the product of those of its ends.
  struct Drawn {
    uint64_t secret, factor;
    uint64_t operator()(uint64_t task) const {
      const uint64_t mixed = (task ^ secret) * 0x9e3779b97f4a7c15;
      return (mixed ^ (mixed >> 32)) * factor;
    }
  };
  // Returns the sum over the edges of the lists. The sum of a list is the difference of two prefix
  // sums over all items, so that the time does not depend on the length of the list.
  uint64_t SumOfEdges(const DepLists& lists, Drawn owner, Drawn other) const {
    constexpr size_t kBlock = PackedWords::kRows;
    const Column<uint32_t>& task = lists.items.template Field<0>();
    uint64_t sums[kBlock + 1];  // prefix sums of a block
    uint64_t sum = 0, sum_of_lists = 0;
    size_t row = 0;
    sums[0] = 0;
    for (size_t begin = 0; begin < lists.items.size(); begin += kBlock) {
      const size_t end = std::min(begin + kBlock, lists.items.size());
      uint64_t so_far = sums[0];
      task.ForEach(begin, end, [&](size_t item, uint32_t value) {
        sums[item - begin + 1] = so_far += other(value);
      });
      for (size_t row_end; row < lists.size() && (row_end = lists.offsets[row + 1]) <= end; ++row) {
        sum += owner(row) * (sums[row_end - begin] - sum_of_lists);
        sum_of_lists = sums[row_end - begin];
      }
      sums[0] = so_far;
    }
    return sum;
  }

  void Data() {
    const size_t tasks = m_.tasks.size(), handles = m_.handles.size();
    if (AreLists(m_.accesses, tasks, "accesses") && AreLists(m_.parameters, tasks, "parameters"))
      Check(m_.accesses.offsets.IsSorted() && m_.parameters.offsets.IsSorted(),
            "accesses, parameters: offsets");
    const auto& handle = m_.accesses.items.template Field<0>();
    Check(m_.accesses.items.empty() ||
              (handles > 0 && handle.Within(0, static_cast<uint32_t>(handles - 1))),
          "accesses: handle");
    const HandleTable& h = m_.handles;
    Rows(handles, "handles", h.rank_index);
    AtMost(handles, "handles", h.size_bytes, h.max_size_bytes, h.home_node, h.parent, h.name,
           h.description, h.register_ns, h.unregister_ns, h.mpi_owner, h.mpi_tag);
    Check(AreRanks(h.rank_index), "handles: rank_index");
    Check(AreTimes(h.register_ns) && AreTimes(h.unregister_ns), "handles: times");
    if (AreLists(h.coordinates, handles, "handles: coordinates"))
      Check(std::is_sorted(h.coordinates.offsets.begin(), h.coordinates.offsets.end()),
            "handles: coordinates");
    const TransferTable& t = m_.transfers;
    Rows(t.size(), "transfers", t.end_ns, t.rank_index, t.source_node, t.target_node, t.size_bytes,
         t.copy_id, t.reason, t.handle);
    Check(AreRanks(t.rank_index), "transfers: rank_index");
    Check(std::is_sorted(t.start_ns.begin(), t.start_ns.end()), "transfers: order");
    for (size_t i = 0; i < t.end_ns.size() && i < t.size(); ++i)
      Check(IsTime(t.start_ns[i]) &&
                (t.end_ns[i] == kNever || (IsTime(t.end_ns[i]) && t.start_ns[i] <= t.end_ns[i])),
            "transfers: times");
    Check(std::all_of(t.reason.begin(), t.reason.end(),
                      [](CopyReason reason) { return reason <= CopyReason::kIdleFetch; }),
          "transfers: reason");
    const SiteTable& s = m_.sites;
    Rows(s.size(), "sites", s.line, s.function);
  }

  void Tags() {
    const TagTable& g = m_.tags;
    Rows(g.size(), "tags", g.rank_index);
    AtMost(g.size(), "tags", g.name, g.done_ns, g.site);
    Check(AreRanks(g.rank_index) && AreTimes(g.done_ns) && AreRows(g.site, m_.sites.size()),
          "tags: rows");
    for (const auto& [father, child] : g.deps)
      Check(father < g.size() && child < g.size(), "tags: deps");
    for (const auto& [tag, task] : g.owners)
      Check(tag < g.size() && task < m_.tasks.size(), "tags: owners");
  }

  void Moments() {
    const PointTable& p = m_.points;
    Rows(p.size(), "points", p.time_ns);
    AtMost(p.size(), "points", p.track, p.rank_index);
    Check(AreTimes(p.time_ns) && p.time_ns.IsSorted(), "points: times");
    Check(AreRanks(p.rank_index, p.size()) && AreRows(p.track, m_.tracks.size()), "points: rows");
    Check(p.kind.Within(EventKind{0}, static_cast<EventKind>(kEventKinds - 1)), "points: kind");
    if (broken_.empty() && AreLists(p.args, p.size(), "points: arguments")) PointArguments();
    const StealTable& s = m_.steals;
    Rows(s.size(), "steals", s.rank_index, s.thief, s.victim);
    Check(AreRanks(s.rank_index) && AllTimesOrNever(s.time_ns), "steals: rows");
    const MessageTable& g = m_.messages;
    Rows(g.size(), "messages", g.receive_ns, g.left_ns, g.asked_ns, g.source_track, g.target_track,
         g.source, g.target, g.tag, g.size_bytes, g.type, g.priority, g.send_job, g.receive_job,
         g.send_handle, g.receive_handle, g.send_numa, g.receive_numa);
    Check(AreRowsOrNone(g.source, m_.ranks.size()) && AreRowsOrNone(g.target, m_.ranks.size()) &&
              AreRowsOrNone(g.source_track, m_.tracks.size()) &&
              AreRowsOrNone(g.target_track, m_.tracks.size()) && AllTimesOrNever(g.send_ns) &&
              AllTimesOrNever(g.receive_ns) && AllTimesOrNever(g.left_ns) &&
              AllTimesOrNever(g.asked_ns),
          "messages: rows");
  }
  // Points have as many arguments as their kind declares, so that readers find each one.
  void PointArguments() {
    const PointTable& p = m_.points;
    bool right = p.args.offsets.IsSorted();
    uint64_t begin = 0;
    p.kind.ForEach(0, p.size(), [&](size_t point, EventKind kind) {
      const uint64_t end = p.args.offsets[point + 1];
      right = right && Decl(kind).arg_count <= end - begin && end - begin <= kMaxArgs;
      begin = end;
    });
    Check(right, "points: number of arguments");
  }

  void Counters() {
    for (const CounterSeries& c : m_.counters) {
      Rows(c.value.size(), "counters", c.time_ns);
      Check(c.kind <= CounterKind::kOfFile && c.rank_index < m_.ranks.size() &&
                (c.track == kNone || c.track < m_.tracks.size()) && !c.value.empty(),
            "counters: rows");
      Check(AreTimes(c.time_ns) && c.time_ns.IsSorted(), "counters: times");
    }
  }

  const TraceModel& m_;
  std::string broken_;
};

}  // namespace

Status CheckModel(const TraceModel& model) {
  constexpr size_t kWorthAThread = 100'000;
  std::future<Status> lists =
      BesideIf(model.tasks.size() >= kWorthAThread, [&] { return ModelCheck(model).RunOnLists(); });
  const Status tables = ModelCheck(model).Run();
  const Status of_lists = lists.get();
  return tables.ok() ? of_lists : tables;
}

}  // namespace tasklens
