// SPDX-License-Identifier: Apache-2.0
// trace.pftrace: the timeline for Perfetto.
//
// Read by ui.perfetto.dev and trace_processor. The format is the protobuf of "track events":
// https://perfetto.dev/docs/reference/synthetic-track-event and the .proto files it names.
//
// A process is a rank; a track is a row of the timeline (worker, thread, memory node), a counter,
// or a lane of transfers to a memory node, as slices of one track must nest. Tasks have their
// submission site as source location, and an arrow ("flow") for each dependency between two tasks
// that ran; messages have one between two instants.
//
// For size, each track is a packet sequence of its own: common data of its packets are written
// once, names and places are interned, and times are differences. A task of up to 2 ms takes 25
// bytes, 26 after a pause of 16 µs and more, and 2 more if there are over 127 tracks; arguments and
// the source location, which Perfetto shows among them (option `no-args` omits both), and arrows
// (option `no-flows`) are extra.
#include <algorithm>

#include "converters/formats.h"
#include "converters/writers/line_streams.h"
#include "converters/writers/protobuf.h"
#include "converters/writers/text.h"
#include "converters/writers/timeline_rows.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

// Fields by message, with the numbers of Perfetto's .proto files.
namespace packet {
enum : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTimestampClock = 58,
  kDefaults = 59,
  kTrackDescriptor = 60,
  kFirstOnSequence = 87,
};
}
namespace descriptor {
enum : uint32_t {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kParent = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingRank = 12,
};
}
namespace event {
enum : uint32_t {
  kDebugAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kName = 23,
  kCounterValue = 30,
  kSourceLocationIid = 34,
  kDoubleCounterValue = 44,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
};
enum Type : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };
}  // namespace event
namespace interned {
enum : uint32_t { kEventNames = 2, kAnnotationNames = 3, kSourceLocations = 4 };
enum : uint32_t { kIid = 1, kName = 2 };                        // of all interned data
enum : uint32_t { kFile = 2, kFunction = 3, kLineNumber = 4 };  // of source locations
}  // namespace interned
namespace annotation {
enum : uint32_t { kNameIid = 1, kUint = 3, kInt = 4 };
}

constexpr uint32_t kTraceField = 1;  // a packet in the file
constexpr uint64_t kIncrementalClock = 64, kBootTime = 6, kRealTime = 1;
constexpr uint64_t kStateCleared = 1;
constexpr uint64_t kExplicitOrder = 3;
enum CounterUnit : uint64_t { kCount = 2, kSizeBytes = 3 };

// Arguments of tasks; an iid each, from 1 on.
enum Argument : uint64_t { kJob = 1, kIteration, kSubiteration, kPriority, kDataBytes, kArguments };
constexpr std::string_view kArgumentNames[] = {"",         "job",       "iteration", "subiteration",
                                               "priority", "data_bytes"};

// Numbers assigned in order of first use, from the start for each sequence.
class Interning {
 public:
  explicit Interning(size_t size) : entries_(size) {}
  void NewSequence() {
    ++sequence_;
    last_ = 0;
  }
  // Returns the number of `value`; is_new: it was just assigned.
  uint64_t Number(size_t value, bool& is_new) {
    Entry& entry = entries_[value];
    is_new = entry.sequence != sequence_;
    if (is_new) entry = {sequence_, ++last_};
    return entry.number;
  }

 private:
  struct Entry {
    uint32_t sequence = 0, number = 0;
  };
  std::vector<Entry> entries_;
  uint32_t sequence_ = 0, last_ = 0;
};

class PerfettoFile {
 public:
  PerfettoFile(const TraceModel& model, TextBuffer& out)
      : model_(model),
        out_(out),
        names_(model.strings.size() + kStates),
        sites_(model.sites.size()) {}

  // Each returns the uuid of a new row.
  uint64_t AddProcess(uint32_t rank_index, std::string_view name) {
    ProtoMessage process, track;
    process.Varint(1, uint64_t{rank_index} + 1);  // pid
    process.Bytes(6, CleanText(name));            // process_name
    track.Varint(descriptor::kUuid, ++last_uuid_);
    track.Message(descriptor::kProcess, process);
    track.Varint(descriptor::kChildOrdering, kExplicitOrder);
    PutDescriptor(track);
    return last_uuid_;
  }
  uint64_t AddTrack(uint64_t parent, std::string_view name) {
    ProtoMessage track = Track(parent, name);
    PutDescriptor(track);
    return last_uuid_;
  }
  uint64_t AddCounter(uint64_t parent, std::string_view name, CounterUnit unit) {
    ProtoMessage track = Track(parent, name), counter;
    counter.Varint(3, unit);
    track.Message(descriptor::kCounter, counter);
    PutDescriptor(track);
    return last_uuid_;
  }

