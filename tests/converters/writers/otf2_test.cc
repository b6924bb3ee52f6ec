// SPDX-License-Identifier: Apache-2.0
// otf2/traces.otf2, read by otf2-print, which takes warnings for errors here: what it prints is
// held against the trace that was written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "converters/formats.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/random_executions.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestTrace;
namespace fs = std::filesystem;

std::string FolderOfTest() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = test->name();
  std::replace(name.begin(), name.end(), '/', '_');
  return (fs::path(::testing::TempDir()) / name).string();
}

// Writes the archive and returns the path of its anchor.
std::string WriteOtf2(const TraceModel& model, const std::vector<std::string>& keys = {}) {
  WriteOptions options;
  for (const std::string& key : keys) options.values[key] = "";
  const std::string folder = FolderOfTest();
  auto outputs = DirectoryOutputs(folder);
  const Status written = FindWriter("otf2")->write(model, options, *outputs);
  EXPECT_TRUE(written.ok()) << written.message();
  const Status committed = outputs->Commit();
  EXPECT_TRUE(committed.ok()) << committed.message();
  return folder + "/otf2/traces.otf2";
}

std::string Print(const std::string& anchor, const std::string& what = "") {
  const auto run = testing::RunTool("otf2-print -Werror " + what + " " + anchor + " 2>&1");
  EXPECT_EQ(run.status, 0) << run.output;
  return run.output;
}

// Definitions of `kind`, as printed, by number: `LOCATION  0  Name: "CPU0" <4>, ...`.
std::map<uint64_t, std::string> Definitions(const std::string& print, const std::string& kind) {
  std::map<uint64_t, std::string> found;
  std::istringstream lines(print);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    uint64_t number = 0;
    if (words >> word && word == kind && words >> number)
      found[number] = line.substr(line.find_first_not_of(' ', static_cast<size_t>(words.tellg())));
  }
  return found;
}

// The text between the first `"` after `key` and the next.
std::string Quoted(const std::string& line, const std::string& key) {
  const size_t begin = line.find('"', line.find(key)) + 1;
  return line.substr(begin, line.find('"', begin) - begin);
}

struct Region {
  uint64_t location = 0;
  std::string name;
  int64_t begin_ns = 0, end_ns = -1;
  std::map<std::string, std::string> attributes;
  auto Key() const { return std::tuple(name, begin_ns, end_ns); }
};
struct Archive {
  std::map<uint64_t, std::string> locations, regions;  // their definitions
  std::vector<Region> entered;
  std::map<std::string, size_t> events;                 // how many of a kind
  std::vector<std::string> messages, samples, markers;  // as printed, without blanks in a row
};

std::string Squeezed(const std::string& line) {
  std::istringstream words(line);
  std::string result, word;
  while (words >> word) result += (result.empty() ? "" : " ") + word;
  return result;
}

// REQUIRES: names without quotes and line ends.
Archive Understand(const std::string& anchor) {
  Archive archive;
  const std::string definitions = Print(anchor, "-G");
  archive.locations = Definitions(definitions, "LOCATION");
  archive.regions = Definitions(definitions, "REGION");
  std::map<uint64_t, std::vector<size_t>> open;
  std::map<uint64_t, int64_t> last_ns;
  std::istringstream lines(Print(anchor));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    uint64_t location = 0;
    int64_t time_ns = 0;
    words >> kind;
    if (kind == "ADDITIONAL") {
      for (size_t at = line.find("(\""); at != line.npos; at = line.find("(\"", at + 1)) {
        const std::string entry = line.substr(at, line.find(')', at) - at);
        archive.entered.back().attributes[Quoted(entry, "(")] = entry.substr(entry.rfind("; ") + 2);
      }
      continue;
    }
    if (!(words >> location >> time_ns)) continue;
    ++archive.events[kind];
    EXPECT_GE(time_ns, last_ns[location]) << line;
    last_ns[location] = time_ns;
    if (kind == "ENTER") {
      open[location].push_back(archive.entered.size());
      archive.entered.push_back({location, Quoted(line, "Region:"), time_ns});
    } else if (kind == "LEAVE") {
      if (open[location].empty()) {
        ADD_FAILURE() << "left before it was entered: " << line;
        continue;
      }
      Region& region = archive.entered[open[location].back()];
      EXPECT_EQ(region.name, Quoted(line, "Region:"));
      region.end_ns = time_ns;
      open[location].pop_back();
    } else if (kind == "METRIC") {
      archive.samples.push_back(Squeezed(line));
    } else {
      archive.messages.push_back(Squeezed(line));
    }
  }
  for (const auto& [location, regions] : open)
    EXPECT_THAT(regions, IsEmpty()) << "still open on " << location;
  return archive;
}

