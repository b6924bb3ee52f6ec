// SPDX-License-Identifier: Apache-2.0
// States, events and communications.
#include "converters/writers/paraver_records.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

#include "trace/model/executions.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

using Thread = ParaverObjects::Thread;

// One record of events, or in the document's dialect one for each pair.
class EventRecord {
 public:
  EventRecord(const ParaverContext& context, const Thread& thread, int64_t time)
      : context_(context), thread_(thread), time_(time) {}
  EventRecord(const EventRecord&) = delete;
  ~EventRecord() {
    if (begun_) context_.out.Put('\n');
  }

  void Add(uint32_t type, int64_t value) {
    TextBuffer& out = context_.out;
    if (begun_ && context_.dialect == ParaverDialect::k2001) {
      out.Put('\n');
      begun_ = false;
    }
    if (!begun_) {
      out.Put("2:", thread_.id, ':', time_);
    }
    begun_ = true;
    out.Put(':', type, ':', value);
  }

 private:
  const ParaverContext& context_;
  const Thread& thread_;
  const int64_t time_;
  bool begun_ = false;
};

// The open states of a row, outermost first, from StateCursor.
class OpenStates {
 public:
  OpenStates(const ParaverContext& context, uint32_t track)
      : context_(context), cursor_(context.model, track) {}

  bool AtEnd() const { return cursor_.time_ns() == LineStream::kEnd; }
  // Time of the next change. REQUIRES: !AtEnd().
  int64_t NextTime() const { return context_.Time(cursor_.time_ns()); }
  void Change() {
    switch (cursor_.action()) {
      case StateCursor::Action::kSet: open_.assign(1, cursor_.row()); break;
      case StateCursor::Action::kPush: open_.push_back(cursor_.row()); break;
      case StateCursor::Action::kPop: open_.pop_back(); break;
    }
    cursor_.Next();
  }
  // Rows of states; kNone: none is open.
  uint32_t Innermost() const { return open_.empty() ? kNone : open_.back(); }
  // The number of states, without tasks, around the innermost.
  int64_t Depth() const {
    int64_t depth = 0;
    for (size_t i = 0; i + 1 < open_.size(); ++i)
      depth += context_.model.states.kind[open_[i]] != StateKind::kTask;
    return depth;
  }
  uint32_t InnermostTask() const {
    for (size_t i = open_.size(); i-- > 0;)
      if (context_.model.states.kind[open_[i]] == StateKind::kTask) return open_[i];
    return kNone;
  }

 private:
  const ParaverContext& context_;
  StateCursor cursor_;
  std::vector<uint32_t> open_;
};

// The state of a thread at each time: of nested states the innermost. Nothing is written for times
// without a known state.
class StateStream : public LineStream {
 public:
  StateStream(const ParaverContext& context, const Thread& thread)
      : context_(context), thread_(thread), states_(context, thread.track) {
    const int64_t track_begin = context.Time(context.model.tracks.start_ns[thread.track]);
    end_ = states_.AtEnd() ? track_begin : std::min(track_begin, states_.NextTime());
    number_ = kParaverNotCreated;
    next_ns_ = 0;
    if (end_ == 0) FindNext();
  }

  void Emit() override {
    TextBuffer& out = context_.out;
    out.Put("1:", thread_.id, ':', next_ns_, ':', end_, ':', number_, '\n');
    FindNext();
  }

 private:
  void FindNext() {
    while (!states_.AtEnd()) {
      const int64_t begin = states_.NextTime();
      states_.Change();
      if (states_.AtEnd() || states_.Innermost() == kNone) continue;
      end_ = states_.NextTime();
      if (end_ == begin) continue;
      number_ = context_.names.State(states_.Innermost());
      next_ns_ = begin;
      return;
    }
    next_ns_ = kEnd;
  }

  const ParaverContext& context_;
  const Thread& thread_;
  OpenStates states_;
  int64_t end_ = 0;
  uint32_t number_ = 0;
};

