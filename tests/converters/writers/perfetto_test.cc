// SPDX-License-Identifier: Apache-2.0
// trace.pftrace, decoded by protoc with the schema beside this and then understood as Perfetto
// does: sequences with interned names and times as differences, slices that nest, flows by their
// numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include "converters/formats.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/random_executions.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TestTrace;

// --- protoc's text ---

struct Node {
  std::multimap<std::string, std::string> values;
  std::multimap<std::string, Node> messages;
  std::string operator[](const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
  }
  uint64_t Number(const std::string& key) const {
    const std::string text = (*this)[key];
    return text.empty() ? 0 : std::stoull(text);
  }
  const Node* Find(const std::string& key) const {
    const auto found = messages.find(key);
    return found == messages.end() ? nullptr : &found->second;
  }
};

class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}
  Node Read() {
    Node node;
    while (!rest_.empty()) {
      std::string_view line = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (line == "}") break;
      if (line.ends_with(" {")) {
        node.messages.emplace(std::string(line.substr(0, line.size() - 2)), Read());
      } else if (const size_t colon = line.find(": "); colon != line.npos) {
        std::string value(line.substr(colon + 2));
        if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
        node.values.emplace(std::string(line.substr(0, colon)), value);
      }
    }
    return node;
  }

 private:
  std::string_view rest_;
};

// Keys of the text that are numbers: fields that the schema has not.
bool HasUnknown(const Node& node) {
  for (const auto& [key, value] : node.values)
    if (key[0] >= '0' && key[0] <= '9') return true;
  for (const auto& [key, value] : node.messages)
    if ((key[0] >= '0' && key[0] <= '9') || HasUnknown(value)) return true;
  return false;
}

// --- What Perfetto makes of it ---

struct Slice {
  std::string name, track, place;
  int64_t begin = 0, end = -1;
  std::map<std::string, std::string> arguments;
};
struct Understood {
  std::vector<std::string> faults;
  std::vector<Slice> slices;
  std::vector<std::pair<std::string, int64_t>> instants;
  std::map<std::string, std::vector<std::pair<int64_t, double>>> counters;
  std::vector<std::pair<std::string, std::string>> arrows;  // names of slices, or instants
  std::map<uint64_t, std::string> tracks;
};

struct Sequence {
  bool begun = false;
  uint64_t track = 0;
  int64_t time_ns = 0;
  std::map<uint64_t, std::string> names, annotations, places;
};

std::map<uint64_t, std::string> ReadInterned(const Node& data, const std::string& kind) {
  std::map<uint64_t, std::string> result;
  const auto [begin, end] = data.messages.equal_range(kind);
  for (auto at = begin; at != end; ++at) {
    const Node& entry = at->second;
    result[entry.Number("iid")] =
        kind == "source_locations"
            ? entry["file_name"] + ':' + entry["line_number"] + ' ' + entry["function_name"]
            : entry["name"];
  }
  return result;
}

class Reader {
 public:
  explicit Reader(const Node& trace) {
    const auto [begin, end] = trace.messages.equal_range("packet");
    for (auto at = begin; at != end; ++at) Packet(at->second);
    for (const auto& [track, open] : open_)
      if (!open.empty()) Fault("slices stay open on " + result_.tracks[track]);
    for (const auto& [id, from] : flow_from_) {
      if (flow_to_.contains(id))
        result_.arrows.emplace_back(from, flow_to_[id]);
      else
        Fault("an arrow without an end");
    }
    if (flow_to_.size() != flow_from_.size()) Fault("an arrow without a beginning");
  }
  Understood Take() { return std::move(result_); }

 private:
  void Fault(const std::string& what) { result_.faults.push_back(what); }

