// SPDX-License-Identifier: Apache-2.0
// Segments of a file without a name, mapped, and written to by system calls: a page that is first
// written through a mapping costs several times as much.
#include "trace/support/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace tasklens {
namespace {

constexpr size_t kSegmentBytes = size_t{64} << 20;
// What the kernel maps around a page that is touched lies in one extent of this size.
constexpr size_t kLargestExtent = size_t{64} << 10;
constexpr size_t kSmallestExtent = size_t{4} << 10;
constexpr size_t kLeastInterval = size_t{2} << 20;
constexpr size_t kReadableBehind = 8;

// A file that no folder names. Some file systems cannot make one: there it loses its name at once.
int OpenNameless(std::string directory) {
  while (access(directory.c_str(), F_OK) != 0 && directory.find('/') != std::string::npos)
    directory.resize(directory.rfind('/'));
  // (Of an assigned literal g++ 12 warns that it might overlap with itself.)
  if (directory.empty()) directory.assign(1, '/');
  if (access(directory.c_str(), F_OK) != 0) directory.assign(1, '.');
  const int fd = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string name = directory + "/.tasklens-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

std::byte* ScratchStream::Store(const void* data, size_t bytes) {
  if (file_.IsForHeap(bytes)) return nullptr;
  const size_t size = (bytes + kReadableBehind + 7) / 8 * 8;
  if (static_cast<size_t>(end_ - next_) < size) {
    extent_bytes_ = std::clamp(extent_bytes_ * 2, kSmallestExtent, kLargestExtent);
    while (extent_bytes_ < size) extent_bytes_ *= 2;
    std::byte* extent = file_.TakeExtent(extent_bytes_);
    if (extent == nullptr) return nullptr;
    next_ = extent;
    end_ = extent + extent_bytes_;
  }
  std::byte* const stored = next_;
  if (!file_.Write(stored, data, bytes)) return nullptr;
  next_ += size;
  return stored;
}

bool ScratchStream::Replace(std::byte* stored, const void* data, size_t bytes) {
  return file_.Write(stored, data, bytes);
}

ScratchFile::~ScratchFile() {
  for (std::byte* segment : segments_) munmap(segment, kSegmentBytes);
  if (fd_ >= 0) close(fd_);
}

ScratchStream* ScratchFile::NewStream() {
  const std::lock_guard lock(mutex_);
  streams_.emplace_back(new ScratchStream(*this));
  return streams_.back().get();
}

bool ScratchFile::IsForHeap(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes <= heap_bytes_) return heap_bytes_ -= bytes, true;
  stored_ += bytes;
  if (stored_ >= Interval()) ForgetAll();
  return false;
}

// Aligned to its size, a power of two.
std::byte* ScratchFile::TakeExtent(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (fd_ == kNotOpen && (fd_ = OpenNameless(directory_)) < 0) fd_ = kFailed;
  if (fd_ == kFailed || bytes > kSegmentBytes) return nullptr;
  used_ = (used_ + bytes - 1) / bytes * bytes;
  if (segments_.empty() || used_ + bytes > kSegmentBytes) {
    const size_t offset = segments_.size() * kSegmentBytes;
    // The end of the file lies behind all that may be read.
    if (ftruncate(fd_, static_cast<off_t>(offset + kSegmentBytes)) != 0) return nullptr;
    void* data = mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                      static_cast<off_t>(offset));
    if (data == MAP_FAILED) return nullptr;
    segments_.push_back(static_cast<std::byte*>(data));
    used_ = 0;
  }
  std::byte* extent = segments_.back() + used_;
  used_ += bytes;
  return extent;
}

bool ScratchFile::Write(std::byte* to, const void* data, size_t bytes) {
  size_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto holds = [&](const std::byte* segment) {
      return to >= segment && to < segment + kSegmentBytes;
    };
    // Mostly the last.
    const auto segment = std::find_if(segments_.rbegin(), segments_.rend(), holds);
    offset = static_cast<size_t>(segments_.rend() - segment - 1) * kSegmentBytes +
             static_cast<size_t>(to - *segment);
  }
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t wrote = pwrite(fd_, from, bytes, static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    from += wrote;
    offset += static_cast<size_t>(wrote);
    bytes -= static_cast<size_t>(wrote);
  }
  return true;
}

size_t ScratchFile::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return segments_.empty() ? 0 : (segments_.size() - 1) * kSegmentBytes + used_;
}

// A sixteenth of everything: then going through all page tables costs little.
size_t ScratchFile::Interval() const {
  return std::max(kLeastInterval, segments_.size() * (kSegmentBytes / 16));
}

void ScratchFile::ForgetAll() {
  for (std::byte* segment : segments_) madvise(segment, kSegmentBytes, MADV_DONTNEED);
  stored_ = 0;
}

void ScratchFile::Forget() {
  const std::lock_guard lock(mutex_);
  ForgetAll();
}

}  // namespace tasklens
