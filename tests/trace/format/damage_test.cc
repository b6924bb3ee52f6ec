// SPDX-License-Identifier: Apache-2.0
// Damaged, foreign and malicious files: whatever the bytes, the reader ends, says what is wrong,
// and delivers what is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/testing/tlt_file.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ReadBack;
using testing::ReadTlt;
using testing::RecordedBytes;

// A file with a bit of everything.
const std::string& SmallFile() {
  static const std::string* bytes =
      new std::string(RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
        for (uint32_t id = 1; id <= 3; ++id)
          writer.AppendString(buffer, id, "string " + std::to_string(id), writer.Now());
        for (uint64_t job = 1; job <= 4; ++job) {
          const uint64_t site[] = {job, 42, 1, 2};
          writer.AppendEvent(buffer, EventKind::kTaskSite, writer.Now(), site);
          const uint64_t coordinates[] = {0xabc, 1, 2, job};
          writer.AppendEvent(buffer, EventKind::kDataCoordinates, writer.Now(), coordinates);
        }
      }));
  return *bytes;
}

// Bytes 4096..: the first chunk.
constexpr size_t kChunk = tlt::kHeaderBytes;
constexpr size_t kRecords = kChunk + sizeof(tlt::ChunkHeader);

template <class T>
void Put(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <class T>
T Get(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Where the second user event lies. On a slow machine a clock record may come before it.
size_t SecondUserEvent(const std::string& bytes) {
  constexpr auto kHead =
      static_cast<uint16_t>(tlt::RecordWord(tlt::RecordKind(EventKind::kUserEvent), 2, 0));
  int found = 0;
  for (size_t at = kRecords; at + 8 <= bytes.size(); at += 8)
    if (Get<uint16_t>(bytes, at) == kHead && ++found == 2) return at;
  ADD_FAILURE() << "no second user event";
  return kRecords;
}

TEST(Damage, TheFileItselfIsFine) {
  const ReadBack back = ReadTlt(SmallFile());
  EXPECT_TRUE(back.status.ok());
  EXPECT_EQ(back.diags.Summary(), "");
  EXPECT_EQ(back.Recorded().size(), 8u);
  EXPECT_LT(SmallFile().size(), 5000u);
}

TEST(Damage, AFileCutAnywhereGivesItsBeginning) {
  const std::string& whole = SmallFile();
  const std::vector<std::string> all = ReadTlt(whole).Recorded();
  for (size_t size = 0; size < whole.size(); ++size) {
    const ReadBack back = ReadTlt(whole.substr(0, size));
    if (size < sizeof(tlt::FileHeader)) {
      EXPECT_EQ(back.status.code(), ErrorCode::kCorrupt) << size;
      EXPECT_THAT(back.status.message(), HasSubstr("x.tlt: ")) << size;
      continue;
    }
    ASSERT_TRUE(back.status.ok()) << size;
    EXPECT_EQ(back.diags.Count("tlt_truncated"), 1u) << size;
    EXPECT_EQ(back.diags.Count("tlt_bad_chunk"), 0u) << size << "\n" << back.diags.Summary();
    const std::vector<std::string> some = back.Recorded();
    ASSERT_LE(some.size(), all.size()) << size;
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << size;
    EXPECT_THAT(back.log.violations(), IsEmpty()) << size;
  }
}

// A file of some hundred chunks, so that it grew many times: closed, and as it was just before.
struct LargeFile {
  std::string closed, open;
};
LargeFile MakeLargeFile(uint64_t events = 20000) {
  LargeFile file;
  file.closed = RecordedBytes(
      [&file, events](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
        for (uint64_t i = 0; i < events; ++i) {
          const uint64_t site[] = {i, 42, 0, 0};
          writer.AppendEvent(buffer, EventKind::kTaskSite, writer.Now(), site);
        }
        file.open = testing::FileBytes(writer.path());
      },
      {.first_chunk_bytes = tlt::kMinChunkBytes, .max_chunk_bytes = tlt::kMinChunkBytes});
  return file;
}

TEST(Damage, AFileThatWasCutAndNeverClosedSaysWhatIsMissing) {
  const std::string whole = MakeLargeFile().open;
  const ReadBack all = ReadTlt(whole);
  EXPECT_EQ(all.diags.Count("tlt_not_closed"), 1u);
  EXPECT_FALSE(all.diags.HasDataLoss()) << all.diags.Summary();
  ASSERT_EQ(all.Recorded().size(), 20000u);
  size_t losses = 0;
  // Anywhere, and between chunks, where nothing else tells.
  std::vector<size_t> sizes;
  for (size_t size = tlt::kHeaderBytes + 1; size < whole.size(); size += 10007)
    sizes.push_back(size);
  for (size_t size = tlt::kHeaderBytes; size < whole.size(); size += tlt::kMinChunkBytes)
    sizes.push_back(size);
  for (const size_t size : sizes) {
    const ReadBack back = ReadTlt(whole.substr(0, size));
    ASSERT_TRUE(back.status.ok());
    if (back.Recorded().size() == 20000) continue;  // only what was reserved is missing
    ++losses;
    EXPECT_TRUE(back.diags.HasDataLoss()) << size;
    EXPECT_THAT(back.diags.Summary(), HasSubstr("x.tlt: byte " + std::to_string(size) + " of "));
    EXPECT_EQ(back.diags.Count("tlt_bad_chunk"), 0u) << back.diags.Summary();
  }
  EXPECT_GT(losses, 10u);
}

// What a power failure leaves: zeros where a part of the file was.
TEST(Damage, ZerosWhereAChunkBeganAreALoss) {
  const auto [closed, open] = MakeLargeFile();
  for (const std::string* file : {&closed, &open}) {
    const std::string& whole = *file;
    const size_t all = ReadTlt(whole).Recorded().size();
    ASSERT_EQ(all, 20000u);
    size_t losses = 0;
    for (size_t at = kChunk; at + tlt::kMinChunkBytes <= whole.size(); at += tlt::kMinChunkBytes) {
      for (const size_t zeros : {size_t{8}, sizeof(tlt::ChunkHeader), size_t{4096}}) {
        std::string bytes = whole;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), zeros, '\0');
        const ReadBack back = ReadTlt(bytes);
        if (!back.status.ok() || back.Recorded().size() == all) continue;
        // A chunk that its thread still wrote to may lose its first page unseen, without a copy.
        if (file != &closed && at == kChunk && zeros == 4096) continue;
        ++losses;
        EXPECT_TRUE(back.diags.HasDataLoss()) << zeros << " zeros at " << at;
      }
    }
    EXPECT_GT(losses, 10u);
  }
  std::string longer = closed;
  longer.insert(kChunk, 512, '\0');
  EXPECT_TRUE(ReadTlt(longer).diags.HasDataLoss());
}

