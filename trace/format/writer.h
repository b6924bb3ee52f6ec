// SPDX-License-Identifier: Apache-2.0
// Writes a .tlt file while the program runs. Every thread appends to a chunk of its own, which is a
// piece of the file mapped into memory, so that the file holds each event the moment it is
// recorded: whatever ends the process, the kernel keeps the pages. A full chunk is copied to the
// end of the file and used again, because fresh pages of a mapped file cost microseconds each.
//
// Append costs no lock, no system call and no allocation. When the chunk is full, MakeRoom()
// empties it: disk space is reserved before it is written to, so that a full disk is an error here
// and never a SIGBUS in the program. Then events are dropped and counted until there is room again;
// the program goes on.
//
// Threads: Append*() from any thread, each with its own ThreadBuffer; Open() and Close() from one
// at a time. A thread may still be in Append*() during Close(): its event may be lost, nothing
// else happens. Not for signal handlers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "trace/format/format.h"
#include "trace/format/joint_records.h"
#include "trace/format/ticks.h"
#include "trace/support/status.h"

namespace tasklens::tlt {

// Where one thread records. All zero means "no room yet"; the first event takes a chunk. Trivial,
// so that it can be thread_local without a guard. Only its own thread uses it, except that Close()
// takes its chunk away.
struct ThreadBuffer {
  // Used by every event.
  std::atomic<uintptr_t> next{0};   // where the next record goes
  std::atomic<uintptr_t> limit{0};  // end of the room; beyond it, call MakeRoom()
  uint64_t base_ticks = 0;
  uint64_t max_delta_ticks = 0;  // for a time later than base + this, call MakeRoom()

  // Used by MakeRoom(). Guarded by `lock`.
  std::atomic<bool> lock{false};
  std::atomic<uint32_t> session{0};  // of Writer, when this thread joined
  bool in_make_room = false;
  char* chunk = nullptr;  // the mapping, with its ChunkHeader first
  size_t chunk_bytes = 0;
  uint64_t chunk_offset = 0;
  char* dead = nullptr;  // a mapping that Close() detached from the file; the thread unmaps it
  size_t dead_bytes = 0;
  uint64_t retry_ticks = 0;  // before this time there is no room: drop the event
  uint64_t tid = 0;
  uint32_t serial = 0;
  uint32_t sequence = 0;
  ThreadBuffer* next_buffer = nullptr;  // in Writer's list
};

struct WriterOptions {
  std::string path;
  int32_t rank = -1;  // -1: not known
  uint64_t category_mask = ~uint64_t{0};
  bool steady_ticks = HasSteadyTicks();      // false: CLOCK_MONOTONIC instead of the counter
  uint64_t (*clock_ns)() = nullptr;          // instead of CLOCK_MONOTONIC, without steady_ticks
  size_t first_chunk_bytes = 64 * 1024;      // of each thread; doubled with every further chunk
  size_t max_chunk_bytes = 1024 * 1024;      // up to this
  void (*on_join)(ThreadBuffer&) = nullptr;  // called in a thread before its first event
  bool keeps_older = false;                  // never replace a file of that name: use another name
};

class Writer {
 public:
  constexpr Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Creates options.path, complete with its header from the start. Replaces an older file of that
  // name, unless a living process still records into it or `keeps_older` is set: then the new file
  // gets ".<pid>" before its ending. Fails with kIo, kInvalidArgument; then there is no file.
  // REQUIRES: not open.
  Status Open(const WriterOptions& options);

  // Trims the file and marks it closed; does nothing when not open. Later events are ignored. Fails
  // if the disk refuses; the events recorded so far can be read all the same.
  Status Close();

  bool is_open() const { return session_.load(std::memory_order_acquire) != 0; }
  // Different for each Open(); 0 when closed.
  uint32_t session() const { return session_.load(std::memory_order_acquire); }
  // The path of the open file, or of the last one when closed; "" before the first.
  const char* path() const { return path_.data(); }
  // Events lost since Open(), and the errno of the last refusal.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  int drop_errno() const { return drop_errno_.load(std::memory_order_relaxed); }
  // Forces what was recorded to the disk, against a power failure. Readers need no Flush().
  Status Flush();

  // The current time, for Append*() below.
  uint64_t Now() const {
    return steady_ticks_.load(std::memory_order_relaxed) ? ReadTicks() : ClockNs();
  }

