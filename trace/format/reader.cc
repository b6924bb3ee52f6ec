// SPDX-License-Identifier: Apache-2.0
// Two passes: find the chunks, their strings and clocks; then decode the events in order of time.
#include "trace/format/reader.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <filesystem>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "trace/format/being_recorded.h"
#include "trace/format/clock_map.h"
#include "trace/format/joint_records.h"
#include "trace/format/records.h"
#include "trace/support/beside.h"

namespace tasklens::tlt {
namespace {

constexpr uint64_t kReportEveryBytes = 4 << 20;

struct Chunk {
  const std::byte* begin;  // of the header
  const std::byte* end;    // behind the last good record, once Validate() has run
  uint64_t offset;         // in the file
  uint64_t tid, base_ticks, dropped;
  uint32_t serial, sequence;
  bool complete;  // else its thread may be writing to it
};

struct Text {
  const std::byte* bytes = nullptr;  // nullptr: not defined
  uint32_t size = 0;
  bool interned = false;
  StringId id = 0;
};

// Strings by their number in the file. Good files number them densely; other numbers go into a map.
class TextTable {
 public:
  explicit TextTable(size_t file_bytes) : dense_limit_(1024 + file_bytes / 16) {}

  Text* Add(uint32_t id) {
    if (id >= dense_limit_) return &sparse_[id];
    if (id >= dense_.size()) dense_.resize(std::min<size_t>(dense_limit_, id * size_t{2} + 64));
    return &dense_[id];
  }
  Text* Find(uint32_t id) {
    if (id < dense_.size()) return dense_[id].bytes ? &dense_[id] : nullptr;
    auto it = sparse_.find(id);
    return it == sparse_.end() ? nullptr : &it->second;
  }

 private:
  size_t dense_limit_;
  std::vector<Text> dense_;
  std::unordered_map<uint32_t, Text> sparse_;
};

class Reader {
 public:
  Reader(const std::string& path, std::span<const std::byte> bytes, const FileHeader& header,
         bool swap, uint32_t rank, EventSink& sink, Diagnostics& diags)
      : path_(path),
        bytes_(bytes),
        header_(header),
        decode_(swap),
        rank_(rank),
        sink_(sink),
        diags_(diags),
        closed_((header.flags & kClosed) != 0),
        ended_(closed_ || !IsBeingRecorded(path)),
        texts_(bytes.size()),
        clocks_(header.ns_per_tick, (header.flags & kTicksAreNanoseconds) != 0) {}

  // Returns false if `progress` stopped it.
  bool Run(Progress* progress, double share) {
    progress_ = progress;
    FindChunks();
    OrderChunks();
    if (share < 1) KeepBeginning(share);
    clocks_.Add(header_.start);
    if (closed_) clocks_.Add(header_.end);
    uint64_t dropped = header_.dropped;
    if (!ValidateChunks()) return false;
    for (const Chunk& chunk : chunks_) dropped += std::min(chunk.dropped, ~dropped);
    clocks_.Finish();
    if (until_ticks_) until_ns_ = ToNs(*until_ticks_);
    diags_.Skip("tlt_dropped", path_, dropped);
    // A recorder that closes its file leaves no gap, unless the disk refused something.
    if (closed_ && dropped == 0)
      for (const uint64_t offset : gaps_) diags_.Skip("tlt_bad_chunk", Where(offset));
    if (!closed_) diags_.Skip("tlt_not_closed", path_);
    // Bytes were inserted, so that what follows them has moved.
    if (closed_ && bytes_.size() > header_.file_bytes)
      diags_.Skip("tlt_bad_chunk", Where(header_.file_bytes));
    if (IsCut())
      diags_.Skip("tlt_truncated", Where(bytes_.size()) + " of " + std::to_string(whole_bytes_));
    DeliverHeader();
    return DeliverEvents();
  }

 private:
  // A thread's position in its chunks.
  struct Cursor {
    size_t chunk, chunks_end;  // in chunks_
    const std::byte* at;       // the event's record
    Word word;                 // first word of this record
    size_t clock_hint;
    int64_t time_ns;
  };

