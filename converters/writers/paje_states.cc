// SPDX-License-Identifier: Apache-2.0
// States of workers, threads and memory nodes, and values computed from the tasks of a worker.
#include <algorithm>
#include <array>
#include <vector>

#include "converters/writers/counted_start.h"
#include "converters/writers/paje_streams.h"
#include "trace/model/executions.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

// The limits of StarPU's tool; StarVZ relies on lines of bounded length.
constexpr size_t kMostParameters = 8;
constexpr size_t kLongestParameters = 255;
constexpr size_t kLongestParametersStarvz = 160;

// "V5x4_V5x4", "nodata".
std::string Parameters(const PajeContext& context, uint32_t task) {
  std::string text;
  const auto parameters = context.model.parameters[task];
  for (size_t i = 0; i < std::min(parameters.size(), kMostParameters); ++i) {
    if (!text.empty()) text += '_';
    text += context.model.str(parameters[i]);
  }
  const bool starvz = context.options.starvz;
  const size_t longest = starvz ? kLongestParametersStarvz : kLongestParameters;
  if (text.size() > longest) text.resize(longest);
  return text.empty() ? "nodata" : text;
}

// Size, Params, Footprint, Tag, JobId, SubmitOrder: the fields shared by states of tasks and
// contexts.
void PutTaskFields(const PajeContext& context, uint32_t task, uint64_t submit_order) {
  const TaskTable& tasks = context.model.tasks;
  const std::string& prefix = context.containers.prefix(tasks.rank_index[task]);
  context.out.Put(tasks.size_bytes[task], '\t', PajeString{Parameters(context, task)}, '\t',
                  Hex{tasks.footprint[task], 8}, '\t', Hex{tasks.tag[task], 16}, '\t', prefix,
                  tasks.job[task], '\t', prefix, submit_order);
}

// Writes the coordinates of the first data that the task writes.
void PutCoordinates(const PajeContext& context, uint32_t task) {
  int32_t x = 0, y = 0;
  for (const TaskAccess& access : context.model.accesses[task]) {
    if (!(access.mode & kAccessWrite) || access.handle == kNone) continue;
    const auto at = context.model.handles.coordinates[access.handle];
    if (at.size() > 0) x = at[0];
    if (at.size() > 1) y = at[1];
    break;
  }
  context.out.Put(x, '\t', y);
}

// "-1_-1"; "-1" when there are no data, as a Paje file must not hold "".
void PutTaskNumaNodes(const PajeContext& context, uint32_t task) {
  TextBuffer& out = context.out;
  const auto accesses = context.model.accesses[task];
  out.Put('"');
  for (size_t i = 0; i < std::min(accesses.size(), kMostParameters); ++i) {
    if (i > 0) out.Put('_');
    PutNumaNodes(out, accesses[i].numa_nodes);
  }
  if (accesses.empty()) out.Put("-1");
  out.Put('"');
}

// Whether the task began earlier and continues at `start_ns`.
bool IsResumed(const TraceModel& model, uint32_t task, int64_t start_ns) {
  const StretchTable& stretches = model.stretches;
  const auto [first, end] = std::equal_range(stretches.task.begin(), stretches.task.end(), task);
  if (first == end) return false;
  const auto begin = stretches.start_ns.begin();
  const auto rows =
      std::pair(begin + (first - stretches.task.begin()), begin + (end - stretches.task.begin()));
  return start_ns > *rows.first && std::binary_search(rows.first, rows.second, start_ns);
}

// The states of one row.
class StateStream : public LineStream {
 public:
  StateStream(const PajeContext& context, uint32_t track)
      : context_(context),
        states_(context.model.states),
        has_names_(!context.model.states.name.AllDefault()),
        worker_(context.model.tracks.kind[track] == TrackKind::kWorker
                    ? WorkerOfTrack(context.model, track)
                    : kNone),
        cursor_(context.model, track),
        type_(context.containers.type_of_track()[track]),
        row_and_type_(context.containers.alias(context.containers.OfTrack(track)) + '\t' +
                      std::string(PajeNames::Alias(type_))) {
    next_ns_ = cursor_.time_ns();
  }

