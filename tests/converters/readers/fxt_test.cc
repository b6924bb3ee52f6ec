// SPDX-License-Identifier: Apache-2.0
// The reader of FxT files: widths, byte orders, dialects, and what each event becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "converters/formats.h"
#include "converters/readers/fxt_events.h"
#include "converters/readers/fxt_file.h"
#include "tests/testing/event_log.h"
#include "tests/testing/fxt_writer.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EventLog;
using testing::FxtEvent;
using testing::FxtShape;
using testing::FxtVersion;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::WriteFxt;
using testing::WriteFxtAs;

const ReaderSpec& Fxt() {
  for (const ReaderSpec* reader : Readers())
    if (reader->name == "fxt") return *reader;
  std::abort();
}

struct Outcome {
  EventLog log;
  Diagnostics diags;
  Status status;
};

// The one place that calls the reader.
Outcome ReadBytes(std::string bytes, uint32_t rank = 0) {
  Outcome outcome;
  const auto source = MemorySource("x.fxt", std::move(bytes));
  outcome.status = Fxt().read(*source, {.rank = rank}, outcome.log, outcome.diags);
  return outcome;
}

FxtEvent E(uint64_t code, std::vector<uint64_t> params) { return {100, code, params, false, ""}; }
FxtEvent E(uint64_t code, std::vector<uint64_t> params, std::string text) {
  return {100, code, params, true, text};
}

// The events of `records` without those that every file has.
std::vector<std::string> LinesOf(const std::vector<FxtEvent>& records, FxtShape shape = {}) {
  Outcome outcome = ReadBytes(WriteFxt(records, shape));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_THAT(outcome.log.violations(), IsEmpty());
  std::vector<std::string> lines;
  for (const EventLog::Entry& entry : outcome.log.entries())
    if (entry.kind != EventKind::kProgramInfo && entry.kind != EventKind::kSourceEventCount)
      lines.push_back(entry.text);
  return lines;
}

// Of which StarPU after 1.4 says nothing that can be used.
const std::set<uint64_t> kTags = {0x5111, 0x5112};

const FxtEvent kCpuWorker = E(0x5100, {0x100, 0, 0, 0, 3, 1, 77});
const FxtEvent kStart14 = E(0x5102, {5, 0, 0, 0});

std::vector<FxtEvent> RealEvents(const std::string& trace) {
  return testing::ParseFxt14(testing::ReadFile(testing::StarpuTraceFiles(trace).front()));
}

TEST(FxtReader, IsFoundByTheFirstBytesOfEveryRealTrace) {
  for (const std::string& trace : testing::StarpuTraces()) {
    for (const std::string& file : testing::StarpuTraceFiles(trace)) {
      const std::string bytes = testing::ReadFile(file);
      EXPECT_EQ(GuessReader(std::as_bytes(std::span(bytes))), &Fxt()) << file;
    }
  }
}

TEST(FxtReader, RefusesForeignFiles) {
  const std::string foreign[] = {"",
                                 "x",
                                 std::string(4096, '\0'),
                                 std::string(64, '\xff'),
                                 "%EventDef PajeDefineContainerType 1\n% Alias string\n",
                                 "#Paraver (01/01/2026 at 10:00):1000_ns:1(2):1:1(2:1)\n",
                                 std::string("\x7f"
                                             "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\3\0>\0",
                                             20),
                                 std::string(5000, 'a')};
  for (const std::string& bytes : foreign)
    EXPECT_FALSE(Fxt().sniff(std::as_bytes(std::span(bytes)))) << bytes.substr(0, 20);
}

TEST(FxtReader, SeesTheSameRecordsAsAnIndependentReading) {
  for (const std::string& trace : testing::StarpuTraces()) {
    for (const std::string& file : testing::StarpuTraceFiles(trace)) {
      const std::string bytes = testing::ReadFile(file);
      std::map<uint64_t, uint64_t> expected;
      for (const FxtEvent& event : testing::ParseFxt14(bytes)) ++expected[event.code];
      const Outcome outcome = ReadBytes(bytes);
      std::map<uint64_t, uint64_t> counted;
      for (const EventLog::Entry& entry : outcome.log.entries())
        if (entry.kind == EventKind::kSourceEventCount) counted[entry.args[0]] += entry.args[1];
      EXPECT_EQ(counted, expected) << file;
    }
  }
}

