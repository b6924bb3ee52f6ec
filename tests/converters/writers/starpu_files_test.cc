// SPDX-License-Identifier: Apache-2.0
// The smaller files of StarPU's converter: the same facts as StarPU's own, and recutils reading
// the records whatever the names are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "converters/writers/text.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/recutils.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ParseRecords;
using testing::RecRecord;
using testing::RunTool;
using testing::TestFile;
using testing::TestTrace;

// The only file that the format writes.
std::string Write(const TraceModel& model, std::string_view format, std::string_view option = "") {
  MemoryOutputs outputs;
  WriteOptions options;
  if (!option.empty()) options.values.emplace(option, "1");
  const Status status = FindWriter(format)->write(model, options, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(outputs.Names().size(), 1u);
  return outputs.Text(outputs.Names()[0]);
}

void ExpectRecords(const std::string& text, size_t records) {
  std::vector<std::string> errors;
  EXPECT_EQ(ParseRecords(text, &errors).size(), records);
  EXPECT_THAT(errors, IsEmpty());
  const std::string path = TestFile("file.rec", text);
  EXPECT_EQ(RunTool("recsel -c " + path).output, std::to_string(records) + "\n");
  for (const char* command : {"recinf ", "rec2csv "}) {
    const auto run = RunTool(command + path + " > " + path + ".out");
    EXPECT_EQ(run.status, 0) << command << run.output;
    EXPECT_EQ(run.output, "") << command;
  }
}

std::vector<std::vector<std::string>> TabLines(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
    lines.push_back(words);
  }
  return lines;
}

// --- One subject a test --------------------------------------------------------------------------

TEST(SchedTasksWriter, WritesPushesAndPops) {
  const std::string text = Write(TestTrace()
                                     .Event(1000, EventKind::kTaskReady, {1, -5})
                                     .Event(2000, EventKind::kTaskPop, {1, -5})
                                     .Build(),
                                 "sched-tasks");
  EXPECT_EQ(text,
            "Type: push\nTime: 0.001000000\nPriority: -5\nJobId: 1\n\n"
            "Type: pop\nTime: 0.002000000\nPriority: -5\nJobId: 1\n\n");
}

TEST(DataWriter, WritesWhatWasRegistered) {
  const std::string text = Write(TestTrace()
                                     .Event(1, EventKind::kDataNew, {0xabc, 64, 128, 0, 0, "V16x4"})
                                     .Event(2, EventKind::kDataName, {0xabc, "my\ndata"})
                                     .Event(3, EventKind::kDataCoordinates, {0xabc, 3, 4})
                                     .Event(4, EventKind::kDataMpiTag, {0xabc, 9})
                                     .Event(5, EventKind::kTaskAccess, {1, 0xdef, 8, kAccessRead})
                                     .Build(),
                                 "data");
  EXPECT_EQ(text,
            "Handle: abc\nHomeNode: 0\nName: my\n+ data\nSize: 64\nMaxSize: 128\n"
            "Description: V16x4\nCoordinates: 3 4\nMPITag: 9\n\n");
  ExpectRecords(text, 1);
}

TEST(PapiWriter, NamesPresetEvents) {
  const std::string text = Write(TestTrace()
                                     .Task("a", 1, 2)
                                     .Event(2, EventKind::kTaskPapi, {1, 0x80000032, 12345})
                                     .Event(2, EventKind::kTaskPapi, {1, 0x40000001, -1})
                                     .Build(),
                                 "papi");
  EXPECT_EQ(text,
            "JobId: 1\nEvent: PAPI_TOT_INS\nValue: 12345\n\n"
            "JobId: 1\nEvent: 0x40000001\nValue: -1\n\n");
  ExpectRecords(text, 2);
}

TEST(DistribWriter, WritesTasksInOrderOfTheirEnds) {
  const std::string text =
      Write(TestTrace()
                .Worker("CPU0")
                .Worker("CPU1")
                .Task("long\tname", 1000, 9000, {.worker = 0, .size_bytes = 7, .footprint = 0xf})
                .Task("short", 2000, 3000, {.worker = 1})
                .Build(),
            "distrib");
  EXPECT_EQ(text, "short\t1\t0\t0\t0.001000000\nlong name\t0\t7\tf\t0.008000000\n");
}

