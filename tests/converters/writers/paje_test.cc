// SPDX-License-Identifier: Apache-2.0
// paje.trace: the rules of the format for any content, and pj_dump's and ViTE's opinion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "converters/formats.h"
#include "converters/writers/paje_header.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/hard_names.h"
#include "tests/testing/paje_checker.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using testing::CheckPaje;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kMain;
using ::testing::Not;
using testing::PajeFile;
using testing::RunTool;
using testing::TestFile;
using testing::TestTrace;

std::string WritePaje(const TraceModel& model, const std::vector<std::string>& keys = {}) {
  return testing::Written("paje", "paje.trace", model, keys);
}

void ExpectAccepted(const std::string& text, const std::string& name = "paje.trace") {
  EXPECT_THAT(CheckPaje(text).violations, IsEmpty());
  const std::string path = TestFile(name, text);
  for (const char* command : {"pj_dump ", "pj_dump -n -u "}) {
    const auto run = RunTool(command + path + " > " + path + ".csv");
    EXPECT_EQ(run.status, 0) << command << run.output;
    EXPECT_EQ(run.output, "") << command;
  }
}

// What pj_dump says of `text`, one line an entity.
std::string Dumped(const std::string& text) {
  const auto run = RunTool("pj_dump -u " + TestFile("dumped.trace", text));
  EXPECT_EQ(run.status, 0) << run.output;
  return run.output;
}

// --- One subject a test --------------------------------------------------------------------------

TEST(PajeWriter, WritesATaskOnceWithItsFields) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .Task("gemm", 1'000'000, 3'000'000,
                {.submit_ns = 500'000, .priority = -2, .iteration = 4, .tag = 255})
          .Build();
  const std::string text = WritePaje(model);
  EXPECT_THAT(text, HasSubstr("20\t1.000000000\tw0\tWS\t\"gemm\"\t0\t\"nodata\"\t00000000\t"
                              "00000000000000ff\t1\t"));
  EXPECT_THAT(text, HasSubstr("\t-2\t0.000000\t0\t0\t4\t-1\t\"-1\"\n"));
  size_t states = 0;
  for (const auto& line : CheckPaje(text).lines) states += line["Value"] == "gemm" && line.id != 6;
  EXPECT_EQ(states, 1u);
  ExpectAccepted(text);
}

TEST(PajeWriter, NestsPushedStates) {
  const TraceModel model = testing::NestedStates()
                               .State(500, StateKind::kSleeping)
                               .Event(900, EventKind::kMessage, {"end"})
                               .Build();
  const std::string text = WritePaje(model);
  EXPECT_THAT(text, HasSubstr("11\t0.000200000\tw0\tWS\t\"Sc\"\n"
                              "11\t0.000250000\tw0\tWS\t\"C\"\n"
                              "12\t0.000300000\tw0\tWS\n"
                              "12\t0.000400000\tw0\tWS\n"));
  EXPECT_THAT(text, HasSubstr("10\t0.000500000\tw0\tWS\t\"Sl\"\n"));
  ExpectAccepted(text);
}

TEST(PajeWriter, PutsTheRankBeforeEveryNameWhenThereAreSeveral) {
  TestTrace trace;
  for (const uint32_t rank : {0u, 3u, 10u})
    trace.Rank(rank).Worker("CPU0").Task("work", 1000, 2000);
  const std::string text = WritePaje(trace.Build());
  EXPECT_THAT(text, HasSubstr("\t03_w0\tW\t03_t1000\t\"03_CPU0\"\n"));
  EXPECT_THAT(text, HasSubstr("\t10_1\t"));
  ExpectAccepted(text);
}

TEST(PajeWriter, ShowsFlopsWhileATaskRunsAndNoneAfterwards) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 1000, 2000, {.worker = 0, .flops = 4000})
                               .Task("b", 1500, 2500, {.worker = 1, .flops = 1000})
                               .Build();
  const std::string text = WritePaje(model, {"no-smooth"});
  EXPECT_THAT(text, HasSubstr("13\t0.001000000\tw0\tgf\t4.000000\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.001500000\tsched\tgft\t5.000000\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.002500000\tsched\tgft\t0.000000\n"));
  ExpectAccepted(text);
}

