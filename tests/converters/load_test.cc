// SPDX-License-Identifier: Apache-2.0
// From paths to a model: folders, ranks, and one clear line for everything that is not a trace.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>
#include <tuple>

#include "converters/formats.h"
#include "converters/rank_word.h"
#include "converters/readers/fxt_file.h"
#include "converters/trace_files.h"
#include "tests/testing/model_check.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/tlt_file.h"
#include "trace/model/model_builder.h"
#include "trace/model/saved_model.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, removed afterwards.
class Load : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const std::vector<std::string> ranks = testing::StarpuTraceFiles("mpi2");
    hello_ = testing::ReadFile(testing::StarpuTraceFiles("hello").front());
    rank0_ = testing::ReadFile(ranks.at(0));
    rank1_ = testing::ReadFile(ranks.at(1));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  Result<TraceModel> Paths(std::vector<std::string> paths) { return LoadPaths(paths, diags_); }
  // The message of the error, with the folder's name shortened to DIR.
  std::string Error(std::vector<std::string> paths) {
    const auto model = LoadPaths(paths, diags_);
    if (model.ok()) return "no error";
    std::string message = model.status().message();
    for (size_t at; (at = message.find(folder_.string())) != std::string::npos;)
      message.replace(at, folder_.string().size(), "DIR");
    return message;
  }

  fs::path folder_;
  std::string hello_, rank0_, rank1_;
  Diagnostics diags_;
};

TEST_F(Load, OneFileIsATrace) {
  const auto model = Paths({Write("prof_file_me_0", hello_)});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.size(), 1u);
  EXPECT_GT(model->tasks.size(), 0u);
}