// As StarPU's tool: after a task of 1 us a gap of 1999 ns counts, one of 2000 ns does not, and one
// that another worker's task ended before does not either.
TEST(DistribWriter, CountsAGapBelowTwiceTheTaskBeforeWithTheTask) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 1000, 2000, {.worker = 0})
                               .Task("b", 3999, 4999, {.worker = 0})
                               .Task("c", 6999, 7999, {.worker = 0})
                               .Task("d", 8000, 9000, {.worker = 1})
                               .Build();
  EXPECT_EQ(Write(model, "distrib"),
            "a\t0\t0\t0\t0.001000000\nb\t0\t0\t0\t0.002999000\n"
            "c\t0\t0\t0\t0.001000000\nd\t1\t0\t0\t0.001000000\n");
  EXPECT_EQ(Write(model, "distrib", "no-smooth"),
            "a\t0\t0\t0\t0.001000000\nb\t0\t0\t0\t0.001000000\n"
            "c\t0\t0\t0\t0.001000000\nd\t1\t0\t0\t0.001000000\n");
}

// What other tools record can overlap on a row.
TEST(DistribWriter, CountsNoGapWhereTasksOverlap) {
  EXPECT_EQ(Write(TestTrace()
                      .Worker("CPU0")
                      .Task("outer", 1000, 9000, {.worker = 0})
                      .Task("inner", 3000, 4000, {.worker = 0})
                      .Build(),
                  "distrib"),
            "inner\t0\t0\t0\t0.001000000\nouter\t0\t0\t0\t0.008000000\n");
}

TEST(DataTraceWriter, WritesAFileForEachNameOfTasks) {
  MemoryOutputs outputs;
  ASSERT_TRUE(FindWriter("data-trace")
                  ->write(TestTrace()
                              .Worker("CPU0")
                              .Worker("CPU1")
                              .Task("a/b", 1000, 9000, {.worker = 0, .size_bytes = 7})
                              .Task("a/b", 2000, 3000, {.worker = 1, .size_bytes = 8})
                              .Task("long", 10'000, 5'000'010'000, {.worker = 0})
                              .Build(),
                          {}, outputs)
                  .ok());
  EXPECT_EQ(outputs.Text("codelet_list"), "a_b\nlong\n");
  EXPECT_EQ(outputs.Text("a_b"), "0.001000 8 1\n0.008000 7 0\n");
  EXPECT_EQ(outputs.Text("long"), "5000.000000 0 0\n");
}

TEST(DataTraceWriter, WritesMoreFilesThanAProcessMayHaveOpen) {
  TestTrace trace;
  trace.Worker("CPU0");
  constexpr int kNames = 500;
  for (int i = 0; i < kNames; ++i)
    trace.Task("task " + std::to_string(i), 1000 * i, 1000 * i + 500, {.worker = 0});
  const TraceModel model = trace.Build();
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "data_trace";
  rlimit before;
  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
  const rlimit few = {200, before.rlim_max};
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
  {
    const auto outputs = DirectoryOutputs(folder.string());
    const Status written = FindWriter("data-trace")->write(model, {}, *outputs);
    EXPECT_TRUE(written.ok()) << written.message();
    const Status committed = outputs->Commit();
    EXPECT_TRUE(committed.ok()) << committed.message();
  }
  ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
  for (int i = 0; i < kNames; ++i) {
    std::ifstream file(folder / ("task " + std::to_string(i)));
    std::string line;
    EXPECT_TRUE(std::getline(file, line)) << i;
    EXPECT_EQ("0.000500 0 0", line);
  }
  std::filesystem::remove_all(folder);
}

