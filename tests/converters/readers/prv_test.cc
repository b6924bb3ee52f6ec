// SPDX-License-Identifier: Apache-2.0
// Paraver's traces, read: the document's examples, what Extrae and ovni write, damage; and our own
// files, which give the run that they were written of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "converters/formats.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/run_facts.h"
#include "tests/testing/starpu_traces.h"
#include "tests/testing/test_trace.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kMain;
using testing::Loaded;
using testing::MessagesOf;
using testing::StatesOf;
using testing::TasksOf;
using testing::TestFile;
using testing::TestTrace;
using testing::TextsOf;
using testing::TimesOf;
using testing::TransfersOf;
using ::testing::UnorderedElementsAre;

TraceModel Read(const std::string& prv) { return testing::ReadBack("read.prv", prv); }

std::string Gzip(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS, kMemory = 8;
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

// --- The document ---

TEST(PrvReader, ReadsTheDocumentsTraceWithResources) {
  const TraceModel model = Read(
      "#Paraver(31/10/00 at 17:44):20156361:2(8,8):1:2(10:1,10:2)\n"
      "1:0:1:1:1:0:5539:5\n"
      "1:3:1:1:1:5539:10097:1\n"
      "1:1:1:1:2:7039:7844:1\n"
      "1:1:1:1:2:7844:30031:1\n"
      "1:0:1:1:1:10097:10366:5\n"
      "1:13:1:2:1:29522:34145:1\n");
  EXPECT_EQ(model.ranks.size(), 2u);
  EXPECT_EQ(model.duration_ns, 20156361000);
  EXPECT_EQ(model.wall_clock_ns, int64_t{973014240} * 1'000'000'000);
  EXPECT_THAT(StatesOf(model, "thread 2"), ElementsAre("Executing 7039000 30031000"));
  ASSERT_EQ(model.workers.size(), 2u);
  EXPECT_EQ(model.workers.cpu[0], 0);
  EXPECT_EQ(model.workers.rank_index[1], 1u);
}

TEST(PrvReader, ReadsTheDocumentsTraceWithoutResources) {
  const TraceModel model = Read(
      "#Paraver (10/04/01 at 18:21):620244:0:1:1(4:0)\n"
      "2:0:1:1:1:0:4000001:1\n"
      "1:0:1:1:1:0:5124:1\n"
      "1:0:1:1:2:0:14981:0\n"
      "2:0:1:1:1:5124:60000019:2\n"
      "1:0:1:1:1:5124:5139:1\n"
      "1:0:1:1:1:5139:5400:7\n");
  EXPECT_EQ(model.workers.size(), 2u);
  EXPECT_THAT(StatesOf(model, "thread 1"),
              ElementsAre("Executing 0 5139000", "Scheduling 5139000 5400000"));
  EXPECT_THAT(StatesOf(model, "thread 2"), ElementsAre("Idle 0 14981000"));
  ASSERT_EQ(model.counters.size(), 2u);
  EXPECT_EQ(model.str(model.counters[0].name), "event 4000001");
  EXPECT_EQ(model.str(model.counters[1].name), "event 60000019");
  EXPECT_EQ(model.counters[1].value[0], 2);
}

TEST(PrvReader, SaysThatATraceHasNoTasks) {
  Diagnostics diags;
  const TraceModel model =
      Loaded(TestFile("states.prv", "#Paraver (10/04/01 at 18:21):9:0:1:1(1:0)\n1:0:1:1:1:0:5:1\n"),
             diags);
  EXPECT_EQ(diags.Count("prv_no_tasks"), 1u);
  EXPECT_EQ(model.tasks.size(), 0u);
}

// --- Other people's traces ---

TEST(PrvReader, FindsTasksAndTheirLinesInATraceOfExtrae) {
  TestFile("extrae.pcf",
           "DEFAULT_OPTIONS\n\nUNITS NANOSEC\n\nSTATES\n0    Idle\n1    Running\n\n"
           "EVENT_TYPE\n0    60000023    OMP Task Function Name\nVALUES\n0   End\n1   work\n\n"
           "EVENT_TYPE\n0    60000123    OMP Task Function Line\nVALUES\n0   End\n"
           "7   42 (chol.c, /path/chol.c)\n\n"
           "EVENT_TYPE\n9    50000001    MPI Point-to-point\nVALUES\n0   Outside MPI\n"
           "1   MPI_Send\n");
  TestFile("extrae.row", "LEVEL CPU SIZE 2\nCPU 1\nCPU 2\n\nLEVEL THREAD SIZE 2\nfirst\nsecond\n");
  Diagnostics diags;
  const TraceModel model =
      Loaded(TestFile("extrae.prv",
                      "#Paraver (01/02/2026 at 03:04):1000_ns:1(2):1:1(2:1),1\n"
                      "c:1:1:1:1\n"
                      "1:1:1:1:1:0:1000:1\n"
                      "2:1:1:1:1:10:50000001:1\n"
                      "2:1:1:1:1:20:50000001:0\n"
                      "2:2:1:1:2:100:60000023:1:60000123:7\n"
                      "1:2:1:1:2:100:150:1\n"
                      "1:2:1:1:2:150:200:5\n"
                      "1:2:1:1:2:200:300:1\n"
                      "2:2:1:1:2:300:60000023:0:60000123:0\n"
                      "# a comment\n"),
             diags);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  ASSERT_EQ(model.tasks.size(), 1u);
  EXPECT_EQ(model.TaskNameOf(0), "work");
  EXPECT_EQ(model.tasks.start_ns[0], 100);
  EXPECT_EQ(model.tasks.end_ns[0], 300);
  ASSERT_EQ(model.sites.size(), 1u);
  EXPECT_EQ(model.str(model.sites.file[0]), "/path/chol.c");
  EXPECT_EQ(model.sites.line[0], 42u);
  EXPECT_THAT(StatesOf(model, "first"), ElementsAre("Executing 0 1000"));
  EXPECT_THAT(StatesOf(model, "second"), ElementsAre("Task 100 300", "Parallel sync 150 200"));
  EXPECT_THAT(TextsOf(model),
              ElementsAre("10 MPI Point-to-point: MPI_Send", "20 MPI Point-to-point: Outside MPI"));
}

TEST(PrvReader, FindsTasksOfOvniByTheLabelsOfItsTypes) {
  TestFile("ovni.pcf",
           "DEFAULT_OPTIONS\n\nEVENT_TYPE\n0 10 Thread: Task ID of the RUNNING thread\n\n"
           "EVENT_TYPE\n0 11 Thread: Task type of the RUNNING thread\nVALUES\n77 axpy\n");
  Diagnostics diags;
  const TraceModel model =
      Loaded(TestFile("ovni.prv",
                      "#Paraver (01/02/2026 at 03:04):00000000000000002000_ns:0:1:1(1:1)\n"
                      "2:0:1:1:1:100:10:5\n"
                      "2:0:1:1:1:100:11:77\n"
                      "2:0:1:1:1:900:10:0\n"
                      "2:0:1:1:1:900:11:0\n"),
             diags);
  ASSERT_EQ(model.tasks.size(), 1u);
  EXPECT_EQ(model.tasks.job[0], 5u);
  EXPECT_EQ(model.TaskNameOf(0), "axpy");
  EXPECT_EQ(model.tasks.end_ns[0], 900);
}

TEST(PrvReader, MakesMessagesBetweenTasksAndTransfersWithinOne) {
  const TraceModel model = Read(
      "#Paraver (01/02/2026 at 03:04):100_ns:2(1,1):1:2(2:1,1:2)\n"
      "3:1:1:1:1:10:11:2:1:2:1:20:30:4096:-7\n"
      "3:1:1:1:1:40:50:0:1:1:2:40:60:64:3\n");
  ASSERT_EQ(model.messages.size(), 1u);
  EXPECT_EQ(model.messages.send_ns[0], 10);
  EXPECT_EQ(model.messages.receive_ns[0], 30);
  EXPECT_EQ(model.messages.tag[0], -7);
  EXPECT_EQ(model.messages.size_bytes[0], 4096u);
  ASSERT_EQ(model.transfers.size(), 1u);
  EXPECT_EQ(model.transfers.start_ns[0], 50);
  EXPECT_EQ(model.transfers.end_ns[0], 60);
  EXPECT_EQ(model.transfers.reason[0], CopyReason::kPrefetch);
}

TEST(PrvReader, KeepsAStateThatGoesOnAfterItsTask) {
  const TraceModel model = Read(
      "#Paraver (01/02/2026 at 03:04):100_ns:0:1:1(1:0)\n"
      "1:0:1:1:1:0:100:1\n"
      "2:0:1:1:1:20:60000023:1\n"
      "2:0:1:1:1:40:60000023:2\n"
      "2:0:1:1:1:60:60000023:0\n");
  EXPECT_THAT(StatesOf(model, "thread 1"),
              ElementsAre("Executing 0 20", "Task 20 40", "Task 40 60", "Executing 60 100"));
  ASSERT_EQ(model.tasks.size(), 2u);
  EXPECT_EQ(model.TaskNameOf(0), "task type 1");
}

// --- Damage ---

TEST(PrvReader, CountsWhatIsNoRecordAndGoesOn) {
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("damaged.prv",
                                           "#Paraver (01/02/2026 at 03:04):100_ns:1(1):1:1(1:1)\r\n"
                                           "1:1:1:1:1:0:10:0\r\n"
                                           "1:1:1:1:1:10\n"
                                           "1:1:1:1:1:20:10:0\n"
                                           "1:1:1:1:1:99999999999999999999:10:0\n"
                                           "nonsense\n"
                                           "9:1:1:1:1:1\n"
                                           "1:1:1:1:2:0:10:0\n"
                                           "1:1:1:2:1:0:10:0\n"
                                           "1:1:3:1:1:0:10:0\n"
                                           "3:1:1:1:1:0:0:1:1:1:9:0:0:0:0\n"
                                           "1:1:1:1:1:10:20:7"),
                                  diags);
  EXPECT_EQ(diags.Count("prv_bad_record"), 5u) << diags.Summary();
  EXPECT_EQ(diags.Count("prv_bad_object"), 4u) << diags.Summary();
  EXPECT_THAT(StatesOf(model, "thread 1"), ElementsAre("Idle 0 10", "Scheduling 10 20"));
}

TEST(PrvReader, RefusesAFileWithoutAHeader) {
  Diagnostics diags;
  const auto model =
      LoadPaths(std::vector{TestFile("headless.prv", "#Paraver\n1:1:1:1:1:0:10:0\n")}, diags);
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message(), HasSubstr("headless.prv: line 1: not a Paraver header"));
}