// The nesting depth of a thread's states, which lets readers join the pieces of a state that is
// interrupted by nested states.
class DepthStream : public LineStream {
 public:
  DepthStream(const ParaverContext& context, const Thread& thread)
      : context_(context), thread_(thread), states_(context, thread.track) {
    FindNext();
  }

  void Emit() override {
    EventRecord(context_, thread_, next_ns_).Add(kParaverDepth, depth_);
    FindNext();
  }

 private:
  void FindNext() {
    const int64_t last_depth = depth_;
    while (!states_.AtEnd()) {
      next_ns_ = states_.NextTime();
      while (!states_.AtEnd() && states_.NextTime() == next_ns_) states_.Change();
      depth_ = states_.Depth();
      if (depth_ != last_depth) return;
    }
    next_ns_ = kEnd;
  }

  const ParaverContext& context_;
  const Thread& thread_;
  OpenStates states_;
  int64_t depth_ = 0;
};

// The hardware counters of tasks.
class TaskCounters {
 public:
  explicit TaskCounters(const PapiTable& papi) : papi_(papi), rows_(papi.task.size()) {
    std::iota(rows_.begin(), rows_.end(), 0);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&](uint32_t a, uint32_t b) { return papi.task[a] < papi.task[b]; });
  }
  // Calls f(code, value) for each counter of `task`.
  template <class F>
  void ForEach(uint32_t task, F f) const {
    auto at = std::lower_bound(rows_.begin(), rows_.end(), task,
                               [&](uint32_t row, uint32_t key) { return papi_.task[row] < key; });
    for (; at != rows_.end() && papi_.task[*at] == task; ++at) f(papi_.code[*at], papi_.value[*at]);
  }

 private:
  const PapiTable& papi_;
  std::vector<uint32_t> rows_;
};

// The number of earlier runs of the task.
uint32_t RunsBefore(const TraceModel& model, const Execution& execution) {
  const size_t tasks = model.tasks.size();
  return execution.id < tasks ? 0 : model.executions.run[execution.id - tasks];
}

// The task that a thread runs.
class TaskStream : public LineStream {
 public:
  TaskStream(const ParaverContext& context, const Thread& thread,
             std::shared_ptr<const TaskCounters> counters)
      : context_(context),
        thread_(thread),
        counters_(std::move(counters)),
        states_(context, thread.track),
        worker_(WorkerOfTrack(context.model, thread.track)) {
    FindNext();
  }

  void Emit() override {
    const uint32_t next = states_.InnermostTask();
    if (running_ != kNone) Put(running_, false);
    if (next != kNone) Put(next, true);
    running_ = next;
    FindNext();
  }

 private:
  void FindNext() {
    while (!states_.AtEnd()) {
      next_ns_ = states_.NextTime();
      states_.Change();
      if (states_.InnermostTask() != running_) return;
    }
    next_ns_ = kEnd;
  }