TEST(PajeWriter, ShowsTheFlopsOfATaskThatPausesWhereAndWhileItRan) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Event(0, EventKind::kTaskDetails, {1, 0, 0, 0, 4000.});
  const auto piece = [&](EventKind begin, uint32_t worker, int64_t start_ns, int64_t end_ns) {
    trace.Event(start_ns, begin, {1, worker, 0, 0}, 1000 + worker);
    trace.Event(end_ns, EventKind::kTaskEnd, {1, worker, 0, 0, "cpu"}, 1000 + worker);
  };
  piece(EventKind::kTaskStart, 0, 1000, 1500);
  piece(EventKind::kTaskResume, 1, 9000, 9500);
  const TraceModel model = trace.Build();
  const std::string text = WritePaje(model);
  // 4000 operations in 1000 ns.
  EXPECT_THAT(text, HasSubstr("13\t0.001000000\tw0\tgf\t4.000000\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.001500000\tw0\tgf\t0.000000\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.009000000\tw1\tgf\t4.000000\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.009500000\tw1\tgf\t0.000000\n"));
  ExpectAccepted(text);
}

TEST(PajeWriter, EventsOfOtherThreadsStandOnTheirThread) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Event(5, EventKind::kStatePush, {StateKind::kSubmittingTask})
                               .Event(6, EventKind::kUserEvent, {42})
                               .Event(7, EventKind::kUserEvent, {43}, 1000)
                               .Event(8, EventKind::kStatePop)
                               .Build();
  const std::string text = WritePaje(model);
  EXPECT_THAT(text, HasSubstr("9\t0.000006000\tuser_user_event\tt1\t42\n"));
  EXPECT_THAT(text, HasSubstr("9\t0.000007000\tuser_event\tp\t43\n"));
  ExpectAccepted(text);
}

TEST(PajeWriter, ATransferIsAnArrowWithItsBandwidth) {
  const TraceModel model =
      TestTrace()
          .MemoryNode("RAM")
          .MemoryNode("GPU")
          .Worker("CPU0")
          .Event(1000, EventKind::kCopyStart, {0, 1, 4096, 7, CopyReason::kPrefetch, 0xabc})
          .Event(3000, EventKind::kCopyEnd, {0, 1, 4096, 7, CopyReason::kPrefetch})
          .Build();
  const std::string text = WritePaje(model);
  EXPECT_THAT(text, HasSubstr("24\t0.001000000\tPF\tp\t4096\tmm0\tcom_0\tabc\t\" \"\t0\t0\n"));
  EXPECT_THAT(text, HasSubstr("19\t0.003000000\tPF\tp\t4096\tmm1\tcom_0\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.001000000\tmm1\tbwi_mm\t2048.000000\n"));
  EXPECT_THAT(text, HasSubstr("13\t0.003000000\tmm1\tbwi_mm\t0.000000\n"));
  ExpectAccepted(text);
}

TEST(PajeWriter, ATransferThatNeverEndedEndsWithTheTrace) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .Event(1000, EventKind::kCopyStart, {0, 1, 4096, 7, CopyReason::kFetch, 0xabc})
          .Event(9000, EventKind::kMessage, {"end"})
          .Build();
  const std::string text = WritePaje(model);
  EXPECT_THAT(text, HasSubstr("19\t0.009000000\tF\tp\t4096\tmm1\tcom_0\n"));
  ExpectAccepted(text);
}

TEST(PajeWriter, OptionsLeaveOutWhatTheySay) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .Task("a", 1000, 2000, {.submit_ns = 10, .flops = 4000})
          .Event(20, EventKind::kTaskCount)
          .Event(30, EventKind::kTaskReady, {1, 0})
          .Event(40, EventKind::kMessage, {"hello"})
          .Event(50, EventKind::kCopyStart, {0, 1, 8, 1, CopyReason::kFetch, 0})
          .Event(60, EventKind::kCopyEnd, {0, 1, 8, 1, CopyReason::kFetch})
          .Build();
  const auto lines = [&](const std::string& option, int id, std::string_view type) {
    size_t count = 0;
    for (const auto& line : CheckPaje(WritePaje(model, {option})).lines)
      count += line.id == id && line["Type"] == type;
    return count;
  };
  EXPECT_EQ(lines("no-events", 9, "prog_event"), 0u);
  EXPECT_EQ(lines("no-counter", 9, "prog_event"), 1u);
  EXPECT_EQ(lines("no-counter", 9, "pu"), 0u);
  EXPECT_EQ(lines("no-counter", 13, "nready"), 0u);
  EXPECT_EQ(lines("no-flops", 13, "gf"), 0u);
  EXPECT_EQ(lines("no-flops", 13, "gft"), 0u);
  EXPECT_EQ(lines("no-bus", 24, "F"), 0u);
  EXPECT_EQ(lines("colors", 24, "F"), 1u);
  for (const char* option :
       {"no-events", "no-counter", "no-bus", "no-flops", "no-smooth", "colors"})
    ExpectAccepted(WritePaje(model, {option}));
}