// Whether there is nothing but zeros from here to the end of the first chunk, which is open.
bool IsEndOfOpenChunk(const std::string& bytes, size_t at) {
  const size_t end = kChunk + tlt::kMinChunkBytes;
  return Get<uint32_t>(bytes, kChunk + offsetof(tlt::ChunkHeader, used_bytes)) == 0 && at <= end &&
         bytes.find_first_not_of('\0', at) >= end;
}

// Longer than any record, so that the first word of one is always hit. (A few bytes within the
// arguments of a record are other arguments: nothing in the file can tell.)
TEST(Damage, ForeignBytesOverAnyPartOfAFileAreALoss) {
  constexpr size_t kLongestRecordBytes = 8 * tlt::kMaxRecordWords;
  std::mt19937_64 random(20261127);
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  const auto [closed, open] = MakeLargeFile(6000);
  for (const std::string* file : {&closed, &open}) {
    const std::string& whole = *file;
    const std::vector<std::string> all = ReadTlt(whole).Recorded();
    ASSERT_EQ(all.size(), 6000u);
    size_t losses = 0;
    for (int round = 0; round < 300; ++round) {
      const size_t at = kChunk + below(whole.size() - kChunk - kLongestRecordBytes);
      size_t size =
          std::min(kLongestRecordBytes + below(size_t{1} << below(18)), whole.size() - at);
      std::string bytes = whole;
      const int filling = round % 4;
      for (size_t i = at; i < at + size; ++i)
        bytes[i] = filling == 0   ? '\0'
                   : filling == 1 ? static_cast<char>(random())
                   : filling == 2 ? '\xff'
                                  : whole[kChunk + (i + 8 * 1237) % (whole.size() - kChunk)];
      const ReadBack back = ReadTlt(bytes);
      ASSERT_TRUE(back.status.ok());
      if (back.Recorded() == all || IsEndOfOpenChunk(bytes, at + size)) continue;
      ++losses;
      EXPECT_TRUE(back.diags.HasDataLoss())
          << (file == &closed ? "closed: " : "open: ") << size << " bytes at " << at << " of "
          << whole.size() << ", filling " << filling << ", " << back.Recorded().size() << " left";
    }
    EXPECT_GT(losses, 200u);
  }
}