  void Emit() override {
    if (cursor_.action() == StateCursor::Action::kPop) {
      context_.Begin(PajeId::kPopState, next_ns_);
      context_.out.Put(row_and_type_, '\n');
    } else {
      EmitState(cursor_.row());
    }
    cursor_.Next();
    next_ns_ = cursor_.time_ns();
  }

 private:
  // Returns the rest of a line, after the time, for a state that is not a task.
  const std::string& RestOfLine(StateKind kind) {
    std::string& rest = rest_of_line_[static_cast<size_t>(kind)];
    if (rest.empty())
      rest = row_and_type_ + "\t\"" + std::string(context_.names.Alias(type_, kind)) + "\"\n";
    return rest;
  }

  void EmitState(uint32_t row) {
    TextBuffer& out = context_.out;
    const StateKind kind = states_.kind[row];
    const bool set = cursor_.action() == StateCursor::Action::kSet;
    if (kind != StateKind::kTask) {
      context_.Begin(set ? PajeId::kSetState : PajeId::kPushState, next_ns_);
      if (!has_names_ || states_.name[row] == 0) return out.Put(RestOfLine(kind));
      out.Put(row_and_type_, '\t');
      context_.names.PutNamedState(out, type_, states_.name[row]);
      return out.Put('\n');
    }
    const uint32_t task = states_.task[row];
    const bool details = set && task != kNone;
    const bool goes_on = details && !context_.options.starvz &&
                         IsResumed(context_.model, task, states_.start_ns[row]);
    const PajeId id = goes_on   ? PajeId::kSetTaskAgain
                      : details ? PajeId::kSetTaskState
                      : set     ? PajeId::kSetState
                                : PajeId::kPushState;
    context_.Begin(id, next_ns_);
    out.Put(row_and_type_, '\t');
    context_.names.PutTask(out, type_, task == kNone ? 0 : context_.model.tasks.name[task]);
    if (details) PutDetails(task, row);
    if (goes_on) out.Put("\t1");
    out.Put('\n');
  }

  void PutDetails(uint32_t task, uint32_t row) {
    const TaskTable& tasks = context_.model.tasks;
    TextBuffer& out = context_.out;
    out.Put('\t');
    PutTaskFields(context_, task,
                  ExecutionAt(context_.model, task, worker_, states_.start_ns[row]).submit_order);
    if (!context_.options.starvz) out.Put('\t', tasks.priority[task]);
    out.Put('\t', Fixed{tasks.flops[task] / 1e9, 6}, '\t');
    PutCoordinates(context_, task);
    out.Put('\t', tasks.iteration[task], '\t', tasks.subiteration[task], '\t');
    PutTaskNumaNodes(context_, task);
  }

  const PajeContext& context_;
  const StateTable& states_;
  const bool has_names_;   // some states have a name of their file's own
  const uint32_t worker_;  // worker of the row, or kNone
  StateCursor cursor_;
  PajeStateType type_;
  std::string row_and_type_;
  std::array<std::string, static_cast<size_t>(StateKind::kCount)> rest_of_line_;
};

// Sum of GFlop/s over the busy workers of a rank, and their number.
struct RankFlops {
  double total = 0;
  uint32_t busy = 0;
};

// A part of a worker's timeline in a task, and its computation.
struct Piece {
  int64_t start_ns, end_ns;
  double flops;
};

