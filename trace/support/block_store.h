// SPDX-License-Identifier: Apache-2.0
// Memory for the columns of a model: many small blocks that are mostly written once and live as
// long as the model. They lie side by side in a few large segments, of memory (SegmentMemory, here)
// or of a temporary file (scratch_file.h).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tasklens {

class BlockStore;

// Blocks that are read together should be in one stream: blocks of a stream lie side by side.
// Threads: one at a time.
class BlockStream {
 public:
  // Returns a copy of `data`, aligned for 8 bytes, readable and writable as long as the store
  // lives, and readable 8 bytes further; nullptr: there is no room, the caller keeps the data
  // elsewhere.
  std::byte* Store(const void* data, size_t bytes);
  // Overwrites a block from Store() with `data` of the same size. Returns false if the disk failed.
  bool Replace(std::byte* stored, const void* data, size_t bytes);

 private:
  friend BlockStore;
  explicit BlockStream(BlockStore& store) : store_(store) {}

  BlockStore& store_;
  std::byte *next_ = nullptr, *end_ = nullptr;  // the rest of its latest extent
  size_t extent_bytes_ = 0;
};

// Threads: any; each stream one at a time.
class BlockStore {
 public:
  virtual ~BlockStore() = default;
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  // Returns a stream that lives as long as this.
  BlockStream* NewStream();

  // Roughly the bytes stored.
  size_t size_bytes() const;

 protected:
  static constexpr size_t kSegmentBytes = size_t{64} << 20;

  // The first `heap_bytes` are not stored; callers keep them on the heap: small models need no
  // segment.
  explicit BlockStore(size_t heap_bytes) : heap_bytes_(heap_bytes) {}

  // The following are called with mutex_ held.
  // Returns the n-th segment; nullptr: there is no room.
  virtual std::byte* NewSegment(size_t n) = 0;
  // Called before `bytes` are stored.
  virtual void OnStore(size_t /*bytes*/) {}
  // Called when a stream has got an extent, before the stream fills it, and without mutex_.
  virtual void OnExtent(std::byte* /*extent*/, size_t /*bytes*/) {}
  // Returns the offset of `stored`, as if all segments were one piece.
  size_t OffsetOf(const std::byte* stored) const;

  virtual bool Write(std::byte* to, const void* data, size_t bytes) = 0;

  mutable std::mutex mutex_;          // guards the following members
  std::vector<std::byte*> segments_;  // of kSegmentBytes each; the last is being filled

 private:
  friend BlockStream;
  bool IsForHeap(size_t bytes);
  std::byte* TakeExtent(size_t bytes);

  size_t heap_bytes_;  // the part of heap_bytes that is left
  size_t used_ = 0;    // of the last segment
  std::vector<std::unique_ptr<BlockStream>> streams_;
};

// Memory for blocks: no bookkeeping for each block, and the columns of a model lie apart from
// temporary data of its construction. Nothing is freed before the end.
class SegmentMemory : public BlockStore {
 public:
  explicit SegmentMemory(size_t heap_bytes = size_t{1} << 20) : BlockStore(heap_bytes) {}
  ~SegmentMemory() override;

 private:
  std::byte* NewSegment(size_t n) override;
  void OnExtent(std::byte* extent, size_t bytes) override;
  bool Write(std::byte* to, const void* data, size_t bytes) override;
};

}  // namespace tasklens
