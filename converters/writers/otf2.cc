// SPDX-License-Identifier: Apache-2.0
// otf2/: the timeline as an archive of the Open Trace Format 2.
//
// Read by Vampir, Scalasca, otf2-print and ViTE. The files are written by the format's own library:
// https://www.vi-hps.org/projects/score-p ("OTF2 3.0", its header files are the manual).
//
// A location group is a rank; a location is a row of the timeline (worker, thread, memory node), a
// lane of transfers to a memory node (regions of one location must nest), a counter, or the
// messages of a rank. A region is a codelet at one submission site, with its file and line, or a
// state. Messages are sends and receives in a communicator of all ranks, events of the program are
// markers. The format cannot express dependencies between tasks.
#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "converters/formats.h"
#include "converters/writers/line_streams.h"
#include "converters/writers/text.h"
#include "converters/writers/timeline_rows.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

constexpr std::string_view kFolder = "otf2";
constexpr const char* kArchive = "traces";

// Arguments of regions and messages.
enum Attribute : OTF2_AttributeRef { kJob, kIteration, kSubiteration, kPriority, kDataBytes, kTag };
struct AttributeDecl {
  const char* name;
  const char* description;
  OTF2_Type type;
};
constexpr AttributeDecl kAttributes[] = {
    {"job", "number of the task in its rank", OTF2_TYPE_UINT64},
    {"iteration", "outer iteration", OTF2_TYPE_INT64},
    {"subiteration", "inner iteration", OTF2_TYPE_INT64},
    {"priority", "of the task", OTF2_TYPE_INT64},
    {"data_bytes", "size of the data", OTF2_TYPE_UINT64},
    {"tag", "of a message, where it has more than 32 bits", OTF2_TYPE_INT64},
};

// Keeps the first error. The library would print it to standard error, and does not report errors
// of closing a file in any other way.
OTF2_ErrorCode KeepError(void* first, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                         const char*, va_list) {
  auto& error = *static_cast<OTF2_ErrorCode*>(first);
  if (error == OTF2_SUCCESS && code > OTF2_SUCCESS) error = code;
  return code;
}

// The size of the library's own buffer of a file. If that cannot be written, the library frees it
// and writes it once more; pieces of this size bypass the buffer.
constexpr uint64_t kChunkBytes = uint64_t{4} << 20;
static_assert(kChunkBytes == OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT);

// The error callback is global to the process, so archives are written one at a time.
std::unique_lock<std::mutex> OneAtATime() {
  static std::mutex mutex;
  return std::unique_lock(mutex);
}