TEST_F(Load, AFolderStandsForTheTracesInIt) {
  Write("prof_file_me_1", rank1_);
  Write("prof_file_me_0", rank0_);
  Write("notes.txt", "not a trace");
  Write("other_7", "not a trace either");
  fs::create_directory(folder_ / "sub_3");
  const auto model = Paths({folder_.string()});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.rank, (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(model->ranks.aligned[0] && model->ranks.aligned[1]);
}

TEST_F(Load, TracesOfNoMpiProgramAreRuns) {
  const auto runs = Paths({Write("a_0", hello_), Write("a_1", hello_)});
  const auto ranks = Paths({Write("b_0", rank0_), Write("b_1", rank1_)});
  const auto one = Paths({Write("c_0", hello_)});
  ASSERT_TRUE(runs.ok() && ranks.ok() && one.ok());
  EXPECT_EQ(RankWord(*runs), "run");
  EXPECT_EQ(RankWord(*ranks), "rank");
  EXPECT_EQ(RankWord(*one), "rank");
  const auto traced = [](int32_t rank) {
    tlt::WriterOptions options;
    options.rank = rank;
    return testing::RecordedBytes([](tlt::Writer&, tlt::ThreadBuffer&) {}, options);
  };
  const auto started_by_mpirun = Paths({Write("d_0", traced(0)), Write("d_1", traced(1))});
  const auto started_again = Paths({Write("e_0", traced(-1)), Write("e_1", traced(-1))});
  ASSERT_TRUE(started_by_mpirun.ok() && started_again.ok());
  EXPECT_EQ(RankWord(*started_by_mpirun), "rank");
  EXPECT_EQ(RankWord(*started_again), "run");
}

// (Else its messages look like messages to itself.)
TEST_F(Load, OneRankAloneIsOfTheRankThatItsFileSays) {
  tlt::WriterOptions options;
  options.rank = 3;
  const std::string tlt = testing::RecordedBytes([](tlt::Writer&, tlt::ThreadBuffer&) {}, options);
  for (const auto& [name, bytes, rank] : {std::tuple{"g", tlt, 3u}, std::tuple{"h", rank1_, 1u}}) {
    const auto alone = Paths({Write(name, bytes)});
    ASSERT_TRUE(alone.ok()) << alone.status().message();
    EXPECT_EQ(alone->ranks.rank, std::vector<uint32_t>{rank});
  }
}

TEST_F(Load, OneRankAloneSaysThatItsMessagesLackTheirOtherEnds) {
  const auto both = Paths({Write("i_0", rank0_), Write("i_1", rank1_)});
  ASSERT_TRUE(both.ok()) << both.status().message();
  ASSERT_GT(both->messages.size(), 0u);
  EXPECT_EQ(diags_.Count("model_message_half"), 0u);
  const auto alone = Paths({Write("k_1", rank1_)});
  ASSERT_TRUE(alone.ok()) << alone.status().message();
  EXPECT_EQ(diags_.Count("model_message_half"), both->messages.size());
  EXPECT_NE(diags_.Summary().find("first at rank 1's messages with rank 0"), std::string::npos)
      << diags_.Summary();
}

// `bytes`, an FxT trace of a rank, as that of rank `rank` of `ranks`.
std::string AsRank(std::string bytes, uint64_t rank, uint64_t ranks) {
  constexpr uint64_t kMpiStart = 0x5201, kMpiBarrier = 0x5203;  // both begin with rank and size
  const auto view = std::as_bytes(std::span(bytes));
  const FxtFile file = ParseFxtFile(view);
  for (const FxtEventBlock& block : file.events) {
    FxtRecords records(block, file.swap);
    while (const FxtRecord* record = records.Next()) {
      if (record->code != kMpiStart && record->code != kMpiBarrier) continue;
      char* const params = bytes.data() + (record->raw - view.data());
      std::memcpy(params, &rank, sizeof rank);
      std::memcpy(params + sizeof rank, &ranks, sizeof ranks);
    }
  }
  return bytes;
}

TEST_F(Load, ManyRanksNeedFewOpenFiles) {
  constexpr uint32_t kRanks = 100;
  constexpr rlim_t kMostOpenFiles = 16;
  for (uint32_t rank = 0; rank < kRanks; ++rank)
    Write("prof_file_me_" + std::to_string(rank), AsRank(rank0_, rank, kRanks));
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = kMostOpenFiles;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto model = Paths({folder_.string()});
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(model.ok()) << model.status().message();
  ASSERT_EQ(model->ranks.size(), kRanks);
  EXPECT_EQ(model->ranks.rank.back(), kRanks - 1);
  EXPECT_EQ(model->ranks.world_size[0], kRanks);
}

TEST_F(Load, TheOrderInWhichRanksAreGivenDoesNotMatter) {
  const std::string zero = Write("a_0", rank0_), one = Write("a_1", rank1_);
  const auto forward = Paths({zero, one}), backward = Paths({one, zero});
  ASSERT_TRUE(forward.ok() && backward.ok());
  EXPECT_EQ(forward->ranks.rank, backward->ranks.rank);
  EXPECT_EQ(forward->tasks.job, backward->tasks.job);
  EXPECT_EQ(forward->messages.send_ns, backward->messages.send_ns);
}

TEST_F(Load, TheFilesOwnRankCountsMoreThanItsName) {
  const auto model = Paths({Write("a_1", rank0_), Write("a_0", rank1_)});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->messages.size(), 12u);
  for (size_t i = 0; i < model->messages.size(); ++i) {
    EXPECT_NE(model->messages.source[i], kNone);
    EXPECT_NE(model->messages.receive_ns[i], kNever);
  }
}

TEST_F(Load, FilesThatSayNoRankHaveTheOneOfTheirName) {
  const auto model = Paths({Write("a_5", hello_), Write("a_3", hello_)});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.rank, (std::vector<uint32_t>{3, 5}));
}

TEST_F(Load, RanksMayComeThroughPipes) {
  std::vector<std::thread> senders;
  std::vector<std::string> pipes;
  for (const std::string* bytes : {&rank0_, &rank1_}) {
    pipes.push_back(Path("pipe" + std::to_string(pipes.size())));
    ASSERT_EQ(mkfifo(pipes.back().c_str(), 0600), 0);
    senders.emplace_back([bytes, pipe = pipes.back()] { std::ofstream(pipe) << *bytes; });
  }
  const auto model = Paths(pipes);
  for (std::thread& sender : senders) sender.join();
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->messages.size(), 12u);
}

