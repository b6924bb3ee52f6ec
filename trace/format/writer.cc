// SPDX-License-Identifier: Apache-2.0
// The slow paths of recording: taking chunks of the file, sampling clocks, opening and closing.
#include "trace/format/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "trace/format/records.h"

namespace tasklens::tlt {
namespace {

// Disk space to reserve ahead: at most this, and no more than the file already has.
constexpr size_t kReserveAheadBytes = 8 * 1024 * 1024;
// After a failure of the disk, events are dropped for this time before the next attempt.
constexpr uint64_t kRetryNs = 200'000'000;
// The clocks are sampled at growing intervals (the first is set in Open()), up to this.
constexpr uint64_t kLastClockIntervalNs = 1'000'000'000;

#ifndef MADV_POPULATE_WRITE  // Linux 5.14
#define MADV_POPULATE_WRITE 23
#endif

class SpinLock {
 public:
  explicit SpinLock(std::atomic<bool>& flag) : flag_(flag) {
    // Held for microseconds, and almost never contended.
    while (flag_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~SpinLock() { flag_.store(false, std::memory_order_release); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  std::atomic<bool>& flag_;
};

uint64_t NowOn(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

ChunkHeader* HeaderOf(const ThreadBuffer& buffer) {
  return reinterpret_cast<ChunkHeader*>(buffer.chunk);
}

template <class T>
void StoreRelease(T& field, T value) {
  std::atomic_ref<T>(field).store(value, std::memory_order_release);
}

template <class T>
void AddRelaxed(T& field, T value) {
  std::atomic_ref<T>(field).fetch_add(value, std::memory_order_relaxed);
}

// Returns 0 or an errno.
int WriteAll(int fd, const char* bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t done = pwrite(fd, bytes, size, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    bytes += done;
    offset += static_cast<uint64_t>(done);
    size -= static_cast<size_t>(done);
  }
  return 0;
}

// Returns where to cut `text` so that at most `limit` bytes remain and no UTF-8 character is split.
size_t CutAt(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text.size();
  size_t end = limit;
  while (end > limit - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80 ? limit : end;
}

// Returns the end of the finished records of a chunk from which `used` bytes were reserved. Its
// thread may be writing, and publishing, a record meanwhile.
size_t EndOfRecords(char* chunk, size_t used) {
  const Decoder decode(/*swap=*/false);
  size_t end = sizeof(ChunkHeader);
  while (end + 8 <= used) {
    const std::atomic_ref<uint64_t> word(*reinterpret_cast<uint64_t*>(chunk + end));
    if (word.load(std::memory_order_acquire) == 0) break;
    const auto* const at = reinterpret_cast<const std::byte*>(chunk + end);
    const size_t bytes = RecordBytes(decode, at, used - end);
    if (bytes == 0) break;
    end += bytes;
  }
  return end;
}

}  // namespace

// --- Events ------------------------------------------------------------------------------------

bool Writer::AppendRecord(ThreadBuffer& buffer, uint32_t record_kind, uint64_t ticks,
                          std::span<const uint64_t> args) {
  const EventDecl& decl = *DeclOf(record_kind);
  const size_t fixed = FixedArgs(decl);
  const size_t repeats = args.size() - fixed;
  const size_t most = decl.repeats_last ? MaxRepeats(decl) : 0;
  if (args.size() < decl.arg_count || repeats > most) return false;

  const uint32_t words = RecordWords(decl, repeats);
  char* const record = Reserve(buffer, words * size_t{8}, ticks);
  if (record == nullptr) return false;
  char* at = record + 8;
  auto put = [&at](uint64_t bits, size_t bytes) {
    const uint32_t low = static_cast<uint32_t>(bits);
    if (bytes == 8)
      std::memcpy(at, &bits, 8);
    else
      std::memcpy(at, &low, 4);
    at += bytes;
  };
  for (size_t i = 0; i < fixed; ++i) put(args[i], ArgBytes(decl.arg_types[i]));
  if (decl.repeats_last) {
    put(repeats, 4);
    for (size_t i = fixed; i < args.size(); ++i) put(args[i], ArgBytes(decl.arg_types[fixed]));
  }
  Publish(record, RecordWord(record_kind, words, ticks - buffer.base_ticks));
  return true;
}

bool Writer::AppendString(ThreadBuffer& buffer, uint32_t id, std::string_view text,
                          uint64_t ticks) {
  text = text.substr(0, CutAt(text, kMaxStringBytes));
  char* const record = Reserve(buffer, 16 + PadToWord(text.size()), ticks,
                               /*is_event=*/false);
  if (record == nullptr) return false;
  const uint32_t sizes[2] = {id, static_cast<uint32_t>(text.size())};
  std::memcpy(record + 8, sizes, 8);
  std::memcpy(record + 16, text.data(), text.size());
  Publish(record, RecordWord(kStringRecord, 0, ticks - buffer.base_ticks));
  return true;
}

// --- Room --------------------------------------------------------------------------------------

char* Writer::MakeRoom(ThreadBuffer& buffer, size_t bytes, uint64_t& ticks, bool is_event) {
  if (!is_open()) return nullptr;
  if (buffer.in_make_room) return nullptr;  // in a signal handler; there is nothing safe to do
  if (buffer.session.load(std::memory_order_relaxed) != session() && !Join(buffer)) return nullptr;
  SampleClockIfDue(buffer, ticks);
  buffer.in_make_room = true;
  char* room = nullptr;
  {
    SpinLock lock(buffer.lock);
    // Close() changes both under the lock.
    if (buffer.session.load(std::memory_order_relaxed) == session()) {
      room = MakeRoomLocked(buffer, bytes, ticks);
      if (room == nullptr && is_event) Drop(buffer);
    }
  }
  buffer.in_make_room = false;
  return room;
}

// Makes room for `bytes` at `ticks` in the chunk of `buffer` or in the next one, and reserves it.
char* Writer::MakeRoomLocked(ThreadBuffer& buffer, size_t bytes, uint64_t& ticks) {
  // Counters of different cores may differ by a little.
  if (buffer.chunk != nullptr && ticks < buffer.base_ticks) ticks = buffer.base_ticks;
  if (ticks < buffer.retry_ticks) return nullptr;
  uintptr_t at = buffer.next.load(std::memory_order_relaxed);
  const auto chunk_end = [&buffer] {
    return reinterpret_cast<uintptr_t>(buffer.chunk) + buffer.chunk_bytes;
  };
  if (buffer.chunk == nullptr || at + bytes > chunk_end() ||
      ticks - buffer.base_ticks > kMaxDeltaTicks) {
    if (int error = NextChunk(buffer, bytes, ticks)) {
      Refuse(buffer, ticks, error);
      return nullptr;
    }
    at = buffer.next.load(std::memory_order_relaxed);
  }
  buffer.retry_ticks = 0;
  const uintptr_t limit = buffer.limit.load(std::memory_order_relaxed);
  if (at + bytes > limit) {
    // Gets the memory of the whole chunk now, once in its life, and not page by page while
    // recording. Old kernels refuse this, which costs only time.
    if (madvise(buffer.chunk, buffer.chunk_bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
      Refuse(buffer, ticks, errno);
      return nullptr;
    }
    buffer.limit.store(chunk_end(), std::memory_order_relaxed);
  }
  const uint64_t due = last_clock_ticks_.load(std::memory_order_relaxed) +
                       clock_interval_ticks_.load(std::memory_order_relaxed);
  buffer.max_delta_ticks = std::clamp<uint64_t>(due - std::min(due, buffer.base_ticks),
                                                ticks - buffer.base_ticks, kMaxDeltaTicks);
  buffer.next.store(at + bytes, std::memory_order_relaxed);
  return reinterpret_cast<char*>(at);
}

// Marks that there is no room now or in the near future.
void Writer::Refuse(ThreadBuffer& buffer, uint64_t ticks, int error) {
  drop_errno_.store(error, std::memory_order_relaxed);
  buffer.limit.store(0, std::memory_order_relaxed);
  buffer.retry_ticks = ticks + TicksOf(kRetryNs);
}

void Writer::Drop(ThreadBuffer& buffer) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  AddRelaxed<uint64_t>(buffer.chunk ? HeaderOf(buffer)->dropped : header_->dropped, 1);
}

bool Writer::Join(ThreadBuffer& buffer) {
  if (on_join_ != nullptr) on_join_(buffer);
  const std::lock_guard list_lock(list_mutex_);
  const SpinLock lock(buffer.lock);
  if (!is_open()) return false;
  if (buffer.dead != nullptr) munmap(buffer.dead, buffer.dead_bytes);
  buffer.dead = nullptr;
  buffer.next.store(0, std::memory_order_relaxed);
  buffer.limit.store(0, std::memory_order_relaxed);
  buffer.retry_ticks = 0;
  buffer.base_ticks = 0;
  buffer.sequence = 0;
  buffer.tid = static_cast<uint64_t>(syscall(SYS_gettid));
  buffer.serial = next_serial_++;
  buffer.next_buffer = buffers_;
  buffers_ = &buffer;
  buffer.session.store(session(), std::memory_order_relaxed);
  return true;
}

// Gives `buffer` a chunk with room for `bytes`: a larger one while chunks grow, else its own chunk,
// emptied. Returns 0 or an errno; then nothing changed.
int Writer::NextChunk(ThreadBuffer& buffer, size_t bytes, uint64_t ticks) {
  if (buffer.chunk != nullptr && buffer.chunk_bytes >= max_chunk_bytes_)
    return EmptyChunk(buffer, ticks);
  const size_t wanted = buffer.chunk == nullptr ? first_chunk_bytes_ : max_chunk_bytes_;
  const size_t needed = std::max(wanted, bytes + sizeof(ChunkHeader));
  return NewChunk(buffer, (needed + page_bytes_ - 1) / page_bytes_ * page_bytes_, ticks);
}

// Reserves the next part of the file, and maps it in place of the chunk of `buffer`. If that fails
// the old chunk stays: it counts the lost events.
int Writer::NewChunk(ThreadBuffer& buffer, size_t bytes, uint64_t ticks) {
  uint64_t offset = 0;
  if (int error = TakeSpace(bytes, offset)) return error;
  void* address =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (address == MAP_FAILED) return errno;  // a gap, which readers pass over
  if (buffer.chunk != nullptr) FinishChunk(buffer, /*keep_address=*/false);
  buffer.chunk = static_cast<char*>(address);
  buffer.chunk_bytes = bytes;
  buffer.chunk_offset = offset;
  buffer.base_ticks = ticks;
  ChunkHeader* header = HeaderOf(buffer);
  header->chunk_bytes = static_cast<uint32_t>(bytes);
  header->tid = buffer.tid;
  header->thread_serial = buffer.serial;
  header->sequence = buffer.sequence++;
  header->base_ticks = ticks;
  StoreRelease(header->magic, kChunkMagic);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(buffer.chunk);
  buffer.next.store(begin + sizeof(ChunkHeader), std::memory_order_relaxed);
  buffer.limit.store(0, std::memory_order_relaxed);
  return 0;
}

// Copies the full chunk to the end of the file and restarts it. At every moment the file holds all
// records: in the chunk, in the copy, or in both under one sequence number.
int Writer::EmptyChunk(ThreadBuffer& buffer, uint64_t ticks) {
  uint64_t offset = 0;
  if (int error = TakeSpace(buffer.chunk_bytes, offset)) return error;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(buffer.chunk);
  const size_t used = buffer.next.load(std::memory_order_relaxed) - begin;
  ChunkHeader* header = HeaderOf(buffer);
  ChunkHeader copy = *header;
  copy.used_bytes = static_cast<uint32_t>(used);
  // Write the page with the header last: a copy that is visible is complete.
  const iovec head[2] = {{&copy, sizeof copy},
                         {buffer.chunk + sizeof copy, page_bytes_ - sizeof copy}};
  {
    // The kernel lets one thread at a time write to a file while others spin.
    const std::lock_guard lock(copy_mutex_);
    int error = WriteAll(fd_, buffer.chunk + page_bytes_, used - std::min(used, page_bytes_),
                         offset + page_bytes_);
    if (error == 0 &&
        pwritev(fd_, head, 2, static_cast<off_t>(offset)) != static_cast<ssize_t>(page_bytes_))
      error = errno != 0 ? errno : EIO;
    if (error != 0) return error;  // a gap, which readers pass over
  }

  std::memset(buffer.chunk + sizeof(ChunkHeader), 0, used - sizeof(ChunkHeader));
  header->base_ticks = buffer.base_ticks = ticks;
  header->dropped = 0;
  StoreRelease(header->sequence, buffer.sequence++);
  buffer.next.store(begin + sizeof(ChunkHeader), std::memory_order_relaxed);
  const std::lock_guard lock(file_mutex_);
  used_end_ = std::max(used_end_, offset + used);
  return 0;
}

// Takes `bytes` at the end of the file, with disk space; returns 0 or an errno. Reserves disk space
// in larger pieces than needed now, while the disk has room.
int Writer::TakeSpace(size_t bytes, uint64_t& offset) {
  const std::lock_guard lock(file_mutex_);
  if (end_ + bytes > reserved_end_) {
    const size_t ahead = std::min(kReserveAheadBytes, std::bit_floor(end_));
    const uint64_t missing = end_ + bytes - reserved_end_;
    if (ahead <= missing || Extend(ahead) != 0)
      if (int error = Extend(missing)) return error;
  }
  offset = end_;
  end_ += bytes;
  return 0;
}

// Adds `bytes` of disk space to the file. Returns 0, or an errno; then the file is unchanged.
int Writer::Extend(uint64_t bytes) {
  // The kernel answers a breach of this limit with a signal that ends the program.
  rlimit most;
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
      reserved_end_ + bytes > most.rlim_cur)
    return EFBIG;
  int error;
  do {
    error = posix_fallocate(fd_, static_cast<off_t>(reserved_end_), static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error == 0) {
    reserved_end_ += bytes;
    if (header_ != nullptr) header_->file_bytes = reserved_end_;
  } else if (ftruncate(fd_, static_cast<off_t>(reserved_end_)) != 0) {
    return errno;
  }
  return error;
}

// Marks the chunk complete and unmaps it. With `keep_address` its thread may be writing at this
// moment; anonymous memory takes the place of the mapping.
void Writer::FinishChunk(ThreadBuffer& buffer, bool keep_address) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(buffer.chunk);
  size_t used =
      std::min<size_t>(buffer.next.load(std::memory_order_relaxed) - begin, buffer.chunk_bytes);
  if (keep_address) used = EndOfRecords(buffer.chunk, used);
  StoreRelease(HeaderOf(buffer)->used_bytes, static_cast<uint32_t>(used));
  const size_t whole = (used + page_bytes_ - 1) / page_bytes_ * page_bytes_;
  if (keep_address) {
    // Only mmap() can fail here; then the mapping of the file stays, and its chunk is never
    // trimmed.
    if (mmap(buffer.chunk, buffer.chunk_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
      const std::lock_guard lock(file_mutex_);
      used_end_ = std::max(used_end_, buffer.chunk_offset + buffer.chunk_bytes);
    }
    buffer.dead = buffer.chunk;
    buffer.dead_bytes = buffer.chunk_bytes;
  } else {
    munmap(buffer.chunk, buffer.chunk_bytes);
  }
  const std::lock_guard lock(file_mutex_);
  used_end_ = std::max(used_end_, buffer.chunk_offset + used);
  // Returns the rest of the chunk to the disk (on some file systems it stays allocated).
  if (whole < buffer.chunk_bytes)
    fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(buffer.chunk_offset + whole),
              static_cast<off_t>(buffer.chunk_bytes - whole));
  buffer.chunk = nullptr;
}

void Writer::Leave(ThreadBuffer& buffer) {
  const std::lock_guard list_lock(list_mutex_);
  const SpinLock lock(buffer.lock);
  if (is_open() && buffer.session.load(std::memory_order_relaxed) == session()) {
    for (ThreadBuffer** at = &buffers_; *at != nullptr; at = &(*at)->next_buffer)
      if (*at == &buffer) {
        *at = buffer.next_buffer;
        break;
      }
    if (buffer.chunk != nullptr) FinishChunk(buffer, /*keep_address=*/false);
  }
  if (buffer.dead != nullptr) munmap(buffer.dead, buffer.dead_bytes);
  buffer.dead = nullptr;
  buffer.next.store(0, std::memory_order_relaxed);
  buffer.limit.store(0, std::memory_order_relaxed);
  buffer.session.store(0, std::memory_order_relaxed);
}

// --- Clocks ------------------------------------------------------------------------------------

uint64_t Writer::ClockNs() const {
  uint64_t (*const clock_ns)() = clock_ns_.load(std::memory_order_relaxed);
  return clock_ns ? clock_ns() : MonotonicNs();
}

// Reads the three clocks as closely together as possible: the best of a few tries.
ClockSample Writer::SampleClock() const {
  ClockSample best{};
  uint64_t best_width = ~uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = Now();
    const uint64_t monotonic = ClockNs();
    const uint64_t after = Now();
    const uint64_t realtime = NowOn(CLOCK_REALTIME);
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = {before + best_width / 2, static_cast<int64_t>(monotonic),
            static_cast<int64_t>(realtime)};
  }
  if (!steady_ticks_.load(std::memory_order_relaxed))
    best.ticks = static_cast<uint64_t>(best.monotonic_ns);
  return best;
}

uint64_t Writer::TicksOf(uint64_t ns) const {
  return static_cast<uint64_t>(static_cast<double>(ns) / ns_per_tick_);
}

void Writer::SampleClockIfDue(ThreadBuffer& buffer, uint64_t ticks) {
  uint64_t last = last_clock_ticks_.load(std::memory_order_relaxed);
  const uint64_t interval = clock_interval_ticks_.load(std::memory_order_relaxed);
  if (ticks < last || ticks - last < interval) return;
  if (!last_clock_ticks_.compare_exchange_strong(last, ticks)) return;  // another thread does
  clock_interval_ticks_.store(std::min(interval * 2, TicksOf(kLastClockIntervalNs)),
                              std::memory_order_relaxed);
  const ClockSample sample = SampleClock();
  constexpr size_t kBytes = 8 + sizeof(ClockSample);
  char* const record = Reserve(buffer, kBytes, ticks, /*is_event=*/false);
  if (record == nullptr) return;
  std::memcpy(record + 8, &sample, sizeof sample);
  Publish(record, RecordWord(kClockRecord, kBytes / 8, ticks - buffer.base_ticks));
}

// --- Around fork -------------------------------------------------------------------------------

void Writer::BeforeFork() {
  list_mutex_.lock();
  copy_mutex_.lock();
  file_mutex_.lock();
}

void Writer::AfterForkInParent() {
  file_mutex_.unlock();
  copy_mutex_.unlock();
  list_mutex_.unlock();
}

void Writer::AfterForkInChild(ThreadBuffer& own) {
  // The other threads and their buffers do not exist in the child; only the mappings do.
  for (ThreadBuffer* buffer = buffers_; buffer != nullptr; buffer = buffer->next_buffer)
    if (buffer->chunk != nullptr) munmap(buffer->chunk, buffer->chunk_bytes);
  if (own.dead != nullptr) munmap(own.dead, own.dead_bytes);
  own.dead = nullptr;
  own.chunk = nullptr;
  own.next.store(0, std::memory_order_relaxed);
  own.limit.store(0, std::memory_order_relaxed);
  own.session.store(0, std::memory_order_relaxed);
  own.in_make_room = false;
  own.lock.store(false, std::memory_order_relaxed);
  buffers_ = nullptr;
  if (header_ != nullptr) munmap(header_, page_bytes_);
  header_ = nullptr;
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  session_.store(0, std::memory_order_release);
  file_mutex_.unlock();
  copy_mutex_.unlock();
  list_mutex_.unlock();
}

}  // namespace tasklens::tlt
