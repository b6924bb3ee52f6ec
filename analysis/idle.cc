// SPDX-License-Identifier: Apache-2.0
// One sweep over time per rank.
//
// A change affects few workers: those that wait for work are in one queue per kind, the part at the
// front of a queue being as long as there are ready tasks; the cause of all others is integrated
// once for the rank.
#include "analysis/idle.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "analysis/best_until.h"
#include "analysis/eligible_workers.h"
#include "analysis/execution_order.h"
#include "analysis/lists.h"
#include "analysis/pixels.h"
#include "analysis/sort_by_time.h"
#include "analysis/sum.h"
#include "analysis/task_stretches.h"
#include "analysis/workers_of_tasks.h"
#include "trace/model/questions.h"
#include "trace/support/pages.h"

namespace tasklens {
namespace {

enum class Change : uint8_t {
  kAlive,    // worker, sign
  kBusy,     // worker, sign
  kTaken,    // worker, sign: it has taken a task and not started it yet
  kState,    // worker, depth, activity: a state begins (sign +) or ends (-)
  kWaiting,  // class of tasks, sign: a submitted task that is not ready
  kReady,    // class of tasks, sign: a task that no worker has taken
  kCopy,     // node, sign: a copy to it
  kMessage,  // sign: a message to this rank
};

// The meaning of a worker's state for its idle time.
enum class Activity : uint8_t { kNone, kFree, kBusy, kTransfer, kRuntime };

struct Moment {
  int64_t time_ns;
  uint32_t index;  // worker row, class of tasks, or node
  Change change;
  int8_t sign;
  uint8_t depth;
  Activity activity;
};

Activity ActivityOf(StateKind kind) {
  switch (kind) {
    case StateKind::kTask: return Activity::kBusy;
    case StateKind::kFetchingInput:
    case StateKind::kPushingOutput: return Activity::kTransfer;
    case StateKind::kNone:
    case StateKind::kIdle:
    case StateKind::kSleeping:
    case StateKind::kScheduling:
    case StateKind::kProgressing:
    case StateKind::kWaitingTask:
    case StateKind::kWaitingAllTasks: return Activity::kFree;
    default: return Activity::kRuntime;
  }
}

// Integrates the time during which a condition holds.
class Clocked {
 public:
  void Set(int64_t now_ns, bool holds) {
    if (holds == holds_) return;
    total_ns_ = At(now_ns);
    since_ns_ = now_ns;
    holds_ = holds;
  }
  int64_t At(int64_t now_ns) const { return total_ns_ + (holds_ ? now_ns - since_ns_ : 0); }

 private:
  int64_t total_ns_ = 0, since_ns_ = 0;
  bool holds_ = false;
};

// Integrates the causes of free workers of a kind.
class FreeTime {
 public:
  void Set(int64_t now_ns, IdleCause cause, bool behind_others) {
    behind_others_.Set(now_ns, behind_others);
    if (cause == cause_) return;
    total_ns_[static_cast<size_t>(cause_)] += now_ns - since_ns_;
    since_ns_ = now_ns;
    cause_ = cause;
  }
  int64_t At(int64_t now_ns, size_t cause) const {
    return total_ns_[cause] + (cause == static_cast<size_t>(cause_) ? now_ns - since_ns_ : 0);
  }
  int64_t BehindOthersAt(int64_t now_ns) const { return behind_others_.At(now_ns); }