  std::string Where(uint64_t offset) const { return path_ + ": byte " + std::to_string(offset); }
  std::string Where(const Chunk& chunk, const std::byte* at) const {
    return Where(chunk.offset + static_cast<uint64_t>(at - chunk.begin));
  }

  // Whether the file was longer when the recorder left it. REQUIRES: FindChunks() has run.
  bool IsCut() const { return bytes_.size() < whole_bytes_; }

  void FindChunks();
  void FindWholeSize(uint64_t end_of_chunks);
  bool AddChunk(size_t offset, size_t& chunk_bytes);
  const std::byte* CopyOpenChunk(const std::byte* begin, size_t size, uint32_t sequence);
  void OrderChunks();
  void KeepBeginning(double share);
  int64_t ToNs(uint64_t ticks) const {
    size_t hint = 0;
    return clocks_.ToNs(ticks, hint);
  }
  // The result of the first scan of a chunk's records.
  struct Scanned {
    const std::byte* end;  // of the good records
    bool is_damaged = false;
    std::vector<const std::byte*> shared = {};  // strings and clocks
  };
  bool ValidateChunks();
  Scanned Scan(const Chunk& chunk) const;
  bool HasRecordsBehind(const std::byte* at, const std::byte* end) const;
  size_t RecordBytes(const std::byte* at, size_t left) const {
    return tlt::RecordBytes(decode_, at, left);
  }
  void AddString(const Chunk& chunk, const std::byte* at);
  void DeliverHeader();
  bool DeliverEvents();
  bool Report();
  bool NextEvent(Cursor& cursor);
  void Deliver(const Chunk& chunk, const Cursor& cursor);
  bool FindText(uint32_t id, uint64_t& value);

