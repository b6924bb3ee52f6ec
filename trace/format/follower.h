// SPDX-License-Identifier: Apache-2.0
// Reads a .tlt file while a program records it. Each call reads only the bytes that were added
// since the last call, so that following a file costs no more than reading it once.
//
// Only complete events are delivered: an event of the last moments, or one that must follow an
// incomplete event of another thread, comes with a later call. Damage is skipped silently; the
// reader of whole files (reader.h) counts it.
//
// Untrusted input: any bytes are accepted, in memory proportional to kMostBytes and the number of
// chunks.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/format/clock_map.h"
#include "trace/format/format.h"
#include "trace/format/records.h"
#include "trace/support/status.h"

namespace tasklens::tlt {

class Follower {
 public:
  // About the most bytes that one call reads, of all threads together. Later calls read the rest.
  static constexpr size_t kMostBytes = size_t{32} << 20;

  explicit Follower(std::string path) : path_(std::move(path)) {}
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Delivers the new events, in order of time within one call; times are CLOCK_MONOTONIC of the
  // recording machine. All calls must have the same `sink`. Fails with kIo, or as ReadHeader()
  // does; the caller may then try again.
  Status ReadNew(EventSink& sink);

  // -1: the program did not say, or the file has not been read yet.
  int32_t rank() const { return rank_; }
  // Whether the last ReadNew() left bytes unread that were in the file already.
  bool is_behind() const { return is_behind_; }

 private:
  struct Place {  // of a chunk in the file
    uint64_t offset;
    uint32_t size;
  };
  struct Piece {  // of a chunk in memory
    std::vector<std::byte> bytes;
    uint64_t base_ticks = 0;
    uint32_t sequence = 0;
    size_t begin = 0;         // offset of `bytes` in the chunk
    uint64_t last_ticks = 0;  // of its last event
    bool is_complete = false;
  };
  struct Thread {
    uint64_t tid = 0;
    uint32_t sequence = 0;             // the next chunk to deliver
    size_t at = sizeof(ChunkHeader);   // offset in this chunk from which to deliver
    std::map<uint32_t, Place> closed;  // by sequence: complete, not delivered yet
    std::vector<Place> open;           // chunks that may still be written to
    std::vector<Piece> pieces;         // read by this call
    bool has_more = false;             // this call left chunks unread
  };
  // A position in the pieces of a thread.
  struct Cursor {
    Thread* thread;
    size_t piece = 0;
    const std::byte* at = nullptr;
    int64_t time_ns = 0;
    size_t clock_hint = 0;
  };

  Status Open();
  bool ReadAt(uint64_t offset, void* to, size_t bytes) const;
  std::optional<ChunkHeader> HeaderAt(uint64_t offset) const;
  void FindChunks();
  void LookAtOpen(Thread& thread);
  void Collect(Thread& thread, size_t most_bytes);
  void CollectOpen(Thread& thread);
  void Take(Thread& thread, Piece piece);
  int64_t DeliverUntil(const ClockMap& clocks, int64_t begin_ns) const;
  void Deliver(EventSink& sink, int64_t begin_ns);
  bool Next(Cursor& cursor, const ClockMap& clocks, int64_t until_ns) const;
  bool FindText(uint32_t id, EventSink& sink, uint64_t& value);
  void Leave(const Cursor& cursor);

  const std::string path_;
  int fd_ = -1;
  int32_t rank_ = -1;
  FileHeader header_{};
  Decoder decode_{false};
  uint64_t scan_from_ = 0;                           // all chunks before this offset are known
  std::map<uint32_t, Thread> threads_;               // by serial
  std::unordered_map<uint32_t, std::string> texts_;  // strings that were not needed yet
  std::unordered_map<uint32_t, StringId> ids_;       // the other strings, in the sink
  std::vector<ClockSample> clocks_;
  bool is_behind_ = false;
};

}  // namespace tasklens::tlt