 private:
  CauseTimes total_ns_{};
  int64_t since_ns_ = 0;
  IdleCause cause_ = IdleCause::kNothingSubmitted;
  Clocked behind_others_;
};

enum class Mode : uint8_t { kAway, kDirect, kTaken, kKept, kFree };

struct Worker {
  int busy = 0, taken = 0, alive = 0;
  std::vector<Activity> states;  // by depth, kNone if there is none; the last one counts
  uint32_t kind = 0, node = kNone;
  Mode mode = Mode::kAway;
  IdleCause direct = IdleCause::kRuntime;  // for kDirect
  int64_t since_ns = 0;
  CauseTimes mark{};        // kFree: FreeTime of its kind; kTaken: [0] that of the node
  int64_t mark_behind = 0;  // kFree
  IdlePause pause{};        // the current one
  uint32_t before = kNone, after = kNone;  // in the queue of its kind
  bool touched = false;
};

// Workers of one kind that wait for work, the longest waiting first; the first `kept` could have
// it.
struct Queue {
  uint32_t first = kNone, last = kNone, first_free = kNone;
  uint32_t size = 0, kept = 0;
};

// The rows of a table, as one list per rank.
template <class Table, class Ranks>
Lists<uint32_t> ByRank(const TraceModel& model, const Table& table, const Ranks& rank_of_row) {
  return MakeLists(
      model.ranks.size(), table.size(), [&](size_t row) { return rank_of_row[row]; },
      [](size_t row) { return static_cast<uint32_t>(row); });
}

// Data shared by all sweeps.
struct Common {
  const TraceModel& model;
  EligibleWorkers kinds;
  BestUntil best_until;
  Lists<uint32_t> workers, nodes, tasks, copies, messages;
  std::vector<uint32_t> place;  // per worker: its index among those of its rank

  Common(const TraceModel& m, Stop stop)
      : model(m),
        kinds(m),
        best_until(m, kinds, stop),
        workers(ByRank(m, m.workers, m.workers.rank_index)),
        nodes(ByRank(m, m.memory_nodes, m.memory_nodes.rank_index)),
        tasks(ByRank(m, m.tasks, m.tasks.rank_index)),
        copies(ByRank(m, m.transfers, m.transfers.rank_index)),
        messages(ByRank(m, m.messages, m.messages.target)),
        place(m.workers.size()) {
    for (uint32_t rank = 0; rank < m.ranks.size(); ++rank)
      for (uint32_t i = 0; i < workers[rank].size(); ++i) place[workers[rank][i]] = i;
  }
};

// Collects the pauses of the sweeps, in order for each worker. In blocks: a single growing array
// would be moved again and again, and there are as many pauses as tasks.
class FoundPauses {
 public:
  void Add(const IdlePause& pause) {
    if (blocks_.empty() || blocks_.back().size() == kBlock) blocks_.emplace_back().reserve(kBlock);
    blocks_.back().push_back(pause);
  }

  // Moves all pauses into `report`, sorted by worker, then by time.
  void MoveInto(IdleReport& report) {
    std::vector<uint32_t>& first = report.first_of_worker;
    first.assign(report.workers.size() + 1, 0);
    for (const auto& block : blocks_)
      for (const IdlePause& pause : block) ++first[pause.worker + 1];
    for (size_t worker = 1; worker < first.size(); ++worker) first[worker] += first[worker - 1];
    report.pauses.resize(first.back());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (auto& block : blocks_) {
      for (const IdlePause& pause : block) report.pauses[next[pause.worker]++] = pause;
      block = {};  // frees each block, so that memory never holds all pauses twice
    }
    blocks_.clear();
  }

 private:
  static constexpr size_t kBlock = size_t{1} << 14;
  std::vector<std::vector<IdlePause>> blocks_;
};

class Sweep {
 public:
  Sweep(const Common& common, uint32_t rank, Span window, IdleReport& report, FoundPauses& found)
      : common_(common),
        model_(common.model),
        kinds_(common.kinds),
        rank_(rank),
        window_(window),
        report_(report),
        found_(found),
        workers_(common.workers[rank].size()) {}

  void Run(Stop stop) {
    moments_.reserve(MostMoments());
    AddWorkers();
    if (Stopped(stop)) return;
    AddTasks();
    AddTraffic();
    if (Stopped(stop)) return;
    SortByTime(moments_);
    queues_.resize(kinds_.kinds());
    want_.resize(kinds_.kinds());
    free_.resize(kinds_.kinds());
    causes_.resize(kinds_.kinds(), IdleCause::kNothingSubmitted);
    for (size_t i = 0; i < moments_.size();) {
      if (Stopped(stop)) return;
      const int64_t now_ns = moments_[i].time_ns;
      for (; i < moments_.size() && moments_[i].time_ns == now_ns; ++i) Apply(moments_[i]);
      Settle(now_ns);
    }
  }