  void Packet(const Node& packet) {
    if (packet.Number("trusted_packet_sequence_id") == 0) Fault("a packet of no sequence");
    Sequence& sequence = sequences_[packet.Number("trusted_packet_sequence_id")];
    if (const Node* descriptor = packet.Find("track_descriptor")) Descriptor(*descriptor);
    if (const Node* defaults = packet.Find("trace_packet_defaults")) {
      if (packet.Number("sequence_flags") != 1) Fault("a sequence begins without its flag");
      if (defaults->Number("timestamp_clock_id") != 64) Fault("another clock");
      sequence = {.begun = true};
      sequence.track = defaults->Find("track_event_defaults")->Number("track_uuid");
    }
    if (const Node* data = packet.Find("interned_data")) {
      sequence.names.merge(ReadInterned(*data, "event_names"));
      sequence.annotations.merge(ReadInterned(*data, "debug_annotation_names"));
      sequence.places.merge(ReadInterned(*data, "source_locations"));
    }
    if (const Node* event = packet.Find("track_event")) {
      if (!sequence.begun) Fault("an event before its sequence begins");
      sequence.time_ns += static_cast<int64_t>(packet.Number("timestamp"));
      Event(*event, sequence);
    }
  }

  void Descriptor(const Node& descriptor) {
    const uint64_t uuid = descriptor.Number("uuid");
    const Node* process = descriptor.Find("process");
    if (process == nullptr && !result_.tracks.contains(descriptor.Number("parent_uuid")))
      Fault("a track without a parent");
    const std::string name = process != nullptr ? (*process)["process_name"] : descriptor["name"];
    if (uuid == 0 || !result_.tracks.emplace(uuid, name).second) Fault("a track twice");
  }

  void Event(const Node& event, const Sequence& sequence) {
    const uint64_t track =
        event["track_uuid"].empty() ? sequence.track : event.Number("track_uuid");
    if (!result_.tracks.contains(track)) Fault("an event on no track");
    const std::string& row = result_.tracks[track];
    const std::string type = event["type"];
    if (type == "TYPE_COUNTER") {
      result_.counters[row].emplace_back(sequence.time_ns,
                                         std::stod(event["double_counter_value"]));
    } else if (type == "TYPE_SLICE_END") {
      if (open_[track].empty()) return Fault("an end without a beginning");
      result_.slices[open_[track].back()].end = sequence.time_ns;
      open_[track].pop_back();
    } else {
      const std::string name =
          event["name_iid"].empty() ? event["name"] : At(sequence.names, event.Number("name_iid"));
      Flows(event, name);
      if (type == "TYPE_INSTANT") {
        result_.instants.emplace_back(name, sequence.time_ns);
        return;
      }
      if (type != "TYPE_SLICE_BEGIN") Fault("an unknown type of event");
      open_[track].push_back(result_.slices.size());
      Slice slice{.name = name, .track = row, .place = "", .begin = sequence.time_ns};
      if (!event["source_location_iid"].empty())
        slice.place = At(sequence.places, event.Number("source_location_iid"));
      const auto [begin, end] = event.messages.equal_range("debug_annotations");
      for (auto at = begin; at != end; ++at)
        slice.arguments[At(sequence.annotations, at->second.Number("name_iid"))] =
            at->second["uint_value"] + at->second["int_value"];
      result_.slices.push_back(std::move(slice));
    }
  }

  void Flows(const Node& event, const std::string& name) {
    for (const auto& [key, flows] :
         {std::pair<std::string, std::map<std::string, std::string>*>("flow_ids", &flow_from_),
          {"terminating_flow_ids", &flow_to_}}) {
      const auto [begin, end] = event.values.equal_range(key);
      for (auto at = begin; at != end; ++at)
        if (!flows->emplace(at->second, name).second) Fault("the number of an arrow twice");
    }
  }

  std::string At(const std::map<uint64_t, std::string>& interned, uint64_t iid) {
    const auto found = interned.find(iid);
    if (found == interned.end()) Fault("an interned number that was not given");
    return found == interned.end() ? "" : found->second;
  }

  Understood result_;
  std::map<uint64_t, Sequence> sequences_;
  std::map<uint64_t, std::vector<size_t>> open_;  // by track, into slices
  std::map<std::string, std::string> flow_from_, flow_to_;
};

std::string WritePerfetto(const TraceModel& model, const std::vector<std::string>& keys = {}) {
  return testing::Written("perfetto", "trace.pftrace", model, keys);
}

Understood Understand(const std::string& bytes) {
  const auto run = testing::RunTool(
      "protoc --decode=perfetto.Trace --proto_path=tests/converters/writers "
      "tests/converters/writers/perfetto.proto < " +
      testing::TestFile("trace.pftrace", bytes));
  EXPECT_EQ(run.status, 0) << run.output.substr(0, 1000);
  const Node trace = TextReader(run.output).Read();
  EXPECT_FALSE(HasUnknown(trace));
  Understood understood = Reader(trace).Take();
  EXPECT_THAT(understood.faults, IsEmpty());
  return understood;
}