  const std::string& path_;
  const std::span<const std::byte> bytes_;
  const FileHeader& header_;
  const Decoder decode_;
  const uint32_t rank_;
  EventSink& sink_;
  Diagnostics& diags_;
  const bool closed_;
  const bool ended_;                     // no process writes to it
  std::vector<uint64_t> gaps_;           // offsets
  uint64_t whole_bytes_ = 0;             // the least size that the recorder left
  std::optional<uint64_t> until_ticks_;  // end of the beginning, if only that is wanted
  int64_t until_ns_ = std::numeric_limits<int64_t>::max();
  std::vector<Chunk> chunks_;
  std::deque<std::vector<std::byte>> copies_;  // of open chunks
  TextTable texts_;
  ClockMap clocks_;
  struct TextOf {
    Reader& reader;
    bool operator()(uint32_t id, uint64_t& value) const { return reader.FindText(id, value); }
  };
  Args<TextOf> args_{decode_, TextOf{*this}};
  bool text_is_missing_ = false;
  Progress* progress_ = nullptr;
  uint64_t read_bytes_ = 0, report_at_ = kReportEveryBytes;
};

// --- First pass --------------------------------------------------------------------------------

void Reader::FindChunks() {
  size_t offset = header_.header_bytes;
  if (offset < kAlignBytes || offset % kAlignBytes != 0 || offset > (1u << 20)) {
    diags_.Skip("tlt_bad_chunk", Where(offsetof(FileHeader, header_bytes)));
    offset = kHeaderBytes;
  }
  // Bytes that begin with zeros are reserved and unused, or an unfinished copy of a chunk: a gap.
  // Other bytes that are no chunk are damage, counted once. So are records behind zeros, because a
  // chunk's magic is written before its records.
  bool passing_over = false;
  uint64_t end_of_chunks = 0;
  while (offset < bytes_.size() && bytes_.size() - offset >= sizeof(ChunkHeader)) {
    size_t chunk_bytes = kAlignBytes;
    if (AddChunk(offset, chunk_bytes)) {
      passing_over = false;
    } else {
      const std::byte* at = bytes_.data() + offset;
      const bool has_record = bytes_.size() - offset >= sizeof(ChunkHeader) + 8 &&
                              decode_.U64(at + sizeof(ChunkHeader));
      if (!passing_over && (decode_.U64(at) != 0 || has_record))
        diags_.Skip("tlt_bad_chunk", Where(offset));
      else if (!passing_over)
        gaps_.push_back(offset);
      passing_over = true;
    }
    offset += chunk_bytes;
    if (!passing_over) end_of_chunks = offset;
  }
  FindWholeSize(end_of_chunks);
}

// A file that is not closed has the full size of every chunk. If it is larger now than when its
// size was read, it is growing, and nothing was cut off.
void Reader::FindWholeSize(uint64_t end_of_chunks) {
  whole_bytes_ = header_.file_bytes;
  if (closed_) return;
  whole_bytes_ = std::max(whole_bytes_, end_of_chunks);
  if (!IsCut()) return;
  std::error_code no_such_file;
  const uint64_t now_bytes = std::filesystem::file_size(path_, no_such_file);
  if (!no_such_file && now_bytes >= whole_bytes_) whole_bytes_ = bytes_.size();
}

// Adds the chunk at `offset` and sets its size; returns false if there is none.
bool Reader::AddChunk(size_t offset, size_t& chunk_bytes) {
  const std::byte* at = bytes_.data() + offset;
  if (decode_.U64(at + offsetof(ChunkHeader, magic)) != kChunkMagic) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  const uint32_t size = decode_.U32(at + offsetof(ChunkHeader, chunk_bytes));
  uint32_t used = decode_.U32(at + offsetof(ChunkHeader, used_bytes));
  if (!IsChunkSize(size, used)) return false;
  chunk_bytes = size;

  const size_t there = std::min<size_t>(bytes_.size() - offset, used == 0 ? size : used);
  if (closed_ && there < used && bytes_.size() >= header_.file_bytes)
    diags_.Skip("tlt_bad_chunk", Where(offset));
  const uint32_t sequence = decode_.U32(at + offsetof(ChunkHeader, sequence));
  if (used == 0 && !closed_) {
    at = CopyOpenChunk(at, there, sequence);
    if (at == nullptr) return true;
  }
  chunks_.push_back({at, at + there, offset, decode_.U64(at + offsetof(ChunkHeader, tid)),
                     decode_.U64(at + offsetof(ChunkHeader, base_ticks)),
                     decode_.U64(at + offsetof(ChunkHeader, dropped)),
                     decode_.U32(at + offsetof(ChunkHeader, thread_serial)), sequence, used != 0});
  return true;
}

// The thread may empty its chunk at any moment; its records are then elsewhere in the file. Returns
// nullptr if that happened during the copy.
const std::byte* Reader::CopyOpenChunk(const std::byte* begin, size_t size, uint32_t sequence) {
  std::vector<std::byte>& copy = copies_.emplace_back(size);
  std::memcpy(copy.data(), begin, size);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (decode_.U32(begin + offsetof(ChunkHeader, sequence)) == sequence) return copy.data();
  copies_.pop_back();
  return nullptr;
}

// Sorts by thread and sequence. A chunk and the copy of it that was made before it was emptied have
// the same sequence; the copy is complete and wins.
void Reader::OrderChunks() {
  std::stable_sort(chunks_.begin(), chunks_.end(), [](const Chunk& a, const Chunk& b) {
    return std::tuple(a.serial, a.sequence, !a.complete) <
           std::tuple(b.serial, b.sequence, !b.complete);
  });
  const auto same = [](const Chunk& a, const Chunk& b) {
    return a.serial == b.serial && a.sequence == b.sequence;
  };
  chunks_.erase(std::unique(chunks_.begin(), chunks_.end(), same), chunks_.end());
  // Parts may have been appended during reading, or cut off, which is reported elsewhere.
  if (!closed_ && (!ended_ || IsCut())) return;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const bool first = i == 0 || chunks_[i - 1].serial != chunks_[i].serial;
    const uint32_t expected = first ? 0 : chunks_[i - 1].sequence + 1;
    if (chunks_[i].sequence != expected)
      diags_.Skip("tlt_bad_chunk", path_ + ": thread " + std::to_string(chunks_[i].tid) +
                                       " before chunk " + std::to_string(chunks_[i].sequence));
  }
}

// Chunks of a thread are not in order in the file: the last one often lies near its beginning. But
// the events of a thread before a time lie in its chunks that begin before that time.
void Reader::KeepBeginning(double share) {
  std::vector<std::pair<uint64_t, uint64_t>> bytes_from;  // base ticks, bytes
  double wanted = 0;
  for (const Chunk& chunk : chunks_) {
    bytes_from.emplace_back(chunk.base_ticks, static_cast<uint64_t>(chunk.end - chunk.begin));
    wanted += share * static_cast<double>(bytes_from.back().second);
  }
  std::sort(bytes_from.begin(), bytes_from.end());
  for (const auto& [ticks, bytes] : bytes_from) {
    if (wanted <= 0) {
      until_ticks_ = ticks;
      break;
    }
    wanted -= static_cast<double>(bytes);
  }
  if (until_ticks_)
    std::erase_if(chunks_, [&](const Chunk& chunk) { return chunk.base_ticks >= *until_ticks_; });
}

// Finds the end of each chunk's good records, and collects strings and clocks, which all threads
// need. Returns false if `progress` stopped it.
bool Reader::ValidateChunks() {
  constexpr size_t kWorthAThread = size_t{16} << 20;
  std::vector<Scanned> scanned(chunks_.size());
  std::atomic<bool> stopped = false;
  const auto scan = [&](size_t first, bool may_report) {
    uint64_t looked_at_bytes = 0;
    for (size_t i = first; i < chunks_.size() && !stopped; i += 2) {
      scanned[i] = Scan(chunks_[i]);
      looked_at_bytes += static_cast<uint64_t>(chunks_[i].end - chunks_[i].begin);
      if (!may_report || looked_at_bytes < kReportEveryBytes) continue;
      looked_at_bytes = 0;
      if (progress_ != nullptr && !progress_->Report(0, bytes_.size())) stopped = true;
    }
  };
  std::future<void> second =
      BesideIf(bytes_.size() >= kWorthAThread, [&] { scan(size_t{1}, false); });
  scan(0, true);
  second.get();
  if (stopped) return false;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    Chunk& chunk = chunks_[i];
    if (scanned[i].is_damaged) diags_.Skip("tlt_bad_chunk", Where(chunk, scanned[i].end));
    chunk.end = scanned[i].end;
    for (const std::byte* at : scanned[i].shared) {
      if (Word(decode_.U64(at)).kind == kStringRecord)
        AddString(chunk, at);
      else
        clocks_.Add(decode_.Clock(at + 8));
    }
  }
  return true;
}