 private:
  // --- Collecting the moments of change --------------------------------------------------------

  // Memory is allocated for this many at a time. Even, because they are added in pairs.
  static constexpr size_t kMomentsAtOnce = size_t{1} << 17;

  // `change` holds from `from_ns` to `to_ns`, clipped to the window.
  void Add(Change change, uint32_t index, int64_t from_ns, int64_t to_ns, uint8_t depth = 0,
           Activity activity = Activity::kFree) {
    from_ns = std::clamp(from_ns, window_.begin_ns, window_.end_ns);
    to_ns = std::clamp(to_ns, window_.begin_ns, window_.end_ns);
    if (from_ns >= to_ns) return;
    if (moments_.size() % kMomentsAtOnce == 0)
      TakePages(moments_.data() + moments_.size(),
                std::min(kMomentsAtOnce, moments_.capacity() - moments_.size()) * sizeof(Moment));
    moments_.push_back({from_ns, index, change, 1, depth, activity});
    moments_.push_back({to_ns, index, change, -1, depth, activity});
  }

  // Returns an upper bound on the number of moments; unused capacity takes no memory.
  size_t MostMoments() const {
    // A task may be ready for each kind of worker in turn.
    const size_t of_task = common_.best_until.empty() ? 4 : 3 + kinds_.kinds();
    size_t conditions = common_.copies[rank_].size() + common_.messages[rank_].size() +
                        of_task * common_.tasks[rank_].size();
    for (const uint32_t row : common_.workers[rank_])
      conditions += 1 + StatesOf(model_.states, model_.workers.track[row]).size();
    return 2 * conditions;
  }

  void AddWorkers() {
    const WorkerTable& table = model_.workers;
    fetching_ = common_.nodes[rank_].size() > 1 || !common_.copies[rank_].empty()
                    ? Activity::kTransfer
                    : Activity::kRuntime;
    for (const uint32_t row : common_.workers[rank_]) {
      Worker& worker = WorkerOf(row);
      worker.kind = kinds_.KindOf(row);
      worker.node = NodeOf(table.memory_node[row]);
      const Span& measured = report_.workers[row].measured;
      Add(Change::kAlive, row, measured.begin_ns, measured.end_ns);
      AddStates(row, table.track[row]);
    }
  }

  void AddStates(uint32_t row, uint32_t track) {
    const StateTable& states = model_.states;
    if (size_t{track} + 1 >= states.first_of_track.size()) return;
    const uint32_t first = states.first_of_track[track], last = states.first_of_track[track + 1];
    const bool detailed =
        std::any_of(states.kind.begin() + first, states.kind.begin() + last, [](StateKind kind) {
          return kind == StateKind::kScheduling || kind == StateKind::kSleeping ||
                 kind == StateKind::kProgressing || kind == StateKind::kFetchingInput;
        });
    // For each depth a stretch that may continue: adjacent states of one activity are joined.
    struct Stretch {
      int64_t from_ns = 0, to_ns = 0;
      Activity activity = Activity::kFree;
    };
    std::vector<Stretch> open;
    const auto add = [&](uint8_t depth) {
      const Stretch& o = open[depth];
      Add(Change::kState, row, o.from_ns, o.to_ns, depth, o.activity);
    };
    const auto look_at = [&](size_t s, int64_t start_ns, int64_t end_ns, StateKind kind,
                             uint8_t depth) {
      Activity activity = ActivityOf(kind);
      if (activity == Activity::kTransfer) activity = fetching_;
      if (activity == Activity::kRuntime && !detailed) activity = Activity::kFree;
      if (activity == Activity::kFree && depth == 0) return;  // no state beneath it
      if (activity == Activity::kBusy) {
        // AddTasks() adds the same time, except for the parts of a parallel task, each with its own
        // end, for a task that paused, and for earlier runs of a task.
        if (!IsRunOf(states.task[s], row, start_ns)) Add(Change::kBusy, row, start_ns, end_ns);
        return;
      }
      if (depth >= open.size()) open.resize(depth + size_t{1});
      Stretch& o = open[depth];
      if (o.activity == activity && o.to_ns == start_ns) {
        o.to_ns = end_ns;
        return;
      }
      add(depth);
      o = {start_ns, end_ns, activity};
    };
    ForEachRow(first, last, look_at, states.start_ns, states.end_ns, states.kind, states.depth);
    for (size_t depth = 0; depth < open.size(); ++depth) add(static_cast<uint8_t>(depth));
  }