TEST_F(Load, FilesWithoutAnyRankAreNumberedInOrder) {
  const auto model = Paths({Write("x", hello_), Write("a_0", hello_), Write("y", hello_)});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.rank, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(Load, TwoFilesOfOneRankAreAnError) {
  EXPECT_EQ(
      Error({Write("a_0", hello_), Write("b_0", hello_)}),
      "DIR/a_0 and DIR/b_0 are both of rank 0; are they different runs? Open them one by one");
}

TEST_F(Load, AFolderOfSeveralRunsNamesThem) {
  Write("a_0", hello_);
  Write("b_0", hello_);
  Write("b_1", hello_);
  EXPECT_EQ(Error({folder_.string()}),
            "DIR: holds traces of 2 runs (a_*, b_*); name the files of one of them");
}

// As `tasklens run` leaves them where a program starts the runtime twice.
TEST_F(Load, AFolderHasAllTracesOfAProcess) {
  Write("trace_0.tlt", hello_);
  Write("trace_0.10.tlt", hello_);
  Write("trace_0.2.tlt", hello_);
  Write("trace_0.2.4711.tlt", hello_);
  const auto files = TraceFiles(std::vector{folder_.string()});
  ASSERT_TRUE(files.ok()) << files.status().message();
  EXPECT_EQ(*files, (std::vector{Path("trace_0.tlt"), Path("trace_0.2.tlt"),
                                 Path("trace_0.2.4711.tlt"), Path("trace_0.10.tlt")}));
  const auto model = Paths({folder_.string()});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.size(), 4u);
}

TEST_F(Load, AFolderWithoutTracesSaysHowToMakeOne) {
  Write("notes.txt", "nothing");
  EXPECT_EQ(Error({folder_.string()}),
            "DIR: no trace in this folder; record one with `tasklens run -o DIR -- PROGRAM`");
}

TEST_F(Load, ACompressedFileIsCalledSo) {
  EXPECT_EQ(Error({Write("run_0.gz", "\x1f\x8b\x08")}),
            "DIR/run_0.gz: is compressed; decompress it first, for example: zcat FILE | tasklens "
            "stats -");
}

TEST_F(Load, ARankOfAFolderThatIsNoTraceIsAnError) {
  Write("run_0", rank0_);
  Write("run_1", "");
  EXPECT_EQ(Error({folder_.string()}),
            "DIR/run_1: the file is empty; did the program end before it wrote its trace?");
  Write("run_1", "not a trace");
  EXPECT_EQ(Error({folder_.string()}).find("DIR/run_1: not in a known trace format"), 0u);
  Write("run_1", rank1_);
  Write("notes_1", "not of this run");
  const auto model = Paths({folder_.string()});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.size(), 2u);
}

TEST_F(Load, AFolderWithOneTraceOfAnotherNameHasThatTrace) {
  Write("recorded", hello_);
  EXPECT_TRUE(Paths({folder_.string()}).ok());
}

TEST_F(Load, TheEndingTltMayBeLeftOut) {
  Write("run_0.tlt", hello_);
  EXPECT_TRUE(Paths({Path("run_0")}).ok());
}

TEST_F(Load, APatternStandsForTheFilesThatMatch) {
  Write("run_0", rank0_);
  Write("run_1", rank1_);
  Write("other", "not a trace");
  const auto model = Paths({Path("run_*")});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->ranks.size(), 2u);
  EXPECT_EQ(Error({Path("no_*")}), "DIR/no_*: no file matches this pattern");
}

TEST_F(Load, AFileMayHaveTheNameOfAPattern) { EXPECT_TRUE(Paths({Write("run[1]*", hello_)}).ok()); }