TEST(PrvReader, HeaderNumbersTakeNoMemory) {
  const TraceModel model = Read(
      "#Paraver (01/02/2026 at 03:04):100_ns:99999999999(1):1:1(9999999999999999999:1)\n"
      "1:1:1:1:2147483647:0:10:0\n");
  EXPECT_EQ(model.workers.size(), 1u);
}

TEST(PrvReader, LabelsOfAGroupOfTypesAreKeptOnce) {
  constexpr int kMany = 20000;
  std::string pcf = "DEFAULT_OPTIONS\n\nEVENT_TYPE\n";
  for (int i = 0; i < kMany; ++i) pcf += "0 " + std::to_string(70000000 + i) + " type\n";
  pcf += "VALUES\n";
  for (int i = 0; i < kMany; ++i) pcf += std::to_string(i) + " value " + std::to_string(i) + '\n';
  TestFile("group.pcf", pcf);
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("group.prv",
                                           "#Paraver (01/02/2026 at 03:04):100_ns:0:1:1(1:0)\n"
                                           "2:0:1:1:1:5:70019999:19998\n"),
                                  diags);
  EXPECT_THAT(TextsOf(model), ElementsAre("5 type: value 19998"));
}

TEST(PrvReader, AnyBytesBesideATraceAreLabelsOrNothing) {
  constexpr std::string_view kLikely =
      "\n\n\n 0123456789-STATESEVENT_TYPEVALUESLEVEL THREAD SIZE\r\xff";
  std::string bytes;
  uint32_t random = 1;
  for (int i = 0; i < 100000; ++i) {
    random = random * 1664525 + 1013904223;
    bytes += kLikely[(random >> 8) % kLikely.size()];
    if (random >> 24 < 8) bytes += "\nEVENT_TYPE\n0 ";
  }
  TestFile("any.pcf", bytes);
  TestFile("any.row", "LEVEL THREAD SIZE 99999999999999999\n" + bytes);
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("any.prv",
                                           "#Paraver (01/02/2026 at 03:04):100_ns:0:1:1(3:0)\n"
                                           "2:0:1:1:2:5:60000023:1\n1:0:1:1:3:5:9:1\n"),
                                  diags);
  EXPECT_EQ(model.tasks.size(), 1u);
}