  // Begins the events of `track`, in order of time.
  void BeginSequence(uint64_t track) {
    ++sequence_;
    names_.NewSequence();
    sites_.NewSequence();
    arguments_known_ = false;
    last_ns_ = 0;
    ProtoMessage event_defaults, defaults, snapshot;
    event_defaults.Varint(event::kTrackUuid, track);
    defaults.Message(11, event_defaults);
    defaults.Varint(packet::kTimestampClock, kIncrementalClock);
    AddClock(snapshot, kIncrementalClock, 0, true);
    AddClock(snapshot, kBootTime, 0, false);
    packet_.Clear();
    packet_.Varint(packet::kSequence, sequence_);
    packet_.Varint(packet::kSequenceFlags, kStateCleared);
    packet_.Varint(packet::kFirstOnSequence, 1);
    packet_.Message(packet::kDefaults, defaults);
    packet_.Message(packet::kClockSnapshot, snapshot);
    PutPacket();
  }

  // Writes the start time of the trace, for viewers that show dates.
  void PutWallClock(int64_t unix_ns) {
    ProtoMessage snapshot;
    AddClock(snapshot, kRealTime, static_cast<uint64_t>(unix_ns), false);
    AddClock(snapshot, kBootTime, 0, false);
    packet_.Clear();
    packet_.Varint(packet::kSequence, ++sequence_);
    packet_.Message(packet::kClockSnapshot, snapshot);
    PutPacket();
  }

  // An event in parts: Begin..., its fields, Put().
  ProtoMessage& NewEvent(event::Type type) {
    event_.Clear();
    interned_.Clear();
    event_.Varint(event::kType, type);
    return event_;
  }
  void PutEvent(int64_t time_ns) {
    packet_.Clear();
    packet_.Varint(packet::kTimestamp,
                   static_cast<uint64_t>(std::max(time_ns, last_ns_) - last_ns_));
    last_ns_ = std::max(time_ns, last_ns_);
    packet_.Varint(packet::kSequence, sequence_);
    if (!interned_.bytes().empty()) packet_.Message(packet::kInternedData, interned_);
    packet_.Message(packet::kTrackEvent, event_);
    PutPacket();
  }
  ProtoMessage& event() { return event_; }
  void End(int64_t time_ns) {
    NewEvent(event::kEnd);
    PutEvent(time_ns);
  }

  void NameTask(uint32_t task) {
    Name(task == kNone ? 0 : model_.tasks.name[task],
         task == kNone ? "unknown" : model_.TaskNameOf(task));
  }
  void NameState(uint32_t row) {
    const StringId name = model_.states.name[row];
    const auto kind = static_cast<size_t>(model_.states.kind[row]);
    Name(name != 0 ? name : model_.strings.size() + kind, model_.StateNameOf(row));
  }
  void Locate(uint32_t site) {
    bool is_new = false;
    const uint64_t iid = sites_.Number(site, is_new);
    event_.Varint(event::kSourceLocationIid, iid);
    if (!is_new) return;
    ProtoMessage location;
    location.Varint(interned::kIid, iid);
    location.Bytes(interned::kFile, CleanText(model_.str(model_.sites.file[site])));
    location.Bytes(interned::kFunction, CleanText(model_.str(model_.sites.function[site])));
    location.Varint(interned::kLineNumber, model_.sites.line[site]);
    interned_.Message(interned::kSourceLocations, location);
  }
  void Annotate(Argument argument, uint64_t value) { Annotate(argument, annotation::kUint, value); }
  void AnnotateSigned(Argument argument, int64_t value) {
    Annotate(argument, annotation::kInt, static_cast<uint64_t>(value));
  }

 private:
  static constexpr size_t kStates = static_cast<size_t>(StateKind::kCount);

