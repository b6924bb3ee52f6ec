// SPDX-License-Identifier: Apache-2.0
// What Writer records, ReadTrace() delivers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <limits>
#include <numeric>
#include <thread>

#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using testing::ReadBack;
using testing::ReadTlt;
using testing::RecordedBytes;

// An argument as it comes back: 32 bits are all that a file keeps of some types.
uint64_t Kept(ArgType type, uint64_t value) {
  if (type == ArgType::kU32) return static_cast<uint32_t>(value);
  if (type == ArgType::kI32)
    return static_cast<uint64_t>(int64_t{static_cast<int32_t>(static_cast<uint32_t>(value))});
  return value;
}

std::vector<std::vector<uint64_t>> AllEventsWith(uint64_t value, bool many) {
  std::vector<std::vector<uint64_t>> rows;
  for (const EventDecl& decl : AllEvents()) {
    const size_t count = many && decl.repeats_last ? kMaxArgs : decl.arg_count;
    std::vector<uint64_t> args;
    for (size_t i = 0; i < count; ++i) {
      const ArgType type = decl.arg_types[std::min<size_t>(i, decl.arg_count - 1u)];
      args.push_back(type == ArgType::kStr ? 1 : Kept(type, value));
    }
    rows.push_back(args);
  }
  return rows;
}

TEST(RoundTrip, EveryEventKeepsExtremeArguments) {
  const uint64_t values[] = {0,
                             1,
                             ~uint64_t{0},
                             uint64_t{1} << 63,
                             uint64_t{1} << 31,
                             0x7fffffff,
                             0x0123456789abcdef,
                             FromDouble(std::numeric_limits<double>::quiet_NaN()),
                             FromDouble(-std::numeric_limits<double>::infinity()),
                             FromDouble(-0.0)};
  for (const uint64_t value : values) {
    const auto expected = AllEventsWith(value, /*many=*/true);
    const std::string bytes = RecordedBytes([&](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
      ASSERT_TRUE(writer.AppendString(buffer, 1, "text", writer.Now()));
      for (size_t kind = 0; kind < kEventKinds; ++kind)
        ASSERT_TRUE(
            writer.AppendEvent(buffer, static_cast<EventKind>(kind), writer.Now(), expected[kind]));
    });
    const ReadBack back = ReadTlt(bytes);
    ASSERT_TRUE(back.status.ok()) << back.status.message();
    EXPECT_EQ(back.diags.Summary(), "");
    EXPECT_THAT(back.log.violations(), ElementsAre());
    std::vector<testing::EventLog::Entry> recorded;
    for (const auto& entry : back.log.entries())
      if (entry.tid != 0) recorded.push_back(entry);
    ASSERT_EQ(recorded.size(), kEventKinds);
    for (size_t kind = 0; kind < kEventKinds; ++kind) {
      const EventDecl& decl = AllEvents()[kind];
      EXPECT_EQ(recorded[kind].kind, decl.kind);
      ASSERT_EQ(recorded[kind].args.size(), expected[kind].size()) << decl.name;
      for (size_t i = 0; i < expected[kind].size(); ++i) {
        if (decl.arg_types[std::min<size_t>(i, decl.arg_count - 1u)] == ArgType::kStr)
          EXPECT_EQ(back.log.Str(recorded[kind].args[i]), "text");
        else
          EXPECT_EQ(recorded[kind].args[i], expected[kind][i]) << decl.name << " argument " << i;
      }
    }
  }
}

TEST(RoundTrip, EventsAreSmall) {
  EXPECT_EQ(8 * tlt::RecordWords(Decl(EventKind::kStatePush)), 16u);
  EXPECT_EQ(8 * tlt::RecordWords(Decl(EventKind::kTaskStart)), 32u);
  EXPECT_EQ(8 * tlt::RecordWords(Decl(EventKind::kTaskReady)), 24u);
  EXPECT_EQ(8 * tlt::RecordWords(Decl(EventKind::kTaskSite)), 32u);
}