  // Reserves room for a record of `bytes` (a multiple of 8) at time `ticks`, which is raised to the
  // beginning of the chunk if it is earlier. Returns nullptr if there is no room; if `is_event`,
  // the event is then counted as dropped. The caller fills everything behind the first word, then
  // calls Publish().
  char* Reserve(ThreadBuffer& buffer, size_t bytes, uint64_t& ticks, bool is_event = true) {
    const uintptr_t at = buffer.next.load(std::memory_order_relaxed);
    if (at + bytes > buffer.limit.load(std::memory_order_relaxed) ||
        ticks - buffer.base_ticks > buffer.max_delta_ticks) [[unlikely]]
      return MakeRoom(buffer, bytes, ticks, is_event);
    buffer.next.store(at + bytes, std::memory_order_relaxed);
    return reinterpret_cast<char*>(at);
  }
  // Makes a reserved record visible.
  static void Publish(char* record, uint64_t word) {
    std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(record))
        .store(word, std::memory_order_release);
  }

  // Appends an event with arguments that are only known at run time; see event_sink.h for their
  // form. Returns false if it was dropped, or has not the declared number of arguments.
  bool AppendEvent(ThreadBuffer& buffer, EventKind kind, uint64_t ticks,
                   std::span<const uint64_t> args) {
    return AppendRecord(buffer, RecordKind(kind), ticks, args);
  }
  // The same for any record with events (joint_records.h). REQUIRES: DeclOf(record_kind).
  bool AppendRecord(ThreadBuffer& buffer, uint32_t record_kind, uint64_t ticks,
                    std::span<const uint64_t> args);
  // Defines string `id`; text beyond kMaxStringBytes is cut at a character. REQUIRES: id != 0, and
  // no other text has it.
  bool AppendString(ThreadBuffer& buffer, uint32_t id, std::string_view text, uint64_t ticks);

  // Call when a thread ends: completes its chunk and resets `buffer`.
  void Leave(ThreadBuffer& buffer);

  // Call around fork(), in the forking thread. The child records no trace: the file is the
  // parent's.
  void BeforeFork();
  void AfterForkInParent();
  void AfterForkInChild(ThreadBuffer& own);

 private:
  char* MakeRoom(ThreadBuffer& buffer, size_t bytes, uint64_t& ticks, bool is_event);
  char* MakeRoomLocked(ThreadBuffer& buffer, size_t bytes, uint64_t& ticks);
  bool Join(ThreadBuffer& buffer);
  int NextChunk(ThreadBuffer& buffer, size_t bytes, uint64_t ticks);
  int NewChunk(ThreadBuffer& buffer, size_t bytes, uint64_t ticks);
  int EmptyChunk(ThreadBuffer& buffer, uint64_t ticks);
  void FinishChunk(ThreadBuffer& buffer, bool keep_address);
  void Refuse(ThreadBuffer& buffer, uint64_t ticks, int error);
  void Drop(ThreadBuffer& buffer);
  void SampleClockIfDue(ThreadBuffer& buffer, uint64_t ticks);
  ClockSample SampleClock() const;
  uint64_t ClockNs() const;
  uint64_t TicksOf(uint64_t ns) const;
  Status CreateFile(const WriterOptions& options, const ClockSample& first);
  Status PutInPlace(const std::string& temporary, std::string wanted, bool keeps_older);
  int TakeSpace(size_t bytes, uint64_t& offset);
  int Extend(uint64_t bytes);

  std::atomic<uint32_t> session_{0};
  std::atomic<bool> steady_ticks_{true};
  std::atomic<uint64_t (*)()> clock_ns_{nullptr};  // nullptr: CLOCK_MONOTONIC
  std::atomic<uint64_t> last_clock_ticks_{0};
  std::atomic<uint64_t> clock_interval_ticks_{0};
  std::atomic<uint64_t> dropped_{0};
  std::atomic<int> drop_errno_{0};
  double ns_per_tick_ = 1;
  size_t first_chunk_bytes_ = 0, max_chunk_bytes_ = 0, page_bytes_ = 0;
  void (*on_join_)(ThreadBuffer&) = nullptr;

  std::mutex list_mutex_;  // is locked before a buffer's lock
  ThreadBuffer* buffers_ = nullptr;
  uint32_t next_serial_ = 0;
  uint32_t last_session_ = 0;

  std::mutex copy_mutex_;  // is locked after a buffer's lock

  std::mutex file_mutex_;  // is locked after a buffer's lock
  int fd_ = -1;
  uint64_t reserved_end_ = 0;  // end of the disk space that the file has
  uint64_t end_ = 0;           // end of the chunks
  uint64_t used_end_ = 0;      // end of the records
  FileHeader* header_ = nullptr;
  std::array<char, 4096> path_{};
};

}  // namespace tasklens::tlt
