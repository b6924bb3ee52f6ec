// SPDX-License-Identifier: Apache-2.0
// FxT: the traces that StarPU 1.3, 1.4 and its master write (prof_file_USER_RANK).
//
// fxt_file.h has the layout of the file, fxt_events.h the table of its events, fxt_decoder.h the
// state between them. Records are handled one by one in the order of the file; the model sorts out
// small inversions of time between threads.
#include <algorithm>
#include <memory>
#include <span>

#include "converters/formats.h"
#include "converters/readers/fxt_decoder.h"
#include "converters/readers/fxt_events.h"
#include "converters/readers/fxt_file.h"

namespace tasklens {
namespace {

// Limits of the search for records that are near the beginning of every real file.
constexpr size_t kDialectLimitBytes = size_t{64} << 20;
constexpr size_t kRankLimitBytes = size_t{4} << 20;
constexpr size_t kReportEveryBytes = size_t{1} << 20;
// Fits into the processor's nearest caches, and holds many records.
constexpr size_t kWindowBytes = size_t{128} << 10;
constexpr uint64_t kMpiStart = 0x5201;
constexpr uint64_t kMpiBarrier = 0x5203;
constexpr uint64_t kMaxRank = 1 << 30;

// A buffer for a part of a file. Not zeroed, because that would touch all of its pages.
class Room {
 public:
  explicit Room(size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}
  size_t size() const { return size_; }
  std::span<std::byte> span() const { return {bytes_.get(), size_}; }