// Whether more than one unfinished record follows the zero word at `at`.
bool Reader::HasRecordsBehind(const std::byte* at, const std::byte* end) const {
  const std::byte* last = end;
  while (last > at && last[-1] == std::byte{0}) --last;
  const size_t size = static_cast<size_t>(last - at);
  if (size <= kMaxRecordWords * size_t{8}) return false;
  const size_t text_bytes = decode_.U32(at + 12);
  return text_bytes > kMaxStringBytes || size > 16 + PadToWord(text_bytes);
}

Reader::Scanned Reader::Scan(const Chunk& chunk) const {
  Scanned scanned{chunk.begin + sizeof(ChunkHeader)};
  const std::byte*& at = scanned.end;
  while (chunk.end - at >= 8) {
    const size_t left = static_cast<size_t>(chunk.end - at);
    const uint64_t first = decode_.U64(at);
    const size_t bytes = first == 0 ? 0 : RecordBytes(at, left);
    if (bytes == 0) {
      // A file that was cut has a broken record at its end, reported as tlt_truncated.
      const bool cut =
          IsCut() && chunk.offset + static_cast<uint64_t>(chunk.end - chunk.begin) == bytes_.size();
      // Zeros are no record yet, unless the thread has left the chunk, or wrote records behind
      // them.
      scanned.is_damaged =
          !cut && (first != 0 || chunk.complete || (ended_ && HasRecordsBehind(at, chunk.end)));
      break;
    }
    const Word word(first);
    if ((word.kind == kStringRecord && word.words == 0) ||
        (word.kind == kClockRecord && bytes == 8 + sizeof(ClockSample)))
      scanned.shared.push_back(at);
    at += bytes;
  }
  return scanned;
}