// --- One subject a test ---

TEST(Otf2Writer, WritesATaskWithItsPlaceAndArguments) {
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
  const Archive archive = Understand(WriteOtf2(model));
  const auto task = std::find_if(archive.entered.begin(), archive.entered.end(),
                                 [](const Region& region) { return region.name == "potrf"; });
  ASSERT_NE(task, archive.entered.end());
  EXPECT_EQ(task->begin_ns, 1000);
  EXPECT_EQ(task->end_ns, 3500);
  EXPECT_THAT(archive.locations.at(task->location), HasSubstr("\"CPU0\""));
  EXPECT_EQ(task->attributes,
            (std::map<std::string, std::string>{
                {"job", "1"}, {"iteration", "3"}, {"priority", "-2"}, {"data_bytes", "4096"}}));
  const auto region = std::find_if(archive.regions.begin(), archive.regions.end(), [](auto& entry) {
    return entry.second.find("\"potrf\"") != std::string::npos;
  });
  ASSERT_NE(region, archive.regions.end());
  EXPECT_THAT(region->second, HasSubstr("Role: TASK"));
  EXPECT_EQ(Quoted(region->second, "File:"), "chol.c");
  EXPECT_THAT(region->second, HasSubstr("Begin: 42, End: 42"));
}

TEST(Otf2Writer, KeepsEachExecutionAndStretchOfRandomRunsAsLongAsItWas) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto made = testing::MakeRandomExecutions(random, 1 + seed % 3, seed % 2 == 0);
    const TraceModel model = made.trace.Build();
    const Archive archive = Understand(WriteOtf2(model));
    using Piece = std::tuple<std::string, std::string, int64_t, int64_t>;
    std::multiset<Piece> written, happened;
    for (const Region& region : archive.entered)
      if (region.attributes.contains("job"))
        written.emplace(Quoted(archive.locations.at(region.location), "Name:"), region.name,
                        region.begin_ns, region.end_ns);
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

TEST(Otf2Writer, LeavesArgumentsOutWhenAsked) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("potrf", 0, 10).Build();
  for (const Region& region : Understand(WriteOtf2(model, {"no-args"})).entered)
    EXPECT_THAT(region.attributes, IsEmpty());
}

TEST(Otf2Writer, HasARegionForEachSubmissionSiteOfACodelet) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("gemm", 0, 10, {.file = "a.c", .line = 1, .function = "f"})
                               .Task("gemm", 10, 20, {.file = "a.c", .line = 2, .function = "f"})
                               .Task("gemm", 20, 30, {.file = "a.c", .line = 1, .function = "f"})
                               .Build();
  const Archive archive = Understand(WriteOtf2(model));
  EXPECT_EQ(std::count_if(archive.regions.begin(), archive.regions.end(),
                          [](auto& entry) { return Quoted(entry.second, "Name:") == "gemm"; }),
            2);
}

TEST(Otf2Writer, NestsPushedStatesAndMarksEventsOfTheProgram) {
  const std::string anchor = WriteOtf2(testing::NestedStates().Build());
  std::vector<std::string> regions;
  for (const Region& region : Understand(anchor).entered)
    regions.push_back(region.name + ' ' + std::to_string(region.begin_ns) + ' ' +
                      std::to_string(region.end_ns));
  EXPECT_THAT(regions, ElementsAre("Idle 0 100", "Overhead 100 500", "Scheduling 200 400",
                                   "Callback 250 300"));
  const auto markers = testing::RunTool("otf2-marker " + anchor);
  EXPECT_EQ(markers.status, 0) << markers.output;
  EXPECT_THAT(markers.output, HasSubstr("Time: 500"));
  EXPECT_THAT(markers.output, HasSubstr("Text: \"user event 7\""));
}