TEST(PrvReader, ARowOfAMemoryNodeTellsAllThatTheNodeDoes) {
  const std::string prv =
      "#Paraver (01/02/2026 at 03:04):100_ns:1(1):1:1(3:1)\n"
      "3:0:1:1:3:10:10:0:1:1:2:40:40:64:1\n1:0:1:1:2:5:10:31\n1:0:1:1:2:10:20:28\n"
      "1:0:1:1:2:20:30:31\n1:0:1:1:2:30:40:28\n1:0:1:1:2:50:60:31\n";
  TestFile("copies.pcf", "STATES\n28 DriverCopy\n31 Freeing\n");
  TestFile("copies.row", "LEVEL THREAD SIZE 3\nmain\nmemory node 7: Disk 0\nmemory node 0\n");
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("copies.prv", prv), diags);
  // The copy shows once, and not beneath what was done within it.
  EXPECT_THAT(StatesOf(model, "Disk 0"),
              ElementsAre("Freeing 5 10", "DriverCopy 10 20", "Freeing 20 30", "DriverCopy 30 40",
                          "Freeing 50 60"));
  EXPECT_THAT(model.memory_nodes.id, ElementsAre(0u, 7u));
  ASSERT_EQ(model.transfers.size(), 1u);
  EXPECT_EQ(model.transfers.source_node[0], 0u);
  EXPECT_EQ(model.transfers.target_node[0], 7u);
}