  void AddTasks() {
    const TaskTable& tasks = model_.tasks;
    std::map<KindMask, uint32_t> classes;
    for (const uint32_t task : common_.tasks[rank_]) {
      if (tasks.type[task] & kTaskDataAcquire) continue;
      const TaskTimes times = TimesOf(model_, task);
      const bool ran = times.start_ns != kNever && IsOurs(tasks.worker[task]);
      // A task that never ran waits until it was done in another way, or to the end.
      const int64_t over_ns = ran                             ? times.start_ns
                              : tasks.done_ns[task] != kNever ? tasks.done_ns[task]
                                                              : window_.end_ns;
      const int64_t ready_ns = times.ready_ns != kNever ? times.ready_ns : over_ns;
      const int64_t taken_ns = times.taken_ns != kNever ? times.taken_ns : over_ns;
      const KindMask mask = kinds_.CanRun(task);
      if (ran) wanted_ |= mask;
      const uint32_t own_class = ClassOf(mask, classes);
      if (times.submit_ns != kNever)
        Add(Change::kWaiting, own_class, times.submit_ns, ready_ns);
      else if (!tells_readiness_)
        Add(Change::kWaiting, own_class, window_.begin_ns, ready_ns);
      AddReady(task, mask, ready_ns, taken_ns, ran, classes);
      if (!ran) continue;
      Add(Change::kTaken, tasks.worker[task], taken_ns, times.start_ns);
      if (!IsInParts(task)) Add(Change::kBusy, tasks.worker[task], times.start_ns, times.end_ns);
    }
    SortClasses(classes);
  }

  uint32_t ClassOf(KindMask mask, std::map<KindMask, uint32_t>& classes) {
    const auto [it, is_new] = classes.try_emplace(mask, ready_.size());
    if (is_new) ready_.push_back({mask});
    return it->second;
  }

  // The longer a ready task has waited, the fewer kinds of workers it is for (BestUntil).
  void AddReady(uint32_t task, KindMask mask, int64_t ready_ns, int64_t taken_ns, bool ran,
                std::map<KindMask, uint32_t>& classes) {
    std::vector<std::pair<int64_t, uint32_t>>& ends = ends_;  // time and kind
    ends.clear();
    for (uint32_t kind = 0; ran && kind < kinds_.kinds(); ++kind) {
      if (!(mask >> kind & 1)) continue;
      const int64_t until_ns = common_.best_until(task, kind);
      if (until_ns != kNever && until_ns < taken_ns)
        ends.emplace_back(std::max(until_ns, ready_ns), kind);
    }
    std::sort(ends.begin(), ends.end());
    for (const auto& [until_ns, kind] : ends) {
      Add(Change::kReady, ClassOf(mask, classes), ready_ns, until_ns);
      mask &= ~(KindMask{1} << kind);
      ready_ns = until_ns;
    }
    Add(Change::kReady, ClassOf(mask, classes), ready_ns, taken_ns);
  }

  // Tasks that can run on the fewest kinds choose their workers first.
  void SortClasses(const std::map<KindMask, uint32_t>& classes) {
    class_order_.resize(classes.size());
    for (uint32_t i = 0; i < class_order_.size(); ++i) class_order_[i] = i;
    std::sort(class_order_.begin(), class_order_.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(std::popcount(ready_[a].mask), ready_[a].mask) <
             std::pair(std::popcount(ready_[b].mask), ready_[b].mask);
    });
  }