  ProtoMessage Track(uint64_t parent, std::string_view name) {
    ProtoMessage track;
    track.Varint(descriptor::kUuid, ++last_uuid_);
    track.Bytes(descriptor::kName, CleanText(name));
    track.Varint(descriptor::kParent, parent);
    track.Varint(descriptor::kSiblingRank, last_uuid_);
    return track;
  }
  void PutDescriptor(const ProtoMessage& track) {
    constexpr uint64_t kDescriptors = 1;  // sequence of the descriptors
    sequence_ = std::max(sequence_, kDescriptors);
    packet_.Clear();
    packet_.Varint(packet::kSequence, kDescriptors);
    packet_.Message(packet::kTrackDescriptor, track);
    PutPacket();
  }
  static void AddClock(ProtoMessage& snapshot, uint64_t id, uint64_t time, bool incremental) {
    ProtoMessage clock;
    clock.Varint(1, id);
    clock.Varint(2, time);
    if (incremental) clock.Varint(3, 1);
    snapshot.Message(1, clock);
  }
  void Name(size_t key, std::string_view text) {
    bool is_new = false;
    const uint64_t iid = names_.Number(key, is_new);
    event_.Varint(event::kNameIid, iid);
    if (!is_new) return;
    ProtoMessage name;
    name.Varint(interned::kIid, iid);
    name.Bytes(interned::kName, CleanText(text));
    interned_.Message(interned::kEventNames, name);
  }
  void Annotate(Argument argument, uint32_t field, uint64_t value) {
    if (!arguments_known_) {
      for (uint64_t iid = 1; iid < kArguments; ++iid) {
        ProtoMessage name;
        name.Varint(interned::kIid, iid);
        name.Bytes(interned::kName, kArgumentNames[iid]);
        interned_.Message(interned::kAnnotationNames, name);
      }
      arguments_known_ = true;
    }
    annotation_.Clear();
    annotation_.Varint(annotation::kNameIid, argument);
    annotation_.Varint(field, value);
    event_.Message(event::kDebugAnnotations, annotation_);
  }
  void PutPacket() {
    file_.Clear();
    file_.Message(kTraceField, packet_);
    out_.Put(file_.bytes());
  }

  const TraceModel& model_;
  TextBuffer& out_;
  Interning names_, sites_;  // by StringId, then StateKind; by row of sites
  bool arguments_known_ = false;
  ProtoMessage file_, packet_, event_, interned_, annotation_;
  uint64_t last_uuid_ = 0, sequence_ = 0;
  int64_t last_ns_ = 0;
};

// Rows of tasks have at most 32 bits, so these ids are distinct.
constexpr uint64_t kMessageFlow = uint64_t{1} << 63;
uint64_t FlowOf(uint32_t from, uint32_t to) { return (uint64_t{from} << 32 | to) & ~kMessageFlow; }

class Writer {
 public:
  Writer(const TraceModel& model, TimelineOptions options, TextBuffer& out)
      : model_(model), options_(options), file_(model, out) {}

  void WriteAll() {
    AddTracks();
    if (model_.wall_clock_ns > 0) file_.PutWallClock(model_.wall_clock_ns);
    for (uint32_t track = 0; track < model_.tracks.size(); ++track) WriteStates(track);
    WritePoints();
    for (const CounterSeries& series : model_.counters) WriteCounter(series);
    WriteTransfers();
    WriteMessages();
  }

 private:
  void AddTracks() {
    for (uint32_t rank = 0; rank < model_.ranks.size(); ++rank)
      process_.push_back(file_.AddProcess(rank, ProcessName(model_, rank)));
    const TrackTable& tracks = model_.tracks;
    for (uint32_t track = 0; track < tracks.size(); ++track)
      uuid_.push_back(
          file_.AddTrack(process_[tracks.rank_index[track]], model_.str(tracks.name[track])));
  }

  // Whether the slice of `task` on `track` is the one with its dependencies.
  bool RanOn(uint32_t task, uint32_t track) const {
    const uint32_t worker = model_.tasks.worker[task];
    return worker != kNone && model_.workers.track[worker] == track;
  }

  void WriteStates(uint32_t track) {
    file_.BeginSequence(uuid_[track]);
    const StateTable& states = model_.states;
    size_t open = 0;
    for (StateCursor cursor(model_, track); cursor.time_ns() != LineStream::kEnd; cursor.Next()) {
      const int64_t time_ns = cursor.time_ns();
      if (cursor.action() == StateCursor::Action::kPop) {
        file_.End(time_ns);
        --open;
        continue;
      }
      if (cursor.action() == StateCursor::Action::kSet)
        for (; open > 0; --open) file_.End(time_ns);
      ++open;
      file_.NewEvent(event::kBegin);
      const uint32_t row = cursor.row();
      if (states.kind[row] == StateKind::kTask)
        FillTask(states.task[row], track);
      else
        file_.NameState(row);
      file_.PutEvent(time_ns);
    }
  }

