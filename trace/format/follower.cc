// SPDX-License-Identifier: Apache-2.0
// Finds new chunks and new records, and delivers them in order of time.
#include "trace/format/follower.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "trace/format/clock_map.h"
#include "trace/format/joint_records.h"
#include "trace/format/reader.h"
#include "trace/format/ticks.h"

namespace tasklens::tlt {
namespace {

// A gap between chunks is an unfinished copy or unused space. Chunks behind a longer gap are not
// searched for.
constexpr uint64_t kLongestGapBytes = size_t{4} << 20;
// An open chunk is read in parts, as most of it is empty.
constexpr size_t kPartBytes = size_t{64} << 10;
// An event that is further ahead of now was recorded with another machine's clock.
constexpr int64_t kMomentNs = 1'000'000'000;
// A generous upper bound on the error of times computed from ticks.
constexpr int64_t kTimeErrorNs = 5'000'000;

}  // namespace

Follower::~Follower() {
  if (fd_ >= 0) close(fd_);
}

bool Follower::ReadAt(uint64_t offset, void* to, size_t bytes) const {
  ssize_t done;
  do done = pread(fd_, to, bytes, static_cast<off_t>(offset));
  while (done < 0 && errno == EINTR);
  return done == static_cast<ssize_t>(bytes);
}

Status Follower::Open() {
  if (fd_ >= 0) return {};
  // O_NONBLOCK: opening a pipe must not block. A path that is no regular file yields no header.
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {ErrorCode::kIo, path_ + ": cannot be read: " + std::strerror(errno)};
  fd_ = fd;
  std::vector<std::byte> head(kHeaderBytes);
  const bool is_there = ReadAt(0, head.data(), head.size());
  Result<FileHeader> header = is_there ? ReadHeader(path_, head) : ReadHeader(path_, {});
  if (!header.ok()) {
    close(std::exchange(fd_, -1));
    return header.status();
  }
  header_ = *header;
  rank_ = header_.rank;
  decode_ = Decoder(header_.byte_order != kByteOrderMark);
  const uint32_t first = header_.header_bytes;
  scan_from_ = first >= kAlignBytes && first % kAlignBytes == 0 ? first : kHeaderBytes;
  clocks_.push_back(header_.start);
  return {};
}

// Returns the header of the chunk at `offset`, in this machine's byte order.
std::optional<ChunkHeader> Follower::HeaderAt(uint64_t offset) const {
  std::byte at[sizeof(ChunkHeader)];
  if (!ReadAt(offset, at, sizeof at)) return std::nullopt;
  ChunkHeader header{};
  header.magic = decode_.U64(at + offsetof(ChunkHeader, magic));
  if (header.magic != kChunkMagic) return std::nullopt;
  header.chunk_bytes = decode_.U32(at + offsetof(ChunkHeader, chunk_bytes));
  header.used_bytes = decode_.U32(at + offsetof(ChunkHeader, used_bytes));
  if (!IsChunkSize(header.chunk_bytes, header.used_bytes)) return std::nullopt;
  header.tid = decode_.U64(at + offsetof(ChunkHeader, tid));
  header.thread_serial = decode_.U32(at + offsetof(ChunkHeader, thread_serial));
  header.sequence = decode_.U32(at + offsetof(ChunkHeader, sequence));
  header.base_ticks = decode_.U64(at + offsetof(ChunkHeader, base_ticks));
  return header;
}

// Chunks behind a gap are found again each time, until the gap is filled.
void Follower::FindChunks() {
  uint64_t gap_bytes = 0;
  bool has_gap = false;
  const off_t end = lseek(fd_, 0, SEEK_END);
  for (uint64_t offset = scan_from_; end > 0 &&
                                     offset + sizeof(ChunkHeader) <= static_cast<uint64_t>(end) &&
                                     gap_bytes < kLongestGapBytes;) {
    const std::optional<ChunkHeader> header = HeaderAt(offset);
    if (!header) {
      has_gap = true;
      gap_bytes += kAlignBytes;
      offset += kAlignBytes;
      continue;
    }
    Thread& thread = threads_[header->thread_serial];
    thread.tid = header->tid;
    const Place place{offset, header->chunk_bytes};
    if (header->used_bytes == 0) {
      const auto is_known = [&](const Place& open) { return open.offset == offset; };
      if (std::none_of(thread.open.begin(), thread.open.end(), is_known))
        thread.open.push_back(place);
    } else if (header->sequence >= thread.sequence) {
      thread.closed.emplace(header->sequence, place);
    }
    gap_bytes = 0;
    offset += header->chunk_bytes;
    if (!has_gap) scan_from_ = offset;
  }
}

// A chunk that was open may have been completed in place.
void Follower::LookAtOpen(Thread& thread) {
  std::erase_if(thread.open, [&](const Place& place) {
    const std::optional<ChunkHeader> header = HeaderAt(place.offset);
    if (!header || header->used_bytes == 0) return false;
    if (header->sequence >= thread.sequence) thread.closed.emplace(header->sequence, place);
    return true;
  });
}

// Keeps the valid records of `piece`, with its strings and clocks.
void Follower::Take(Thread& thread, Piece piece) {
  const std::byte* const begin = piece.bytes.data();
  size_t at = 0;
  while (piece.bytes.size() - at >= 8) {
    const uint64_t first = decode_.U64(begin + at);
    const size_t bytes = first == 0 ? 0 : RecordBytes(decode_, begin + at, piece.bytes.size() - at);
    if (bytes == 0) break;
    const Word word(first);
    if (HasEvents(word.kind)) {
      piece.last_ticks = piece.base_ticks + word.delta_ticks;
    } else if (word.kind == kStringRecord && word.words == 0) {
      const uint32_t id = decode_.U32(begin + at + 8), size = decode_.U32(begin + at + 12);
      if (id != 0 && !ids_.contains(id))
        texts_.try_emplace(id, reinterpret_cast<const char*>(begin + at + 16), size);
    } else if (word.kind == kClockRecord && bytes == 8 + sizeof(ClockSample)) {
      clocks_.push_back(decode_.Clock(begin + at + 8));
    }
    at += bytes;
  }
  piece.bytes.resize(at);
  if (at > 0 || piece.is_complete) thread.pieces.push_back(std::move(piece));
}

// Reads the new records of a thread, up to about `most_bytes`.
void Follower::Collect(Thread& thread, size_t most_bytes) {
  LookAtOpen(thread);
  thread.has_more = false;
  size_t bytes = 0, at = thread.at;
  for (uint32_t sequence = thread.sequence;; ++sequence, at = sizeof(ChunkHeader)) {
    const auto found = thread.closed.find(sequence);
    if (found == thread.closed.end()) break;
    if (bytes >= most_bytes) {
      thread.has_more = true;
      return;
    }
    const uint64_t offset = found->second.offset;
    const std::optional<ChunkHeader> header = HeaderAt(offset);
    if (!header || header->used_bytes < at) return;
    Piece piece;
    piece.base_ticks = piece.last_ticks = header->base_ticks;
    piece.sequence = sequence;
    piece.begin = at;
    piece.is_complete = true;
    piece.bytes.resize(header->used_bytes - at);
    if (!ReadAt(offset + at, piece.bytes.data(), piece.bytes.size())) return;
    bytes += piece.bytes.size();
    Take(thread, std::move(piece));
  }
  CollectOpen(thread);
}

// Reads the chunk that the thread writes to. The thread may empty it at any moment; its copy then
// lies behind the chunks that were found, and the next call reads it.
void Follower::CollectOpen(Thread& thread) {
  Piece piece;
  const bool goes_on = thread.pieces.empty();
  piece.sequence = goes_on ? thread.sequence : thread.pieces.back().sequence + 1;
  piece.begin = goes_on ? thread.at : sizeof(ChunkHeader);
  for (const Place& place : thread.open) {
    const std::optional<ChunkHeader> header = HeaderAt(place.offset);
    if (!header || header->sequence != piece.sequence || header->used_bytes != 0) continue;
    piece.base_ticks = piece.last_ticks = header->base_ticks;
    for (size_t at = piece.begin; at < place.size;) {
      const size_t part = std::min(kPartBytes, place.size - at), before = piece.bytes.size();
      piece.bytes.resize(before + part);
      if (!ReadAt(place.offset + at, piece.bytes.data() + before, part)) return;
      at += part;
      // Zeros at the end: the rest is zero, too.
      if (decode_.U64(piece.bytes.data() + piece.bytes.size() - 8) == 0) break;
    }
    const std::optional<ChunkHeader> now = HeaderAt(place.offset);
    if (now && now->sequence == piece.sequence) Take(thread, std::move(piece));
    return;
  }
}

// Returns the time up to which events may be delivered. Events since `begin_ns` may come before
// events that another thread is still writing; a thread that was not read to its end holds back all
// others.
int64_t Follower::DeliverUntil(const ClockMap& clocks, int64_t begin_ns) const {
  int64_t until_ns = std::numeric_limits<int64_t>::max();
  for (const auto& [serial, thread] : threads_) {
    if (thread.pieces.empty()) continue;
    size_t hint = 0;
    const int64_t last_ns = clocks.ToNs(thread.pieces.back().last_ticks, hint);
    if (thread.has_more) until_ns = std::min(until_ns, last_ns);
    // If the file was recorded on another machine, its clock differs, most probably by much.
    if (last_ns > begin_ns - kTimeErrorNs && last_ns - begin_ns < kMomentNs)
      until_ns = std::min(until_ns, begin_ns - kTimeErrorNs);
  }
  return until_ns;
}

// Moves to the first event at or behind the cursor; returns false if none may be delivered.
bool Follower::Next(Cursor& cursor, const ClockMap& clocks, int64_t until_ns) const {
  const std::vector<Piece>& pieces = cursor.thread->pieces;
  for (; cursor.piece < pieces.size(); ++cursor.piece, cursor.at = nullptr) {
    const Piece& piece = pieces[cursor.piece];
    const std::byte* const end = piece.bytes.data() + piece.bytes.size();
    if (cursor.at == nullptr) cursor.at = piece.bytes.data();
    while (cursor.at < end) {
      const Word word(decode_.U64(cursor.at));
      if (HasEvents(word.kind)) {
        cursor.time_ns = clocks.ToNs(piece.base_ticks + word.delta_ticks, cursor.clock_hint);
        return cursor.time_ns <= until_ns;
      }
      cursor.at += RecordBytes(decode_, cursor.at, static_cast<size_t>(end - cursor.at));
    }
  }
  return false;
}

// The next call continues at this cursor.
void Follower::Leave(const Cursor& cursor) {
  Thread& thread = *cursor.thread;
  if (thread.pieces.empty()) return;
  const bool is_done = cursor.piece == thread.pieces.size();
  const Piece& piece = is_done ? thread.pieces.back() : thread.pieces[cursor.piece];
  thread.sequence = piece.sequence;
  thread.at = piece.begin +
              (is_done ? piece.bytes.size() : static_cast<size_t>(cursor.at - piece.bytes.data()));
  if (is_done && piece.is_complete) {
    ++thread.sequence;
    thread.at = sizeof(ChunkHeader);
  }
  thread.closed.erase(thread.closed.begin(), thread.closed.lower_bound(thread.sequence));
  thread.pieces.clear();
}

bool Follower::FindText(uint32_t id, EventSink& sink, uint64_t& value) {
  auto known = ids_.find(id);
  if (known == ids_.end()) {
    const auto found = texts_.find(id);
    if (found == texts_.end()) return false;
    known = ids_.emplace(id, sink.Intern(found->second)).first;
    texts_.erase(found);
  }
  value = known->second;
  return true;
}

void Follower::Deliver(EventSink& sink, int64_t begin_ns) {
  ClockMap clocks(header_.ns_per_tick, (header_.flags & kTicksAreNanoseconds) != 0);
  for (const ClockSample& sample : clocks_) clocks.Add(sample);
  clocks.Finish();
  const int64_t until_ns = DeliverUntil(clocks, begin_ns);
  std::vector<Cursor> cursors, ended;
  for (auto& [serial, thread] : threads_) {
    Cursor& cursor = cursors.emplace_back(Cursor{.thread = &thread});
    if (!Next(cursor, clocks, until_ns)) ended.push_back(cursor), cursors.pop_back();
  }
  const auto later = [](const Cursor& a, const Cursor& b) { return a.time_ns > b.time_ns; };
  std::make_heap(cursors.begin(), cursors.end(), later);
  const auto text = [&](uint32_t id, uint64_t& value) { return FindText(id, sink, value); };
  const uint32_t rank = static_cast<uint32_t>(std::max(rank_, 0));
  Args args(decode_, text);
  while (!cursors.empty()) {
    std::pop_heap(cursors.begin(), cursors.end(), later);
    Cursor& cursor = cursors.back();
    // While this thread is the earliest, the queue is not consulted.
    bool more = true;
    do {
      const Word word(decode_.U64(cursor.at));
      if (args.Read(word.kind, cursor.at + 8, word.words))
        tlt::Deliver(cursor.time_ns, word.kind, rank, cursor.thread->tid, args.values(), sink);
      cursor.at += word.words * size_t{8};
      more = Next(cursor, clocks, until_ns);
    } while (more && (cursors.size() == 1 || cursor.time_ns <= cursors.front().time_ns));
    if (more) {
      std::push_heap(cursors.begin(), cursors.end(), later);
    } else {
      ended.push_back(cursor);
      cursors.pop_back();
    }
  }
  for (const Cursor& cursor : ended) Leave(cursor);
}

Status Follower::ReadNew(EventSink& sink) {
  if (Status s = Open(); !s.ok()) return s;
  const auto begin_ns = static_cast<int64_t>(MonotonicNs());
  FindChunks();
  is_behind_ = false;
  const size_t most_bytes = kMostBytes / std::max<size_t>(1, threads_.size());
  for (auto& [serial, thread] : threads_) {
    Collect(thread, most_bytes);
    is_behind_ = is_behind_ || thread.has_more;
  }
  Deliver(sink, begin_ns);
  return {};
}

}  // namespace tasklens::tlt