// --- One subject a test ---

TEST(PerfettoWriter, WritesATaskWithItsPlaceAndArguments) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("potrf", 1000, 3500,
                                     {.submit_ns = 10,
                                      .file = "chol.c",
                                      .line = 42,
                                      .function = "main",
                                      .priority = -2,
                                      .iteration = 3,
                                      .size_bytes = 4096})
                               .Build();
  const Understood trace = Understand(WritePerfetto(model));
  const auto task = std::find_if(trace.slices.begin(), trace.slices.end(),
                                 [](const Slice& slice) { return slice.name == "potrf"; });
  ASSERT_NE(task, trace.slices.end());
  EXPECT_EQ(task->track, "CPU0");
  EXPECT_EQ(task->begin, 1000);
  EXPECT_EQ(task->end, 3500);
  EXPECT_EQ(task->place, "chol.c:42 main");
  EXPECT_EQ(task->arguments,
            (std::map<std::string, std::string>{
                {"job", "1"}, {"iteration", "3"}, {"priority", "-2"}, {"data_bytes", "4096"}}));
}

TEST(PerfettoWriter, KeepsEachExecutionAndStretchOfRandomRunsAsLongAsItWas) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto made = testing::MakeRandomExecutions(random, 1 + seed % 3, seed % 2 == 0);
    const TraceModel model = made.trace.Build();
    using Piece = std::tuple<std::string, std::string, int64_t, int64_t>;
    std::multiset<Piece> written, happened;
    for (const Slice& slice : Understand(WritePerfetto(model)).slices)
      if (slice.arguments.contains("job"))
        written.emplace(slice.track, slice.name, slice.begin, slice.end);
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
      const uint32_t track = model.workers.track[worker];
      for (uint32_t state = model.states.first_of_track[track];
           state < model.states.first_of_track[track + 1]; ++state)
        if (model.states.kind[state] == StateKind::kTask)
          happened.emplace(model.str(model.workers.name[worker]),
                           model.TaskNameOf(model.states.task[state]), model.states.start_ns[state],
                           model.states.end_ns[state]);
    }
    EXPECT_EQ(written, happened);
    EXPECT_EQ(written.size(), made.pieces);
    int64_t ran_ns = 0;
    for (const auto& [row, name, begin_ns, end_ns] : written) ran_ns += end_ns - begin_ns;
    EXPECT_EQ(ran_ns, made.ran_ns);
  }
}

TEST(PerfettoWriter, DrawsOneArrowADependency) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 10)
                               .Task("b", 20, 30, {.worker = 1})
                               .Task("c", 40, 50)
                               .Dep(1, 2)
                               .Dep(1, 3)
                               .Dep(2, 3)
                               .Build();
  auto arrows = Understand(WritePerfetto(model)).arrows;
  std::sort(arrows.begin(), arrows.end());
  EXPECT_THAT(arrows, ElementsAre(std::pair("a", "b"), std::pair("a", "c"), std::pair("b", "c")));
  EXPECT_THAT(Understand(WritePerfetto(model, {"no-flows"})).arrows, IsEmpty());
}

TEST(PerfettoWriter, NestsPushedStates) {
  const TraceModel model = testing::NestedStates().Build();
  const Understood trace = Understand(WritePerfetto(model));
  std::vector<std::string> slices;
  for (const Slice& slice : trace.slices)
    slices.push_back(slice.name + ' ' + std::to_string(slice.begin) + ' ' +
                     std::to_string(slice.end));
  EXPECT_THAT(slices, ElementsAre("Idle 0 100", "Overhead 100 500", "Scheduling 200 400",
                                  "Callback 250 300"));
  EXPECT_THAT(trace.instants, ElementsAre(std::pair("user event 7", 500)));
}

