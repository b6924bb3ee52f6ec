// SPDX-License-Identifier: Apache-2.0
// The life of the file as a whole: created under a temporary name, put in place, closed.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "trace/format/being_recorded.h"
#include "trace/format/writer.h"

namespace tasklens::tlt {
namespace {

// Open() measures the rate of the ticks over this time. The clocks are sampled again after the
// interval, then after twice as long, and so on.
constexpr uint64_t kFirstRateNs = 500'000, kFirstClockIntervalNs = 10'000'000;

Status SystemError(const std::string& path, const char* what, int error) {
  char buffer[128];
  return {ErrorCode::kIo, path + ": " + what + ": " + strerror_r(error, buffer, sizeof buffer)};
}

template <size_t kSize>
void CopyText(std::array<char, kSize>& to, std::string_view text) {
  std::copy_n(text.data(), std::min(text.size(), kSize - 1), to.data());
}

std::string ProgramPath() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : std::string();
}

// "a/b.tlt" to "a/b.<pid>.tlt".
std::string WithPid(std::string path) {
  const std::string pid = "." + std::to_string(getpid());
  const size_t name = path.find_last_of('/') + 1;  // 0 if there is no folder
  const size_t dot = path.find_last_of('.');
  path.insert(dot == path.npos || dot <= name ? path.size() : dot, pid);
  return path;
}

}  // namespace

Status Writer::Open(const WriterOptions& options) {
  if (is_open()) return {ErrorCode::kInvalidArgument, "a trace is being recorded already"};
  if (options.path.empty() || options.path.size() + 32 > path_.size())
    return {ErrorCode::kInvalidArgument, "'" + options.path + "' cannot name a trace file"};
  page_bytes_ = std::max<size_t>(kAlignBytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  max_chunk_bytes_ = std::clamp(options.max_chunk_bytes, kMinChunkBytes, kMaxChunkBytes);
  first_chunk_bytes_ = std::clamp(options.first_chunk_bytes, kMinChunkBytes, max_chunk_bytes_);
  on_join_ = options.on_join;
  steady_ticks_.store(options.steady_ticks, std::memory_order_relaxed);
  clock_ns_.store(options.clock_ns, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
  drop_errno_.store(0, std::memory_order_relaxed);
  buffers_ = nullptr;
  next_serial_ = 0;

  const ClockSample first = SampleClock();
  if (Status s = CreateFile(options, first); !s.ok()) {
    if (header_ != nullptr) munmap(header_, page_bytes_);
    header_ = nullptr;
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
    return s;
  }
  last_clock_ticks_.store(first.ticks, std::memory_order_relaxed);
  session_.store(++last_session_, std::memory_order_release);
  return {};
}

// The part of Open() that can fail.
Status Writer::CreateFile(const WriterOptions& options, const ClockSample& first) {
  const std::string temporary = options.path + ".new" + std::to_string(getpid());
  fd_ = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) return SystemError(options.path, "cannot create the trace", errno);
  flock(fd_, LOCK_EX | LOCK_NB);  // see IsBeingRecorded(); not having locks does no harm
  reserved_end_ = 0;
  if (int error = Extend(page_bytes_)) {
    unlink(temporary.c_str());
    return SystemError(options.path, "cannot create the trace", error);
  }
  void* address = mmap(nullptr, page_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (address == MAP_FAILED) {
    const int error = errno;
    unlink(temporary.c_str());
    return SystemError(options.path, "cannot map the trace", error);
  }
  end_ = used_end_ = page_bytes_;

  header_ = static_cast<FileHeader*>(address);
  header_->magic = kMagic;
  header_->byte_order = kByteOrderMark;
  header_->version_major = kVersionMajor;
  header_->version_minor = kVersionMinor;
  header_->header_bytes = static_cast<uint32_t>(page_bytes_);
  header_->file_bytes = reserved_end_;
  header_->flags = options.steady_ticks ? 0u : uint32_t{kTicksAreNanoseconds};
  header_->pid = static_cast<uint32_t>(getpid());
  header_->rank = options.rank;
  header_->category_mask = options.category_mask;
  header_->start = first;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  header_->host = host;
  CopyText(header_->program, ProgramPath());

  ns_per_tick_ = 1;
  if (options.steady_ticks) {
    ClockSample second;
    do second = SampleClock();
    while (static_cast<uint64_t>(second.monotonic_ns - first.monotonic_ns) < kFirstRateNs ||
           second.ticks <= first.ticks);
    ns_per_tick_ = static_cast<double>(second.monotonic_ns - first.monotonic_ns) /
                   static_cast<double>(second.ticks - first.ticks);
  }
  header_->ns_per_tick = ns_per_tick_;
  clock_interval_ticks_.store(TicksOf(kFirstClockIntervalNs), std::memory_order_relaxed);
  Status placed = PutInPlace(temporary, options.path, options.keeps_older);
  if (!placed.ok()) unlink(temporary.c_str());
  return placed;
}

// Gives the file its name. Renaming replaces an older file without changing its contents, which
// other processes may have mapped.
Status Writer::PutInPlace(const std::string& temporary, std::string wanted, bool keeps_older) {
  struct stat info;
  if (stat(wanted.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode))
      return {ErrorCode::kIo, wanted + ": is not a file that a trace could replace"};
    if (keeps_older || IsBeingRecorded(wanted)) wanted = WithPid(wanted);
  }
  if (rename(temporary.c_str(), wanted.c_str()) != 0)
    return SystemError(wanted, "cannot create the trace", errno);
  path_ = {};
  CopyText(path_, wanted);
  return {};
}

Status Writer::Close() {
  const std::lock_guard list_lock(list_mutex_);
  if (!is_open()) return {};
  const ClockSample last = SampleClock();
  session_.store(0, std::memory_order_seq_cst);
  while (ThreadBuffer* buffer = buffers_) {
    while (buffer->lock.exchange(true, std::memory_order_acquire)) sched_yield();
    buffers_ = buffer->next_buffer;
    if (buffer->chunk != nullptr) FinishChunk(*buffer, /*keep_address=*/true);
    buffer->limit.store(0, std::memory_order_relaxed);
    buffer->lock.store(false, std::memory_order_release);
  }
  const std::lock_guard file_lock(file_mutex_);
  Status status;
  if (ftruncate(fd_, static_cast<off_t>(used_end_)) != 0)
    status = SystemError(path(), "cannot trim the trace", errno);
  header_->end = last;
  header_->file_bytes = used_end_;
  std::atomic_ref<uint32_t>(header_->flags).fetch_or(kClosed, std::memory_order_release);
  munmap(header_, page_bytes_);
  header_ = nullptr;
  if (close(fd_) != 0 && status.ok()) status = SystemError(path(), "cannot close the trace", errno);
  fd_ = -1;
  return status;
}

Status Writer::Flush() {
  const std::lock_guard lock(file_mutex_);
  if (fd_ < 0) return {};
  if (fdatasync(fd_) != 0) return SystemError(path(), "cannot flush the trace", errno);
  return {};
}

}  // namespace tasklens::tlt