  void AddTraffic() {
    const TransferTable& copies = model_.transfers;
    for (const uint32_t i : common_.copies[rank_])
      if (const auto it = nodes_.find(copies.target_node[i]); it != nodes_.end())
        Add(Change::kCopy, it->second, copies.start_ns[i],
            copies.end_ns[i] == kNever ? window_.end_ns : copies.end_ns[i]);
    const MessageTable& messages = model_.messages;
    for (const uint32_t i : common_.messages[rank_])
      if (messages.send_ns[i] != kNever && messages.receive_ns[i] > messages.send_ns[i])
        Add(Change::kMessage, 0, messages.send_ns[i], messages.receive_ns[i]);
  }

  Worker& WorkerOf(uint32_t row) { return workers_[common_.place[row]]; }
  // Whether the state of `task` on worker `row` is the run in the task's row of the model.
  bool IsRunOf(uint32_t task, uint32_t row, int64_t start_ns) const {
    return task != kNone && model_.tasks.worker[task] == row && Executed(model_.tasks, task) &&
           start_ns >= model_.tasks.start_ns[task] && !IsInParts(task);
  }
  // Whether it has several states between its start and its end.
  bool IsInParts(uint32_t task) const {
    return model_.tasks.last_start_ns[task] != kNever || HasStretches(model_, task);
  }
  bool IsOurs(uint32_t row) const {
    return row < model_.workers.size() && model_.workers.rank_index[row] == rank_;
  }

  uint32_t NodeOf(uint32_t id) {
    const auto [it, is_new] = nodes_.try_emplace(id, static_cast<uint32_t>(copies_.size()));
    if (is_new) copies_.emplace_back();
    return it->second;
  }

  // --- The sweep ---------------------------------------------------------------------------------

  void Apply(const Moment& m) {
    switch (m.change) {
      case Change::kAlive: Touch(m.index).alive += m.sign; break;
      case Change::kBusy: Touch(m.index).busy += m.sign; break;
      case Change::kTaken: Touch(m.index).taken += m.sign; break;
      case Change::kState: {
        std::vector<Activity>& states = Touch(m.index).states;
        if (states.size() <= m.depth) states.resize(m.depth + size_t{1}, Activity::kNone);
        states[m.depth] = m.sign > 0 ? m.activity : Activity::kNone;
        while (!states.empty() && states.back() == Activity::kNone) states.pop_back();
        break;
      }
      case Change::kWaiting: Count(ready_[m.index].waiting, m.sign); break;
      case Change::kMessage: Count(messages_, m.sign); break;
      case Change::kReady: Count(ready_[m.index].count, m.sign); break;
      case Change::kCopy: {
        NodeCopies& node = copies_[m.index];
        node.count += m.sign;
        node.some.Set(m.time_ns, node.count > 0);
        break;
      }
    }
  }

  // The cause of free workers depends on whether there are such tasks, not on their number.
  void Count(int64_t& count, int sign) {
    count += sign;
    if (count == (sign > 0 ? 1 : 0)) causes_change_ = true;
  }

  Worker& Touch(uint32_t row) {
    Worker& worker = WorkerOf(row);
    if (!worker.touched) touched_.push_back(row);
    worker.touched = true;
    return worker;
  }

  // Called after all changes at `now_ns`: puts workers into their new modes.
  void Settle(int64_t now_ns) {
    if (causes_change_) {
      for (uint32_t kind = 0; kind < free_.size(); ++kind) causes_[kind] = CauseOf(kind);
      causes_change_ = false;
      SetCauses(now_ns);
    }
    std::sort(touched_.begin(), touched_.end());
    for (const uint32_t row : touched_) {
      Worker& worker = WorkerOf(row);
      worker.touched = false;
      Update(row, worker, now_ns);
    }
    touched_.clear();
    Match(now_ns);
    const bool held = transferring_ > 0 ||
                      std::any_of(queues_.begin(), queues_.end(),
                                  [](const Queue& queue) { return queue.kept > 0; }) ||
                      std::any_of(copies_.begin(), copies_.end(), [](const NodeCopies& node) {
                        return node.taken > 0 && node.count > 0;
                      });
    if (held == others_held_) return;
    others_held_ = held;
    SetCauses(now_ns);
  }

  void SetCauses(int64_t now_ns) {
    for (uint32_t kind = 0; kind < free_.size(); ++kind)
      free_[kind].Set(now_ns, causes_[kind],
                      others_held_ && causes_[kind] == IdleCause::kNothingReady);
  }