TEST(PajeWriter, StarvzGetsTheFieldsThatItReads) {
  const TraceModel model =
      TestTrace().Worker("CPU0").Task("a", 1000, 2000, {.priority = 7}).Build();
  const std::string dumped = Dumped(WritePaje(model, {"starvz"}));
  // Size, Params, Footprint, Tag, JobId, SubmitOrder, GFlop, X, Y, Iteration, Subiteration, Numa:
  // twelve, without the priority.
  EXPECT_THAT(dumped, HasSubstr(", a, 0, nodata, 00000000, 0000000000000000, 1, 0, 0.000000, 0, 0, "
                                "-1, -1, -1\n"));
}

TEST(PajeWriter, StarvzGetsLinesThatFitItsBuffer) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t start_ns = 1'000'000'000'000'000;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, start_ns, start_ns + 500,
               {.priority = -2'000'000'000, .tag = ~uint64_t{0}, .size_bytes = ~uint64_t{0}});
    trace.Event(start_ns, EventKind::kMessage, {name});
    trace.Event(start_ns, EventKind::kThreadMessage, {name});
    start_ns += 1000;
  }
  for (int i = 0; i < 20; ++i)
    trace.Event(start_ns, EventKind::kTaskParameter, {uint64_t{1}, "M1000000x1000000x8"});
  trace.Event(start_ns, EventKind::kDataNew,
              {uint64_t{0xabc}, uint64_t{8}, -1, 0, uint64_t{0}, "V1x8"});
  trace.Event(start_ns, EventKind::kDataName, {uint64_t{0xabc}, std::string(400, 'n')});
  trace.Event(start_ns, EventKind::kCopyStart,
              {0, 1, uint64_t{8}, uint64_t{1}, 0, uint64_t{0xabc}});
  std::istringstream lines(Dumped(WritePaje(trace.Build(), {"starvz", "memory-states"})));
  size_t states = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LT(line.size(), 500u) << line;
    if (!line.starts_with("State, CPU0, Worker State") || !line.ends_with(", -1")) continue;
    ++states;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 19) << line;
  }
  EXPECT_GE(states, 20u);
}

TEST(PajeWriter, WritesAnEmptyTrace) { ExpectAccepted(WritePaje(TestTrace().Build())); }

// --- Any content ---------------------------------------------------------------------------------

TraceModel HardModel() {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU 1 \"fast\"");
  int64_t time_ns = 1000;
  for (const std::string& name : testing::HardNames()) {
    trace.Task(name, time_ns, time_ns + 500, {.file = name, .line = 3, .rgb = 0xFF8000});
    trace.Event(time_ns + 100, EventKind::kMessage, {name});
    trace.Event(time_ns + 200, EventKind::kThreadMessage, {name}, 1000);
    trace.Event(time_ns + 300, EventKind::kDataNew, {0x100, 8, 8, 0, 0, name});
    trace.Event(time_ns + 310, EventKind::kDataName, {0x100, name});
    trace.Event(time_ns + 350, EventKind::kCopyStart, {0, 1, 8, 1, CopyReason::kFetch, 0x100});
    trace.Event(time_ns + 390, EventKind::kCopyEnd, {0, 1, 8, 1, CopyReason::kFetch});
    time_ns += 1000;
  }
  return trace.Build();
}