TEST(PrvReader, AlikeStatesOfAMemoryNodeStayApart) {
  TestFile("alike.row", "LEVEL THREAD SIZE 2\nmain\nmemory node 0\n");
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("alike.prv",
                                           "#Paraver (01/02/2026 at 03:04):100_ns:1(1):1:1(2:1)\n"
                                           "1:0:1:1:2:5:10:28\n1:0:1:1:2:10:12:28\n"),
                                  diags);
  EXPECT_EQ(StatesOf(model, "memory node 0").size(), 2u);
}

TEST(PrvReader, ARowBeginsWhenItIsCreated) {
  TestFile("later.row", "LEVEL THREAD SIZE 3\nCPU0\nmain\nmemory node 0\n");
  Diagnostics diags;
  const TraceModel model = Loaded(
      TestFile("later.prv",
               "#Paraver (01/02/2026 at 03:04):100_ns:1(1):1:1(3:1)\n"
               "2:1:1:1:1:0:40000001:1\n1:1:1:1:1:0:10:2\n1:0:1:1:2:0:20:2\n1:0:1:1:3:0:30:2\n"
               "1:1:1:1:1:50:60:1\n1:0:1:1:2:50:60:1\n1:0:1:1:3:50:60:1\n"),
      diags);
  EXPECT_THAT(model.tracks.start_ns, ElementsAre(10, 20, 30));
}

TEST(PrvReader, OtherRowsShowTheirCopiesBesideTheirStates) {
  const std::string prv =
      "#Paraver (01/02/2026 at 03:04):100_ns:1(1):1:1(3:1)\n"
      "3:0:1:1:1:10:10:0:1:1:2:30:30:64:1\n1:0:1:1:2:5:10:31\n1:0:1:1:2:40:50:31\n";
  for (const std::string row : {"second", "memory node", "memory node x", "memory node 7x",
                                "memory node 99999999999", "memory node -1"}) {
    TestFile("others.pcf", "STATES\n31 Freeing\n");
    TestFile("others.row", "LEVEL THREAD SIZE 3\nmain\n" + row + "\nthird\n");
    Diagnostics diags;
    const TraceModel model = Loaded(TestFile("others.prv", prv), diags);
    EXPECT_THAT(StatesOf(model, row),
                UnorderedElementsAre("Freeing 5 10", "Freeing 40 50", "DriverCopy 10 30"))
        << row;
  }
}