TEST(ActivityWriter, SamplesEveryWorker) {
  const std::string text = Write(TestTrace()
                                     .Worker("CPU0")
                                     .Event(0, EventKind::kProfiling, {1})
                                     .State(0, StateKind::kSleeping)
                                     .Task("a", 30'000'000, 60'000'000)
                                     .State(60'000'000, StateKind::kSleeping)
                                     .State(100'000'000, StateKind::kOverhead)
                                     .Build(),
                                 "activity");
  EXPECT_THAT(text, HasSubstr("name\t0\tCPU 0\n"));
  EXPECT_THAT(text, HasSubstr("set_profiling\t0.000000000\t1\n"));
  EXPECT_THAT(text, HasSubstr("0\t100.000000000\t100.000000000\t30.000000000\t70.000000000\n"));
}

TEST(StatesWriter, WritesStatesWithTheirCategory) {
  const std::string text = Write(TestTrace()
                                     .Worker("CPU0")
                                     .State(1000, StateKind::kOverhead)
                                     .Task("my\ntask", 2000, 3000)
                                     .Event(2500, EventKind::kMessage, {"half time"})
                                     .Build(),
                                 "states");
  EXPECT_THAT(text,
              HasSubstr("E: SetState\nN: Overhead\nC: Runtime\nW: 0\nT: 1000\nS: 0.001000\n\n"
                        "E: SetState\nN: my\n+ task\nC: Task\nW: 0\nT: 1000\nS: 0.002000\n\n"
                        "E: ProgEvent\nN: half time\nC: Program\nW: -1\nT: 0\nS: 0.002500\n\n"));
}

// StarPU's starpu_trace_state_stats.py knows workers by their numbers alone.
TEST(StatesWriter, WritesRankAfterRank) {
  TestTrace trace;
  for (const int rank : {0, 1})
    trace.Rank(static_cast<uint32_t>(rank))
        .Worker("CPU0")
        .State(1000 + rank, StateKind::kOverhead)
        .State(3000 + rank, StateKind::kSleeping);
  std::vector<std::string> ranks;
  for (const RecRecord& record : ParseRecords(Write(trace.Build(), "states")))
    if (record.Has("R")) ranks.push_back(record.Get("R"));
  EXPECT_GE(std::count(ranks.begin(), ranks.end(), "1"), 2);
  EXPECT_TRUE(std::is_sorted(ranks.begin(), ranks.end()));
}

// StarPU's starpu_workers_activity finds its lines by how they begin.
TEST(ActivityWriter, BeginsLinesOfSeveralRanksAsOfOne) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles("mpi2"), diags);
  ASSERT_TRUE(model.ok());
  std::istringstream lines(Write(*model, "activity"));
  std::set<std::string> words;
  for (std::string line; std::getline(lines, line);) words.insert(line.substr(0, line.find('\t')));
  EXPECT_THAT(words, ::testing::ElementsAre("0_0", "1_0", "cnt_ready_0", "cnt_ready_1",
                                            "cnt_submitted_0", "cnt_submitted_1", "name"));
}

TEST(CommsWriter, LeavesOutMessagesWithOneEnd) {
  TestTrace trace;
  trace.Rank(0).Event(10, EventKind::kMpiSend, {1, 7, 64, 0, 0, 0xa, 0});
  trace.Rank(1).Event(5, EventKind::kMessage, {"nothing arrives"});
  EXPECT_EQ(Write(trace.Build(), "comms"), "");
}

TEST(SchedulerPageWriter, HoldsTheTreeOnceAndAFewNumbersAStep) {
  const TraceModel model = TestTrace()
                               .Event(1, EventKind::kComponentNew, {0x10, "prio</script>"})
                               .Event(2, EventKind::kComponentNew, {0x20, "worker 0"})
                               .Event(3, EventKind::kComponentLink, {0x10, 0x20})
                               .Event(100, EventKind::kComponentPush, {0, 0x10, 0xabc, 7})
                               .Event(150, EventKind::kComponentPush, {0x10, 0x20, 0xabc, 7})
                               .Event(190, EventKind::kComponentPull, {0x20, 0, 0xabc, 7})
                               .Build();
  const std::string page = Write(model, "scheduler-page");
  EXPECT_THAT(page,
              HasSubstr("const C = [\n[\"prio\\u003c/script\\u003e\"],\n[\"worker 0\",0],\n];"));
  EXPECT_THAT(page,
              HasSubstr("const S = [\n[100,0,-1,0,1,7],\n[50,0,0,1,1,7],\n[40,1,1,-1,1,7],\n];"));
  // Nothing comes from the network.
  EXPECT_EQ(page.find("http"), std::string::npos);
}