TEST(RoundTrip, AWrongNumberOfArgumentsIsNotRecorded) {
  const std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    const std::vector<uint64_t> args(kMaxArgs + 1, 7);
    const std::span<const uint64_t> all(args);
    EXPECT_FALSE(writer.AppendEvent(buffer, EventKind::kTaskStart, writer.Now(), all.first(3)));
    EXPECT_FALSE(writer.AppendEvent(buffer, EventKind::kTaskStart, writer.Now(), all.first(5)));
    EXPECT_FALSE(
        writer.AppendEvent(buffer, EventKind::kDataCoordinates, writer.Now(), all.first(1)));
    EXPECT_FALSE(writer.AppendEvent(buffer, EventKind::kDataCoordinates, writer.Now(), all));
    EXPECT_TRUE(writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), all.first(1)));
  });
  EXPECT_THAT(ReadTlt(bytes).Recorded(), ElementsAre("user_event code=7"));
}

TEST(RoundTrip, StringsOfAllSortsComeBack) {
  const std::string texts[] = {"a",
                               "",
                               "Grüße, 世界 🚀",
                               "line one\nline two\ttab \"quoted\" <b>&amp; 'x'",
                               std::string("zero\0inside", 11),
                               std::string(10'000, 'x'),
                               std::string(tlt::kMaxStringBytes, 'y'),
                               "\xff\xfe not UTF-8"};
  const std::string bytes = RecordedBytes([&](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    uint32_t id = 0;
    for (const std::string& text : texts) {
      ASSERT_TRUE(writer.AppendString(buffer, ++id, text, writer.Now()));
      const uint64_t args[] = {id};
      ASSERT_TRUE(writer.AppendEvent(buffer, EventKind::kMessage, writer.Now(), args));
    }
  });
  const ReadBack back = ReadTlt(bytes);
  EXPECT_EQ(back.diags.Summary(), "");
  std::vector<std::string> expected;
  for (const std::string& text : texts) expected.push_back("message text='" + text + "'");
  EXPECT_EQ(back.Recorded(), expected);
}

TEST(RoundTrip, ALongStringIsCutBetweenCharacters) {
  std::string text(tlt::kMaxStringBytes - 1, 'z');
  text += "é and more";  // the first byte of é would be the last that fits
  const std::string bytes = RecordedBytes([&](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    ASSERT_TRUE(writer.AppendString(buffer, 1, text, writer.Now()));
    const uint64_t args[] = {1};
    ASSERT_TRUE(writer.AppendEvent(buffer, EventKind::kMessage, writer.Now(), args));
  });
  const std::string expected = "message text='" + std::string(tlt::kMaxStringBytes - 1, 'z') + "'";
  EXPECT_THAT(ReadTlt(bytes).Recorded(), ElementsAre(expected));
}

TEST(RoundTrip, ManyChunksKeepEveryEventInOrder) {
  constexpr uint64_t kEvents = 200'000;  // 3 MB: several times the chunk, which is used again
  const std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    for (uint64_t i = 0; i < kEvents; ++i) {
      const uint64_t args[] = {i};
      ASSERT_TRUE(writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args));
    }
  });
  const ReadBack back = ReadTlt(bytes);
  EXPECT_EQ(back.diags.Summary(), "");
  uint64_t next = 0;
  int64_t last_ns = 0;
  for (const auto& entry : back.log.entries()) {
    if (entry.tid == 0) continue;
    ASSERT_EQ(entry.args[0], next++);
    ASSERT_GE(entry.time_ns, last_ns);
    last_ns = entry.time_ns;
  }
  EXPECT_EQ(next, kEvents);
  EXPECT_LT(bytes.size(), kEvents * 17);
}