// GFlop/s of one worker. The value of a task begins with the task or, smoothed, where
// CountedStart() says; it is 0 while the task pauses.
class FlopsStream : public LineStream {
 public:
  // `pieces`: in order of their starts.
  FlopsStream(const PajeContext& context, uint32_t worker, std::span<const Piece> pieces,
              std::shared_ptr<RankFlops> rank)
      : context_(context), worker_(worker), rank_(std::move(rank)) {
    int64_t last_start = kNever, last_end = kNever;
    for (const auto& [start, end, flops] : pieces) {
      int64_t begin = context.options.smooth ? CountedStart(start, last_start, last_end) : start;
      if (last_end != kNever) begin = std::max(begin, last_end);
      Change(begin, end > begin ? flops / static_cast<double>(end - begin) : 0);  // flop/ns
      Change(end, 0);
      last_start = start;
      last_end = std::max(end, begin);
    }
    if (!changes_.empty()) next_ns_ = changes_[0].time_ns;
  }

  void Emit() override {
    const Change_ change = changes_[next_];
    const uint32_t rank_index = context_.model.workers.rank_index[worker_];
    context_.SetVariable(change.time_ns,
                         context_.containers.alias(context_.containers.OfWorker(worker_)), "gf",
                         change.gflops);
    rank_->total += change.gflops - value_;
    if (value_ == 0 && change.gflops != 0) ++rank_->busy;
    if (value_ != 0 && change.gflops == 0) --rank_->busy;
    if (rank_->busy == 0) rank_->total = 0;  // drop rounding errors
    value_ = change.gflops;
    context_.SetVariable(change.time_ns,
                         context_.containers.alias(context_.containers.Scheduler(rank_index)),
                         "gft", rank_->total);
    next_ns_ = ++next_ < changes_.size() ? changes_[next_].time_ns : kEnd;
  }

 private:
  struct Change_ {
    int64_t time_ns;
    double gflops;
  };

  void Change(int64_t time_ns, double gflops) {
    if (!changes_.empty() && changes_.back().time_ns == time_ns) changes_.pop_back();
    const double before = changes_.empty() ? 0 : changes_.back().gflops;
    if (before != gflops) changes_.push_back({time_ns, gflops});
  }

  const PajeContext& context_;
  uint32_t worker_;
  std::shared_ptr<RankFlops> rank_;
  std::vector<Change_> changes_;
  size_t next_ = 0;
  double value_ = 0;
};

// Tasks of a worker in the row of a scheduling context.
class ContextStream : public LineStream {
 public:
  // `rows`: of states, its tasks in that context.
  ContextStream(const PajeContext& context, uint32_t worker, std::vector<uint32_t> rows)
      : context_(context), worker_(worker), rows_(std::move(rows)) {
    FindNext();
  }

  void Emit() override {
    const TraceModel& model = context_.model;
    const uint32_t row = rows_[next_], task = model.states.task[row];
    TextBuffer& out = context_.out;
    context_.Begin(begun_ ? PajeId::kSetState : PajeId::kSetContextState, next_ns_);
    out.Put(context_.containers.alias(context_.containers.OfWorker(worker_)), "\tCtx",
            model.tasks.ctx[task], '\t');
    if (begun_) {
      out.Put(PajeString{context_.names.ContextIdle()});
      ++next_;
    } else {
      context_.names.PutContextTask(out, model.tasks.name[task]);
      out.Put('\t');
      PutTaskFields(context_, task,
                    ExecutionAt(model, task, worker_, model.states.start_ns[row]).submit_order);
    }
    out.Put('\n');
    begun_ = !begun_;
    FindNext();
  }

 private:
  void FindNext() {
    const StateTable& states = context_.model.states;
    next_ns_ = next_ == rows_.size() ? kEnd
               : begun_              ? int64_t{states.end_ns[rows_[next_]]}
                                     : int64_t{states.start_ns[rows_[next_]]};
  }

  const PajeContext& context_;
  uint32_t worker_;
  std::vector<uint32_t> rows_;
  size_t next_ = 0;
  bool begun_ = false;
};