TEST(Otf2Writer, PutsTransfersThatOverlapIntoLanes) {
  TestTrace trace;
  trace.MemoryNode("RAM").MemoryNode("GPU");
  for (uint64_t copy = 0; copy < 3; ++copy) {
    const int64_t start = static_cast<int64_t>(copy) * 60;
    trace.Event(start, EventKind::kCopyStart,
                {0u, 1u, uint64_t{64}, copy, CopyReason::kFetch, uint64_t{0xab}});
    trace.Event(start + 100, EventKind::kCopyEnd, {0u, 1u, uint64_t{64}, copy, CopyReason::kFetch});
  }
  const Archive archive = Understand(WriteOtf2(trace.Build()));
  std::multiset<std::tuple<std::string, int64_t, int64_t>> copies;
  std::set<uint64_t> lanes;
  for (const Region& region : archive.entered) {
    if (region.name != "from node 0") continue;
    EXPECT_EQ(region.attributes.at("data_bytes"), "64");
    EXPECT_THAT(archive.locations.at(region.location), HasSubstr("\"transfers to node 1\""));
    copies.insert(region.Key());
    lanes.insert(region.location);
  }
  EXPECT_THAT(copies,
              ElementsAre(std::tuple("from node 0", 0, 100), std::tuple("from node 0", 60, 160),
                          std::tuple("from node 0", 120, 220)));
  EXPECT_EQ(lanes.size(), 2u);
}

TEST(Otf2Writer, SendsAndReceivesBetweenRanksWithTagsOfAnyLength) {
  constexpr uint64_t kLongTag = 0x1'0000'0007;
  TestTrace trace;
  for (const uint32_t rank : {0u, 1u}) trace.Rank(rank).Event(1, EventKind::kMpiStart, {rank, 2u});
  trace.Rank(0).Event(10, EventKind::kMpiSend, {1, kLongTag, 64, 0, 0, 0xa, 0});
  trace.Rank(1).Event(30, EventKind::kMpiReceived, {0, kLongTag, 0, 0xb});
  const TraceModel model = trace.Build();
  ASSERT_EQ(model.messages.size(), 1u);
  const std::string anchor = WriteOtf2(model);
  const Archive archive = Understand(anchor);
  ASSERT_EQ(archive.messages.size(), 2u);
  EXPECT_THAT(archive.messages[0], HasSubstr("MPI_SEND"));
  EXPECT_THAT(archive.messages[0],
              HasSubstr(std::to_string(model.messages.send_ns[0]) + " Receiver: 1"));
  EXPECT_THAT(archive.messages[0], HasSubstr("Tag: 7, Length: 64"));
  EXPECT_THAT(archive.messages[1],
              HasSubstr(std::to_string(model.messages.receive_ns[0]) + " Sender: 0"));
  EXPECT_THAT(Print(anchor), HasSubstr("(\"tag\" <5>; INT64; 4294967303)"));
}

TEST(Otf2Writer, AnyNameIsKept) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t time = 0;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time, time + 10, {.file = name, .line = 1, .function = name});
    trace.Event(time, EventKind::kMessage, {name});
    time += 10;
  }
  const std::string anchor = WriteOtf2(trace.Build());
  const std::string events = Print(anchor);
  size_t enters = 0;
  for (size_t at = events.find("\nENTER "); at != events.npos; at = events.find("\nENTER ", at + 1))
    ++enters;
  EXPECT_EQ(enters, testing::HardNames().size());
}

TEST(Otf2Writer, WritesATraceWithNothingInIt) {
  EXPECT_THAT(Understand(WriteOtf2(TraceModel())).entered, IsEmpty());
}