TEST(SchedulerPageWriter, SaysSoWhenThereIsNothingToShow) {
  EXPECT_THAT(Write(TestTrace().Build(), "scheduler-page"), HasSubstr("had no modular scheduler"));
}

TEST(StarpuFiles, EveryNameSurvives) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t time_ns = 10;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time_ns, time_ns + 5);
    trace.Event(time_ns, EventKind::kMessage, {name});
    trace.Event(time_ns, EventKind::kDataNew, {static_cast<int>(time_ns), 1, 1, 0, 0, name});
    trace.Event(time_ns, EventKind::kDataName, {static_cast<int>(time_ns), name});
    time_ns += 10;
  }
  const TraceModel model = trace.Build();
  ExpectRecords(Write(model, "data"), testing::HardNames().size());
  const std::string states = Write(model, "states");
  ExpectRecords(states, ParseRecords(states).size());
  for (const auto& words : TabLines(Write(model, "distrib"))) EXPECT_EQ(words.size(), 5u);
}

TEST(StarpuFiles, AnEmptyTraceGivesEmptyFiles) {
  const TraceModel model = TestTrace().Build();
  for (const WriterSpec* writer : Writers()) {
    MemoryOutputs outputs;
    EXPECT_TRUE(writer->write(model, {}, outputs).ok()) << writer->name;
    EXPECT_TRUE(outputs.Commit().ok()) << writer->name;
    EXPECT_FALSE(outputs.Names().empty()) << writer->name;
  }
}

// --- Real traces ---------------------------------------------------------------------------------

class StarpuFilesOfRealTrace : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Diagnostics diags;
    auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
    ASSERT_TRUE(model.ok()) << model.status().message();
    model_ = std::make_unique<TraceModel>(std::move(*model));
    several_ranks_ = model_->ranks.size() > 1;
  }

  std::string Reference(const std::string& file) const {
    return testing::ReadFile(testing::StarpuReference(GetParam(), file));
  }

  // Each record as one line; times of several ranks, which StarPU rounds, are left out.
  std::vector<std::string> Lines(const std::string& text) const {
    std::vector<std::string> lines;
    for (const RecRecord& record : ParseRecords(text)) {
      std::string line;
      for (const auto& [name, value] : record.fields) {
        if (!several_ranks_ || !name.ends_with("Time")) line += name + "=" + value + " ";
      }
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  std::unique_ptr<TraceModel> model_;
  bool several_ranks_ = false;
};

TEST_P(StarpuFilesOfRealTrace, RecordsAreTheSame) {
  for (const auto& [format, file] : {std::pair("sched-tasks", "sched_tasks.rec"),
                                     {"data", "data.rec"},
                                     {"comms", "comms.rec"}}) {
    SCOPED_TRACE(format);
    const std::string text = Write(*model_, format);
    EXPECT_EQ(Lines(text), Lines(Reference(file)));
    ExpectRecords(text, Lines(text).size());
  }
}

TEST_P(StarpuFilesOfRealTrace, EventCountsAreTheSame) {
  EXPECT_EQ(TabLines(Write(*model_, "number-events")), TabLines(Reference("number_events.data")));
}

// All columns of all lines. StarPU has several ranks one after the other, and parts of a nanosecond
// where it aligns their clocks.
TEST_P(StarpuFilesOfRealTrace, DistributionsAreTheSame) {
  const std::string reference = Reference("distrib.data");
  if (!several_ranks_) {
    EXPECT_EQ(Write(*model_, "distrib"), reference);
    return;
  }
  const auto by_worker = [](std::vector<std::vector<std::string>> lines) {
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a.at(1) < b.at(1); });
    return lines;
  };
  const auto ours = by_worker(TabLines(Write(*model_, "distrib")));
  const auto theirs = by_worker(TabLines(reference));
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    for (size_t column = 0; column < 4; ++column) EXPECT_EQ(ours[i][column], theirs[i][column]);
    EXPECT_NEAR(std::stod(ours[i].at(4)), std::stod(theirs[i].at(4)), 1.5e-6);
  }
}