TEST(FxtReader, ReadsEveryRealTraceWithoutAComplaint) {
  for (const std::string& trace : testing::StarpuTraces()) {
    for (const std::string& file : testing::StarpuTraceFiles(trace)) {
      const Outcome outcome = ReadBytes(testing::ReadFile(file));
      EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
      EXPECT_EQ(outcome.diags.Summary(), "") << file;
      EXPECT_THAT(outcome.log.violations(), IsEmpty()) << file;
    }
  }
}

TEST(FxtReader, GivesTheSameEventsForEveryWidthByteOrderAndStyleOfStrings) {
  // Numbers that fit 32 bits, signed ones included.
  const std::vector<FxtEvent> events = {
      E(0xffff, {0x7fcfffff, 9, 100}),
      kCpuWorker,
      E(0x511a, {5, ~uint64_t{0}, 3, 8, static_cast<uint64_t>(int64_t{-7}), 1, 9}),
      kStart14,
      E(0x513f, {0}, "M96x96x4"),
      E(0x513f, {0}, "V5x4"),
      E(0x512b, {5, 77}, "a name that is longer than a few words"),
      E(0x512b, {5, 77}, "12345678"),
      E(0x517c, {0xabc, 400, ~uint64_t{0}, ~uint64_t{0}}, "V100x4"),
      E(0x5103, {5, 400, 0xfee1, 0, 77}, "cpu0_impl0 (Comb0)"),
  };
  const std::vector<std::string> expected = LinesOf(events);
  EXPECT_THAT(expected, Contains("task_submit job=5 submit_order=8 iteration=-1 subiteration=3 "
                                 "priority=-7 type=1"));
  EXPECT_THAT(expected, Contains("task_parameter job=5 description='M96x96x4'"));
  for (const bool wide : {true, false})
    for (const bool big_endian : {true, false})
      for (const bool closing_nul : {true, false})
        for (const bool garbage : {true, false})
          EXPECT_EQ(LinesOf(events, {wide, big_endian, closing_nul, garbage}), expected)
              << wide << big_endian << closing_nul << garbage;
}

// Hands out a few bytes at a time, and none from `end` on.
class InPieces : public Source {
 public:
  InPieces(std::string bytes, size_t most, size_t end = ~size_t{0})
      : whole_(MemorySource("x.fxt", std::move(bytes))), most_(most), end_(end) {
    path_ = whole_->path();
    bytes_ = whole_->bytes();
  }
  Result<std::span<const std::byte>> Read(size_t begin, std::span<std::byte> room) const override {
    const size_t left = end_ - std::min(begin, end_);
    return whole_->Read(begin, room.first(std::min({room.size(), most_, left})));
  }

 private:
  const std::unique_ptr<Source> whole_;
  const size_t most_, end_;
};

Outcome ReadSource(const Source& source) {
  Outcome outcome;
  outcome.status = Fxt().read(source, {}, outcome.log, outcome.diags);
  return outcome;
}