TEST(Otf2Writer, SaysWhatTheLibraryCouldNotWrite) {
  // A file where the folder is to be.
  class NoFolder : public MemoryOutputs {
   public:
    Result<std::string> OpenFolder(const std::string&) override {
      return testing::TestFile("file", "text") + "/below";
    }
  };
  NoFolder outputs;
  const Status status = FindWriter("otf2")->write(TestTrace().Task("a", 0, 1).Build(), {}, outputs);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("otf2: "));
}

// A limit on the size of files stands in for a full disk: writes beyond it fail. Exits with 0 and
// the message on standard error when the writer told it.
[[noreturn]] void WriteMoreThanFits(const TraceModel& model, rlim_t most_bytes) {
  auto outputs = DirectoryOutputs(FolderOfTest());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{most_bytes, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Status status = FindWriter("otf2")->write(model, {}, *outputs);
  setrlimit(RLIMIT_FSIZE, &before);  // the message goes into a file, too
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::_Exit(status.ok() ? 1 : 0);  // no search for leaks: the library has one where a write fails
}

TEST(Otf2Writer, AFullDiskIsAnErrorThatNamesTheFolder) {
  const std::string message = FolderOfTest() + "/otf2: File is too large";
  EXPECT_EXIT(WriteMoreThanFits(TestTrace().Task("a", 0, 1).Build(), 20),
              ::testing::ExitedWithCode(0), message);
}

// More than the library's buffer of a file has room for, so that it is written piece by piece: not
// even the first of them, or all but the last.
TEST(Otf2Writer, AFullDiskIsAnErrorWhicheverPieceOfALargeFileHasNoRoom) {
  TestTrace trace;
  for (int64_t task = 0; task < 300'000; ++task) trace.Task("a", 2 * task, 2 * task + 1);
  const TraceModel model = trace.Build();
  const std::string archive = fs::path(WriteOtf2(model)).replace_extension();
  const rlim_t bytes = fs::file_size(archive + "/0.evt");
  ASSERT_GT(bytes, rlim_t{5} << 20);
  for (const rlim_t most : {rlim_t{1000}, rlim_t{5} << 20, bytes - 1})
    EXPECT_EXIT(WriteMoreThanFits(model, most), ::testing::ExitedWithCode(0),
                FolderOfTest() + "/otf2: File is too large");
}

// --- Real runs ---

class Otf2Of : public ::testing::TestWithParam<std::string> {};

TEST_P(Otf2Of, HasEveryTaskTransferMessageAndSample) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const Archive archive = Understand(WriteOtf2(*model));

  std::multiset<std::tuple<std::string, int64_t, int64_t>> written, tasks;
  size_t transfers = 0;
  for (const Region& region : archive.entered) {
    transfers += region.name.starts_with("from node");
    if (region.attributes.contains("job")) written.insert(region.Key());
  }
  const StateTable& states = model->states;
  for (uint32_t row = 0; row < states.size(); ++row)
    if (states.kind[row] == StateKind::kTask && states.task[row] != kNone)
      tasks.emplace(model->TaskNameOf(states.task[row]), states.start_ns[row], states.end_ns[row]);
  EXPECT_EQ(written, tasks);
  EXPECT_EQ(transfers, model->transfers.size());

  size_t ends = 0, samples = 0;
  for (uint32_t row = 0; row < model->messages.size(); ++row)
    if (model->messages.send_ns[row] != kNever && model->messages.receive_ns[row] != kNever)
      ends += 2;
  EXPECT_EQ(archive.messages.size(), ends);
  for (const CounterSeries& series : model->counters) samples += series.time_ns.size();
  EXPECT_EQ(archive.samples.size(), samples);

  size_t workers = 0;
  for (const auto& [number, location] : archive.locations)
    for (const StringId name : model->workers.name)
      workers += Quoted(location, "Name:") == model->str(name);
  EXPECT_GE(workers, model->workers.size());
}

INSTANTIATE_TEST_SUITE_P(All, Otf2Of, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