  // Returns the cause for a free worker of the kind for which there is no ready task.
  IdleCause CauseOf(uint32_t kind) const {
    bool for_it = false, for_others = false;
    for (const TaskClass& tasks : ready_) {
      const bool can_run = (tasks.mask >> kind & 1) != 0;
      for_it |= can_run && tasks.waiting > 0;
      for_others |= !can_run && (tasks.waiting > 0 || tasks.count > 0);
    }
    if (for_it) {
      if (!tells_readiness_) return IdleCause::kNotKnown;
      return messages_ ? IdleCause::kTransfer : IdleCause::kNothingReady;
    }
    const bool is_wanted = wanted_ == 0 || (wanted_ >> kind & 1) != 0;
    return for_others || !is_wanted ? IdleCause::kNothingForIt : IdleCause::kNothingSubmitted;
  }

  void Update(uint32_t row, Worker& worker, int64_t now_ns) {
    const Activity activity = worker.states.empty() ? Activity::kFree : worker.states.back();
    Mode mode = Mode::kFree;
    IdleCause direct = IdleCause::kRuntime;
    if (!worker.alive || worker.busy > 0 || activity == Activity::kBusy) {
      mode = Mode::kAway;
    } else if (activity == Activity::kTransfer) {
      mode = Mode::kDirect;
      direct = IdleCause::kTransfer;
    } else if (worker.taken > 0) {
      mode = Mode::kTaken;
    } else if (activity == Activity::kRuntime) {
      mode = Mode::kDirect;
    }
    const bool waits = worker.mode == Mode::kFree || worker.mode == Mode::kKept;
    if (mode == Mode::kFree ? waits : mode == worker.mode && direct == worker.direct) return;
    if (waits) Leave(row, worker);
    Enter(row, worker, mode, direct, now_ns);
    if (mode == Mode::kFree) Join(row, worker);
  }

  // Books the time in the present mode and enters another.
  void Enter(uint32_t row, Worker& worker, Mode mode, IdleCause direct, int64_t now_ns) {
    Book(worker, now_ns);
    if (mode == Mode::kAway && worker.mode != Mode::kAway) {
      worker.pause.end_ns = now_ns;
      found_.Add(worker.pause);
    } else if (mode != Mode::kAway && worker.mode == Mode::kAway) {
      worker.pause = {row, now_ns, now_ns, {}, kNone};
    }
    const auto is_transferring = [](const Worker& one) {
      return one.mode == Mode::kDirect && one.direct == IdleCause::kTransfer;
    };
    transferring_ -= is_transferring(worker);
    copies_[worker.node].taken -= worker.mode == Mode::kTaken;
    worker.mode = mode;
    worker.direct = direct;
    worker.since_ns = now_ns;
    transferring_ += is_transferring(worker);
    copies_[worker.node].taken += mode == Mode::kTaken;
    if (mode == Mode::kTaken) worker.mark[0] = copies_[worker.node].some.At(now_ns);
    if (mode != Mode::kFree) return;
    const FreeTime& free = free_[worker.kind];
    for (size_t cause = 0; cause < kIdleCauses; ++cause)
      worker.mark[cause] = free.At(now_ns, cause);
    worker.mark_behind = free.BehindOthersAt(now_ns);
  }

  void Book(Worker& worker, int64_t now_ns) {
    const int64_t length_ns = now_ns - worker.since_ns;
    const auto add = [&](IdleCause cause, int64_t ns) {
      worker.pause.cause_ns[static_cast<size_t>(cause)] += ns;
    };
    switch (worker.mode) {
      case Mode::kAway: break;
      case Mode::kDirect: add(worker.direct, length_ns); break;
      case Mode::kKept: add(IdleCause::kScheduler, length_ns); break;
      case Mode::kTaken: {
        const int64_t copy_ns = copies_[worker.node].some.At(now_ns) - worker.mark[0];
        add(IdleCause::kTransfer, copy_ns);
        add(IdleCause::kRuntime, length_ns - copy_ns);
        break;
      }
      case Mode::kFree: {
        const FreeTime& free = free_[worker.kind];
        for (size_t cause = 0; cause < kIdleCauses; ++cause)
          worker.pause.cause_ns[cause] += free.At(now_ns, cause) - worker.mark[cause];
        report_.workers[worker.pause.worker].behind_others_ns +=
            free.BehindOthersAt(now_ns) - worker.mark_behind;
        break;
      }
    }
  }

