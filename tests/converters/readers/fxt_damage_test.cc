// SPDX-License-Identifier: Apache-2.0
// Damaged FxT files: everything but the damage is read, the loss is counted, nothing crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "converters/formats.h"
#include "tests/testing/event_log.h"
#include "tests/testing/fxt_writer.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using testing::CountingSink;
using testing::EventLog;
using testing::FxtEvent;
using ::testing::HasSubstr;
using testing::WriteFxt;

const ReaderSpec& Fxt() {
  for (const ReaderSpec* reader : Readers())
    if (reader->name == "fxt") return *reader;
  std::abort();
}

std::string Hello() { return testing::ReadFile(testing::StarpuTraceFiles("hello").front()); }

template <class Sink>
Status Read(std::string bytes, Sink& sink, Diagnostics& diags) {
  return Fxt().read(*MemorySource("x.fxt", std::move(bytes)), {}, sink, diags);
}

// Events that say what the program did.
std::vector<std::string> Facts(const EventLog& log) {
  std::vector<std::string> lines;
  for (const EventLog::Entry& entry : log.entries())
    if (entry.kind != EventKind::kSourceEventCount) lines.push_back(entry.text);
  return lines;
}

// Offset of the header of the block of events in a file of WriteFxt() or StarPU.
size_t EventBlockAt(const std::string& bytes) {
  uint64_t infos;
  std::memcpy(&infos, &bytes[4], sizeof infos);
  return 4 + infos;
}

TEST(FxtDamage, AFileCutAnywhereGivesWhatIsThereAndSaysSo) {
  const std::string whole = Hello();
  EventLog all;
  Diagnostics none;
  ASSERT_TRUE(Read(whole, all, none).ok());
  ASSERT_EQ(none.Summary(), "");
  const std::vector<std::string> expected = Facts(all);
  const size_t first_record = EventBlockAt(whole) + 16;
  size_t last_count = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    EventLog log;
    Diagnostics diags;
    const Status status = Read(whole.substr(0, size), log, diags);
    if (size < first_record) {
      EXPECT_EQ(status.code(), ErrorCode::kCorrupt) << size;
      EXPECT_THAT(status.message(), HasSubstr("x.fxt: byte " + std::to_string(size)));
      continue;
    }
    ASSERT_TRUE(status.ok()) << size << status.message();
    EXPECT_EQ(diags.Count("fxt_truncated"), 1u) << size;
    EXPECT_THAT(diags.Summary(), HasSubstr(" of " + std::to_string(whole.size()) + ")"));
    EXPECT_TRUE(diags.HasDataLoss());
    const std::vector<std::string> facts = Facts(log);
    ASSERT_LE(facts.size(), expected.size());
    ASSERT_TRUE(std::equal(facts.begin(), facts.end(), expected.begin())) << size;
    ASSERT_GE(facts.size(), last_count);
    last_count = facts.size();
  }
  EXPECT_GE(last_count + 2, expected.size());  // at the end only the last record is missing
}

TEST(FxtDamage, AnyCutIsStillRecognised) {
  const std::string whole = Hello();
  for (size_t size = 20; size < whole.size(); ++size)
    ASSERT_TRUE(Fxt().sniff(std::as_bytes(std::span(whole).first(size)))) << size;
}

TEST(FxtDamage, ABlockThatWasNeverClosedIsReadToTheEnd) {
  std::string bytes = Hello();
  EventLog closed, open;
  Diagnostics diags;
  ASSERT_TRUE(Read(bytes, closed, diags).ok());
  std::memset(&bytes[EventBlockAt(bytes)], 0, 8);
  ASSERT_TRUE(Read(bytes, open, diags).ok());
  EXPECT_EQ(open.Lines(), closed.Lines());
  EXPECT_EQ(diags.Count("fxt_not_closed"), 1u);
  EXPECT_FALSE(diags.HasDataLoss());
}

TEST(FxtDamage, InfosThatWereNeverClosedAreSteppedThrough) {
  std::string bytes = Hello();
  EventLog closed, open;
  Diagnostics diags;
  ASSERT_TRUE(Read(bytes, closed, diags).ok());
  std::memset(&bytes[4], 0, 8);
  EXPECT_TRUE(Fxt().sniff(std::as_bytes(std::span(bytes))));
  ASSERT_TRUE(Read(bytes, open, diags).ok());
  EXPECT_EQ(open.Lines(), closed.Lines());
}

TEST(FxtDamage, ARecordWithoutALengthIsPassedOver) {
  const std::vector<FxtEvent> one = {{100, 0x5102, {1, 0, 0, 0}, false, ""}};
  std::string bytes = WriteFxt({one[0], one[0], one[0]});
  const size_t second = EventBlockAt(bytes) + 16 + 56;
  bytes[second + 16] = 0;
  EventLog log;
  Diagnostics diags;
  ASSERT_TRUE(Read(bytes, log, diags).ok());
  EXPECT_EQ(log.Lines(EventKind::kTaskStart).size(), 2u);
  EXPECT_EQ(diags.Count("fxt_bad_event"), 1u);
  EXPECT_TRUE(diags.HasDataLoss());
  EXPECT_THAT(diags.Summary(), HasSubstr("x.fxt: byte " + std::to_string(second)));
}