TEST(Damage, AnyByteOfTheFileMayBeWrong) {
  const std::string& whole = SmallFile();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const ReadBack back = ReadTlt(bytes);
      EXPECT_THAT(back.log.violations(), IsEmpty()) << "byte " << at << " flipped by " << flip;
      EXPECT_LE(back.Recorded().size(), 8u) << "byte " << at;
    }
    if (at == 1500) at = tlt::kHeaderBytes - 2;  // nothing but zeros there
  }
}

// Mutations of a larger file, deterministic: the same bytes in every run.
TEST(Damage, AHundredThousandMutationsEndAndKeepThePromisesOfAReader) {
  const std::string& whole = SmallFile();
  std::mt19937_64 random(20240607);
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  // Where something is: the header's numbers and the chunk.
  const auto place = [&] {
    return below(4) == 0 ? below(128) : kChunk + below(whole.size() - kChunk);
  };
  constexpr uint64_t kNasty[] = {0,
                                 1,
                                 0x7f,
                                 0x80,
                                 0xff,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 tlt::kChunkMagic};
  size_t delivered = 0, refused = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string bytes = whole;
    for (size_t edits = 1 + below(4); edits > 0; --edits) {
      const size_t at = std::min(place(), bytes.size() - 1);
      const size_t width = std::min<size_t>(size_t{1} << below(4), bytes.size() - at);
      switch (below(5)) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: std::memcpy(&bytes[at], &kNasty[below(std::size(kNasty))], width); break;
        case 2: {
          const size_t from = std::min(place(), bytes.size() - width);
          std::memmove(&bytes[at], &bytes[from], width);
          break;
        }
        case 3: bytes.resize(std::max<size_t>(sizeof(tlt::FileHeader), at)); break;
        default:
          bytes.insert(kChunk <= bytes.size() ? kChunk : bytes.size(),
                       bytes.substr(std::min(kChunk, bytes.size())));
      }
      if (bytes.size() > 40'000) bytes.resize(40'000);
    }
    const ReadBack back = ReadTlt(bytes);
    ASSERT_THAT(back.log.violations(), IsEmpty()) << "round " << round;
    // A record has at least 8 bytes.
    ASSERT_LE(back.log.entries().size(), 8 + bytes.size() / 8) << "round " << round;
    back.status.ok() ? ++delivered : ++refused;
  }
  EXPECT_GT(delivered, 10'000u);
  EXPECT_GT(refused, 1'000u);
}

TEST(Damage, AForeignFileIsNotOurs) {
  EXPECT_EQ(ReadTlt("").status.message(), "x.tlt: not a .tlt trace");
  EXPECT_EQ(ReadTlt(std::string(5000, '\0')).status.message(), "x.tlt: not a .tlt trace");
  EXPECT_FALSE(tlt::LooksLikeTrace(std::as_bytes(std::span("\x89PNG\r\n\x1a\n"))));
}

TEST(Damage, AVersionOfTheFutureIsNamed) {
  std::string bytes = SmallFile();
  Put<uint16_t>(bytes, offsetof(tlt::FileHeader, version_major), 2);
  Put<uint16_t>(bytes, offsetof(tlt::FileHeader, version_minor), 7);
  const Status status = ReadTlt(bytes).status;
  EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "x.tlt: the trace has format version 2.7, this program reads version 0; use the "
            "TaskLens that recorded it, or a newer one");
}

TEST(Damage, AnUnreleasedVersionIsToBeRecordedAgain) {
  for (const uint16_t minor : {0, 5}) {
    std::string bytes = SmallFile();
    Put<uint16_t>(bytes, offsetof(tlt::FileHeader, version_major), 1);
    Put<uint16_t>(bytes, offsetof(tlt::FileHeader, version_minor), minor);
    const Status status = ReadTlt(bytes).status;
    EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(status.message(), "x.tlt: written by an unreleased version of TaskLens (format 1." +
                                    std::to_string(minor) + "); record it again");
  }
}

TEST(Damage, ALaterMinorVersionIsRead) {
  std::string bytes = SmallFile();
  Put<uint16_t>(bytes, offsetof(tlt::FileHeader, version_minor), tlt::kVersionMinor + 1);
  EXPECT_EQ(ReadTlt(bytes).Recorded().size(), 8u);
}