  // --- Queues ------------------------------------------------------------------------------------

  void Join(uint32_t row, Worker& worker) {
    Queue& queue = queues_[worker.kind];
    worker.before = queue.last;
    worker.after = kNone;
    (queue.last == kNone ? queue.first : WorkerOf(queue.last).after) = row;
    queue.last = row;
    if (queue.first_free == kNone) queue.first_free = row;
    ++queue.size;
  }

  void Leave(uint32_t row, Worker& worker) {
    Queue& queue = queues_[worker.kind];
    if (queue.first_free == row) queue.first_free = worker.after;
    if (worker.mode == Mode::kKept) --queue.kept;
    (worker.before == kNone ? queue.first : WorkerOf(worker.before).after) = worker.after;
    (worker.after == kNone ? queue.last : WorkerOf(worker.after).before) = worker.before;
    --queue.size;
  }

  // Assigns ready tasks to free workers, hypothetically.
  void Match(int64_t now_ns) {
    std::fill(want_.begin(), want_.end(), 0);
    for (const uint32_t index : class_order_) {
      int64_t left = ready_[index].count;
      for (uint32_t kind = 0; kind < queues_.size() && left > 0; ++kind) {
        if (!(ready_[index].mask >> kind & 1)) continue;
        const int64_t taken = std::min<int64_t>(left, queues_[kind].size - want_[kind]);
        want_[kind] += static_cast<uint32_t>(taken);
        left -= taken;
      }
    }
    for (uint32_t kind = 0; kind < queues_.size(); ++kind) {
      Queue& queue = queues_[kind];
      while (queue.kept < want_[kind]) {
        const uint32_t row = queue.first_free;
        Worker& worker = WorkerOf(row);
        Enter(row, worker, Mode::kKept, IdleCause::kScheduler, now_ns);
        queue.first_free = worker.after;
        ++queue.kept;
      }
      while (queue.kept > want_[kind]) {
        const uint32_t row =
            queue.first_free == kNone ? queue.last : WorkerOf(queue.first_free).before;
        Enter(row, WorkerOf(row), Mode::kFree, IdleCause::kRuntime, now_ns);
        queue.first_free = row;
        --queue.kept;
      }
    }
  }

  // Tasks that can run on the same kinds of workers.
  struct TaskClass {
    KindMask mask;
    int64_t count = 0;  // number that is ready
    int64_t waiting = 0;
  };
  struct NodeCopies {
    int count = 0;
    int taken = 0;  // number of workers there that have taken a task
    Clocked some;
  };