  void Put(uint32_t state, bool begins) {
    const TaskTable& tasks = context_.model.tasks;
    const uint32_t task = context_.model.states.task[state];
    EventRecord record(context_, thread_, next_ns_);
    const auto add = [&](uint32_t type, int64_t value) { record.Add(type, begins ? value : 0); };
    add(kParaverTaskType, context_.names.TaskType(task == kNone ? 0 : tasks.name[task]));
    if (task == kNone) return;
    if (tasks.site[task] != kNone) {
      if (const uint32_t function = context_.names.SiteFunction(tasks.site[task]); function != 0)
        add(kParaverSiteFunction, function);
      add(kParaverSiteLine, context_.names.SiteLine(tasks.site[task]));
    }
    add(kParaverTaskId, static_cast<int64_t>(tasks.job[task]));
    if (tasks.iteration[task] >= 0) add(kParaverIteration, tasks.iteration[task]);
    if (tasks.subiteration[task] >= 0) add(kParaverSubiteration, tasks.subiteration[task]);
    // Start on this worker: a parallel task has several.
    const int64_t start_ns = context_.model.states.start_ns[state];
    const Execution execution = ExecutionAt(context_.model, task, worker_, start_ns);
    const int64_t start = context_.Time(start_ns);
    if (const int64_t submit_ns = execution.submit_ns;
        submit_ns != kNever && context_.Time(submit_ns) <= start)
      add(kParaverSubmitted, start - context_.Time(submit_ns));
    if (const uint32_t runs = RunsBefore(context_.model, execution); runs > 0)
      add(kParaverRepeated, runs);
    // A parallel task has several workers; its counters belong to the worker in the model.
    if (begins || worker_ == kNone || tasks.worker[task] != worker_) return;
    counters_->ForEach(
        task, [&](int64_t code, int64_t value) { record.Add(ParaverPapiType(code), value); });
  }

  const ParaverContext& context_;
  const Thread& thread_;
  const std::shared_ptr<const TaskCounters> counters_;
  OpenStates states_;
  const uint32_t worker_;     // worker of the row, or kNone
  uint32_t running_ = kNone;  // row of states
};

// The beginning and the end of the application in each task.
class ApplicationStream : public LineStream {
 public:
  ApplicationStream(const ParaverContext& context, int64_t time, bool begins)
      : context_(context), begins_(begins) {
    next_ns_ = time;
  }
  void Emit() override {
    const size_t ranks = context_.model.ranks.size();
    for (uint32_t rank = 0; rank < ranks; ++rank)
      EventRecord(context_, context_.objects.FirstOf(rank), next_ns_)
          .Add(kParaverApplication, begins_);
    next_ns_ = kEnd;
  }

 private:
  const ParaverContext& context_;
  const bool begins_;
};

class CounterStream : public LineStream {
 public:
  CounterStream(const ParaverContext& context, const CounterSeries& series)
      : context_(context),
        series_(series),
        thread_(series.track < context.model.tracks.size()
                    ? context.objects.OfTrack(series.track)
                    : context.objects.FirstOf(series.rank_index)) {
    FindNext();
  }
  void Emit() override {
    const double value = series_.value[next_];
    const bool of_row = series_.kind == CounterKind::kOfFile;
    EventRecord(context_, thread_, next_ns_)
        .Add(Type(), of_row ? context_.names.CounterValue(series_.name, value) : Integer(value));
    ++next_;
    FindNext();
  }

 private:
  void FindNext() {
    next_ns_ = next_ < series_.time_ns.size() ? context_.Time(series_.time_ns[next_]) : kEnd;
  }
  uint32_t Type() const {
    switch (series_.kind) {
      case CounterKind::kSubmittedTasks: return kParaverSubmittedTasks;
      case CounterKind::kReadyTasks: return kParaverReadyTasks;
      case CounterKind::kMemoryUsedBytes: return kParaverMemoryUsed;
      case CounterKind::kOfFile: return context_.names.Counter(series_.name);
    }
    return kParaverReadyTasks;
  }
  static int64_t Integer(double value) {
    constexpr double kLargest = 9e18;  // below 2^63
    return static_cast<int64_t>(value > -kLargest ? std::min(value, kLargest) : -kLargest);
  }

  const ParaverContext& context_;
  const CounterSeries& series_;
  const Thread& thread_;
  size_t next_ = 0;
};

// The program's own events.
class PointStream : public LineStream {
 public:
  explicit PointStream(const ParaverContext& context)
      : context_(context), points_(context.model.points) {
    FindNext();
  }
  void Emit() override {
    const uint32_t track = points_.track[next_];
    const Thread& thread = track < context_.model.tracks.size()
                               ? context_.objects.OfTrack(track)
                               : context_.objects.FirstOf(points_.rank_index[next_]);
    const uint64_t arg = points_.Args(next_)[0];
    EventRecord record(context_, thread, next_ns_);
    if (points_.kind[next_] == EventKind::kUserEvent)
      record.Add(kParaverUserEvent, static_cast<int64_t>(arg));
    else
      record.Add(kParaverMessage, context_.names.Message(static_cast<StringId>(arg)));
    ++next_;
    FindNext();
  }