// Returns the pieces of each worker, in order of starts: an execution, or each stretch of a task
// that paused, with a share of its flops in proportion to the length.
std::vector<std::vector<Piece>> PiecesByWorker(const TraceModel& model) {
  std::vector<std::vector<Piece>> pieces(model.workers.size());
  const auto add = [&](uint32_t worker, const Piece& piece) {
    if (worker < pieces.size()) pieces[worker].push_back(piece);
  };
  const StretchTable& stretches = model.stretches;
  size_t stretch = 0;
  ForEachExecution(model, [&](const Execution& run) {
    while (stretch < stretches.size() && stretches.task[stretch] < run.task) ++stretch;
    if (run.end_ns == kNever) return;
    const double flops = model.tasks.flops[run.task];
    if (stretch == stretches.size() || stretches.task[stretch] != run.task)
      return add(run.worker, {run.start_ns, run.end_ns, flops});
    for (; stretch < stretches.size() && stretches.task[stretch] == run.task; ++stretch) {
      const int64_t start_ns = stretches.start_ns[stretch], end_ns = stretches.end_ns[stretch];
      const double part = run.length_ns() > 0 ? static_cast<double>(end_ns - start_ns) /
                                                    static_cast<double>(run.length_ns())
                                              : 0;
      add(stretches.worker[stretch], {start_ns, end_ns, flops * part});
    }
  });
  for (std::vector<Piece>& of_worker : pieces)
    std::stable_sort(of_worker.begin(), of_worker.end(),
                     [](const Piece& a, const Piece& b) { return a.start_ns < b.start_ns; });
  return pieces;
}

}  // namespace

void AddStateStreams(const PajeContext& context, LineStreams& streams) {
  const PajeContainers& containers = context.containers;
  static constexpr std::string_view kContainerTypes[] = {"T", "W", "UT", "MPICt", "Mm"};
  for (uint32_t track = 0; track < context.model.tracks.size(); ++track) {
    const PajeStateType type = containers.type_of_track()[track];
    const uint32_t container = containers.OfTrack(track);
    if (containers.all()[container].type != kContainerTypes[static_cast<size_t>(type)]) continue;
    if (type == PajeStateType::kMemory && !context.options.bus) continue;
    streams.push_back(std::make_unique<StateStream>(context, track));
  }
}

void AddTaskStreams(const PajeContext& context, LineStreams& streams) {
  const TaskTable& tasks = context.model.tasks;
  const bool flops = context.options.flops && !tasks.flops.AllDefault();
  const bool contexts = !tasks.ctx.AllDefault();
  if (!flops && !contexts) return;
  const auto pieces = flops ? PiecesByWorker(context.model) : std::vector<std::vector<Piece>>();
  std::vector<std::shared_ptr<RankFlops>> ranks(context.model.ranks.size());
  for (auto& rank : ranks) rank = std::make_shared<RankFlops>();
  for (uint32_t worker = 0; worker < context.model.workers.size(); ++worker) {
    if (flops) {
      streams.push_back(std::make_unique<FlopsStream>(
          context, worker, pieces[worker], ranks[context.model.workers.rank_index[worker]]));
    }
    if (!contexts) continue;
    const StateTable& states = context.model.states;
    const uint32_t track = context.model.workers.track[worker];
    std::vector<std::vector<uint32_t>> of_context(context.names.ContextCount() + 1);
    for (const uint32_t row : StatesOf(states, track)) {
      if (states.kind[row] != StateKind::kTask || states.task[row] == kNone) continue;
      const uint32_t ctx = tasks.ctx[states.task[row]];
      if (ctx < of_context.size()) of_context[ctx].push_back(row);
    }
    for (size_t ctx = 1; ctx < of_context.size(); ++ctx) {
      if (of_context[ctx].empty()) continue;
      streams.push_back(
          std::make_unique<ContextStream>(context, worker, std::move(of_context[ctx])));
    }
  }
}

}  // namespace tasklens