OTF2_FlushType AlwaysFlush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
constexpr OTF2_FlushCallbacks kFlush = {&AlwaysFlush, nullptr};

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
struct DeleteAttributes {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

// An archive whose events are written location by location, and whose definitions come last. The
// first error is kept; calls after it have no effect.
class Archive {
 public:
  explicit Archive(std::string folder) : folder_(std::move(folder)) {
    OTF2_Error_RegisterCallback(&KeepError, &error_);
    archive_.reset(OTF2_Archive_Open(folder_.c_str(), kArchive, OTF2_FILEMODE_WRITE, kChunkBytes,
                                     kChunkBytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (!archive_) {
      Check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
      return;
    }
    Check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &kFlush, nullptr));
    Check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    Check(OTF2_Archive_SetCreator(archive_.get(), "TaskLens"));
    Check(OTF2_Archive_OpenEvtFiles(archive_.get()));
    attributes_.reset(OTF2_AttributeList_New());
  }
  ~Archive() {
    archive_.reset();
    OTF2_Error_RegisterCallback(nullptr, nullptr);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool ok() const { return error_ == OTF2_SUCCESS; }

  // Begins a location. Its events follow, in order of time, up to EndLocation().
  OTF2_LocationRef BeginLocation(OTF2_LocationType type, uint32_t rank_index,
                                 std::string_view name) {
    const OTF2_LocationRef location = locations_.size();
    locations_.push_back({type, rank_index, String(name), 0});
    events_ = ok() ? OTF2_Archive_GetEvtWriter(archive_.get(), location) : nullptr;
    if (ok() && events_ == nullptr) Check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    last_ns_ = 0;
    return location;
  }
  void EndLocation() {
    if (!ok()) return;
    Check(OTF2_EvtWriter_GetNumberOfEvents(events_, &locations_.back().events));
    Check(OTF2_Archive_CloseEvtWriter(archive_.get(), events_));
    events_ = nullptr;
  }

  // Adds an argument to the next event.
  void AddUnsigned(Attribute attribute, uint64_t value) {
    if (ok()) Check(OTF2_AttributeList_AddUint64(attributes_.get(), attribute, value));
  }
  void AddSigned(Attribute attribute, int64_t value) {
    if (ok()) Check(OTF2_AttributeList_AddInt64(attributes_.get(), attribute, value));
  }
  void Enter(int64_t time_ns, OTF2_RegionRef region) {
    if (ok()) Check(OTF2_EvtWriter_Enter(events_, attributes_.get(), Time(time_ns), region));
  }
  void Leave(int64_t time_ns, OTF2_RegionRef region) {
    if (ok()) Check(OTF2_EvtWriter_Leave(events_, nullptr, Time(time_ns), region));
  }
  void Count(int64_t time_ns, OTF2_MetricRef metric, double value) {
    if (!ok()) return;
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    OTF2_MetricValue values{};
    values.floating_point = value;
    Check(OTF2_EvtWriter_Metric(events_, nullptr, Time(time_ns), metric, 1, &type, &values));
  }
  void Send(int64_t time_ns, uint32_t to, uint32_t tag, uint64_t size_bytes) {
    if (ok())
      Check(OTF2_EvtWriter_MpiSend(events_, attributes_.get(), Time(time_ns), to, kAllRanks, tag,
                                   size_bytes));
  }
  void Receive(int64_t time_ns, uint32_t from, uint32_t tag, uint64_t size_bytes) {
    if (ok())
      Check(OTF2_EvtWriter_MpiRecv(events_, attributes_.get(), Time(time_ns), from, kAllRanks, tag,
                                   size_bytes));
  }

  OTF2_RegionRef AddRegion(std::string_view name, OTF2_RegionRole role, std::string_view file,
                           uint32_t line) {
    regions_.push_back({String(name), role, String(file), line});
    return static_cast<OTF2_RegionRef>(regions_.size() - 1);
  }
  OTF2_MetricRef AddMetric(std::string_view name, std::string_view unit) {
    metrics_.push_back({String(name), String(unit)});
    return static_cast<OTF2_MetricRef>(metrics_.size() - 1);
  }
  // The location at which the next rank sends and receives. REQUIRES: called in order of the ranks.
  void AddToCommunicator(OTF2_LocationRef location) { communicator_.push_back(location); }

  struct MarkedMoment {
    int64_t time_ns;
    OTF2_LocationRef location;
    std::string text;
  };
  void WriteMarkers(const std::vector<MarkedMoment>& moments) {
    if (!ok() || moments.empty()) return;
    OTF2_MarkerWriter* writer = OTF2_Archive_GetMarkerWriter(archive_.get());
    if (writer == nullptr) return Check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    Check(OTF2_MarkerWriter_WriteDefMarker(writer, 0, "program", "event", OTF2_SEVERITY_NONE));
    for (const MarkedMoment& moment : moments) {
      const auto time = static_cast<uint64_t>(std::max<int64_t>(moment.time_ns, 0));
      trace_end_ns_ = std::max(trace_end_ns_, time);
      Check(OTF2_MarkerWriter_WriteMarker(writer, time, 0, 0, OTF2_MARKER_SCOPE_LOCATION,
                                          moment.location, moment.text.c_str()));
    }
    Check(OTF2_Archive_CloseMarkerWriter(archive_.get(), writer));
  }

  // Writes the definitions and closes the archive. `processes`: names of the ranks; wall_clock_ns:
  // Unix time of time 0, -1 unknown.
  Status Finish(const std::vector<std::string>& processes, int64_t wall_clock_ns) {
    if (ok()) Check(OTF2_Archive_CloseEvtFiles(archive_.get()));
    if (ok()) WriteDefinitions(processes, wall_clock_ns);
    if (ok()) Check(OTF2_Archive_Close(archive_.release()));
    if (ok()) return Status::Ok();
    // The final path of the folder, not its present temporary name.
    const std::filesystem::path path = std::filesystem::path(folder_).parent_path() / kFolder;
    return {ErrorCode::kIo, path.string() + ": " + OTF2_Error_GetDescription(error_)};
  }

 private:
  static constexpr OTF2_CommRef kAllRanks = 0;

  struct Location {
    OTF2_LocationType type;
    uint32_t rank_index;
    OTF2_StringRef name;
    uint64_t events;
  };
  struct Region {
    OTF2_StringRef name;
    OTF2_RegionRole role;
    OTF2_StringRef file;
    uint32_t line;
  };
  struct Metric {
    OTF2_StringRef name, unit;
  };

  void Check(OTF2_ErrorCode code) {
    if (ok() && code != OTF2_SUCCESS) error_ = code;
  }

  OTF2_TimeStamp Time(int64_t time_ns) {
    last_ns_ = std::max(last_ns_, static_cast<uint64_t>(std::max<int64_t>(time_ns, 0)));
    trace_end_ns_ = std::max(trace_end_ns_, last_ns_);
    return last_ns_;
  }

  OTF2_StringRef String(std::string_view text) {
    const auto [entry, is_new] =
        strings_.try_emplace(CleanText(text), static_cast<OTF2_StringRef>(strings_.size()));
    return entry->second;
  }

  // The format requires a file of definitions for each location; it is empty.
  void WriteLocalDefinitions() {
    Check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (size_t i = 0; ok() && i < locations_.size(); ++i) {
      OTF2_DefWriter* local = OTF2_Archive_GetDefWriter(archive_.get(), i);
      Check(local == nullptr ? OTF2_ERROR_FILE_CAN_NOT_OPEN
                             : OTF2_Archive_CloseDefWriter(archive_.get(), local));
    }
    Check(OTF2_Archive_CloseDefFiles(archive_.get()));
  }

  void WriteDefinitions(const std::vector<std::string>& processes, int64_t wall_clock_ns) {
    WriteLocalDefinitions();
    OTF2_GlobalDefWriter* out = ok() ? OTF2_Archive_GetGlobalDefWriter(archive_.get()) : nullptr;
    if (out == nullptr) return Check(OTF2_ERROR_FILE_CAN_NOT_OPEN);

    constexpr uint64_t kTicksPerSecond = 1'000'000'000;
    Check(OTF2_GlobalDefWriter_WriteClockProperties(
        out, kTicksPerSecond, 0, trace_end_ns_,
        wall_clock_ns > 0 ? static_cast<uint64_t>(wall_clock_ns) : OTF2_UNDEFINED_TIMESTAMP));

    const OTF2_StringRef empty = String(""), machine = String("machine"), ranks = String("ranks");
    std::vector<OTF2_StringRef> names, attribute_names, attribute_texts;
    for (const std::string& process : processes) names.push_back(String(process));
    for (const AttributeDecl& attribute : kAttributes) {
      attribute_names.push_back(String(attribute.name));
      attribute_texts.push_back(String(attribute.description));
    }
    for (const auto& [text, number] : strings_)
      Check(OTF2_GlobalDefWriter_WriteString(out, number, text.c_str()));
    for (OTF2_AttributeRef i = 0; i < std::size(kAttributes); ++i)
      Check(OTF2_GlobalDefWriter_WriteAttribute(out, i, attribute_names[i], attribute_texts[i],
                                                kAttributes[i].type));

    Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, machine, machine,
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < names.size(); ++i)
      Check(OTF2_GlobalDefWriter_WriteLocationGroup(
          out, i, names[i], OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    for (size_t i = 0; i < locations_.size(); ++i)
      Check(OTF2_GlobalDefWriter_WriteLocation(out, i, locations_[i].name, locations_[i].type,
                                               locations_[i].events, locations_[i].rank_index));
    for (uint32_t i = 0; i < regions_.size(); ++i)
      Check(OTF2_GlobalDefWriter_WriteRegion(
          out, i, regions_[i].name, regions_[i].name, empty, regions_[i].role, OTF2_PARADIGM_USER,
          OTF2_REGION_FLAG_NONE, regions_[i].file, regions_[i].line, regions_[i].line));
    WriteMetrics(out, empty);
    WriteCommunicator(out, ranks);
    Check(OTF2_Archive_CloseGlobalDefWriter(archive_.get(), out));
  }

  void WriteMetrics(OTF2_GlobalDefWriter* out, OTF2_StringRef empty) {
    for (uint32_t i = 0; i < metrics_.size(); ++i) {
      Check(OTF2_GlobalDefWriter_WriteMetricMember(
          out, i, metrics_[i].name, empty, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT,
          OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, metrics_[i].unit));
      Check(OTF2_GlobalDefWriter_WriteMetricClass(out, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS,
                                                  OTF2_RECORDER_KIND_ABSTRACT));
    }
  }

  // The communicator of all ranks, for messages.
  void WriteCommunicator(OTF2_GlobalDefWriter* out, OTF2_StringRef name) {
    if (communicator_.empty()) return;
    const auto members = static_cast<uint32_t>(communicator_.size());
    std::vector<uint64_t> order(members);
    for (uint32_t i = 0; i < members; ++i) order[i] = i;
    Check(OTF2_GlobalDefWriter_WriteGroup(out, 0, name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, members,
                                          communicator_.data()));
    Check(OTF2_GlobalDefWriter_WriteGroup(out, 1, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, members,
                                          order.data()));
    Check(OTF2_GlobalDefWriter_WriteComm(out, kAllRanks, name, 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
  }

  const std::unique_lock<std::mutex> alone_ = OneAtATime();
  const std::string folder_;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
  std::unique_ptr<OTF2_Archive, CloseArchive> archive_;
  std::unique_ptr<OTF2_AttributeList, DeleteAttributes> attributes_;  // of the next event
  OTF2_EvtWriter* events_ = nullptr;                                  // of the last location
  uint64_t last_ns_ = 0, trace_end_ns_ = 0;
  std::vector<Location> locations_;
  std::vector<Region> regions_;
  std::vector<Metric> metrics_;
  std::vector<uint64_t> communicator_;
  std::unordered_map<std::string, OTF2_StringRef> strings_;
};

OTF2_RegionRole RoleOf(StateKind kind) {
  switch (Decl(kind).group) {
    case StateGroup::kTask: return OTF2_REGION_ROLE_TASK;
    case StateGroup::kMemory: return OTF2_REGION_ROLE_DATA_TRANSFER;
    case StateGroup::kMpi: return OTF2_REGION_ROLE_POINT2POINT;
    case StateGroup::kUser: return OTF2_REGION_ROLE_CODE;
    case StateGroup::kRuntime:
    case StateGroup::kOther: break;
  }
  return OTF2_REGION_ROLE_FUNCTION;
}

class Writer {
 public:
  Writer(const TraceModel& model, bool arguments, const std::string& folder)
      : model_(model), arguments_(arguments), archive_(folder) {}

  Status WriteAll() {
    for (uint32_t track = 0; track < model_.tracks.size(); ++track) WriteStates(track);
    WriteTransfers();
    for (const CounterSeries& series : model_.counters) WriteCounter(series);
    WriteMessages();
    WritePoints();
    std::vector<std::string> processes;
    if (model_.tracks.size() == 0) {
      // For an empty trace: readers require at least one location.
      archive_.BeginLocation(OTF2_LOCATION_TYPE_CPU_THREAD, 0, "nothing recorded");
      archive_.EndLocation();
      if (model_.ranks.size() == 0) processes.push_back("program");
    }
    for (uint32_t rank = 0; rank < model_.ranks.size(); ++rank)
      processes.push_back(ProcessName(model_, rank));
    return archive_.Finish(processes, model_.wall_clock_ns);
  }

 private:
  void WriteStates(uint32_t track) {
    const TrackTable& tracks = model_.tracks;
    location_of_track_.push_back(archive_.BeginLocation(
        OTF2_LOCATION_TYPE_CPU_THREAD, tracks.rank_index[track], model_.str(tracks.name[track])));
    std::vector<OTF2_RegionRef> open;
    const auto leave = [&](int64_t time_ns) {
      archive_.Leave(time_ns, open.back());
      open.pop_back();
    };
    for (StateCursor cursor(model_, track); cursor.time_ns() != LineStream::kEnd; cursor.Next()) {
      const int64_t time_ns = cursor.time_ns();
      if (cursor.action() == StateCursor::Action::kPop) {
        leave(time_ns);
        continue;
      }
      if (cursor.action() == StateCursor::Action::kSet)
        while (!open.empty()) leave(time_ns);
      const uint32_t row = cursor.row();
      const bool is_task = model_.states.kind[row] == StateKind::kTask;
      const uint32_t task = model_.states.task[row];
      if (is_task && arguments_ && task != kNone) AddArguments(task);
      open.push_back(is_task ? TaskRegion(task) : StateRegion(row));
      archive_.Enter(time_ns, open.back());
    }
    archive_.EndLocation();
  }

  void AddArguments(uint32_t task) {
    const TaskTable& tasks = model_.tasks;
    archive_.AddUnsigned(kJob, tasks.job[task]);
    if (tasks.iteration[task] >= 0) archive_.AddSigned(kIteration, tasks.iteration[task]);
    if (tasks.subiteration[task] >= 0) archive_.AddSigned(kSubiteration, tasks.subiteration[task]);
    if (tasks.priority[task] != 0) archive_.AddSigned(kPriority, tasks.priority[task]);
    if (tasks.size_bytes[task] != 0) archive_.AddUnsigned(kDataBytes, tasks.size_bytes[task]);
  }

  OTF2_RegionRef TaskRegion(uint32_t task) {
    const StringId name = task == kNone ? 0 : model_.tasks.name[task];
    const uint32_t site = task == kNone ? kNone : model_.tasks.site[task];
    const auto [entry, is_new] = task_regions_.try_emplace(uint64_t{name} << 32 | site, 0);
    if (is_new)
      entry->second = archive_.AddRegion(task == kNone ? "unknown" : model_.TaskNameOf(task),
                                         OTF2_REGION_ROLE_TASK,
                                         site == kNone ? "" : model_.str(model_.sites.file[site]),
                                         site == kNone ? 0 : model_.sites.line[site]);
    return entry->second;
  }
  OTF2_RegionRef StateRegion(uint32_t row) {
    const StateKind kind = model_.states.kind[row];
    const uint64_t key = uint64_t{model_.states.name[row]} << 32 | static_cast<uint64_t>(kind);
    const auto [entry, is_new] = state_regions_.try_emplace(key, 0);
    if (is_new) entry->second = archive_.AddRegion(model_.StateNameOf(row), RoleOf(kind), "", 0);
    return entry->second;
  }

  void WriteTransfers() {
    const TransferTable& transfers = model_.transfers;
    std::unordered_map<uint32_t, OTF2_RegionRef> regions;  // by source node
    for (const TransferLane& lane : TransferLanes(model_)) {
      archive_.BeginLocation(OTF2_LOCATION_TYPE_CPU_THREAD, lane.rank_index,
                             "transfers to node " + std::to_string(lane.target_node));
      for (const uint32_t row : lane.rows) {
        const uint32_t source = transfers.source_node[row];
        const auto [region, is_new] = regions.try_emplace(source, 0);
        if (is_new)
          region->second = archive_.AddRegion("from node " + std::to_string(source),
                                              OTF2_REGION_ROLE_DATA_TRANSFER, "", 0);
        if (arguments_) archive_.AddUnsigned(kDataBytes, transfers.size_bytes[row]);
        archive_.Enter(transfers.start_ns[row], region->second);
        archive_.Leave(EndOfTransfer(model_, row), region->second);
      }
      archive_.EndLocation();
    }
  }

  void WriteCounter(const CounterSeries& series) {
    const bool is_memory = series.kind == CounterKind::kMemoryUsedBytes;
    const std::string name = CounterName(model_, series);
    const OTF2_MetricRef metric =
        archive_.AddMetric(name, is_memory                             ? "bytes"
                                 : series.kind == CounterKind::kOfFile ? "#"
                                                                       : "tasks");
    archive_.BeginLocation(OTF2_LOCATION_TYPE_METRIC, series.rank_index, name);
    for (size_t i = 0; i < series.time_ns.size(); ++i)
      archive_.Count(series.time_ns[i], metric, series.value[i]);
    archive_.EndLocation();
  }

  // Messages whose two ends are known.
  void WriteMessages() {
    const std::vector<MessageMoment> moments = MessageMoments(model_);
    if (moments.empty()) return;
    const MessageTable& messages = model_.messages;
    auto moment = moments.begin();
    for (uint32_t rank = 0; rank < model_.ranks.size(); ++rank) {
      archive_.AddToCommunicator(
          archive_.BeginLocation(OTF2_LOCATION_TYPE_CPU_THREAD, rank, "messages"));
      for (; moment != moments.end() && moment->rank_index == rank; ++moment) {
        const uint32_t row = moment->row;
        const auto tag = static_cast<uint32_t>(messages.tag[row]);
        if (messages.tag[row] != int64_t{tag}) archive_.AddSigned(kTag, messages.tag[row]);
        if (moment->sends)
          archive_.Send(moment->time_ns, messages.target[row], tag, messages.size_bytes[row]);
        else
          archive_.Receive(moment->time_ns, messages.source[row], tag, messages.size_bytes[row]);
      }
      archive_.EndLocation();
    }
  }

  // The program's own events, each on its row.
  void WritePoints() {
    const PointTable& points = model_.points;
    std::vector<Archive::MarkedMoment> moments;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto name = PointName(model_, i);
      const uint32_t track = points.track[i];
      if (name && track < location_of_track_.size())
        moments.push_back({points.time_ns[i], location_of_track_[track], CleanText(*name)});
    }
    archive_.WriteMarkers(moments);
  }

  const TraceModel& model_;
  const bool arguments_;
  Archive archive_;
  std::vector<OTF2_LocationRef> location_of_track_;
  std::unordered_map<uint64_t, OTF2_RegionRef> task_regions_;   // by name and site
  std::unordered_map<uint64_t, OTF2_RegionRef> state_regions_;  // by name and kind
};

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  const auto folder = outputs.OpenFolder(std::string(kFolder));
  if (!folder.ok()) return folder.status();
  return Writer(model, !options.Has("no-args"), *folder).WriteAll();
}

constexpr std::string_view kOptions[] = {"no-args"};

}  // namespace

extern const WriterSpec kOtf2Writer;
const WriterSpec kOtf2Writer = {
    "otf2",
    "otf2/traces.otf2, the timeline with its messages and counters",
    "Vampir, Scalasca, otf2-print, ViTE",
    /*in_starpu_set=*/false,
    kOptions,
    kPartStates | kPartTransfers | kPartCounters | kPartMessages | kPartPoints,
    &Write};

}  // namespace tasklens