TEST_P(StarpuFilesOfRealTrace, ActivityIsTheSame) {
  if (several_ranks_) return;  // StarPU mixes the ranks
  // By the first word; numbers of tasks are the curves of paje.trace.
  using Samples = std::map<std::string, std::vector<std::vector<std::string>>>;
  const auto samples = [](const std::string& text) {
    Samples all;
    for (const auto& words : TabLines(text)) {
      if (!words[0].starts_with("cnt_")) all[words[0]].push_back(words);
    }
    return all;
  };
  Samples ours = samples(Write(*model_, "activity"));
  for (const auto& [word, theirs] : samples(Reference("activity.data"))) {
    auto& mine = ours[word];
    // StarPU does not count the sleep that ends with the worker.
    if (word != "name" && mine.size() == theirs.size() + 1) mine.pop_back();
    ASSERT_EQ(mine.size(), theirs.size()) << word;
    for (size_t i = 0; i < mine.size(); ++i) {
      if (word == "name") {
        EXPECT_EQ(mine[i], theirs[i]);
        continue;
      }
      ASSERT_EQ(mine[i].size(), theirs[i].size());
      for (size_t j = 1; j < mine[i].size(); ++j) {
        // A parallel task executes from its own start on each worker; StarPU knows only one start.
        if (j == 3 && (GetParam() == "parallel_small" || GetParam() == "ctx_nopol")) continue;
        EXPECT_NEAR(std::stod(mine[i][j]), std::stod(theirs[i][j]), 2e-6) << word;
      }
    }
  }
}

// The tasks of trace.rec, and the end of every worker.
TEST_P(StarpuFilesOfRealTrace, StatesHaveTheSameTasks) {
  const auto tasks = [this](const std::string& text) {
    std::multiset<std::string> all;
    for (const RecRecord& record : ParseRecords(text)) {
      if (record.Get("C") != "Task" && record.Get("N") != "End" && record.Get("E") != "ProgEvent")
        continue;
      if (record.Get("N").starts_with("end of MPI_Barrier")) continue;
      all.insert(record.Get("N") + " " + record.Get("W") + (several_ranks_ ? "" : record.Get("S")));
    }
    return all;
  };
  const std::string ours = Write(*model_, "states");
  EXPECT_EQ(tasks(ours), tasks(Reference("trace.rec")));
  ExpectRecords(ours, ParseRecords(ours).size());
}

TEST_P(StarpuFilesOfRealTrace, EveryFileIsTheSameFromAScratchFile) {
  Diagnostics diags;
  const auto scratch = std::make_shared<ScratchFile>(::testing::TempDir(), /*heap_bytes=*/0);
  const auto model =
      LoadPaths(testing::StarpuTraceFiles(GetParam()), diags, kAllParts, nullptr, scratch);
  ASSERT_TRUE(model.ok()) << model.status().message();
  for (const WriterSpec* writer : Writers()) {
    MemoryOutputs expected, outputs;
    ASSERT_TRUE(writer->write(*model_, {}, expected).ok());
    scratch->Forget();
    ASSERT_TRUE(writer->write(*model, {}, outputs).ok());
    ASSERT_TRUE(expected.Commit().ok() && outputs.Commit().ok());
    EXPECT_EQ(outputs.Names(), expected.Names());
    for (const std::string& name : expected.Names()) {
      const bool has_own_number = name == "otf2/traces.otf2";  // of each archive
      EXPECT_TRUE(has_own_number || outputs.Text(name) == expected.Text(name)) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Starpu, StarpuFilesOfRealTrace,
                         ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