TEST_F(Load, AMissingFileIsAnErrorThatNamesIt) {
  EXPECT_EQ(Error({Path("nothing")}), "DIR/nothing: No such file or directory");
}

TEST_F(Load, AnEmptyFileIsAnErrorThatNamesIt) {
  EXPECT_EQ(Error({Write("a_0", "")}),
            "DIR/a_0: the file is empty; did the program end before it wrote its trace?");
}

TEST_F(Load, AForeignFileIsAnErrorThatNamesTheFormats) {
  const std::string error = Error({Write("a.pdf", "%PDF-1.4 and more")});
  EXPECT_TRUE(error.starts_with("DIR/a.pdf: not in a known trace format (")) << error;
  EXPECT_NE(error.find("fxt"), std::string::npos) << error;
}

TEST_F(Load, OneBadRankIsAnErrorThatNamesIt) {
  EXPECT_EQ(Error({Write("a_0", rank0_), Write("a_1", "")}),
            "DIR/a_1: the file is empty; did the program end before it wrote its trace?");
}

TEST_F(Load, NoPathAtAllIsAnError) { EXPECT_EQ(Error({}), "no trace was given"); }

TEST(RealTraces, GiveModelsThatKeepTheirPromises) {
  for (const std::string& trace : testing::StarpuTraces()) {
    Diagnostics diags;
    const auto model = LoadPaths(testing::StarpuTraceFiles(trace), diags);
    ASSERT_TRUE(model.ok()) << trace << ": " << model.status().message();
    EXPECT_EQ(testing::BrokenPromise(*model), "") << trace;
    EXPECT_FALSE(diags.HasDataLoss()) << trace << ": " << diags.Summary();
  }
}

// All files of `trace` go to `sink`, if their reader may read them in halves.
bool ReadWhereHalvesAre(const std::string& trace, EventSink& sink, Diagnostics& diags) {
  uint32_t rank = 0;
  for (const std::string& path : testing::StarpuTraceFiles(trace)) {
    const auto source = OpenSource(path);
    const ReaderSpec* reader = source.ok() ? GuessReader((*source)->bytes()) : nullptr;
    if (reader == nullptr || !reader->in_halves) return false;
    EXPECT_TRUE(reader->read(**source, {.rank = rank++}, sink, diags).ok()) << path;
  }
  return true;
}

std::string Bytes(const TraceModel& model) {
  std::string bytes;
  SaveModel(model, {}, [&](std::string_view text) { bytes += text; });
  return bytes;
}

TEST(RealTraces, GiveTheSameModelInHalves) {
  size_t traces = 0;
  for (const std::string& trace : testing::StarpuTraces()) {
    Diagnostics diags;
    ModelBuilder whole(diags), halves(diags);
    if (!ReadWhereHalvesAre(trace, whole, diags)) continue;
    const auto at_once = std::move(whole).Finish();
    ASSERT_TRUE(at_once.ok()) << trace;
    // The same numbers for strings.
    for (StringId id = 0; id < at_once->strings.size(); ++id) halves.Intern(at_once->str(id));
    ReadWhereHalvesAre(trace, halves.timeline_half(), diags);
    ReadWhereHalvesAre(trace, halves.work_half(), diags);
    const auto joined = std::move(halves).Finish();
    ASSERT_TRUE(joined.ok()) << trace;
    EXPECT_TRUE(Bytes(*joined) == Bytes(*at_once)) << trace;
    ++traces;
  }
  EXPECT_GT(traces, 5u);
}

// Says yes until `patience` bytes are read.
struct Watcher : Progress {
  explicit Watcher(uint64_t patience) : patience(patience) {}
  bool Report(uint64_t done, uint64_t total) override {
    seen = done;
    of = total;
    return done < patience;
  }
  uint64_t patience, seen = 0, of = 0;
};