  void FillTask(uint32_t task, uint32_t track) {
    file_.NameTask(task);
    if (task == kNone) return;
    const TaskTable& tasks = model_.tasks;
    if (options_.arguments && tasks.site[task] != kNone) file_.Locate(tasks.site[task]);
    if (options_.arguments) {
      file_.Annotate(kJob, tasks.job[task]);
      if (tasks.iteration[task] >= 0)
        file_.Annotate(kIteration, static_cast<uint32_t>(tasks.iteration[task]));
      if (tasks.subiteration[task] >= 0)
        file_.Annotate(kSubiteration, static_cast<uint32_t>(tasks.subiteration[task]));
      if (tasks.priority[task] != 0) file_.AnnotateSigned(kPriority, tasks.priority[task]);
      if (tasks.size_bytes[task] != 0) file_.Annotate(kDataBytes, tasks.size_bytes[task]);
    }
    if (!options_.flows || !RanOn(task, track)) return;
    ProtoMessage& event = file_.event();
    for (const DepEnd& after : model_.successors[task])
      if (RanOnWorker(model_, after.task)) event.Fixed64(event::kFlowIds, FlowOf(task, after.task));
    for (const DepEnd& before : model_.predecessors[task])
      if (RanOnWorker(model_, before.task))
        event.Fixed64(event::kTerminatingFlowIds, FlowOf(before.task, task));
  }

  // The program's own events, each on its track.
  void WritePoints() {
    const PointTable& points = model_.points;
    file_.BeginSequence(process_.empty() ? 0 : process_[0]);
    for (size_t i = 0; i < points.size(); ++i) {
      const auto name = PointName(model_, i);
      if (!name) continue;
      ProtoMessage& event = file_.NewEvent(event::kInstant);
      const uint32_t track = points.track[i];
      event.Varint(event::kTrackUuid,
                   track < uuid_.size() ? uuid_[track] : process_[points.rank_index[i]]);
      event.Bytes(event::kName, *name);
      file_.PutEvent(points.time_ns[i]);
    }
  }

  void WriteCounter(const CounterSeries& series) {
    const bool is_memory = series.kind == CounterKind::kMemoryUsedBytes;
    const uint64_t track = file_.AddCounter(
        process_[series.rank_index], CounterName(model_, series), is_memory ? kSizeBytes : kCount);
    file_.BeginSequence(track);
    for (size_t i = 0; i < series.time_ns.size(); ++i) {
      ProtoMessage& event = file_.NewEvent(event::kCounter);
      event.Double(event::kDoubleCounterValue, series.value[i]);
      file_.PutEvent(series.time_ns[i]);
    }
  }

  void WriteTransfers() {
    const TransferTable& transfers = model_.transfers;
    for (const TransferLane& lane : TransferLanes(model_)) {
      file_.BeginSequence(file_.AddTrack(process_[lane.rank_index],
                                         "transfers to node " + std::to_string(lane.target_node)));
      for (const uint32_t row : lane.rows) {
        ProtoMessage& event = file_.NewEvent(event::kBegin);
        event.Bytes(event::kName, "from node " + std::to_string(transfers.source_node[row]));
        if (options_.arguments) file_.Annotate(kDataBytes, transfers.size_bytes[row]);
        file_.PutEvent(transfers.start_ns[row]);
        file_.End(EndOfTransfer(model_, row));
      }
    }
  }

  // Messages whose two ends are known, as instants on a track of each rank.
  void WriteMessages() {
    uint32_t rank = kNone;
    for (const MessageMoment& moment : MessageMoments(model_)) {
      if (moment.rank_index != rank)
        file_.BeginSequence(file_.AddTrack(process_[moment.rank_index], "messages"));
      rank = moment.rank_index;
      ProtoMessage& event = file_.NewEvent(event::kInstant);
      event.Bytes(event::kName, MomentName(model_, moment));
      if (options_.arguments) file_.Annotate(kDataBytes, model_.messages.size_bytes[moment.row]);
      event.Fixed64(moment.sends ? event::kFlowIds : event::kTerminatingFlowIds,
                    kMessageFlow | moment.row);
      file_.PutEvent(moment.time_ns);
    }
  }

  const TraceModel& model_;
  const TimelineOptions options_;
  PerfettoFile file_;
  std::vector<uint64_t> process_, uuid_;  // by row of ranks, of tracks
};

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  return WriteText(outputs, "trace.pftrace", [&](TextBuffer& out) {
    Writer(model, TimelineOptionsOf(options), out).WriteAll();
  });
}

constexpr std::string_view kOptions[] = {"no-args", "no-flows"};

}  // namespace

extern const WriterSpec kPerfettoWriter;
const WriterSpec kPerfettoWriter = {
    "perfetto",
    "trace.pftrace, the timeline with an arrow for each dependency",
    "ui.perfetto.dev, trace_processor",
    /*in_starpu_set=*/false,
    kOptions,
    kPartStates | kPartDeps | kPartTransfers | kPartCounters | kPartMessages | kPartPoints,
    &Write};

}  // namespace tasklens