TEST(Damage, AnEventOfTheFutureIsSkippedAndCounted) {
  std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t args[] = {i};
      writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
    }
  });
  const size_t second = SecondUserEvent(bytes);
  Put<uint64_t>(bytes, second, tlt::RecordWord(2000, 2, Get<uint64_t>(bytes, second) >> 16));
  const ReadBack back = ReadTlt(bytes);
  EXPECT_THAT(back.Recorded(), ElementsAre("user_event code=0", "user_event code=2"));
  ASSERT_EQ(back.diags.Count("tlt_bad_record"), 1u);
  EXPECT_EQ(back.diags.counts().begin()->second.first_where,
            "x.tlt: byte " + std::to_string(second));
}

TEST(Damage, AnEventWithAnUnknownStringIsSkippedAndCounted) {
  const std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    const uint64_t unknown[] = {17}, known[] = {0};
    writer.AppendEvent(buffer, EventKind::kMessage, writer.Now(), unknown);
    writer.AppendEvent(buffer, EventKind::kMessage, writer.Now(), known);
  });
  const ReadBack back = ReadTlt(bytes);
  EXPECT_THAT(back.Recorded(), ElementsAre("message text=''"));
  EXPECT_EQ(back.diags.Count("tlt_bad_record"), 1u);
}

TEST(Damage, AStringWithAHugeNumberCostsNothing) {
  const std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    writer.AppendString(buffer, 0xfffffffe, "far away", writer.Now());
    const uint64_t args[] = {0xfffffffe};
    writer.AppendEvent(buffer, EventKind::kMessage, writer.Now(), args);
  });
  EXPECT_THAT(ReadTlt(bytes).Recorded(), ElementsAre("message text='far away'"));
}

TEST(Damage, AfterADamagedChunkReadingGoesOn) {
  std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    for (uint64_t i = 0; i < 60'000; ++i) {
      const uint64_t args[] = {i};
      writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
    }
  });
  const size_t all = ReadTlt(bytes).Recorded().size();
  ASSERT_EQ(all, 60'000u);
  // The first chunk loses its name: 64 KiB of events are gone, the others are there.
  bytes[kChunk] = 'X';
  const ReadBack back = ReadTlt(bytes);
  EXPECT_GT(back.Recorded().size(), all - 5000);
  EXPECT_LT(back.Recorded().size(), all);
  EXPECT_GE(back.diags.Count("tlt_bad_chunk"), 1u);
  EXPECT_TRUE(back.diags.HasDataLoss());
}