TEST_F(Load, TellsHowFarItIsAndStopsWhenTold) {
  const std::vector<std::string> paths = testing::StarpuTraceFiles("stencil_2k");
  Diagnostics diags;
  Watcher patient(~uint64_t{0});
  ASSERT_TRUE(LoadPaths(paths, diags, kAllParts, &patient).ok());
  EXPECT_GT(patient.seen, 0u);
  EXPECT_EQ(patient.of, std::filesystem::file_size(paths.front()));

  Watcher impatient(1);
  const auto stopped = LoadPaths(paths, diags, kAllParts, &impatient);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.status().code(), ErrorCode::kCancelled);
  EXPECT_EQ(stopped.status().message(), paths.front() + ": reading was stopped");
}

TEST_F(Load, TheBeginningOfATraceIsTheBeginningOfItsRun) {
  for (const char* trace : {"stencil_2k", "cholesky_dmdas"}) {
    const std::vector<std::string> paths = testing::StarpuTraceFiles(trace);
    Diagnostics whole_diags, diags;
    const auto whole = LoadPaths(paths, whole_diags);
    ASSERT_TRUE(whole.ok()) << trace;
    const auto beginning = LoadBeginning(paths, 0.8, diags);
    ASSERT_TRUE(beginning.ok()) << beginning.status().message();
    EXPECT_EQ(diags.Count("fxt_truncated"), paths.size()) << trace;
    EXPECT_EQ(testing::BrokenPromise(*beginning), "") << trace;
    EXPECT_LT(beginning->duration_ns, whole->duration_ns) << trace;
    const auto events = static_cast<double>(whole->event_count);
    EXPECT_NEAR(static_cast<double>(beginning->event_count) / events, 0.8, 0.05) << trace;
    size_t ended = 0;
    for (uint32_t task = 0; task < beginning->tasks.size(); ++task) {
      if (beginning->tasks.end_ns[task] == kNever || beginning->tasks.cut[task]) continue;
      const uint32_t same =
          whole->FindTask(beginning->tasks.rank_index[task], beginning->tasks.job[task]);
      ASSERT_NE(same, kNone) << trace;
      EXPECT_EQ(beginning->tasks.start_ns[task], whole->tasks.start_ns[same]) << trace;
      EXPECT_EQ(beginning->tasks.end_ns[task], whole->tasks.end_ns[same]) << trace;
      ++ended;
    }
    EXPECT_GT(ended, 0u) << trace;
    EXPECT_LT(ended, whole->tasks.size()) << trace;
  }
  const std::string prv =
      Write("trace.prv", "#Paraver (01/01/00 at 00:00):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:10:1\n");
  const auto none = LoadBeginning({&prv, 1}, 0.5, diags_);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().message(), prv + ": a trace of the format prv cannot be read in part");
  Diagnostics diags;
  const auto of_ranks = LoadBeginning(testing::StarpuTraceFiles("mpi2"), 0.8, diags);
  ASSERT_TRUE(of_ranks.ok()) << of_ranks.status().message();
  EXPECT_EQ(diags.Count("fxt_truncated"), 2u);  // of each rank
  EXPECT_EQ(of_ranks->ranks.size(), 2u);
}

TEST(RankInName, IsTheNumberAfterTheLastBar) {
  EXPECT_EQ(RankInName("/tmp/prof_file_me_12"), 12);
  EXPECT_EQ(RankInName("trace_3.tlt"), 3);
  EXPECT_EQ(RankInName("/tmp/dir_4/trace"), -1);
  EXPECT_EQ(RankInName("trace12"), -1);
  EXPECT_EQ(RankInName("trace_12x"), -1);
  EXPECT_EQ(RankInName("trace_-1"), -1);
  EXPECT_EQ(RankInName("_1"), -1);
  EXPECT_EQ(RankInName("trace_1.2.tlt"), -1);
  EXPECT_EQ(RankInName("trace_1.2"), -1);
  EXPECT_EQ(RankInName("trace_99999999999999999999"), -1);
}

}  // namespace
}  // namespace tasklens