TEST(PrvReader, OneRowIsAMemoryNodeAndTheNextOfTheSameNameAThread) {
  TestFile("twice.row", "LEVEL THREAD SIZE 3\nmain\nmemory node 7\nmemory node 7\n");
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("twice.prv",
                                           "#Paraver (01/02/2026 at 03:04):100_ns:1(1):1:1(3:1)\n"
                                           "1:0:1:1:2:5:10:31\n1:0:1:1:3:5:10:31\n"),
                                  diags);
  EXPECT_EQ(model.memory_nodes.size(), 1u);
  EXPECT_EQ(model.tracks.size(), 2u);
}

// --- Compressed ---

std::string ManyStates() {
  std::string text = "#Paraver (01/02/2026 at 03:04):1000000_ns:1(1):1:1(1:1)\n";
  for (int i = 0; i < 20000; ++i)
    text += "1:1:1:1:1:" + std::to_string(i * 10) + ':' + std::to_string(i * 10 + 10) + ':' +
            std::to_string(i * 7 % 3 == 1 ? 7 : 0) + '\n';
  return text;
}

TEST(PrvReader, ReadsACompressedTraceAsItsText) {
  const std::string text = ManyStates();
  Diagnostics diags;
  const TraceModel plain = Read(text);
  const TraceModel packed = Loaded(TestFile("packed.prv.gz", Gzip(text)), diags);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  EXPECT_EQ(StatesOf(packed, "thread 1"), StatesOf(plain, "thread 1"));
  EXPECT_GT(packed.states.size(), 10000u);
  // Several of them, one after the other, are one text.
  const std::string halves = Gzip(text.substr(0, 50000)) + Gzip(text.substr(50000));
  EXPECT_EQ(StatesOf(Loaded(TestFile("halves.prv.gz", halves), diags), "thread 1"),
            StatesOf(plain, "thread 1"));
}

TEST(PrvReader, ReadsACompressedTraceUpToItsDamage) {
  std::string bytes = Gzip(ManyStates());
  bytes.resize(bytes.size() / 2);
  Diagnostics diags;
  const TraceModel model = Loaded(TestFile("cut.prv.gz", bytes), diags);
  EXPECT_EQ(diags.Count("prv_truncated"), 1u);
  EXPECT_GT(model.states.size(), 100u);
}

TEST(PrvReader, StopsWhereACompressedTraceGrowsBeyondReason) {
  std::string text = "#Paraver (01/02/2026 at 03:04):1000000_ns:1(1):1:1(1:1)\n";
  for (int i = 0; i < 2'000'000; ++i) text += "1:1:1:1:1:0:1:0\n";
  Diagnostics diags;
  (void)Loaded(TestFile("bomb.prv.gz", Gzip(text)), diags);
  EXPECT_EQ(diags.Count("prv_truncated"), 1u) << diags.Summary();
}

// --- Out and in again ---

// Of tasks that ran: number, when submitted, iteration and inner iteration.
using Submission = std::tuple<uint32_t, uint64_t, int64_t, int32_t, int32_t>;
std::multiset<Submission> SubmissionsOf(const TraceModel& model) {
  std::multiset<Submission> result;
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (tasks.start_ns[task] != kNever && tasks.worker[task] != kNone &&
        tasks.submit_ns[task] != kNever && tasks.submit_ns[task] <= tasks.start_ns[task])
      result.emplace(model.ranks.rank[tasks.rank_index[task]], tasks.job[task],
                     tasks.submit_ns[task], tasks.iteration[task], tasks.subiteration[task]);
  return result;
}

// What we write of `model`, read again; `name`: of the files.
TraceModel OutAndInAgain(const TraceModel& model, const std::string& name,
                         const WriteOptions& options = {}) {
  MemoryOutputs outputs;
  EXPECT_TRUE(FindWriter("paraver")->write(model, options, outputs).ok());
  for (const char* extension : {".pcf", ".row"})
    TestFile(name + extension, outputs.Text(std::string("trace") + extension));
  return testing::ReadBack(name + ".prv", outputs.Text("trace.prv"));
}

