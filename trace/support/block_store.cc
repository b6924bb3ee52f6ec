// SPDX-License-Identifier: Apache-2.0
// Extents of streams in segments, and segments of memory.
#include "trace/support/block_store.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "trace/support/pages.h"

namespace tasklens {
namespace {

// When a page of a file is touched, the kernel maps the pages around it; they lie in one extent of
// this size.
constexpr size_t kLargestExtent = size_t{64} << 10;
constexpr size_t kSmallestExtent = size_t{4} << 10;
constexpr size_t kReadableBehind = 8;

}  // namespace

std::byte* BlockStream::Store(const void* data, size_t bytes) {
  if (store_.IsForHeap(bytes)) return nullptr;
  const size_t size = (bytes + kReadableBehind + 7) / 8 * 8;
  if (static_cast<size_t>(end_ - next_) < size) {
    extent_bytes_ = std::clamp(extent_bytes_ * 2, kSmallestExtent, kLargestExtent);
    while (extent_bytes_ < size) extent_bytes_ *= 2;
    std::byte* extent = store_.TakeExtent(extent_bytes_);
    if (extent == nullptr) return nullptr;
    store_.OnExtent(extent, extent_bytes_);
    next_ = extent;
    end_ = extent + extent_bytes_;
  }
  std::byte* const stored = next_;
  if (!store_.Write(stored, data, bytes)) return nullptr;
  next_ += size;
  return stored;
}

bool BlockStream::Replace(std::byte* stored, const void* data, size_t bytes) {
  return store_.Write(stored, data, bytes);
}

BlockStream* BlockStore::NewStream() {
  const std::lock_guard lock(mutex_);
  streams_.emplace_back(new BlockStream(*this));
  return streams_.back().get();
}

size_t BlockStore::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return segments_.empty() ? 0 : (segments_.size() - 1) * kSegmentBytes + used_;
}

bool BlockStore::IsForHeap(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes <= heap_bytes_) return heap_bytes_ -= bytes, true;
  OnStore(bytes);
  return false;
}

// Aligned to its size, a power of two.
std::byte* BlockStore::TakeExtent(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > kSegmentBytes) return nullptr;
  used_ = (used_ + bytes - 1) / bytes * bytes;
  if (segments_.empty() || used_ + bytes > kSegmentBytes) {
    std::byte* segment = NewSegment(segments_.size());
    if (segment == nullptr) return nullptr;
    segments_.push_back(segment);
    used_ = 0;
  }
  std::byte* extent = segments_.back() + used_;
  used_ += bytes;
  return extent;
}

size_t BlockStore::OffsetOf(const std::byte* stored) const {
  const auto holds = [&](const std::byte* segment) {
    return stored >= segment && stored < segment + kSegmentBytes;
  };
  // Mostly the last segment.
  const auto segment = std::find_if(segments_.rbegin(), segments_.rend(), holds);
  return static_cast<size_t>(segments_.rend() - segment - 1) * kSegmentBytes +
         static_cast<size_t>(stored - *segment);
}

SegmentMemory::~SegmentMemory() {
  for (std::byte* segment : segments_) munmap(segment, kSegmentBytes);
}

// No huge pages: if the kernel must first compact scattered memory, as in a virtual machine that
// has run for a while, opening a trace took half as much time again.
std::byte* SegmentMemory::NewSegment(size_t /*n*/) {
  void* segment =
      mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return segment == MAP_FAILED ? nullptr : static_cast<std::byte*>(segment);
}

void SegmentMemory::OnExtent(std::byte* extent, size_t bytes) { TakePages(extent, bytes); }

bool SegmentMemory::Write(std::byte* to, const void* data, size_t bytes) {
  std::memcpy(to, data, bytes);
  return true;
}

}  // namespace tasklens
