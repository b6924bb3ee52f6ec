// SPDX-License-Identifier: Apache-2.0
// Where a model keeps its columns: many small blocks that are written once, mostly, and stay as
// long as the model. They lie side by side in a few large segments, of memory (SegmentMemory, here)
// or of a temporary file (scratch_file.h).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tasklens {

class BlockStore;

// Blocks that are read together should be in one stream: its pieces lie side by side.
// Threads: one at a time.
class BlockStream {
 public:
  // A copy of `data`, aligned for 8 bytes, readable and writable as long as the store lives, and
  // readable 8 bytes further; nullptr: there is no room, keep it elsewhere.
  std::byte* Store(const void* data, size_t bytes);
  // Puts `data` in the place of what Store() gave, of the same size. False: the disk has failed.
  bool Replace(std::byte* stored, const void* data, size_t bytes);

 private:
  friend BlockStore;
  explicit BlockStream(BlockStore& store) : store_(store) {}

  BlockStore& store_;
  std::byte *next_ = nullptr, *end_ = nullptr;  // what is left of its latest extent
  size_t extent_bytes_ = 0;
};

// Threads: any; each stream one at a time.
class BlockStore {
 public:
  virtual ~BlockStore() = default;
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  // A stream that lives as long as this.
  BlockStream* NewStream();

  // Of all that was stored, roughly.
  size_t size_bytes() const;

 protected:
  static constexpr size_t kSegmentBytes = size_t{64} << 20;

  // The first `heap_bytes` are left to other memory: small models do without a segment.
  explicit BlockStore(size_t heap_bytes) : heap_bytes_(heap_bytes) {}

  // The following are called with mutex_ held.
  // Another segment, the n-th; nullptr: there is none.
  virtual std::byte* NewSegment(size_t n) = 0;
  // That many bytes are about to be stored.
  virtual void OnStore(size_t /*bytes*/) {}
  // A stream got these, and is about to fill them. (Called without mutex_.)
  virtual void OnExtent(std::byte* /*extent*/, size_t /*bytes*/) {}
  // Where `stored` lies, as if all segments were one piece.
  size_t OffsetOf(const std::byte* stored) const;

  virtual bool Write(std::byte* to, const void* data, size_t bytes) = 0;

  mutable std::mutex mutex_;          // guards what follows
  std::vector<std::byte*> segments_;  // of kSegmentBytes each; the last is being filled

 private:
  friend BlockStream;
  bool IsForHeap(size_t bytes);
  std::byte* TakeExtent(size_t bytes);

  size_t heap_bytes_;  // still left to other memory
  size_t used_ = 0;    // of the last segment
  std::vector<std::unique_ptr<BlockStream>> streams_;
};

// Memory for blocks: no bookkeeping for each of them, and the columns of a model apart from what
// comes and goes while it is built. Nothing is given back before the end.
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
