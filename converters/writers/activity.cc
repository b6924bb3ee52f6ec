// SPDX-License-Identifier: Apache-2.0
// activity.data: how busy each worker was, sampled; and the number of tasks, as it changes.
// Read by starpu_workers_activity of StarPU 1.4. Lines, tabs between the words, times in ms: "name
// WORKER CPU 0"; "WORKER TIME ELAPSED EXECUTING SLEEPING" since the worker's previous line (75 ms
// or more, at the end of a task or of a sleep); "cnt_ready TIME N", "cnt_submitted TIME N";
// "set_profiling TIME STATUS". Deliberate differences from StarPU's tool: lines are sorted by time;
// with several ranks WORKER is "RANK_WORKER" and the other words are "cnt_ready_RANK", so that
// ranks do not mix; numbers of tasks appear when they change; a sleep that ends with the worker
// counts like any other.
#include <algorithm>

#include "converters/formats.h"
#include "converters/writers/line_streams.h"
#include "converters/writers/task_graph.h"
#include "converters/writers/text.h"

namespace tasklens {
namespace {

constexpr int64_t kSampleNs = 75'000'000;

struct Context {
  const TraceModel& model;
  const std::vector<std::string>& prefixes;
  TextBuffer& out;

  // Appends the rank if there are several: "cnt_ready_1", which StarPU's script accepts as
  // "cnt_ready".
  void PutWord(std::string_view word, uint32_t rank_index) const {
    out.Put(word);
    if (model.ranks.size() > 1) {
      out.Put('_', model.ranks.rank[rank_index]);
    }
    out.Put('\t');
  }
  void PutMs(int64_t time_ns) const { out.Put(Ms{time_ns}, "000"); }
};

class WorkerStream : public LineStream {
 public:
  WorkerStream(const Context& context, uint32_t worker) : context_(context), worker_(worker) {
    const WorkerTable& workers = context.model.workers;
    last_ns_ = workers.ready_ns[worker] != kNever ? workers.ready_ns[worker] : 0;
    const uint32_t track = workers.track[worker];
    row_ = context.model.states.first_of_track[track];
    end_row_ = context.model.states.first_of_track[track + 1];
    Find();
  }

  void Emit() override {
    TextBuffer& out = context_.out;
    const WorkerTable& workers = context_.model.workers;
    out.Put(context_.prefixes[workers.rank_index[worker_]], workers.id[worker_]);
    for (const int64_t value : {next_ns_, next_ns_ - last_ns_, executing_ns_, sleeping_ns_}) {
      out.Put('\t');
      context_.PutMs(value);
    }
    out.Put('\n');
    last_ns_ = next_ns_;
    executing_ns_ = sleeping_ns_ = 0;
    Find();
  }

 private:
  // Sums up states until enough time has passed.
  void Find() {
    const StateTable& states = context_.model.states;
    next_ns_ = kEnd;
    for (; row_ < end_row_; ++row_) {
      const bool task = states.kind[row_] == StateKind::kTask;
      if (!task && states.kind[row_] != StateKind::kSleeping) continue;
      const int64_t end_ns = states.end_ns[row_];
      (task ? executing_ns_ : sleeping_ns_) +=
          end_ns - std::max(last_start_ns_, states.start_ns[row_]);
      last_start_ns_ = std::max(last_start_ns_, end_ns);
      if (end_ns - last_ns_ <= kSampleNs) continue;
      next_ns_ = end_ns;
      ++row_;
      return;
    }
  }

  const Context& context_;
  uint32_t worker_;
  uint32_t row_, end_row_;
  int64_t last_ns_ = 0;
  int64_t last_start_ns_ = 0;  // so that no time counts twice
  int64_t executing_ns_ = 0, sleeping_ns_ = 0;
};

class CountStream : public LineStream {
 public:
  CountStream(const Context& context, const CounterSeries& series)
      : context_(context), series_(series) {
    if (!series.time_ns.empty()) next_ns_ = series.time_ns[0];
  }

  void Emit() override {
    const bool ready = series_.kind == CounterKind::kReadyTasks;
    context_.PutWord(ready ? "cnt_ready" : "cnt_submitted", series_.rank_index);
    context_.PutMs(next_ns_);
    context_.out.Put('\t', static_cast<int64_t>(series_.value[next_]), '\n');
    next_ns_ = ++next_ < series_.time_ns.size() ? series_.time_ns[next_] : kEnd;
  }

 private:
  const Context& context_;
  const CounterSeries& series_;
  size_t next_ = 0;
};

class ProfilingStream : public LineStream {
 public:
  explicit ProfilingStream(const Context& context) : context_(context) { Find(); }

  void Emit() override {
    const PointTable& points = context_.model.points;
    context_.PutWord("set_profiling", points.rank_index[next_]);
    context_.PutMs(next_ns_);
    context_.out.Put('\t', points.Args(next_)[0], '\n');
    ++next_;
    Find();
  }

 private:
  void Find() {
    const PointTable& points = context_.model.points;
    while (next_ < points.size() && points.kind[next_] != EventKind::kProfiling) ++next_;
    next_ns_ = next_ < points.size() ? points.time_ns[next_] : kEnd;
  }

  const Context& context_;
  size_t next_ = 0;
};

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "activity.data", [&](TextBuffer& out) {
    const std::vector<std::string> prefixes = RankPrefixes(model);
    const Context context{model, prefixes, out};
    LineStreams streams;
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
      out.Put("name\t", prefixes[model.workers.rank_index[worker]], model.workers.id[worker], '\t',
              WorkerArchName(model.workers.arch[worker]), ' ', model.workers.device[worker], '\n');
    }
    for (const CounterSeries& series : model.counters) {
      if (series.kind == CounterKind::kSubmittedTasks || series.kind == CounterKind::kReadyTasks)
        streams.push_back(std::make_unique<CountStream>(context, series));
    }
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
      streams.push_back(std::make_unique<WorkerStream>(context, worker));
    streams.push_back(std::make_unique<ProfilingStream>(context));
    MergeStreams(streams);
  });
}

}  // namespace

extern const WriterSpec kActivityWriter;
const WriterSpec kActivityWriter = {"activity",
                                    "activity.data, how busy each worker is over time",
                                    "starpu_workers_activity, gnuplot",
                                    /*in_starpu_set=*/true,
                                    {},
                                    kPartStates | kPartCounters | kPartPoints,
                                    &Write};

}  // namespace tasklens