TEST(Damage, ABrokenRecordEndsItsChunkOnly) {
  std::string bytes = RecordedBytes([](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
    for (uint64_t i = 0; i < 60'000; ++i) {
      const uint64_t args[] = {i};
      writer.AppendEvent(buffer, EventKind::kUserEvent, writer.Now(), args);
    }
  });
  // Length zero is for strings only.
  Put<uint64_t>(bytes, SecondUserEvent(bytes), tlt::RecordWord(100, 0, 5));
  const ReadBack back = ReadTlt(bytes);
  EXPECT_EQ(back.diags.Count("tlt_bad_chunk"), 1u);
  EXPECT_GT(back.Recorded().size(), 50'000u);
  EXPECT_EQ(back.Recorded().front(), "user_event code=0");
}

TEST(Damage, DroppedEventsAreReported) {
  std::string bytes = SmallFile();
  Put<uint64_t>(bytes, offsetof(tlt::FileHeader, dropped), 5);
  Put<uint64_t>(bytes, kChunk + offsetof(tlt::ChunkHeader, dropped), 37);
  EXPECT_EQ(ReadTlt(bytes).diags.Count("tlt_dropped"), 42u);
}

TEST(Damage, ClocksThatContradictEachOtherDoNotStopTheReader) {
  for (const double rate : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    std::string bytes = SmallFile();
    Put<double>(bytes, offsetof(tlt::FileHeader, ns_per_tick), rate);
    Put<uint64_t>(bytes, offsetof(tlt::FileHeader, end), 0);             // ticks
    Put<int64_t>(bytes, offsetof(tlt::FileHeader, end) + 8, INT64_MAX);  // monotonic
    Put<uint64_t>(bytes, kChunk + offsetof(tlt::ChunkHeader, base_ticks), ~uint64_t{0});
    EXPECT_EQ(ReadTlt(bytes).Recorded().size(), 8u);
  }
}

// --- The other byte order ----------------------------------------------------------------------

// Turns each number of a closed file around, by the page and not by the reader.
class Swapper {
 public:
  explicit Swapper(std::string bytes) : bytes_(std::move(bytes)) {}

  std::string Run() {
    for (const auto& [at, width] : std::vector<std::pair<size_t, size_t>>{{8, 4},
                                                                          {12, 2},
                                                                          {14, 2},
                                                                          {16, 4},
                                                                          {20, 4},
                                                                          {24, 8},
                                                                          {32, 8},
                                                                          {40, 4},
                                                                          {44, 4},
                                                                          {48, 8},
                                                                          {56, 8},
                                                                          {64, 8},
                                                                          {72, 8},
                                                                          {80, 8},
                                                                          {88, 8},
                                                                          {96, 8},
                                                                          {104, 8}})
      Turn(at, width);
    const size_t used = Get<uint32_t>(bytes_, kChunk + 12);
    size_t at = kChunk + 64;
    while (at < kChunk + used) at += Record(at);
    for (const auto& [offset, width] : std::vector<std::pair<size_t, size_t>>{
             {0, 8}, {8, 4}, {12, 4}, {16, 8}, {24, 4}, {28, 4}, {32, 8}, {40, 8}})
      Turn(kChunk + offset, width);
    return bytes_;
  }

 private:
  void Turn(size_t at, size_t width) {
    std::reverse(bytes_.begin() + static_cast<ptrdiff_t>(at),
                 bytes_.begin() + static_cast<ptrdiff_t>(at + width));
  }

  size_t Record(size_t at) {
    const uint64_t word = Get<uint64_t>(bytes_, at);
    const uint32_t kind = word & 0x7ff;
    size_t length = (word >> 11 & 31) * 8;
    if (length == 0) {
      length = 16 + (Get<uint32_t>(bytes_, at + 12) + 7) / 8 * 8;
      Turn(at + 8, 4), Turn(at + 12, 4);
    } else if (kind == tlt::kClockRecord) {
      for (size_t word = at + 8; word < at + length; word += 8) Turn(word, 8);
    } else {
      const EventDecl& decl = AllEvents()[kind - 32];
      size_t from = at + 8;
      for (size_t i = 0; i < decl.arg_count; ++i) {
        const bool wide = decl.arg_types[i] == ArgType::kU64 || decl.arg_types[i] == ArgType::kHex;
        size_t times = 1;
        if (decl.repeats_last && i + 1u == decl.arg_count) {
          times = Get<uint32_t>(bytes_, from);
          Turn(from, 4), from += 4;
        }
        for (; times > 0; --times) Turn(from, wide ? 8 : 4), from += wide ? 8 : 4;
      }
    }
    Turn(at, 8);
    return length;
  }

  std::string bytes_;
};

TEST(Damage, AFileOfTheOtherByteOrderIsRead) {
  static uint64_t now_ns;
  now_ns = 1'000'000'000;
  tlt::WriterOptions options;
  options.clock_ns = [] { return now_ns; };
  options.steady_ticks = false;
  const std::string with_clock_record = RecordedBytes(
      [](tlt::Writer& writer, tlt::ThreadBuffer& buffer) {
        for (uint64_t job = 1; job <= 4; ++job) {
          const uint64_t coordinates[] = {0xabc, 1, 2, job};
          writer.AppendEvent(buffer, EventKind::kDataCoordinates, writer.Now(), coordinates);
          now_ns += 20'000'000;  // more than there is between two clock records at the beginning
        }
      },
      options);
  for (const std::string& bytes : {SmallFile(), with_clock_record}) {
    const ReadBack expected = ReadTlt(bytes);
    const ReadBack back = ReadTlt(Swapper(bytes).Run());
    ASSERT_TRUE(back.status.ok()) << back.status.message();
    EXPECT_EQ(back.diags.Summary(), "");
    EXPECT_EQ(back.log.Lines(), expected.log.Lines());
    for (size_t i = 0; i < expected.log.entries().size(); ++i)
      EXPECT_EQ(back.log.entries()[i].time_ns, expected.log.entries()[i].time_ns);
  }
}

TEST(Damage, ADamagedByteOrderMarkIsNamed) {
  std::string bytes = SmallFile();
  bytes[9] = 'x';
  EXPECT_EQ(ReadTlt(bytes).status.message(),
            "x.tlt: byte 8: the byte order mark is damaged; the trace cannot be read");
}

}  // namespace
}  // namespace tasklens