TEST(FxtReader, ReadsTheSameInPiecesOfEverySize) {
  constexpr size_t kLargestRecord = 24 + 8 * kFxtMaxParams;
  for (const std::string trace : {"hello", "tags", "stencil"}) {
    for (const FxtShape shape : {FxtShape{}, FxtShape{.wide = false}}) {
      const std::string bytes = WriteFxt(RealEvents(trace), shape);
      const Outcome whole = ReadBytes(bytes);
      for (const size_t most : {kLargestRecord, kLargestRecord + 8, size_t{10'007}}) {
        const Outcome pieces = ReadSource(InPieces(bytes, most));
        EXPECT_TRUE(pieces.status.ok()) << pieces.status.message();
        EXPECT_EQ(pieces.diags.Summary(), whole.diags.Summary());
        EXPECT_EQ(pieces.log.Lines(), whole.log.Lines()) << trace << " by " << most;
      }
    }
  }
}

TEST(FxtReader, SaysWhereAFileEndedThatWasCutWhileItWasRead) {
  const std::string bytes = WriteFxt(RealEvents("stencil"));
  const Outcome cut = ReadSource(InPieces(bytes, 10'000, bytes.size() / 2));
  EXPECT_TRUE(cut.status.ok()) << cut.status.message();
  EXPECT_EQ(cut.diags.Count("fxt_truncated"), 1u);
  EXPECT_THAT(cut.diags.Summary(), HasSubstr("of " + std::to_string(bytes.size())));
  EXPECT_THAT(cut.log.Lines(), Not(IsEmpty()));
}

// As a disk that fails in the middle of a file.
class Failing : public InPieces {
 public:
  using InPieces::InPieces;
  Result<std::span<const std::byte>> Read(size_t begin, std::span<std::byte> room) const override {
    if (begin > 10'000) return Status(ErrorCode::kIo, path() + ": Input/output error");
    return InPieces::Read(begin, room);
  }
};

TEST(FxtReader, FailsWhereTheFileCannotBeRead) {
  const Outcome outcome = ReadSource(Failing(WriteFxt(RealEvents("stencil")), 4096));
  EXPECT_EQ(outcome.status.code(), ErrorCode::kIo);
  EXPECT_EQ(outcome.status.message(), "x.fxt: Input/output error");
}

TEST(FxtReader, ReadsRealTracesInTheOtherByteOrderAlike) {
  for (const std::string trace : {"hello", "mpi2", "mem_reclaim"}) {
    const std::string original = testing::ReadFile(testing::StarpuTraceFiles(trace).front());
    const std::string turned =
        WriteFxt(testing::ParseFxt14(original), {.big_endian = true, .garbage = true});
    const EventLog a = ReadBytes(original).log, b = ReadBytes(turned).log;
    ASSERT_EQ(a.entries().size(), b.entries().size()) << trace;
    for (size_t i = 0; i < a.entries().size(); ++i) {
      if (a.entries()[i].kind == EventKind::kProgramInfo) continue;  // another host
      ASSERT_EQ(a.entries()[i].text, b.entries()[i].text) << trace;
      ASSERT_EQ(a.entries()[i].time_ns, b.entries()[i].time_ns) << trace;
      ASSERT_EQ(a.entries()[i].tid, b.entries()[i].tid) << trace;
    }
  }
}

// What a dialect does not carry, removed from a line of another.
std::string Without(std::string line, std::initializer_list<std::string_view> fields) {
  for (std::string_view field : fields) {
    const size_t at = line.find(" " + std::string(field) + "=");
    if (at == line.npos) continue;
    const size_t end = line.find(' ', at + 1);
    line.erase(at, end == line.npos ? end : end - at);
  }
  return line;
}

std::vector<std::string> Comparable(const EventLog& log) {
  std::vector<std::string> lines;
  for (const EventLog::Entry& entry : log.entries()) {
    switch (entry.kind) {
      case EventKind::kProgramInfo:
      case EventKind::kSourceEventCount: break;
      case EventKind::kTaskSite:    // not in 1.3
      case EventKind::kTaskEndDep:  // not in 1.3
        break;
      case EventKind::kStatePush:  // ParallelSync: not in 1.3
      case EventKind::kStatePop: break;
      case EventKind::kTaskTag:  // not known after 1.4
      case EventKind::kTagDep: break;
      case EventKind::kDataNew: lines.push_back(Without(entry.text, {"max_size_bytes"})); break;
      case EventKind::kMpiSend:
        lines.push_back(Without(entry.text, {"type", "handle", "priority"}));
        break;
      case EventKind::kMpiReceived: lines.push_back(Without(entry.text, {"handle"})); break;
      case EventKind::kDataRequest: lines.push_back(Without(entry.text, {"request"})); break;
      default: lines.push_back(entry.text);
    }
  }
  return lines;
}

class FxtDialectTest : public ::testing::TestWithParam<std::string> {};

TEST_P(FxtDialectTest, StarPU13SaysTheSameOfTheSameRun) {
  const std::vector<FxtEvent> events = RealEvents(GetParam());
  const Outcome old = ReadBytes(WriteFxtAs(events, {.version = FxtVersion::k13}));
  const Outcome now = ReadBytes(WriteFxtAs(events, {.version = FxtVersion::k14}));
  EXPECT_THAT(old.log.Lines(), Contains("program_info key='runtime' value='StarPU 1.3'"));
  EXPECT_THAT(now.log.Lines(), Contains("program_info key='runtime' value='StarPU 1.4'"));
  EXPECT_EQ(Comparable(old.log), Comparable(now.log));
  EXPECT_EQ(old.diags.Summary(), "");
  EXPECT_THAT(old.log.violations(), IsEmpty());
}

TEST_P(FxtDialectTest, StarPUMasterSaysTheSameOfTheSameRun) {
  const std::vector<FxtEvent> events = RealEvents(GetParam());
  const Outcome later = ReadBytes(WriteFxtAs(events, {.version = FxtVersion::kMaster}));
  const Outcome now = ReadBytes(WriteFxtAs(events, {.version = FxtVersion::k14}));
  EXPECT_THAT(later.log.Lines(), Contains("program_info key='runtime' value='StarPU after 1.4'"));
  EXPECT_EQ(Comparable(later.log), Comparable(now.log));
  EXPECT_EQ(later.log.Lines(EventKind::kTaskSite), now.log.Lines(EventKind::kTaskSite));
  const auto has_tag = [](const FxtEvent& event) { return kTags.contains(event.code); };
  EXPECT_EQ(later.diags.Count("fxt_unknown_tags"),
            static_cast<uint64_t>(std::count_if(events.begin(), events.end(), has_tag)));
  EXPECT_EQ(later.diags.counts().size(), later.diags.Count("fxt_unknown_tags") > 0 ? 1u : 0u);
  EXPECT_THAT(later.log.violations(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Real, FxtDialectTest, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

TEST(FxtReader, TakesTheNameOfATaskFromTheStartOfStarPU13) {
  EXPECT_THAT(LinesOf({E(0x5102, {5, 0, 0, 0, 1}, "gemm")}),
              ElementsAre("task_name job=5 name='gemm'", "task_start job=5 worker=0 node=0 ctx=0"));
  EXPECT_THAT(LinesOf({E(0x5102, {5, 0, 0, 0, 1}, "a long name of a task")}),
              Contains("task_name job=5 name='a long name of a task'"));
}

TEST(FxtReader, KnowsAnAddressWhereStarPU13HasNoName) {
  const FxtEvent start13 = E(0x5102, {5, 0, 0, 0, 0});
  EXPECT_THAT(LinesOf({start13, E(0x512b, {5, 0x7f0012a0b0c0})}),
              Not(Contains(HasSubstr("task_name"))));
  EXPECT_THAT(LinesOf({start13, E(0x512b, {5}, "gemm")}), Contains("task_name job=5 name='gemm'"));
}

TEST(FxtReader, TellsWorkersOfStarPU13FromThoseOfLaterOnes) {
  const FxtEvent start13 = E(0x5102, {5, 0, 0, 0, 0});
  EXPECT_THAT(LinesOf({E(0x5100, {0x101, 0, 0, 0, 3, 1, 77})}),
              Contains(HasSubstr("arch=0 device=0 node=0 cpu=3 sync=1 name='CPU0'")));
  EXPECT_THAT(LinesOf({E(0x5100, {0x102, 0, 1, 1, 3, 0, 77}), start13}),
              Contains(HasSubstr("name='CUDA1_0'")));
  EXPECT_THAT(LinesOf({E(0x5100, {0x101, 0, 1, 1, 3, 0, 77}), kStart14}),
              Contains(HasSubstr("name='CUDA1_0'")));
}

TEST(FxtReader, NamesTheWorkersOfADeviceByStream) {
  const auto lines = LinesOf(
      {E(0x5100, {0x101, 4, 0, 1, 3, 0, 77}), E(0x5100, {0x101, 5, 0, 1, 3, 0, 77}),
       E(0x5100, {0x101, 6, 1, 2, 3, 0, 78}), E(0x5100, {0x107, 7, 0, 3, ~uint64_t{0}, 0, 79}),
       E(0x5100, {0x1fe, 8, 0, 3, ~uint64_t{0}, 0, 80}), kStart14});
  EXPECT_THAT(lines[0], HasSubstr("'CUDA0_0'"));
  EXPECT_THAT(lines[1], HasSubstr("'CUDA0_1'"));
  EXPECT_THAT(lines[2], HasSubstr("'CUDA1_0'"));
  EXPECT_THAT(lines[3], HasSubstr("arch=7 device=0 node=3 cpu=-1 sync=0 name='HIP0'"));
  EXPECT_THAT(lines[4], HasSubstr("arch=255 device=0"));
}

TEST(FxtReader, ShowsExecutionAsAStateOnlyOnThreadsOfDevices) {
  EXPECT_THAT(LinesOf({kCpuWorker, E(0x5168, {77, 5}), E(0x5169, {77, 5})}),
              Not(Contains(HasSubstr("state_set"))));
  const auto lines =
      LinesOf({E(0x5100, {0x101, 4, 0, 1, 3, 0, 77}), E(0x5168, {77, 5}), E(0x5169, {77})});
  EXPECT_EQ(lines[1], "state_set state=" + std::to_string(int(StateKind::kExecuting)));
  EXPECT_EQ(lines[2], "state_set state=" + std::to_string(int(StateKind::kOverhead)));
}

TEST(FxtReader, InterruptsWhatAThreadWithoutWorkersDoes) {
  const std::string progressing = "state=" + std::to_string(int(StateKind::kProgressing));
  const std::string overhead = "state=" + std::to_string(int(StateKind::kOverhead));
  EXPECT_THAT(LinesOf({E(0x5137, {0, 9}), E(0x5138, {0, 9}), E(0x5138, {0, 9})}),
              ElementsAre("state_push " + progressing, "state_pop"));
  EXPECT_THAT(LinesOf({kCpuWorker, E(0x5137, {0, 77}), E(0x5138, {0, 77}), E(0x5138, {0, 77})}),
              ElementsAre(HasSubstr("worker_new"), "state_set " + progressing,
                          "state_set " + overhead, "state_set " + overhead));
}

TEST(FxtReader, GivesADescriptionToTheTaskThatItsWorkerRuns) {
  EXPECT_THAT(LinesOf({E(0x5102, {5, 0, 0, 0}), E(0x5102, {6, 0, 1, 0}), E(0x513f, {1}, "V1x4"),
                       E(0x513f, {0}, "V2x4"), E(0x5103, {5, 0, 0, 0, 77}, "cpu0")}),
              ::testing::IsSupersetOf({"task_parameter job=6 description='V1x4'",
                                       "task_parameter job=5 description='V2x4'"}));
}

TEST(FxtReader, CountsADescriptionWithoutATask) {
  const Outcome outcome =
      ReadBytes(WriteFxt({kStart14, E(0x5103, {5, 0, 0, 0, 77}, "cpu0"), E(0x513f, {0}, "V2x4")}));
  EXPECT_EQ(outcome.diags.Count("fxt_orphan_parameter"), 1u);
  EXPECT_THAT(outcome.log.Lines(EventKind::kTaskParameter), IsEmpty());
}

TEST(FxtReader, TurnsKiloflopsIntoFlops) {
  EXPECT_THAT(LinesOf({E(0x513e, {0, 80, 0xfeed, 1769, 0x40, 2, 9})}),
              ElementsAre("task_details job=9 size_bytes=80 footprint=feed tag=40 "
                          "flops=1769000.000000"));
}

TEST(FxtReader, PutsTheMpiThreadFromStateToStateAndOthersBack) {
  const std::string waiting = std::to_string(int(StateKind::kCommUserWaiting));
  const auto lines = LinesOf({E(0x5201, {0, 2, 8}), E(0x5212, {1, 4, 8}), E(0x5213, {1, 4, 8}),
                              E(0x5212, {1, 4, 9}), E(0x5213, {1, 4, 9})});
  EXPECT_THAT(lines,
              ElementsAre("mpi_start rank=0 size=2", "state_set state=" + waiting,
                          "state_set state=" + std::to_string(int(StateKind::kCommProcessing)),
                          "state_push state=" + waiting, "state_pop"));
}

TEST(FxtReader, TellsTheRankOfAFile) {
  EXPECT_EQ(Fxt().rank(*MemorySource("x", WriteFxt({kStart14}))), -1);
  EXPECT_EQ(Fxt().rank(*MemorySource("x", WriteFxt({E(0x5201, {3, 8, 1})}))), 3);
  EXPECT_EQ(Fxt().rank(*MemorySource("x", WriteFxt({E(0x5203, {4, 8, 1, 0, 7})}))), 4);
  EXPECT_EQ(Fxt().rank(*MemorySource("x", WriteFxt({E(0x5201, {~uint64_t{0}, 8, 1})}))), -1);
  EXPECT_EQ(Fxt().rank(*MemorySource("x", "")), -1);
  // It wins over the rank that the caller supposes.
  EXPECT_EQ(ReadBytes(WriteFxt({E(0x5201, {3, 8, 1})}), 7).log.entries().back().rank, 3u);
  EXPECT_EQ(ReadBytes(WriteFxt({kStart14}), 7).log.entries().back().rank, 7u);
}

TEST(FxtReader, TellsWhenRecordingIsOnAndOff) {
  EXPECT_THAT(LinesOf({E(0xffff, {1, 9, 100}), E(0xfffe, {0x7fcfffff, 9}), E(0xfffe, {1, 9})}),
              ElementsAre("tracing_start mask=1", "tracing_start mask=2144337919", "tracing_stop"));
}

TEST(FxtReader, NeverKeepsTheNamesOfProcesses) {
  for (const bool open : {true, false}) {
    const Outcome outcome = ReadBytes(WriteFxt({kCpuWorker, kStart14}, {.open = open}));
    for (const std::string& line : outcome.log.Lines()) EXPECT_THAT(line, Not(HasSubstr("secret")));
    EXPECT_THAT(outcome.log.Lines(), Contains("program_info key='host' value='node7'"));
  }
}

TEST(FxtReader, CutsStringsAtTheFirstNulOnly) {
  EXPECT_THAT(LinesOf({E(0x513c, {}, "x < \"y\" &\n\xc3\xa9")}),
              ElementsAre("message text='x < \"y\" &\n\xc3\xa9'"));
  EXPECT_THAT(LinesOf({E(0x513c, {})}), ElementsAre("message text=''"));
}

// States that end without having begun, on a thread without workers.
const std::set<uint64_t> kSilentHere = {0x5108, 0x5110, 0x5138, 0x5155, 0x5168, 0x5169};

// How many parameters every version of StarPU writes of an event, at least.
uint8_t Least(uint16_t code) {
  uint8_t least = 0xff;
  for (const FxtCounts& counts : FxtCountsOf(code)) least = std::min(least, counts.numbers);
  return least;
}

// Every code, with ascending numbers as parameters, in every dialect.
TEST(FxtReader, TurnsEveryCodeIntoWellFormedEvents) {
  for (const FxtRow& row : FxtRows()) {
    for (size_t dialect = 0; dialect < kFxtDialects; ++dialect) {
      const FxtCounts counts = FxtCountsOf(row.code)[dialect];
      if (counts.numbers == 0xff) continue;
      FxtEvent event{200, row.code, {}, counts.has_text, counts.has_text ? "text" : ""};
      for (uint64_t i = 0; i < counts.numbers; ++i) event.params.push_back(i + 1);
      const bool is_start = row.code == 0x5102 || row.code == 0x5103;
      if (is_start && dialect == 2) event.params[5] = 0;  // a worker executes it
      const FxtEvent starts[] = {E(0x5102, {1, 0, 1, 0, 0}), E(0x5102, {1, 0, 1, 0}),
                                 E(0x5102, {1, 0, 1, 0, 77, 0})};
      const Outcome outcome = ReadBytes(WriteFxt({starts[dialect], event}));
      EXPECT_THAT(outcome.log.violations(), IsEmpty()) << row.name;
      const bool is_remark = row.code == 0xfff4 || (dialect == 2 && kTags.contains(row.code));
      EXPECT_EQ(outcome.diags.Summary() == "", !is_remark) << row.name << outcome.diags.Summary();
      EXPECT_THAT(outcome.log.Lines(EventKind::kSourceEventCount),
                  Contains(HasSubstr("count=" + std::to_string(row.code == 0x5102 ? 2 : 1))))
          << row.name;
      const bool silent = row.handler.function == nullptr || kSilentHere.contains(row.code) ||
                          (dialect == 2 && kTags.contains(row.code));
      const auto& entries = outcome.log.entries();
      const bool any = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
        return entry.time_ns == 200 && entry.kind != EventKind::kSourceEventCount;
      });
      EXPECT_EQ(any, !silent) << row.name << " in dialect " << dialect;
      if (counts.has_text && !silent && row.code != 0x5102) {
        EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
          return entry.text.find("'text'") != std::string::npos;
        })) << row.name;
      }
    }
  }
}

TEST(FxtReader, CountsAShortEventAndGoesOn) {
  for (const FxtRow& row : FxtRows()) {
    for (size_t params = 0; params < Least(row.code); ++params) {
      const Outcome outcome =
          ReadBytes(WriteFxt({E(row.code, std::vector<uint64_t>(params, 1)), kStart14}));
      EXPECT_TRUE(outcome.status.ok());
      EXPECT_EQ(outcome.diags.Count("fxt_short_event"), 1u) << row.name << ' ' << params;
      EXPECT_THAT(outcome.log.Lines(EventKind::kTaskStart), ::testing::SizeIs(1)) << row.name;
    }
  }
}

TEST(FxtReader, CountsAnUnknownEventAndGoesOn) {
  const Outcome outcome = ReadBytes(WriteFxt({E(0x51ff, {1}), E(0x1234, {}), kStart14}));
  EXPECT_EQ(outcome.diags.Count("fxt_unknown_event"), 2u);
  EXPECT_THAT(
      outcome.log.Lines(EventKind::kSourceEventCount),
      ElementsAre("source_event_count code=1234 count=1", "source_event_count code=5102 count=1",
                  "source_event_count code=51ff count=1"));
}

TEST(FxtReader, RefusesAWorkerIdThatCannotBe) {
  const Outcome outcome = ReadBytes(
      WriteFxt({E(0x5100, {0x100, uint64_t{1} << 60, 0, 0, 3, 1, 77}),
                E(0x5102, {5, 0, uint64_t{1} << 40, 0}), E(0x513f, {uint64_t{1} << 40}, "V1x4")}));
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.diags.Count("fxt_bad_worker"), 3u);
}

// --- StarPU after 1.4 ----------------------------------------------------------------------------

const FxtEvent kStartMaster = E(0x5102, {5, 0, 0, 0, 77, 0});

TEST(FxtReader, TakesWhatHasNoCodeletForNoExecution) {
  const auto lines = LinesOf({kStartMaster, E(0x5103, {5, 4, 0xfee1, 0, 77, 0}, "cpu0"),
                              E(0x5102, {6, 0, ~uint64_t{0}, ~uint64_t{0}, 9, 1}),
                              E(0x5103, {6, 0, 0, ~uint64_t{0}, 9, 1}, ""),
                              E(0x5102, {7, 0, 0, 0, 77, 1}), E(0x5103, {7, 0, 0, 0, 77, 1}, "")});
  EXPECT_THAT(lines,
              ElementsAre("task_start job=5 worker=0 node=0 ctx=0",
                          "task_end job=5 worker=0 size_bytes=4 footprint=fee1 arch='cpu0'"));
}

// It says worker 0, whoever turns the bubble into tasks.
TEST(FxtReader, TakesABubbleOfStarPU14ForNoExecution) {
  const Outcome outcome = ReadBytes(
      WriteFxt({kStart14, E(0x5102, {6, 0, 0, 0}), E(0x5189, {7, 1, 0}), E(0x5102, {7, 0, 0, 0}),
                E(0x513f, {0}, "V4"), E(0x5103, {7, 4, 0xfee1, 0, 9}, "cpu0"), E(0x513f, {0}, "V8"),
                E(0x5103, {6, 4, 0xfee1, 0, 8}, "cpu0"), E(0x5189, {8, 0, 7}),
                E(0x5102, {8, 0, 0, 0}), E(0x5103, {8, 4, 0xfee1, 0, 8}, "cpu0")}));
  EXPECT_EQ(outcome.diags.Summary(), "");
  EXPECT_THAT(outcome.log.Lines(EventKind::kTaskStart),
              ElementsAre(HasSubstr("job=5 "), HasSubstr("job=6 "), HasSubstr("job=8 ")));
  EXPECT_THAT(outcome.log.Lines(EventKind::kTaskEnd),
              ElementsAre(HasSubstr("job=6 "), HasSubstr("job=8 ")));
  EXPECT_THAT(outcome.log.Lines(EventKind::kTaskParameter),
              ElementsAre(HasSubstr("job=7 "), HasSubstr("job=6 ")));
}

TEST(FxtReader, IsNotTheWorkerOfAThreadThatIsNone) {
  const Outcome outcome = ReadBytes(
      WriteFxt({kStart14, E(0x5102, {6, 0, ~uint64_t{0}, 0}), E(0x5153, {~uint64_t{0}, 800})}));
  EXPECT_EQ(outcome.diags.Summary(), "");
  EXPECT_THAT(outcome.log.Lines(EventKind::kTaskStart), ::testing::SizeIs(1));
  EXPECT_THAT(outcome.log.Lines(EventKind::kDataLoad), IsEmpty());
}

// Programs die before they run a task.
TEST(FxtReader, KnowsStarPUAfter14BeforeATaskRan) {
  const auto runtime = [](const FxtEvent& event) {
    const Outcome outcome = ReadBytes(WriteFxt({E(0x511a, {5, 0, 0, 1, 0, 0, 9}), event}));
    return outcome.log.Lines(EventKind::kProgramInfo).front();
  };
  const std::string after = "program_info key='runtime' value='StarPU after 1.4'";
  const std::string is_14 = "program_info key='runtime' value='StarPU 1.4'";
  EXPECT_EQ(runtime(E(0x518c, {5, 0, 0})), after);
  EXPECT_EQ(runtime(E(0x517c, {0xabc, 4, ~uint64_t{0}, 0, 0}, "V4")), after);
  EXPECT_EQ(runtime(E(0x517c, {0xabc, 4, ~uint64_t{0}, 0, 0}, "V1024x1024x4")), after);
  EXPECT_EQ(runtime(E(0x517c, {0xabc, 4, ~uint64_t{0}, 0}, "V4")), is_14);
  EXPECT_EQ(runtime(E(0x517c, {0xabc, 4, ~uint64_t{0}, 0}, "V1024x1024x4")), is_14);
  EXPECT_EQ(runtime(E(0x517c, {0xabc, 4, ~uint64_t{0}, 0}, "")), is_14);
}

TEST(FxtReader, SaysThatTagsOfStarPUAfter14CannotBeKnown) {
  const Outcome outcome = ReadBytes(
      WriteFxt({kStartMaster, E(0x5111, {0x7ffc0010, 5}), E(0x5112, {0x7ffc0018, 0x7ffc0020})}));
  EXPECT_EQ(outcome.diags.Count("fxt_unknown_tags"), 2u);
  EXPECT_FALSE(outcome.diags.HasDataLoss());  // it is not there
  EXPECT_THAT(outcome.log.Lines(EventKind::kTaskTag), IsEmpty());
  EXPECT_THAT(outcome.log.Lines(EventKind::kTagDep), IsEmpty());
}

TEST(FxtReader, TellsBothJobsOfAMessage) {
  const std::string point_to_point = std::to_string(int(MessageType::kPointToPoint));
  const auto lines =
      LinesOf({kStartMaster, E(0x5205, {0x100, 1, 4, 80, 11, 12, 0xabc, 0, 8}),
               E(0x521b, {1, 4, 13, 14, 0xabc, 8}), E(0x521b, {1, 4, ~uint64_t{0}, 14, 0xabc, 8})});
  EXPECT_THAT(lines, ::testing::IsSupersetOf(std::vector<std::string>{
                         "mpi_send target=1 tag=4 size_bytes=80 type=" + point_to_point +
                             " job=11 handle=abc priority=0",
                         "mpi_after_send target=1 tag=4 job=12",
                         "mpi_received source=1 tag=4 job=14 handle=abc",
                         "mpi_before_receive source=1 tag=4 job=13"}));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& line) { return line.starts_with("mpi_before"); }),
            1);
}