TEST(RoundTrip, ThreadsAreMergedByTime) {
  constexpr uint64_t kEach = 50'000;
  testing::TempFolder folder;
  tlt::WriterOptions options;
  options.path = folder.File("x_0.tlt");
  tlt::Writer writer;
  ASSERT_TRUE(writer.Open(options).ok());
  auto record = [&](uint64_t who) {
    tlt::ThreadBuffer buffer;
    for (uint64_t i = 0; i < kEach; ++i) {
      const uint64_t args[] = {who << 32 | i};
      writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
    }
    writer.Leave(buffer);
  };
  std::thread a(record, 1), b(record, 2);
  a.join(), b.join();
  ASSERT_TRUE(writer.Close().ok());

  const ReadBack back = ReadTlt(testing::FileBytes(options.path));
  EXPECT_EQ(back.diags.Summary(), "");
  uint64_t next[3] = {};
  uint64_t tids[3] = {};
  int64_t last_ns = 0;
  for (const auto& entry : back.log.entries()) {
    if (entry.tid == 0) continue;
    const uint64_t who = entry.args[0] >> 32;
    ASSERT_EQ(static_cast<uint32_t>(entry.args[0]), next[who]++);
    if (tids[who] == 0) tids[who] = entry.tid;
    ASSERT_EQ(entry.tid, tids[who]);
    ASSERT_GE(entry.time_ns, last_ns);
    last_ns = entry.time_ns;
  }
  EXPECT_EQ(next[1], kEach);
  EXPECT_EQ(next[2], kEach);
  EXPECT_NE(tids[1], tids[2]);
}

// One thread fills many chunks while others have not filled one, and the last chunk of each lies
// near the beginning of the file.
TEST(RoundTrip, ABeginningIsThatOfAllThreads) {
  constexpr uint64_t kDense = 100'000, kSparse = 1000;
  testing::TempFolder folder;
  tlt::WriterOptions options;
  options.max_chunk_bytes = options.first_chunk_bytes;
  options.path = folder.File("x_0.tlt");
  tlt::Writer writer;
  ASSERT_TRUE(writer.Open(options).ok());
  tlt::ThreadBuffer dense, sparse;
  for (uint64_t i = 0; i < kDense; ++i) {
    const uint64_t args[] = {i};
    writer.AppendEvent(dense, EventKind::kUserEvent, writer.Now(), args);
    if (i % (kDense / kSparse) == 0)
      writer.AppendEvent(sparse, EventKind::kUserEvent, writer.Now(), args);
  }
  writer.Leave(dense);
  writer.Leave(sparse);
  ASSERT_TRUE(writer.Close().ok());

  const std::string bytes = testing::FileBytes(options.path);
  const std::vector<std::string> whole = ReadTlt(bytes).Recorded();
  ASSERT_EQ(whole.size(), kDense + kSparse);
  size_t before = 0;
  for (const double share : {0.2, 0.5, 0.9}) {
    const ReadBack back = ReadTlt(bytes, share);
    EXPECT_EQ(back.diags.Summary(), "");
    const std::vector<std::string> beginning = back.Recorded();
    ASSERT_GT(beginning.size(), before);
    ASSERT_LT(beginning.size(), whole.size());
    EXPECT_TRUE(std::equal(beginning.begin(), beginning.end(), whole.begin())) << share;
    EXPECT_NEAR(static_cast<double>(beginning.size()) / static_cast<double>(whole.size()), share,
                0.1);
    before = beginning.size();
  }
}

// The events' times against clock_gettime() around them, with either source of time.
TEST(RoundTrip, TimesAreThoseOfTheMonotonicClock) {
  for (const bool steady : {tlt::HasSteadyTicks(), false}) {
    std::vector<std::pair<uint64_t, uint64_t>> around;
    tlt::WriterOptions options;
    options.steady_ticks = steady;
    const std::string bytes = RecordedBytes(
        [&](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
          // Long enough that the clocks are compared a few times on the way.
          const uint64_t end = tlt::MonotonicNs() + 60'000'000;
          while (tlt::MonotonicNs() < end) {
            const uint64_t before = tlt::MonotonicNs();
            const uint64_t args[] = {before};
            writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
            around.emplace_back(before, tlt::MonotonicNs());
          }
        },
        options);
    const ReadBack back = ReadTlt(bytes);
    EXPECT_EQ(back.diags.Summary(), "");
    size_t i = 0;
    // Reading two clocks takes some 50 ns, and longer when the machine is busy: 100 us of tolerance
    // are far more than that and far less than any defect of the conversion would cause.
    constexpr int64_t kToleranceNs = 100'000;
    for (const auto& entry : back.log.entries()) {
      if (entry.tid == 0) continue;
      const auto [before, after] = around[i++];
      ASSERT_GT(entry.time_ns, static_cast<int64_t>(before) - kToleranceNs) << "event " << i;
      ASSERT_LT(entry.time_ns, static_cast<int64_t>(after) + kToleranceNs) << "event " << i;
    }
    EXPECT_EQ(i, around.size());
  }
}