// The states in which others lie: rank, row, kind, end. (Of one that begins with another in it the
// file shows the begin nowhere.)
using RunState = std::tuple<uint32_t, std::string, StateKind, int64_t>;
std::multiset<RunState> StatesAroundOthers(const TraceModel& model) {
  std::multiset<RunState> around;
  const StateTable& states = model.states;
  const auto is_there = [&](uint32_t row) {
    return states.kind[row] != StateKind::kNone && states.end_ns[row] > states.start_ns[row];
  };
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    const uint32_t end = states.first_of_track[track + 1];
    for (uint32_t row = states.first_of_track[track]; row < end; ++row) {
      bool has_others = false;
      for (uint32_t inner = row + 1; inner < end && states.depth[inner] > states.depth[row];
           ++inner)
        has_others |= is_there(inner);
      if (has_others && is_there(row))
        around.emplace(model.tracks.rank_index[track], model.str(model.tracks.name[track]),
                       states.kind[row], states.end_ns[row]);
    }
  }
  return around;
}

TEST(PrvReader, AStateInWhichOthersLieComesBackWhole) {
  TestTrace trace;
  trace.Worker("CPU0");
  const auto push = [&](int64_t at_ns, StateKind kind, uint64_t thread) {
    trace.Event(at_ns, EventKind::kStatePush, {kind}, thread);
  };
  const auto pop = [&](int64_t at_ns, uint64_t thread) {
    trace.Event(at_ns, EventKind::kStatePop, {}, thread);
  };
  constexpr uint64_t kWorkersThread = 1000;
  // Two in one, the second with one in itself; and in the worker's callback, within a task or not.
  push(10, StateKind::kReclaiming, kMain);
  push(20, StateKind::kWritingBack, kMain);
  pop(30, kMain);
  push(30, StateKind::kWritingBack, kMain);
  push(40, StateKind::kFreeing, kMain);
  pop(45, kMain);
  pop(50, kMain);
  pop(60, kMain);
  trace.State(0, StateKind::kScheduling);
  trace.Task("a", 100, 200);
  push(110, StateKind::kCallback, kWorkersThread);
  push(120, StateKind::kSubmittingTask, kWorkersThread);
  pop(130, kWorkersThread);
  pop(140, kWorkersThread);
  push(250, StateKind::kCallback, kWorkersThread);
  push(260, StateKind::kSubmittingTask, kWorkersThread);
  pop(270, kWorkersThread);
  pop(280, kWorkersThread);
  trace.State(300, StateKind::kSleeping);
  const TraceModel model = trace.Build();
  const TraceModel read = OutAndInAgain(model, "nested");
  ASSERT_EQ(read.tracks.size(), model.tracks.size());
  for (const StringId name : model.tracks.name) {
    const std::string row(model.str(name));
    EXPECT_EQ(StatesOf(read, row), StatesOf(model, row)) << row;
  }
}

class OutAndIn : public ::testing::TestWithParam<std::string> {};

TEST_P(OutAndIn, GivesTheSameTasksStatesMessagesAndTransfers) {
  Diagnostics diags;
  const auto written = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
  ASSERT_TRUE(written.ok()) << written.status().message();
  const TraceModel read = OutAndInAgain(*written, GetParam());
  EXPECT_EQ(TasksOf(read), TasksOf(*written));
  EXPECT_EQ(read.executions.size(), written->executions.size());
  EXPECT_EQ(read.stretches.size(), written->stretches.size());
  EXPECT_EQ(TimesOf(read), TimesOf(*written));
  EXPECT_EQ(StatesAroundOthers(read), StatesAroundOthers(*written));
  EXPECT_EQ(MessagesOf(read), MessagesOf(*written));
  EXPECT_EQ(TransfersOf(read), TransfersOf(*written));
  EXPECT_EQ(read.duration_ns, written->duration_ns);
  EXPECT_EQ(SubmissionsOf(read), SubmissionsOf(*written));
}

INSTANTIATE_TEST_SUITE_P(All, OutAndIn, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