TEST(FxtReader, TellsHowDeepATaskLies) {
  EXPECT_THAT(
      LinesOf({kStartMaster, E(0x518c, {6, 0, 0}), E(0x518c, {7, 2, 6}), E(0x5189, {7, 1, 6})}),
      ElementsAre(HasSubstr("task_start"), "task_level job=7 level=2",
                  "task_parent job=7 is_recursive=0 parent=6",
                  "task_parent job=7 is_recursive=1 parent=6"));
}

// --- The recorder --------------------------------------------------------------------------------

TEST(FxtReader, SaysHowLongTheProgramStoodStillForTheBuffer) {
  const auto at = [](uint64_t time_ns, uint64_t code) {
    return FxtEvent{time_ns, code, {}, false, ""};
  };
  const Outcome outcome =
      ReadBytes(WriteFxt({kStart14, at(1'000'000, 0xfff5), at(3'500'000, 0xfff4),
                          at(9'000'000, 0xfff5), at(9'500'000, 0xfff4)}));
  EXPECT_EQ(outcome.diags.Count("fxt_flush"), 2u);
  EXPECT_THAT(outcome.diags.Summary(), HasSubstr("3000 us in all"));
  EXPECT_FALSE(outcome.diags.HasDataLoss());
  EXPECT_THAT(outcome.log.Lines(EventKind::kFlushStart), ::testing::SizeIs(2));
  EXPECT_THAT(outcome.log.Lines(EventKind::kFlushEnd), ::testing::SizeIs(2));
}

}  // namespace
}  // namespace tasklens
