// SPDX-License-Identifier: Apache-2.0
// Trace points, texts, regions, threads: what a program records is what is read.
#include "runtime/recorder/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadBack;
using testing::ReadTlt;
using ::testing::StartsWith;

// A trace in a folder of its own; what Start() itself records is left out of Lines().
class RecorderTest : public ::testing::Test {
 protected:
  ~RecorderTest() override { Recorder::Stop(); }

  void Start(RecorderOptions options = {}) {
    options.path = folder_.File("x_0.tlt");
    const Status status = Recorder::Start(options);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  ReadBack Stop() {
    Recorder::Stop();
    return ReadTlt(testing::FileBytes(Recorder::Path()));
  }

  std::vector<std::string> StopAndRead() {
    const ReadBack back = Stop();
    EXPECT_EQ(back.diags.Summary(), "");
    std::vector<std::string> lines;
    for (const std::string& line : back.Recorded())
      if (!line.starts_with("program_info")) lines.push_back(line);
    return lines;
  }

  testing::TempFolder folder_;
};

enum class Small : uint8_t { kValue = 200 };

TEST_F(RecorderTest, TracePointsTakeEveryKindOfArgument) {
  Start();
  int pointed = 0;
  const std::string text = "a string";
  Record<EventKind::kTaskSubmit>(uint64_t{1}, 2, -3, 4, int16_t{-5}, Small::kValue);
  Record<EventKind::kTaskDetails>(1u, 2, &pointed, 3, 1.5f);
  Record<EventKind::kTaskSite>(7, __LINE__, __FILE__, "literal");
  Record<EventKind::kTaskName>(7, text);
  Record<EventKind::kTaskName>(8, text.c_str());
  Record<EventKind::kTaskName>(9, std::string_view(text).substr(2));
  Record<EventKind::kTaskName>(10, Recorder::Intern("interned"));
  Record<EventKind::kTaskName>(11, nullptr);
  Record<EventKind::kTaskName>(12, static_cast<const char*>(nullptr));
  Record<EventKind::kStatePop>();
  const std::array<int32_t, 3> coordinates = {1, -2, 3};
  Record<EventKind::kDataCoordinates>(0xabc, coordinates);
  Record<EventKind::kDataCoordinates>(0xabd, std::span<const int32_t>(coordinates).first(1));
  EXPECT_THAT(
      StopAndRead(),
      ElementsAre("tracing_start mask=4194303",
                  "task_submit job=1 submit_order=2 iteration=-3 subiteration=4 priority=-5 "
                  "type=200",
                  StartsWith("task_details job=1 size_bytes=2 footprint="),
                  ::testing::MatchesRegex("task_site job=7 line=[0-9]+ file='.*recorder_test.cc' "
                                          "function='literal'"),
                  "task_name job=7 name='a string'", "task_name job=8 name='a string'",
                  "task_name job=9 name='string'", "task_name job=10 name='interned'",
                  "task_name job=11 name=''", "task_name job=12 name=''", "state_pop",
                  "data_coordinates handle=abc value=1 value=-2 value=3",
                  "data_coordinates handle=abd value=1"));
}

TEST_F(RecorderTest, WithoutATraceNothingHappens) {
  EXPECT_FALSE(Recorder::Started());
  EXPECT_FALSE(Recorder::Enabled(EventKind::kTaskStart));
  Record<EventKind::kTaskStart>(1, 2, 3, 4);
  Recorder::Pause();
  Recorder::Resume();
  Recorder::Stop();
  EXPECT_TRUE(Recorder::Flush().ok());
}

TEST_F(RecorderTest, ATextThatChangesBehindItsAddressIsNoticed) {
  Start();
  char name[16] = "first";
  Record<EventKind::kTaskName>(1, name);
  std::snprintf(name, sizeof name, "second");
  Record<EventKind::kTaskName>(2, name);
  std::snprintf(name, sizeof name, "secondary");
  Record<EventKind::kTaskName>(3, name);
  std::snprintf(name, sizeof name, "first");
  Record<EventKind::kTaskName>(4, name);
  EXPECT_THAT(StopAndRead(),
              ElementsAre(StartsWith("tracing_start"), "task_name job=1 name='first'",
                          "task_name job=2 name='second'", "task_name job=3 name='secondary'",
                          "task_name job=4 name='first'"));
}

TEST_F(RecorderTest, ATextIsInTheFileOnce) {
  Start();
  for (int i = 0; i < 1000; ++i) Record<EventKind::kTaskName>(i, "said a thousand times");
  Recorder::Stop();
  const std::string bytes = testing::FileBytes(Recorder::Path());
  size_t count = 0;
  for (size_t at = 0; (at = bytes.find("said a thousand times", at)) != bytes.npos; ++at) ++count;
  EXPECT_EQ(count, 1u);
}

TEST_F(RecorderTest, TextsAreLargeManyAndOfAllSorts) {
  Start();
  const std::string large(10'000, 'l');
  const std::string texts[] = {large, "ünïcödé\n\"quoted\"", std::string("a\0b", 3)};
  for (const std::string& text : texts) Record<EventKind::kMessage>(text);
  for (int i = 0; i < 5000; ++i) Record<EventKind::kMessage>("text " + std::to_string(i));
  const std::vector<std::string> lines = StopAndRead();
  ASSERT_EQ(lines.size(), 1u + 3 + 5000);
  EXPECT_EQ(lines[1], "message text='" + large + "'");
  EXPECT_EQ(lines[2], "message text='ünïcödé\n\"quoted\"'");
  EXPECT_EQ(lines[3], std::string("message text='a\0b'", 18));
  EXPECT_EQ(lines[5003], "message text='text 4999'");
}

TEST_F(RecorderTest, NumbersOfTextsStayValidOverSeveralTraces) {
  const StrId before = Recorder::Intern("known before any trace");
  EXPECT_NE(before.value, 0u);
  for (int run = 0; run < 3; ++run) {
    Start();
    Record<EventKind::kMessage>(before);
    Record<EventKind::kMessage>("literal");
    EXPECT_THAT(StopAndRead(),
                ElementsAre(StartsWith("tracing_start"), "message text='known before any trace'",
                            "message text='literal'"));
  }
}

TEST_F(RecorderTest, CategoriesThatWereNotAskedForAreLeftOut) {
  RecorderOptions options;
  options.categories = CategoryBit(Category::kUser);
  Start(options);
  EXPECT_FALSE(Recorder::Enabled(EventKind::kTaskStart));
  EXPECT_TRUE(Recorder::Enabled(EventKind::kUserEvent));
  Record<EventKind::kTaskStart>(1, 0, 0, 0);
  Record<EventKind::kUserEvent>(5);
  Record<EventKind::kThreadName>("meta is always there");
  EXPECT_THAT(StopAndRead(), ElementsAre("tracing_start mask=3", "user_event code=5",
                                         "thread_name name='meta is always there'"));
}

TEST_F(RecorderTest, ARegionCanBeLeftOut) {
  Start();
  Record<EventKind::kUserEvent>(1);
  Recorder::Pause();
  Recorder::Pause();
  Record<EventKind::kUserEvent>(2);
  Record<EventKind::kDataName>(0x1, "named meanwhile");
  Recorder::Resume();
  Recorder::Resume();
  Record<EventKind::kUserEvent>(3);
  EXPECT_THAT(StopAndRead(),
              ElementsAre(StartsWith("tracing_start"), "user_event code=1", "tracing_stop",
                          "data_name handle=1 name='named meanwhile'", StartsWith("tracing_start"),
                          "user_event code=3"));
}

TEST_F(RecorderTest, ATraceMayBeginPaused) {
  RecorderOptions options;
  options.paused = true;
  Start(options);
  Record<EventKind::kUserEvent>(1);
  Recorder::Resume();
  Record<EventKind::kUserEvent>(2);
  EXPECT_THAT(StopAndRead(),
              ElementsAre("tracing_stop", StartsWith("tracing_start"), "user_event code=2"));
}

TEST_F(RecorderTest, OnlyOneTraceAtATime) {
  Start();
  RecorderOptions options;
  options.path = folder_.File("y_0.tlt");
  EXPECT_EQ(Recorder::Start(options).message(), "a trace is being recorded already");
  EXPECT_NE(access(options.path.c_str(), F_OK), 0);
}

TEST_F(RecorderTest, ThreadsOfAllLivesAreRecorded) {
  Start();
  constexpr uint64_t kThreads = 40, kEach = 500;
  {
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < kThreads; ++t)
      threads.emplace_back([t] {
        for (uint64_t i = 0; i < kEach; ++i) {
          Record<EventKind::kUserEvent>(t << 32 | i);
          Record<EventKind::kMessage>("shared " + std::to_string(i));
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  const ReadBack back = Stop();
  EXPECT_EQ(back.diags.Summary(), "");
  std::vector<uint64_t> next(kThreads);
  for (const auto& entry : back.log.entries()) {
    if (entry.kind != EventKind::kUserEvent) continue;
    EXPECT_EQ(static_cast<uint32_t>(entry.args[0]), next[entry.args[0] >> 32]++);
  }
  for (uint64_t count : next) EXPECT_EQ(count, kEach);
  EXPECT_EQ(back.log.Lines(EventKind::kMessage).size(), kThreads * kEach);
}

// Threads go on recording while traces come and go.
TEST_F(RecorderTest, StoppingDoesNotWaitForThreadsNorHurtThem) {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> rounds[2] = {};
  std::vector<std::thread> threads;
  for (auto& round : rounds)
    threads.emplace_back([&stop, &round] {
      for (; !stop; ++round) {
        Record<EventKind::kUserEvent>(round.load());
        Record<EventKind::kMessage>(round % 2 ? "odd" : "even");
      }
    });
  const auto both_go_on = [&rounds] {
    for (auto& round : rounds)
      for (const uint64_t before = round; round < before + 20;) std::this_thread::yield();
  };
  size_t seen = 0;
  for (int run = 0; run < 8; ++run) {
    Start();
    both_go_on();
    Recorder::Stop();
    both_go_on();
    const std::string bytes = testing::FileBytes(Recorder::Path());
    testing::CountingSink sink;
    Diagnostics diags;
    ASSERT_TRUE(tlt::ReadTrace("x", std::as_bytes(std::span(bytes)), 0, sink, diags).ok());
    EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
    seen += sink.events();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(seen, 8u * 40);
}

TEST_F(RecorderTest, TheFileOfALivingRecorderIsNotReplaced) {
  Start();
  Record<EventKind::kUserEvent>(1);
  const std::string first = Recorder::Path();
  tlt::Writer other;
  tlt::WriterOptions options;
  options.path = first;
  ASSERT_TRUE(other.Open(options).ok());
  EXPECT_EQ(other.path(), folder_.File("x_0." + std::to_string(getpid()) + ".tlt"));
  ASSERT_TRUE(other.Close().ok());
  Record<EventKind::kUserEvent>(2);
  EXPECT_THAT(StopAndRead(),
              ElementsAre(StartsWith("tracing_start"), "user_event code=1", "user_event code=2"));
  // Once closed it is replaced.
  ASSERT_TRUE(other.Open(options).ok());
  EXPECT_EQ(other.path(), first);
  ASSERT_TRUE(other.Close().ok());
}

TEST_F(RecorderTest, TheTraceSaysHowTheProgramWasCalled) {
  Start();
  const ReadBack back = Stop();
  const std::vector<std::string> lines = back.log.Lines(EventKind::kProgramInfo);
  EXPECT_THAT(lines, Contains(::testing::MatchesRegex("program_info key='arguments' "
                                                      "value='.*recorder_test.*'")));
  EXPECT_THAT(lines, Contains(StartsWith("program_info key='directory' value='/")));
  // With program, host and pid of the header: each of them once.
  EXPECT_EQ(lines.size(), 5u);
}

TEST_F(RecorderTest, AFolderThatCannotBeMadeIsAnErrorAndNothingMore) {
  RecorderOptions options;
  options.path = "/proc/no/such/x_0.tlt";
  const Status status = Recorder::Start(options);
  EXPECT_EQ(status.code(), ErrorCode::kIo);
  EXPECT_THAT(status.message(), StartsWith("/proc/no/such: cannot create the trace's folder"));
  EXPECT_FALSE(Recorder::Started());
  options.path = "/proc/x_0.tlt";
  EXPECT_THAT(Recorder::Start(options).message(),
              StartsWith("/proc/x_0.tlt: cannot create the trace: "));
  options.path = folder_.path();
  EXPECT_THAT(Recorder::Start(options).message(), HasSubstr("is not a file"));
  options.path = "";
  EXPECT_EQ(Recorder::Start(options).code(), ErrorCode::kInvalidArgument);
  Record<EventKind::kUserEvent>(1);
}

TEST_F(RecorderTest, MissingFoldersAreMade) {
  RecorderOptions options;
  options.path = folder_.File("a/b/x_0.tlt");
  ASSERT_TRUE(Recorder::Start(options).ok());
  Recorder::Stop();
  EXPECT_EQ(access(options.path.c_str(), R_OK), 0);
}

// --- The environment ---------------------------------------------------------------------------

class RecorderEnvironment : public ::testing::Test {
 protected:
  RecorderEnvironment() {
    for (const char* name : {"STARPU_FXT_TRACE", "STARPU_FXT_PREFIX", "STARPU_FXT_SUFFIX",
                             "STARPU_FXT_EVENTS", "STARPU_TRACE_BUFFER_SIZE"})
      unsetenv(name);
    setenv("USER", "ada", 1);
  }
  ~RecorderEnvironment() override {
    unsetenv("STARPU_FXT_EVENTS");
    unsetenv("STARPU_TRACE_BUFFER_SIZE");
  }
};

TEST_F(RecorderEnvironment, FilesAreNamedAsStarPUNamesThem) {
  EXPECT_EQ(RecorderOptionsFromEnvironment(-1).path, "/tmp/prof_file_ada_0.tlt");
  EXPECT_EQ(RecorderOptionsFromEnvironment(-1).rank, -1);
  EXPECT_EQ(RecorderOptionsFromEnvironment(3).path, "/tmp/prof_file_ada_3.tlt");
  EXPECT_EQ(RecorderOptionsFromEnvironment(3).rank, 3);
  setenv("STARPU_FXT_PREFIX", "/some/where/", 1);
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).path, "/some/where/prof_file_ada_0.tlt");
  setenv("STARPU_FXT_PREFIX", "here", 1);
  setenv("STARPU_FXT_SUFFIX", "trace", 1);
  EXPECT_EQ(RecorderOptionsFromEnvironment(2).path, "here/trace_2.tlt");
}

TEST_F(RecorderEnvironment, TheRankIsWhatTheLauncherSays) {
  constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};
  for (const char* name : kVariables) unsetenv(name);
  EXPECT_EQ(RankFromEnvironment(), -1);
  for (const char* name : kVariables) {
    setenv(name, "12", 1);
    EXPECT_EQ(RankFromEnvironment(), 12) << name;
    for (const char* no_rank : {"", "x", "3x", "-2", "4294967294"}) {
      setenv(name, no_rank, 1);
      EXPECT_EQ(RankFromEnvironment(), -1) << name << "=" << no_rank;
    }
    unsetenv(name);
  }
  // An mpirun in a batch job of Slurm.
  setenv("SLURM_PROCID", "0", 1);
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  EXPECT_EQ(RankFromEnvironment(), 1);
  for (const char* name : kVariables) unsetenv(name);
}

TEST_F(RecorderEnvironment, ATraceIsWantedWhenTheVariableSaysSo) {
  EXPECT_FALSE(EnvironmentWantsTrace());
  setenv("STARPU_FXT_TRACE", "0", 1);
  EXPECT_FALSE(EnvironmentWantsTrace());
  setenv("STARPU_FXT_TRACE", "1", 1);
  EXPECT_TRUE(EnvironmentWantsTrace());
}

TEST_F(RecorderEnvironment, CategoriesAreJoinedByBarsOrCommas) {
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).categories, kDefaultCategories);
  setenv("STARPU_FXT_EVENTS", "TASK|DATA, SCHED_VERBOSE", 1);
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).categories, CategoryBit(Category::kTask) |
                                                              CategoryBit(Category::kData) |
                                                              CategoryBit(Category::kSchedVerbose));
}

TEST_F(RecorderEnvironment, UnknownCategoriesGetOneLine) {
  setenv("STARPU_FXT_EVENTS", "TASK|TASKS|nonsense", 1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).categories, CategoryBit(Category::kTask));
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(line, StartsWith("[tasklens] STARPU_FXT_EVENTS: no such category: TASKS, nonsense "
                               "(there are: META USER TASK "));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST_F(RecorderEnvironment, TheBufferSizeIsInMebibytes) {
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).max_chunk_bytes, 256u * 1024);
  setenv("STARPU_TRACE_BUFFER_SIZE", "4", 1);
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).max_chunk_bytes, 4u << 20);
  setenv("STARPU_TRACE_BUFFER_SIZE", "1000000000000", 1);
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).max_chunk_bytes, 64u << 20);
  setenv("STARPU_TRACE_BUFFER_SIZE", "lots", 1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(RecorderOptionsFromEnvironment(0).max_chunk_bytes, 256u * 1024);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[tasklens] STARPU_TRACE_BUFFER_SIZE='lots' is not a number of MiB; ignored\n");
}

}  // namespace
}  // namespace tasklens
