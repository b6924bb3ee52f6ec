// SPDX-License-Identifier: Apache-2.0
// Segments of a file without a name, mapped for reading but filled by system calls: writing to a
// page through a mapping for the first time costs several times as much.
#include "trace/support/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace tasklens {
namespace {

constexpr size_t kLeastInterval = size_t{2} << 20;

// Opens a file without a name. On file systems that cannot create one, the file is unlinked at
// once.
int OpenNameless(std::string directory) {
  while (access(directory.c_str(), F_OK) != 0 && directory.find('/') != std::string::npos)
    directory.resize(directory.rfind('/'));
  // (For an assigned literal, g++ 12 warns that it might overlap with itself.)
  if (directory.empty()) directory.assign(1, '/');
  if (access(directory.c_str(), F_OK) != 0) directory.assign(1, '.');
  const int fd = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string name = directory + "/.tasklens-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

// Extends the file by `bytes` and reserves their disk space, if the file system supports that.
bool Reserve(int fd, off_t offset, off_t bytes) {
  if (fallocate(fd, 0, offset, bytes) == 0) return true;
  return errno == EOPNOTSUPP && ftruncate(fd, offset + bytes) == 0;
}

}  // namespace

ScratchFile::~ScratchFile() {
  for (std::byte* segment : segments_) munmap(segment, kSegmentBytes);
  if (fd_ >= 0) close(fd_);
}

std::byte* ScratchFile::NewSegment(size_t n) {
  if (fd_ == kNotOpen && (fd_ = OpenNameless(directory_)) < 0) fd_ = kFailed;
  if (fd_ == kFailed) return nullptr;
  const size_t offset = n * kSegmentBytes;
  // The file must reach beyond everything that may be read. Space is reserved for all of it: on a
  // file system in memory that is full, reading a page without space kills the process.
  if (!Reserve(fd_, static_cast<off_t>(offset), static_cast<off_t>(kSegmentBytes))) return nullptr;
  void* data = mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                    static_cast<off_t>(offset));
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

bool ScratchFile::Write(std::byte* to, const void* data, size_t bytes) {
  size_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    offset = OffsetOf(to);
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

void ScratchFile::OnStore(size_t bytes) {
  stored_ += bytes;
  if (stored_ >= Interval()) ForgetAll();
}

// A sixteenth of everything: then walking all page tables costs little.
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