  const Common& common_;
  const TraceModel& model_;
  const EligibleWorkers& kinds_;
  const bool tells_readiness_ = TellsReadiness(model_);
  const uint32_t rank_;
  const Span window_;
  IdleReport& report_;
  FoundPauses& found_;
  std::vector<Moment> moments_;
  std::vector<Worker> workers_;                   // by place
  std::unordered_map<uint32_t, uint32_t> nodes_;  // id to index of copies_
  std::vector<NodeCopies> copies_;
  std::vector<TaskClass> ready_;
  std::vector<std::pair<int64_t, uint32_t>> ends_;  // for AddReady(), kept to reuse its memory
  std::vector<uint32_t> class_order_;
  std::vector<Queue> queues_;   // by kind
  std::vector<uint32_t> want_;  // by kind: number of workers that could have a task now
  std::vector<uint32_t> touched_;
  std::vector<FreeTime> free_;     // by kind
  std::vector<IdleCause> causes_;  // by kind: cause for its free workers now
  bool causes_change_ = true, others_held_ = false;
  int transferring_ = 0;  // number of workers that fetch or push
  KindMask wanted_ = 0;   // kinds that can run any executed task
  int64_t messages_ = 0;
  Activity fetching_ = Activity::kTransfer;  // the activity of fetching input in this rank
};

void FillIn(const TraceModel& model, IdleReport& report, Stop stop) {
  for (const IdlePause& pause : report.pauses) {
    WorkerTime& time = report.workers[pause.worker];
    time.idle_ns += pause.end_ns - pause.start_ns;
    for (size_t cause = 0; cause < kIdleCauses; ++cause)
      time.cause_ns[cause] += pause.cause_ns[cause];
  }
  for (size_t worker = 0; worker < report.workers.size(); ++worker) {
    WorkerTime& time = report.workers[worker];
    time.busy_ns = time.measured.length_ns() - time.idle_ns;
  }
  if (Stopped(stop)) return;
  // Finds the pause that ends when a task starts, or before it if the runtime shows no gap: of
  // several tasks, the one that started first counts.
  const TaskTable& tasks = model.tasks;
  const auto begin_of = [&](uint32_t task) {
    return std::tuple(tasks.start_ns[task], tasks.end_ns[task], task);
  };
  // Tasks are in the order of submission, which is mostly that of their starts as well: the search
  // begins at the pause of the worker's previous task.
  std::vector<uint32_t> place(report.first_of_worker.begin(), report.first_of_worker.end() - 1);
  const auto pause_before = [&](uint32_t worker, int64_t start_ns) -> IdlePause* {
    const size_t begin = report.first_of_worker[worker], end = report.first_of_worker[worker + 1];
    const size_t after = FirstNot(
        begin, end, [&](size_t i) { return report.pauses[i].end_ns <= start_ns; },
        place[worker] - begin);
    place[worker] = static_cast<uint32_t>(after);
    return after == begin ? nullptr : &report.pauses[after - 1];
  };
  const auto starts = [&](uint32_t task, uint32_t worker, int64_t start_ns) {
    IdlePause* const pause = pause_before(worker, start_ns);
    if (pause && (pause->next_task == kNone || begin_of(task) < begin_of(pause->next_task)))
      pause->next_task = task;
  };
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const uint32_t worker = tasks.worker[task];
    if (worker < report.workers.size() && Executed(tasks, task))
      starts(task, worker, tasks.start_ns[task]);
  }
  for (const Participation& other : OtherWorkers(model))
    if (Executed(tasks, other.task)) starts(other.task, other.worker, other.start_ns);
}

}  // namespace

std::string_view IdleCauseName(IdleCause cause) {
  switch (cause) {
    case IdleCause::kNothingSubmitted: return "nothing submitted";
    case IdleCause::kNothingReady: return "nothing ready";
    case IdleCause::kNotKnown: return "not known";
    case IdleCause::kNothingForIt: return "nothing for it";
    case IdleCause::kTransfer: return "transfer";
    case IdleCause::kScheduler: return "scheduler";
    case IdleCause::kRuntime: return "runtime";
  }
  return "runtime";
}

IdleCause IdlePause::main_cause() const {
  return static_cast<IdleCause>(std::max_element(cause_ns.begin(), cause_ns.end()) -
                                cause_ns.begin());
}

IdleReport ExplainIdleness(const TraceModel& model, Stop stop) {
  IdleReport report;
  FoundPauses found;
  report.workers.resize(model.workers.size());
  if (!Stopped(stop)) {
    const Common common(model, stop);
    const std::vector<Span> windows = RunWindows(model);
    const std::vector<Span> measured = MeasuredSpans(model, windows);
    const std::vector<bool> counts = WorkersThatCount(model);
    for (size_t worker = 0; worker < measured.size(); ++worker) {
      report.workers[worker].measured = measured[worker];
      report.workers[worker].counts = counts[worker];
    }
    for (uint32_t rank = 0; rank < windows.size() && !Stopped(stop); ++rank)
      Sweep(common, rank, windows[rank], report, found).Run(stop);
  }
  // Also after a stop, so that look-ups in the report are safe.
  found.MoveInto(report);
  FillIn(model, report, stop);
  return report;
}

}  // namespace tasklens