 private:
  void FindNext() {
    for (; next_ < points_.size(); ++next_) {
      const EventKind kind = points_.kind[next_];
      if (kind != EventKind::kUserEvent && kind != EventKind::kMessage &&
          kind != EventKind::kThreadMessage)
        continue;
      next_ns_ = context_.Time(points_.time_ns[next_]);
      return;
    }
    next_ns_ = kEnd;
  }

  const ParaverContext& context_;
  const PointTable& points_;
  size_t next_ = 0;
};

struct End {
  const Thread& thread;
  int64_t logical_ns, physical_ns;
};

void PutCommunication(const ParaverContext& context, const End& send, const End& receive,
                      uint64_t size_bytes, int64_t tag) {
  TextBuffer& out = context.out;
  char type = '3';
  for (const End* end : {&send, &receive}) {
    if (type != 0) out.Put(type);
    type = 0;
    out.Put(':', end->thread.id, ':', context.Time(end->logical_ns), ':',
            context.Time(end->physical_ns));
  }
  // The document requires both to be greater than zero.
  const int64_t least = context.dialect == ParaverDialect::k2001;
  out.Put(':', std::max(static_cast<int64_t>(size_bytes), least), ':', std::max(tag, least), '\n');
}

// Rows of a table in order of the time of their logical send.
class CommunicationStream : public LineStream {
 public:
  void Emit() final {
    EmitRow(rows_[next_]);
    ++next_;
    FindNext();
  }

 protected:
  CommunicationStream(const ParaverContext& context, const std::vector<int64_t>& logical_ns)
      : context_(context), logical_ns_(logical_ns) {}
  virtual void EmitRow(uint32_t row) = 0;

  void Add(uint32_t row) { rows_.push_back(row); }
  void Sort() {
    const auto earlier = [&](uint32_t a, uint32_t b) { return logical_ns_[a] < logical_ns_[b]; };
    if (!std::is_sorted(rows_.begin(), rows_.end(), earlier))
      std::stable_sort(rows_.begin(), rows_.end(), earlier);
    FindNext();
  }

  const ParaverContext& context_;

 private:
  void FindNext() {
    next_ns_ = next_ < rows_.size() ? context_.Time(logical_ns_[rows_[next_]]) : kEnd;
  }

  const std::vector<int64_t>& logical_ns_;
  std::vector<uint32_t> rows_;
  size_t next_ = 0;
};

// Messages whose two ends are known. Each end has only one recorded time.
class MessageStream : public CommunicationStream {
 public:
  explicit MessageStream(const ParaverContext& context)
      : CommunicationStream(context, context.model.messages.send_ns) {
    const MessageTable& messages = context.model.messages;
    for (uint32_t row = 0; row < messages.size(); ++row)
      if (HasBothEnds(context.model, row)) Add(row);
    Sort();
  }

 private:
  void EmitRow(uint32_t row) override {
    const MessageTable& messages = context_.model.messages;
    const int64_t send_ns = messages.send_ns[row], receive_ns = messages.receive_ns[row];
    const auto or_else = [](int64_t time_ns, int64_t other_ns) {
      return time_ns != kNever ? time_ns : other_ns;
    };
    const auto thread_of = [&](uint32_t track, uint32_t rank) -> const Thread& {
      return track < context_.model.tracks.size() ? context_.objects.OfTrack(track)
                                                  : context_.objects.CommOf(rank);
    };
    PutCommunication(context_,
                     {thread_of(messages.source_track[row], messages.source[row]), send_ns,
                      or_else(messages.left_ns[row], send_ns)},
                     {thread_of(messages.target_track[row], messages.target[row]),
                      or_else(messages.asked_ns[row], receive_ns), receive_ns},
                     messages.size_bytes[row], messages.tag[row]);
  }
};