// What a power failure or a failing disk leaves: no constant passes for records, and what follows
// is read.
TEST(FxtDamage, ARegionOverwrittenWithAConstantIsLossAndNoMore) {
  const std::string whole = testing::ReadFile(testing::StarpuTraceFiles("stencil").front());
  EventLog all;
  Diagnostics none;
  ASSERT_TRUE(Read(whole, all, none).ok());
  for (const int constant : {0x00, 0xff, 0x01, 0x20, 0x51}) {
    for (const size_t bytes : {size_t{512}, size_t{4096}, size_t{8192}}) {
      for (const size_t shift : {0, 1, 8, 12, 21, 100, 1000}) {
        std::string damaged = whole;
        std::memset(&damaged[whole.size() / 2 + shift], constant, bytes);
        EventLog log;
        Diagnostics diags;
        ASSERT_TRUE(Read(damaged, log, diags).ok());
        EXPECT_TRUE(diags.HasDataLoss()) << constant << ' ' << bytes << ' ' << shift;
        EXPECT_EQ(diags.Count("fxt_bad_event"), 1u) << diags.Summary();
        EXPECT_LE(diags.Count("fxt_unknown_event"), 1u) << diags.Summary();  // half a code
        // A record takes 24 bytes at least, and makes few events.
        EXPECT_GT(log.entries().size() + bytes / 8, all.entries().size())
            << constant << ' ' << bytes << ' ' << shift;
        EXPECT_LT(log.entries().size(), all.entries().size());
      }
    }
  }
}

TEST(FxtDamage, ABlockOfAnUnknownTypeEndsTheFileThere) {
  std::string bytes = WriteFxt({{100, 0x5102, {1, 0, 0, 0}, false, ""}});
  bytes += std::string(20, '\x55');
  EventLog log;
  Diagnostics diags;
  ASSERT_TRUE(Read(bytes, log, diags).ok());
  EXPECT_EQ(log.Lines(EventKind::kTaskStart).size(), 1u);
  EXPECT_EQ(diags.Count("fxt_bad_block"), 1u);
}

TEST(FxtDamage, AnEmptyBlockOfEventsIsNoError) {
  EventLog log;
  Diagnostics diags;
  EXPECT_TRUE(Read(WriteFxt({}), log, diags).ok());
  EXPECT_TRUE(log.entries().empty());
  EXPECT_EQ(diags.Summary(), "");
}

TEST(FxtDamage, ManyUnknownCodesTakeLittleMemory) {
  std::vector<FxtEvent> events;
  for (uint64_t i = 0; i < 100000; ++i) events.push_back({i, 0x6000 + i % 0x9000, {}, false, ""});
  EventLog log;
  Diagnostics diags;
  ASSERT_TRUE(Read(WriteFxt(events), log, diags).ok());
  EXPECT_EQ(diags.Count("fxt_unknown_event"), 100000u);
  EXPECT_LE(log.Lines(EventKind::kSourceEventCount).size(), 1024u);
}

// 100,000 damaged files, the same in every run: bits turned, bytes set to extremes, stretches
// removed, doubled or swapped with another trace's. All must end, without a crash, with events
// that keep the rules of EventSink (EventLog checks them for some).
class FxtMutation : public ::testing::TestWithParam<int> {};

std::string Mutate(std::string bytes, const std::string& other, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t changes = 1 + below(8);
  for (size_t i = 0; i < changes && bytes.size() > 16; ++i) {
    const size_t at =
        below(8) == 0 ? below(std::min<size_t>(bytes.size(), 400)) : below(bytes.size());
    const size_t length = std::min(bytes.size() - at, 1 + below(64));
    switch (below(7)) {
      case 0: bytes[at] ^= static_cast<char>(1 << below(8)); break;
      case 1: bytes[at] = "\0\x01\x7f\x80\xff"[below(5)]; break;
      case 2: bytes.erase(at, length); break;
      case 3: bytes.insert(at, bytes.substr(at, length)); break;
      case 4: bytes.replace(at, length, other, below(other.size()), length); break;
      case 5: bytes.resize(at); break;
      case 6: std::memset(&bytes[at], below(2) ? 0xff : 0, length); break;
    }
  }
  return bytes;
}

TEST_P(FxtMutation, NeverCrashesOrHangs) {
  std::mt19937_64 random(GetParam());
  const std::vector<FxtEvent> real = testing::ParseFxt14(Hello());
  std::vector<FxtEvent> mpi =
      testing::ParseFxt14(testing::ReadFile(testing::StarpuTraceFiles("mpi2").front()));
  mpi.resize(150);
  const std::string seeds[] = {
      Hello(),
      WriteFxt(mpi),
      WriteFxtAs(real, {.version = testing::FxtVersion::k13}),
      WriteFxtAs(mpi, {.version = testing::FxtVersion::kMaster}),
      WriteFxt(real, {.wide = false}),
      WriteFxt(real, {.big_endian = true}),
      WriteFxt(mpi, {.wide = false, .big_endian = true}),
  };
  constexpr int kRounds = 10000;
  uint64_t events = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string bytes =
        Mutate(seeds[random() % std::size(seeds)], seeds[random() % std::size(seeds)], random);
    Diagnostics diags;
    if (round % 50 == 0) {
      EventLog log;
      (void)Read(bytes, log, diags);
      ASSERT_THAT(log.violations(), ::testing::IsEmpty()) << round;
    } else {
      CountingSink sink;
      (void)Read(bytes, sink, diags);
      events += sink.events();
    }
    (void)Fxt().sniff(std::as_bytes(std::span(bytes)));
    (void)Fxt().rank(*MemorySource("x", bytes));
  }
  EXPECT_GT(events, uint64_t{10} * kRounds);  // most of most files is still read
}

INSTANTIATE_TEST_SUITE_P(Seeds, FxtMutation, ::testing::Range(0, 10));

}  // namespace
}  // namespace tasklens