TEST(PerfettoWriter, PutsTransfersThatOverlapIntoLanes) {
  TestTrace trace;
  trace.MemoryNode("RAM").MemoryNode("GPU");
  for (uint64_t copy = 0; copy < 4; ++copy) {
    const int64_t start = static_cast<int64_t>(copy) * 60;
    trace.Event(start, EventKind::kCopyStart,
                {0u, 1u, uint64_t{64}, copy, CopyReason::kFetch, uint64_t{0xab}});
    trace.Event(start + 100, EventKind::kCopyEnd, {0u, 1u, uint64_t{64}, copy, CopyReason::kFetch});
  }
  const Understood understood = Understand(WritePerfetto(trace.Build()));
  std::vector<int64_t> begins;
  for (const Slice& slice : understood.slices) {
    if (slice.name != "from node 0") continue;
    EXPECT_EQ(slice.track, "transfers to node 1");
    EXPECT_EQ(slice.end, slice.begin + 100);
    begins.push_back(slice.begin);
  }
  std::sort(begins.begin(), begins.end());
  EXPECT_THAT(begins, ElementsAre(0, 60, 120, 180));
  EXPECT_EQ(std::count_if(understood.tracks.begin(), understood.tracks.end(),
                          [](const auto& track) { return track.second == "transfers to node 1"; }),
            2);
}

TEST(PerfettoWriter, AnyNameIsKept) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t time = 0;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time, time + 10, {.file = name, .line = 1, .function = name});
    trace.Event(time, EventKind::kMessage, {name});
    time += 10;
  }
  const Understood understood = Understand(WritePerfetto(trace.Build()));
  EXPECT_EQ(understood.slices.size(), testing::HardNames().size());
  EXPECT_EQ(understood.instants.size(), testing::HardNames().size());
}

TEST(PerfettoWriter, TakesAtMost25BytesForATaskWithoutArguments) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1").State(0, StateKind::kNone).State(0, StateKind::kNone, 1);
  constexpr int kTasks = 10000;
  int64_t free_ns[2] = {0, 0};
  for (int i = 0; i < kTasks; ++i) {
    // Up to 2 ms long, 15 µs apart.
    const uint32_t worker = i % 2;
    const int64_t start = free_ns[worker] + 15'000, end = start + 1000 + i * 200;
    trace.Task(i % 3 ? "gemm" : "syrk", start, end, {.worker = worker, .file = "c.c", .line = 7});
    trace.State(end, StateKind::kNone, worker);
    free_ns[worker] = end;
  }
  const TraceModel model = trace.Build();
  const std::string all = WritePerfetto(model, {"no-args", "no-flows"});
  EXPECT_EQ(Understand(all).slices.size(), size_t{kTasks});
  EXPECT_LE(all.size(), 25u * kTasks + 1000u);
}

// --- Real runs ---

class PerfettoOf : public ::testing::TestWithParam<std::string> {};

TEST_P(PerfettoOf, HasEveryTaskDependencyTransferAndMessage) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const Understood trace = Understand(WritePerfetto(*model));

  std::multiset<std::tuple<std::string, int64_t, int64_t>> slices, tasks;
  size_t transfers = 0;
  for (const Slice& slice : trace.slices) {
    transfers += slice.track.starts_with("transfers to");
    if (slice.arguments.contains("job")) slices.emplace(slice.name, slice.begin, slice.end);
  }
  const StateTable& states = model->states;
  for (uint32_t row = 0; row < states.size(); ++row)
    if (states.kind[row] == StateKind::kTask && states.task[row] != kNone)
      tasks.emplace(model->TaskNameOf(states.task[row]), states.start_ns[row], states.end_ns[row]);
  EXPECT_EQ(slices, tasks);
  EXPECT_EQ(transfers, model->transfers.size());

  const auto ran = [&](uint32_t task) {
    return model->tasks.start_ns[task] != kNever && model->tasks.worker[task] != kNone;
  };
  size_t arrows = 0;
  for (uint32_t task = 0; task < model->tasks.size(); ++task)
    for (const DepEnd& before : model->predecessors[task]) arrows += ran(task) && ran(before.task);
  for (uint32_t row = 0; row < model->messages.size(); ++row)
    arrows += model->messages.send_ns[row] != kNever && model->messages.receive_ns[row] != kNever;
  EXPECT_EQ(trace.arrows.size(), arrows);

  size_t samples = 0, written = 0;
  for (const CounterSeries& series : model->counters) samples += series.time_ns.size();
  for (const auto& [name, values] : trace.counters) written += values.size();
  EXPECT_EQ(written, samples);
}

INSTANTIATE_TEST_SUITE_P(All, PerfettoOf, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