 private:
  const std::unique_ptr<std::byte[]> bytes_;
  const size_t size_;
};

// Calls visit(record) for the records in the first `limit_bytes` of each block for which
// skips(code, params) is false, until it returns false. Uses read(), not the mapping: there the
// kernel would map 2 MB around each of them.
template <class Skips, class Visit>
void LookAtBeginnings(const Source& source, const FxtFile& file, size_t limit_bytes, Skips skips,
                      Visit visit) {
  const Room room(std::min(kWindowBytes, limit_bytes));
  for (const FxtEventBlock& block : file.events) {
    const size_t end = block.offset + std::min(limit_bytes, block.records.size());
    for (size_t offset = block.offset; offset < end;) {
      const auto bytes =
          source.Read(offset, room.span().first(std::min(room.size(), end - offset)));
      if (!bytes.ok()) return;  // the main pass will find and report the same error
      FxtEventBlock window = block;
      window.records = *bytes;
      window.offset = offset;
      FxtRecords records(window, file.swap);
      while (const FxtRecord* record = records.NextExcept(skips))
        if (!visit(*record)) return;
      if (records.damaged() || records.offset() == offset) break;
      offset = records.offset();
    }
  }
}

int64_t RankOf(const Source& source, const FxtFile& file) {
  int64_t rank = -1;
  LookAtBeginnings(
      source, file, kRankLimitBytes,
      [](uint64_t code, uint32_t params) {
        return (code != kMpiStart && code != kMpiBarrier) || params < 3;
      },
      [&](const FxtRecord& record) {
        if (record[0] <= kMaxRank) rank = static_cast<int64_t>(record[0]);
        return rank < 0;
      });
  return rank;
}

int64_t Rank(const Source& source) { return RankOf(source, ParseFxtFile(source.bytes())); }

FxtDialect DialectOf(const Source& source, const FxtFile& file) {
  FxtDialectGuess guess;
  LookAtBeginnings(
      source, file, kDialectLimitBytes, [](uint64_t, uint32_t) { return false; },
      [&](const FxtRecord& record) { return !guess.IsSettledBy(record); });
  return guess.dialect();
}

std::string At(const Source& source, size_t offset) {
  return source.path() + ": byte " + std::to_string(offset);
}

// Describes the offset where reading stopped, and the size of the whole file.
std::string EndedAt(const Source& source, size_t offset, uint64_t whole_bytes) {
  return At(source, offset) + " of " + std::to_string(whole_bytes);
}

// Returns the offset at which records continue after the damage at `offset`; `end` if they do not.
Result<size_t> BehindDamage(const Source& source, const FxtFile& file, const FxtEventBlock& block,
                            const FxtDecoder& decoder, int64_t last_ns, size_t offset,
                            const Room& room) {
  // A trace has gaps, and threads may write their records a little late.
  constexpr int64_t kMostEarlyNs = 1'000'000'000, kMostLateNs = 24 * 3600 * int64_t{1'000'000'000};
  // Starts with a small part, because there may be many damaged places, each of them small.
  constexpr size_t kFirstBytes = 1024, kOverlapBytes = size_t{4} * (24 + 8 * kFxtMaxParams);
  const auto may_be = [&](int64_t time_ns, uint64_t code, uint32_t params) {
    return time_ns >= last_ns - kMostEarlyNs && time_ns <= last_ns + kMostLateNs &&
           decoder.Knows(code, params);
  };
  const size_t end = block.offset + block.records.size();
  size_t want = kFirstBytes;
  for (++offset; offset < end; want = std::min(4 * want, room.size())) {
    const size_t asked = std::min({want, room.size(), end - offset});
    const auto bytes = source.Read(offset, room.span().first(asked));
    if (!bytes.ok()) return bytes.status();
    const bool is_end = offset + bytes->size() >= end;
    const size_t found = FindFxtRecords(*bytes, block.wide, file.swap, is_end, may_be);
    if (found < bytes->size()) return offset + found;
    if (is_end || bytes->size() < asked) break;
    // The last records of this part may begin a row of records that is cut off here.
    if (bytes->size() > kOverlapBytes) offset += bytes->size() - kOverlapBytes;
  }
  return end;
}

// Sets `last_ns` to the time of the last event. Fails if the file cannot be read, or if `progress`
// stops it.
Status ReadBlock(const Source& source, const FxtFile& file, const FxtEventBlock& block,
                 Progress* progress, FxtDecoder& decoder, Diagnostics& diags, int64_t& last_ns) {
  const auto skips = [&](uint64_t code, uint32_t params) { return decoder.Skips(code, params); };
  const size_t end = block.offset + block.records.size();
  const uint64_t size = source.bytes().size();
  const Room room(std::min(kWindowBytes, block.records.size()));
  size_t offset = block.offset, reported = offset;
  for (;;) {
    const auto bytes = source.Read(offset, room.span().first(std::min(room.size(), end - offset)));
    if (!bytes.ok()) return bytes.status();
    FxtEventBlock window = block;
    window.records = *bytes;
    window.offset = offset;
    FxtRecords records(window, file.swap);
    while (const FxtRecord* record = records.NextExcept(skips))
      decoder.Decode(*record, records.record_offset());
    const bool some = records.offset() > offset;
    if (some) last_ns = records.last_time_ns();
    offset = records.offset();
    if (offset - reported >= kReportEveryBytes) {
      source.Forget(reported, offset);
      reported = offset;
      if (progress != nullptr && !progress->Report(offset, size))
        return {ErrorCode::kCancelled, source.path() + ": reading was stopped"};
    }
    if (records.damaged()) {
      diags.Skip("fxt_bad_event", EndedAt(source, offset, size));
      const auto behind = BehindDamage(source, file, block, decoder, last_ns, offset, room);
      if (!behind.ok()) return behind.status();
      offset = *behind;
      if (offset < end) continue;
    }
    // A record that is cut off by the window is complete in the next one, unless the block ends in
    // it.
    const bool more = offset < end;
    if (some && more) continue;
    if (more || block.missing_bytes > 0)
      diags.Skip("fxt_truncated",
                 EndedAt(source, offset, size + std::min(block.missing_bytes, ~size)));
    break;
  }
  if (block.open) diags.Skip("fxt_not_closed", At(source, offset));
  return Status::Ok();
}

// Delivers what the file says about the run besides events.
void ReadInfo(const FxtFile& file, FxtDialect dialect, uint32_t rank, EventSink& sink) {
  for (const FxtEventBlock& block : file.events) {
    FxtRecords records(block, file.swap);
    const FxtRecord* first = records.Next();
    if (first == nullptr) continue;
    const auto say = [&](std::string_view key, std::string_view value) {
      const uint64_t args[] = {sink.Intern(key), sink.Intern(value)};
      sink.OnEvent({first->time_ns, EventKind::kProgramInfo, rank, 0, args});
    };
    say("runtime", FxtDialectName(dialect));
    if (!file.host.empty()) say("host", file.host);
    return;
  }
}

Status Read(const Source& source, const ReadOptions& options, EventSink& sink, Diagnostics& diags) {
  const FxtFile file = ParseFxtFile(source.bytes());
  if (file.bad_block_at != 0)
    diags.Skip("fxt_bad_block", EndedAt(source, file.bad_block_at, source.bytes().size()));
  if (file.events.empty()) {
    return {ErrorCode::kCorrupt,
            source.path() + ": byte " + std::to_string(source.bytes().size()) +
                ": the file ends before its block of events; was the program killed while it "
                "wrote its trace?"};
  }
  const int64_t own_rank = RankOf(source, file);
  const uint32_t rank = own_rank >= 0 ? static_cast<uint32_t>(own_rank) : options.rank;
  const FxtDialect dialect = DialectOf(source, file);
  ReadInfo(file, dialect, rank, sink);
  FxtDecoder decoder(dialect, rank, source.path(), sink, diags);
  int64_t last_ns = 0;
  for (const FxtEventBlock& block : file.events)
    if (Status s = ReadBlock(source, file, block, options.progress, decoder, diags, last_ns);
        !s.ok())
      return s;
  decoder.Finish(last_ns);
  return Status::Ok();
}

}  // namespace

extern const ReaderSpec kFxtReader;
const ReaderSpec kFxtReader = {
    .name = "fxt",
    .description = "FxT trace of StarPU 1.3, 1.4 or later (prof_file_*)",
    .sniff_order = 20,
    .sniff = &LooksLikeFxt,
    .rank = &Rank,
    .read = &Read,
    .in_halves = true,
    .beginning = Beginning::kFirstBytes,
};

}  // namespace tasklens