TEST(PajeWriter, EveryNameSurvives) {
  const std::string text = WritePaje(HardModel(), {"memory-states", "colors"});
  ExpectAccepted(text);
  const std::string dumped = Dumped(text);
  for (const std::string& name : testing::HardNames()) {
    // Quotes, control characters and broken UTF-8 have no form in Paje: see PajeText.
    EXPECT_THAT(dumped, HasSubstr(", " + PajeText(name) + ", 0, nodata, ")) << name;
  }
}

TEST(PajeWriter, NamesThatCannotBeToldApartAreDeclaredOnce) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a\nb", 10, 20)
                               .Task("a b", 20, 30)
                               .Task("a\tb", 30, 40)
                               .Build();
  ExpectAccepted(WritePaje(model));
}

TEST(PajeWriter, ATaskCalledLikeAStatesAliasIsNotTakenForIt) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("C", 10, 20)
                               .Task("Callback", 20, 30)
                               .State(30, StateKind::kCallback)
                               .Task("x7x", 40, 50)
                               .Build();
  const std::string dumped = Dumped(WritePaje(model));
  EXPECT_THAT(dumped, HasSubstr(" C, 0, nodata, "));
  EXPECT_THAT(dumped, HasSubstr(" Callback, 0, nodata, "));
  EXPECT_THAT(dumped, HasSubstr(" Callback\n"));
  EXPECT_THAT(dumped, HasSubstr(" x7x, 0, nodata, "));
  ExpectAccepted(WritePaje(model));
}

TEST(PajeWriter, IdsThatNobodyAnnouncedGetTheirPlace) {
  // A damaged trace names nodes and workers that were never described.
  const TraceModel model =
      TestTrace()
          .Worker("CPU0", 4000000000u)
          .Task("a", 100, 200)
          .Event(50, EventKind::kSteal, {0, 77})
          .Event(60, EventKind::kCopyStart, {12345, 0xFFFFFFFFu, 1, 1, 9, 0})
          .Event(61, EventKind::kMemoryUsed, {999, 1 << 20})
          .Event(62, EventKind::kDataState, {0x1, 888, 7})
          .Event(63, EventKind::kDataRequest, {0x1, -1, -1, 0, 0, 0x2})
          .Event(64, EventKind::kMemoryOpStart, {777, 99, 1, 0x1, 0})
          .Event(65, EventKind::kMemoryOpStart, {777, MemoryOp::kAllocate, 1, 0x1, 0})
          .Build();
  ExpectAccepted(WritePaje(model, {"memory-states"}));
  ExpectAccepted(WritePaje(model));
}

TEST(PajeWriter, TellsWhichDataAreNotNeededAnyMore) {
  const TraceModel model =
      TestTrace()
          .Event(5, EventKind::kMemoryNodeNew, {0, "RAM"})
          .Event(64, EventKind::kMemoryOpStart, {0xFFFFFFFFu, MemoryOp::kWontUse, 0, 0xabc, 0})
          .Build();
  EXPECT_THAT(WritePaje(model, {"memory-states"}), HasSubstr("\tWU\tmm0\tabc\n"));
  ExpectAccepted(WritePaje(model, {"memory-states"}));
}

// --- Real traces ---------------------------------------------------------------------------------

class PajeOfRealTrace : public ::testing::TestWithParam<std::string> {};

TEST_P(PajeOfRealTrace, IsAcceptedWithAnyOptions) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  ExpectAccepted(WritePaje(*model));
  ExpectAccepted(WritePaje(*model, {"colors", "memory-states", "no-smooth", "use-task-color"}));
  ExpectAccepted(WritePaje(*model, {"starvz", "no-counter", "no-flops", "no-bus", "no-events"}));
}

TEST_P(PajeOfRealTrace, IsShownByVite) {
  Diagnostics diags;
  const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const std::string path = TestFile("vite.trace", WritePaje(*model));
  // ViTE is a program with windows; without a screen Qt draws into memory.
  const auto run =
      RunTool("HOME=$TEST_TMPDIR QT_QPA_PLATFORM=offscreen vite -e " + path + ".svg " + path);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("0 errors and 0 warnings were found"));
  EXPECT_THAT(testing::ReadFile(path + ".svg"), HasSubstr("CPU0"));
}

INSTANTIATE_TEST_SUITE_P(Starpu, PajeOfRealTrace, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
