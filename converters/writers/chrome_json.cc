// SPDX-License-Identifier: Apache-2.0
// trace.json: the timeline as Chrome's "Trace Event Format".
//
// Read by ui.perfetto.dev, chrome://tracing, speedscope. Specified in Google's document "Trace
// Event Format"; times are microseconds, here with their three decimals.
//
// The same picture as trace.pftrace (perfetto.cc), which is better wherever it can be read: this
// file is many times as large, and viewers hold all of it as text. A trace of more than
// kMostEvents, with which browsers still cope, is refused unless the option `any-size` is given.
//
// A process is a rank; a thread is a row of the timeline or a lane of transfers. Tasks have their
// submission site as an argument. An arrow begins and ends at the start of its two slices: only
// there are viewers certain to find the slice itself and none within it.
#include <algorithm>
#include <array>

#include "converters/formats.h"
#include "converters/writers/text.h"
#include "converters/writers/timeline_rows.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

constexpr uint64_t kMostEvents = 1'000'000;

// Returns the text between the quotes of a JSON string.
std::string JsonText(std::string_view text) {
  std::string result;
  for (const char c : CleanText(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

// Writes one object per line.
class ChromeFile {
 public:
  explicit ChromeFile(TextBuffer& out) : out_(out) {}

  void Begin() { out_.Put("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"); }
  void End() { out_.Put("\n]}\n"); }

  // An event in parts: Event..., its fields, Close().
  void Event(char phase, uint64_t process, uint64_t thread) {
    out_.Put(is_first_ ? "{\"ph\":\"" : ",\n{\"ph\":\"");
    is_first_ = false;
    out_.Put(phase, "\",\"pid\":", process, ",\"tid\":", thread);
  }
  void Close() { out_.Put('}'); }
  void Time(std::string_view key, int64_t time_ns) {
    Key(key);
    const uint64_t size =
        time_ns < 0 ? -static_cast<uint64_t>(time_ns) : static_cast<uint64_t>(time_ns);
    if (time_ns < 0) out_.Put('-');
    out_.PutInteger(size / 1000);
    const auto rest = static_cast<unsigned>(size % 1000);
    const std::array<char, 4> decimals{'.', static_cast<char>('0' + rest / 100),
                                       static_cast<char>('0' + rest / 10 % 10),
                                       static_cast<char>('0' + rest % 10)};
    out_.Put(std::string_view(decimals.data(), decimals.size()));
  }
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    out_.Put('"', JsonText(value), '"');
  }
  template <class T>
  void Number(std::string_view key, T value) {
    Key(key);
    out_.PutInteger(value);
  }
  void Decimal(std::string_view key, double value) {
    Key(key);
    out_.PutFixed(value, 3);
  }
  void BeginArguments() {
    Key("args");
    out_.Put('{');
    no_comma_ = true;
  }
  void EndArguments() {
    out_.Put('}');
    no_comma_ = false;
  }

  void Name(std::string_view what, uint64_t process, uint64_t thread, std::string_view name) {
    Event('M', process, thread);
    Text("name", what);
    BeginArguments();
    Text("name", name);
    EndArguments();
    Close();
  }
  void Order(std::string_view what, uint64_t process, uint64_t thread, uint64_t place) {
    Event('M', process, thread);
    Text("name", what);
    BeginArguments();
    Number("sort_index", place);
    EndArguments();
    Close();
  }
  // One end of an arrow, from or to the slice just written. `kind` and `id` identify the arrow.
  void Flow(bool begins, uint64_t process, uint64_t thread, int64_t time_ns, std::string_view kind,
            uint64_t id) {
    Event(begins ? 's' : 'f', process, thread);
    Time("ts", time_ns);
    Text("cat", kind);
    Text("name", kind);
    out_.Put(",\"id\":\"0x", Hex{id}, '"');
    if (!begins) Text("bp", "e");  // bound to the enclosing slice
    Close();
  }

 private:
  void Key(std::string_view key) {
    out_.Put(no_comma_ ? "\"" : ",\"");
    no_comma_ = false;
    out_.Put(key, "\":");
  }

  TextBuffer& out_;
  bool is_first_ = true, no_comma_ = false;
};

class Writer {
 public:
  Writer(const TraceModel& model, TimelineOptions options, TextBuffer& out)
      : model_(model), options_(options), file_(out), next_thread_(model.tracks.size() + 1) {}

  void WriteAll() {
    file_.Begin();
    NameRows();
    for (uint32_t track = 0; track < model_.tracks.size(); ++track) WriteStates(track);
    WritePoints();
    for (const CounterSeries& series : model_.counters) WriteCounter(series);
    WriteTransfers();
    WriteMessages();
    file_.End();
  }

 private:
  static uint64_t Process(uint32_t rank_index) { return uint64_t{rank_index} + 1; }
  static uint64_t Thread(uint32_t track) { return uint64_t{track} + 1; }

  void NameRows() {
    for (uint32_t rank = 0; rank < model_.ranks.size(); ++rank) {
      file_.Name("process_name", Process(rank), 0, ProcessName(model_, rank));
      file_.Order("process_sort_index", Process(rank), 0, rank);
    }
    const TrackTable& tracks = model_.tracks;
    for (uint32_t track = 0; track < tracks.size(); ++track)
      NameThread(tracks.rank_index[track], Thread(track), model_.str(tracks.name[track]));
  }
  void NameThread(uint32_t rank_index, uint64_t thread, std::string_view name) {
    file_.Name("thread_name", Process(rank_index), thread, name);
    file_.Order("thread_sort_index", Process(rank_index), thread, thread);
  }

  void WriteStates(uint32_t track) {
    const StateTable& states = model_.states;
    const uint64_t process = Process(model_.tracks.rank_index[track]), thread = Thread(track);
    for (const uint32_t row : StatesOf(states, track)) {
      const StateKind kind = states.kind[row];
      const int64_t start_ns = states.start_ns[row], length_ns = states.end_ns[row] - start_ns;
      const bool is_task = kind == StateKind::kTask;
      const bool is_nothing = kind == StateKind::kNone && states.name[row] == 0;
      if (is_nothing || (length_ns == 0 && !is_task)) continue;
      const uint32_t task = is_task ? states.task[row] : kNone;
      file_.Event('X', process, thread);
      file_.Time("ts", start_ns);
      file_.Time("dur", length_ns);
      file_.Text("cat", is_task ? "task" : "state");
      file_.Text("name", task != kNone ? model_.TaskNameOf(task)
                         : is_task     ? "unknown"
                                       : model_.StateNameOf(row));
      if (task != kNone) WriteArguments(task);
      file_.Close();
      if (task != kNone && options_.flows) WriteFlows(task, track, start_ns);
    }
  }

  void WriteArguments(uint32_t task) {
    const TaskTable& tasks = model_.tasks;
    const uint32_t site = tasks.site[task];
    if (!options_.arguments && site == kNone) return;
    file_.BeginArguments();
    if (site != kNone) {
      file_.Text("site", LineOf(model_, site));
      file_.Text("function", model_.str(model_.sites.function[site]));
    }
    if (options_.arguments) {
      file_.Number("job", tasks.job[task]);
      if (tasks.iteration[task] >= 0) file_.Number("iteration", tasks.iteration[task]);
      if (tasks.subiteration[task] >= 0) file_.Number("subiteration", tasks.subiteration[task]);
      if (tasks.priority[task] != 0) file_.Number("priority", tasks.priority[task]);
      if (tasks.size_bytes[task] != 0) file_.Number("data_bytes", tasks.size_bytes[task]);
    }
    file_.EndArguments();
  }

  // Only at the slice on the task's own worker: a parallel task has slices on others.
  void WriteFlows(uint32_t task, uint32_t track, int64_t start_ns) {
    const uint32_t worker = model_.tasks.worker[task];
    if (worker == kNone || model_.workers.track[worker] != track) return;
    const uint64_t process = Process(model_.tracks.rank_index[track]), thread = Thread(track);
    const auto put = [&](bool begins, uint32_t from, uint32_t to) {
      file_.Flow(begins, process, thread, start_ns, "dependency", uint64_t{from} << 32 | to);
    };
    for (const DepEnd& after : model_.successors[task])
      if (RanOnWorker(model_, after.task)) put(true, task, after.task);
    for (const DepEnd& before : model_.predecessors[task])
      if (RanOnWorker(model_, before.task)) put(false, before.task, task);
  }

  void WritePoints() {
    const PointTable& points = model_.points;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto name = PointName(model_, i);
      if (!name) continue;
      const uint32_t track = points.track[i];
      const bool on_track = track < model_.tracks.size();
      file_.Event('i', Process(points.rank_index[i]), on_track ? Thread(track) : 0);
      file_.Time("ts", points.time_ns[i]);
      file_.Text("s", on_track ? "t" : "p");  // spans its thread or its process
      file_.Text("cat", "event");
      file_.Text("name", *name);
      file_.Close();
    }
  }

  void WriteCounter(const CounterSeries& series) {
    const std::string name = CounterName(model_, series);
    for (size_t i = 0; i < series.time_ns.size(); ++i) {
      file_.Event('C', Process(series.rank_index), 0);
      file_.Time("ts", series.time_ns[i]);
      file_.Text("name", name);
      file_.BeginArguments();
      file_.Decimal("value", series.value[i]);
      file_.EndArguments();
      file_.Close();
    }
  }

  void WriteTransfers() {
    const TransferTable& transfers = model_.transfers;
    for (const TransferLane& lane : TransferLanes(model_)) {
      const uint64_t process = Process(lane.rank_index), thread = next_thread_++;
      NameThread(lane.rank_index, thread, "transfers to node " + std::to_string(lane.target_node));
      for (const uint32_t row : lane.rows) {
        const int64_t start_ns = transfers.start_ns[row];
        file_.Event('X', process, thread);
        file_.Time("ts", start_ns);
        file_.Time("dur", EndOfTransfer(model_, row) - start_ns);
        file_.Text("cat", "transfer");
        file_.Text("name", "from node " + std::to_string(transfers.source_node[row]));
        WriteBytes(transfers.size_bytes[row]);
        file_.Close();
      }
    }
  }
  void WriteBytes(uint64_t bytes) {
    if (!options_.arguments) return;
    file_.BeginArguments();
    file_.Number("data_bytes", bytes);
    file_.EndArguments();
  }

  // As slices of length 0: an arrow of this format can only end at a slice.
  void WriteMessages() {
    uint32_t rank = kNone;
    uint64_t thread = 0;
    for (const MessageMoment& moment : MessageMoments(model_)) {
      if (moment.rank_index != rank) {
        rank = moment.rank_index;
        NameThread(rank, thread = next_thread_++, "messages");
      }
      const uint64_t process = Process(rank);
      file_.Event('X', process, thread);
      file_.Time("ts", moment.time_ns);
      file_.Time("dur", 0);
      file_.Text("cat", "message");
      file_.Text("name", MomentName(model_, moment));
      WriteBytes(model_.messages.size_bytes[moment.row]);
      file_.Close();
      if (options_.flows)
        file_.Flow(moment.sends, process, thread, moment.time_ns, "message", moment.row);
    }
  }

  const TraceModel& model_;
  const TimelineOptions options_;
  ChromeFile file_;
  uint64_t next_thread_;
};

// Returns an upper bound on the number of events to write.
uint64_t EventsOf(const TraceModel& model, TimelineOptions options) {
  uint64_t events = model.states.size() + model.transfers.size() + 2 * model.messages.size();
  for (const CounterSeries& series : model.counters) events += series.time_ns.size();
  for (size_t i = 0; i < model.points.size(); ++i) events += PointName(model, i).has_value();
  if (!options.flows) return events;
  events += 2 * model.messages.size();
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    events += 2 * model.predecessors[task].size();
  return events;
}

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  const TimelineOptions chosen = TimelineOptionsOf(options);
  if (!options.Has("any-size"))
    if (const uint64_t events = EventsOf(model, chosen); events > kMostEvents)
      return {ErrorCode::kUnsupported,
              std::to_string(events) + " events are more than the " + std::to_string(kMostEvents) +
                  " that browsers can load as JSON; use --to perfetto, leave out arrows with --set "
                  "no-flows, or force it with --set any-size"};
  return WriteText(outputs, "trace.json",
                   [&](TextBuffer& out) { Writer(model, chosen, out).WriteAll(); });
}

constexpr std::string_view kOptions[] = {"no-args", "no-flows", "any-size"};

}  // namespace

extern const WriterSpec kChromeJsonWriter;
const WriterSpec kChromeJsonWriter = {
    "chrome-json",
    "trace.json, the timeline as Chrome's trace events, up to 1,000,000 of them",
    "ui.perfetto.dev, chrome://tracing, speedscope",
    /*in_starpu_set=*/false,
    kOptions,
    kPartStates | kPartDeps | kPartTransfers | kPartCounters | kPartMessages | kPartPoints,
    &Write};

}  // namespace tasklens