TEST(RoundTrip, TheHeaderTellsWhoAndWhen) {
  tlt::WriterOptions options;
  options.rank = 3;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string bytes = RecordedBytes([](tlt::Writer&, tlt::ThreadBuffer&) {}, options);
  const auto header = tlt::ReadHeader("x.tlt", std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->rank, 3);
  EXPECT_EQ(header->pid, static_cast<uint32_t>(getpid()));
  EXPECT_EQ(header->file_bytes, bytes.size());
  EXPECT_TRUE(header->flags & tlt::kClosed);
  const ReadBack back = ReadTlt(bytes);
  ASSERT_GE(back.log.entries().size(), 2u);
  EXPECT_EQ(back.log.entries()[0].kind, EventKind::kWallClock);
  EXPECT_NEAR(static_cast<double>(back.log.entries()[0].args[0]) / 1e9,
              static_cast<double>(now.tv_sec), 100);
  EXPECT_THAT(back.log.Lines(EventKind::kProgramInfo)[0],
              ::testing::HasSubstr("key='program' value='/"));
}

TEST(RoundTrip, AnUnclosedFileHasEverythingPublished) {
  testing::TempFolder folder;
  tlt::WriterOptions options;
  options.path = folder.File("x_0.tlt");
  tlt::Writer writer;
  tlt::ThreadBuffer buffer;
  ASSERT_TRUE(writer.Open(options).ok());
  uint64_t recorded = 0;
  // At many fillings of the chunk, also while it is new and just after it was emptied.
  for (const uint64_t more : {0, 1, 1, 4000, 93, 1, 1, 16'000, 380, 5, 5, 20'000}) {
    for (uint64_t i = 0; i < more; ++i) {
      const uint64_t args[] = {recorded++};
      writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
    }
    const ReadBack back = ReadTlt(testing::FileBytes(options.path));
    EXPECT_EQ(back.Recorded().size(), recorded);
    EXPECT_EQ(back.diags.Count("tlt_not_closed"), 1u);
    EXPECT_FALSE(back.diags.HasDataLoss()) << back.diags.Summary();
  }
  EXPECT_TRUE(writer.Close().ok());
  writer.Leave(buffer);
}

TEST(RoundTrip, AnUnfinishedRecordIsNotSeen) {
  testing::TempFolder folder;
  tlt::WriterOptions options;
  options.path = folder.File("x_0.tlt");
  tlt::Writer writer;
  tlt::ThreadBuffer buffer;
  ASSERT_TRUE(writer.Open(options).ok());
  const uint64_t args[] = {1};
  writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
  uint64_t ticks = writer.Now();
  char* record = writer.Reserve(buffer, 16, ticks);
  ASSERT_NE(record, nullptr);
  std::memcpy(record + 8, args, 8);
  const ReadBack back = ReadTlt(testing::FileBytes(options.path));
  EXPECT_THAT(back.Recorded(), ElementsAre("user_event code=1"));
  EXPECT_FALSE(back.diags.HasDataLoss()) << back.diags.Summary();
  ASSERT_TRUE(writer.Close().ok());
  writer.Leave(buffer);
  const ReadBack closed = ReadTlt(testing::FileBytes(options.path));
  EXPECT_THAT(closed.Recorded(), ElementsAre("user_event code=1"));
  EXPECT_EQ(closed.diags.Summary(), "");
}

}  // namespace
}  // namespace tasklens