void Reader::AddString(const Chunk& chunk, const std::byte* at) {
  const uint32_t id = decode_.U32(at + 8), size = decode_.U32(at + 12);
  Text* text = texts_.Add(id);
  // Two threads may define the same string.
  const bool known = text->bytes != nullptr;
  if (id == 0 || (known && (text->size != size || std::memcmp(text->bytes, at + 16, size) != 0)))
    diags_.Skip("tlt_bad_record", Where(chunk, at));
  else if (!known)
    *text = {at + 16, size};
}

// --- Second pass -------------------------------------------------------------------------------

void Reader::DeliverHeader() {
  const auto text = [](const auto& field) {
    return std::string_view(field.data(), strnlen(field.data(), field.size()));
  };
  const int64_t time_ns = ToNs(header_.start.ticks);
  const auto deliver = [&](EventKind kind, std::span<const uint64_t> args) {
    sink_.OnEvent({time_ns, kind, rank_, 0, args});
  };
  const uint64_t wall[] = {static_cast<uint64_t>(header_.start.realtime_ns)};
  deliver(EventKind::kWallClock, wall);
  const auto info = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    const uint64_t args[] = {sink_.Intern(key), sink_.Intern(value)};
    deliver(EventKind::kProgramInfo, args);
  };
  info("program", text(header_.program));
  info("host", text(header_.host));
  info("pid", std::to_string(header_.pid));
}

// Returns false if `progress` stopped it.
bool Reader::DeliverEvents() {
  std::vector<Cursor> cursors;
  for (size_t begin = 0; begin < chunks_.size();) {
    size_t end = begin + 1;
    while (end < chunks_.size() && chunks_[end].serial == chunks_[begin].serial) ++end;
    cursors.push_back({begin, end, chunks_[begin].begin + sizeof(ChunkHeader), Word(0), 0, 0});
    begin = end;
  }
  const auto later = [&cursors](size_t a, size_t b) {
    return std::pair(cursors[a].time_ns, a) > std::pair(cursors[b].time_ns, b);
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);
  for (size_t i = 0; i < cursors.size(); ++i)
    if (NextEvent(cursors[i])) queue.push(i);
  while (!queue.empty()) {
    const size_t i = queue.top();
    queue.pop();
    Cursor& cursor = cursors[i];
    // While this thread is the earliest, the queue is not consulted.
    bool more = true;
    do {
      if (cursor.time_ns > until_ns_) return true;
      Deliver(chunks_[cursor.chunk], cursor);
      cursor.at += cursor.word.words * size_t{8};
      read_bytes_ += cursor.word.words * size_t{8};
      if (read_bytes_ >= report_at_ && !Report()) return false;
      more = NextEvent(cursor);
    } while (more && (queue.empty() || cursor.time_ns < cursors[queue.top()].time_ns));
    if (more) queue.push(i);
  }
  return true;
}

bool Reader::Report() {
  report_at_ = read_bytes_ + kReportEveryBytes;
  return progress_ == nullptr ||
         progress_->Report(std::min<uint64_t>(read_bytes_, bytes_.size()), bytes_.size());
}

// Moves `cursor` to the first event at or behind it; returns false at the end of the thread.
bool Reader::NextEvent(Cursor& cursor) {
  for (;;) {
    const Chunk& chunk = chunks_[cursor.chunk];
    while (cursor.at < chunk.end) {
      const Word word(decode_.U64(cursor.at));
      if (HasEvents(word.kind)) {
        cursor.word = word;
        cursor.time_ns = clocks_.ToNs(chunk.base_ticks + word.delta_ticks, cursor.clock_hint);
        return true;
      }
      if (word.kind != kStringRecord && word.kind != kClockRecord)
        diags_.Skip("tlt_bad_record", Where(chunk, cursor.at));
      cursor.at += RecordBytes(cursor.at, static_cast<size_t>(-1));
    }
    if (++cursor.chunk == cursor.chunks_end) return false;
    cursor.at = chunks_[cursor.chunk].begin + sizeof(ChunkHeader);
  }
}