// Returns for each transfer the time of the last request of its data for its target before it
// began; if none was recorded, its start.
std::vector<int64_t> RequestTimes(const TraceModel& model) {
  struct Key {
    uint64_t handle, target;
    uint32_t rank_index;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return (key.handle ^ key.target << 40 ^ uint64_t{key.rank_index} << 20) * 0x9E3779B97F4A7C15;
    }
  };
  std::unordered_map<Key, int64_t, Hash> wanted_since;
  const TransferTable& transfers = model.transfers;
  const PointTable& points = model.points;
  std::vector<int64_t> requested_ns = transfers.start_ns;
  size_t point = 0;
  for (uint32_t row = 0; row < transfers.size(); ++row) {
    for (; point < points.size() && points.time_ns[point] <= transfers.start_ns[row]; ++point) {
      if (points.kind[point] != EventKind::kDataRequest) continue;
      const auto args = points.Args(point);
      wanted_since[{args[0], args[2], points.rank_index[point]}] = points.time_ns[point];
    }
    const auto found = wanted_since.find(
        {transfers.handle[row], transfers.target_node[row], transfers.rank_index[row]});
    if (found == wanted_since.end()) continue;
    requested_ns[row] = found->second;
    wanted_since.erase(found);
  }
  return requested_ns;
}

// Transfers between memory nodes. The tag is 1 more than the reason (enum CopyReason).
class TransferStream : public CommunicationStream {
 public:
  explicit TransferStream(const ParaverContext& context)
      : CommunicationStream(context, requested_ns_), requested_ns_(RequestTimes(context.model)) {
    for (uint32_t row = 0; row < requested_ns_.size(); ++row) Add(row);
    Sort();
  }

 private:
  void EmitRow(uint32_t row) override {
    const TransferTable& transfers = context_.model.transfers;
    const uint32_t rank = transfers.rank_index[row];
    const int64_t start_ns = transfers.start_ns[row], logical_ns = requested_ns_[row];
    PutCommunication(
        context_,
        {context_.objects.OfMemory(rank, transfers.source_node[row]), logical_ns, start_ns},
        {context_.objects.OfMemory(rank, transfers.target_node[row]), logical_ns,
         EndOfTransfer(context_.model, row)},
        transfers.size_bytes[row], static_cast<int64_t>(transfers.reason[row]) + 1);
  }

  const std::vector<int64_t> requested_ns_;
};

}  // namespace

LineStreams ParaverRecords(const ParaverContext& context, int64_t duration) {
  LineStreams streams;
  streams.push_back(std::make_unique<MessageStream>(context));
  streams.push_back(std::make_unique<TransferStream>(context));
  streams.push_back(std::make_unique<ApplicationStream>(context, 0, true));
  for (const CounterSeries& series : context.model.counters)
    streams.push_back(std::make_unique<CounterStream>(context, series));
  for (const Thread& thread : context.objects.threads())
    if (thread.track != kNone) streams.push_back(std::make_unique<DepthStream>(context, thread));
  const auto counters = std::make_shared<const TaskCounters>(context.model.papi);
  for (const Thread& thread : context.objects.threads())
    if (thread.track != kNone)
      streams.push_back(std::make_unique<TaskStream>(context, thread, counters));
  streams.push_back(std::make_unique<PointStream>(context));
  streams.push_back(std::make_unique<ApplicationStream>(context, duration, false));
  for (const Thread& thread : context.objects.threads())
    if (thread.track != kNone) streams.push_back(std::make_unique<StateStream>(context, thread));
  return streams;
}

}  // namespace tasklens