void Reader::Deliver(const Chunk& chunk, const Cursor& cursor) {
  if (!args_.Read(cursor.word.kind, cursor.at + 8, cursor.word.words)) {
    diags_.Skip(text_is_missing_ && !closed_ ? "tlt_missing_text" : "tlt_bad_record",
                Where(chunk, cursor.at));
    text_is_missing_ = false;
    return;
  }
  tlt::Deliver(cursor.time_ns, cursor.word.kind, rank_, chunk.tid, args_.values(), sink_);
}

// Looks up string `id` of the file as an argument.
bool Reader::FindText(uint32_t id, uint64_t& value) {
  Text* text = texts_.Find(id);
  if (text == nullptr) {
    text_is_missing_ = true;
    return false;
  }
  if (!text->interned) {
    text->id = sink_.Intern({reinterpret_cast<const char*>(text->bytes), text->size});
    text->interned = true;
  }
  value = text->id;
  return true;
}

// Swaps the bytes of a number of the header in place.
template <class T>
void Swap(T& value) {
  auto& bytes = reinterpret_cast<std::array<std::byte, sizeof(T)>&>(value);
  std::reverse(bytes.begin(), bytes.end());
}

void SwapHeader(FileHeader& h) {
  Swap(h.version_major), Swap(h.version_minor), Swap(h.header_bytes), Swap(h.flags);
  Swap(h.file_bytes), Swap(h.dropped), Swap(h.pid), Swap(h.rank), Swap(h.category_mask);
  Swap(h.ns_per_tick);
  for (ClockSample* sample : {&h.start, &h.end})
    Swap(sample->ticks), Swap(sample->monotonic_ns), Swap(sample->realtime_ns);
}

}  // namespace

bool LooksLikeTrace(std::span<const std::byte> head) {
  return head.size() >= kMagic.size() &&
         std::memcmp(head.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<FileHeader> ReadHeader(const std::string& path, std::span<const std::byte> bytes) {
  const auto corrupt = [&path](std::string what) {
    return Status(ErrorCode::kCorrupt, path + ": " + std::move(what));
  };
  if (!LooksLikeTrace(bytes)) return corrupt("not a .tlt trace");
  if (bytes.size() < sizeof(FileHeader))
    return corrupt("the file ends after " + std::to_string(bytes.size()) +
                   " bytes, within its header; record the trace again");
  FileHeader header;
  std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
  if (header.byte_order == __builtin_bswap32(kByteOrderMark))
    SwapHeader(header);
  else if (header.byte_order != kByteOrderMark)
    return corrupt("byte 8: the byte order mark is damaged; the trace cannot be read");
  const std::string version =
      std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
  if (header.version_major == kUnreleasedMajor)
    return Status(ErrorCode::kUnsupported,
                  path + ": written by an unreleased version of TaskLens (format " + version +
                      "); record it again");
  if (header.version_major != kVersionMajor)
    return Status(ErrorCode::kUnsupported,
                  path + ": the trace has format version " + version +
                      ", this program reads version " + std::to_string(kVersionMajor) +
                      "; use the TaskLens that recorded it, or a newer one");
  return header;
}

Status ReadTrace(const std::string& path, std::span<const std::byte> bytes, uint32_t rank,
                 EventSink& sink, Diagnostics& diags, Progress* progress, double share) {
  auto header = ReadHeader(path, bytes);
  if (!header.ok()) return header.status();
  Reader reader(path, bytes, *header, header->byte_order != kByteOrderMark, rank, sink, diags);
  if (!reader.Run(progress, share)) return {ErrorCode::kCancelled, path + ": reading was stopped"};
  return {};
}

}  // namespace tasklens::tlt
