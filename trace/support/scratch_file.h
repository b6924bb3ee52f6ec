// SPDX-License-Identifier: Apache-2.0
// Memory backed by a temporary file, for data that a conversion keeps to the end but rarely
// touches. Its pages belong to the kernel's file cache, which drops them when memory is short;
// Forget() unmaps them from this process at once, and they come back at the next access.
//
// The file has no name, so it disappears however the process ends. It is created at its first use,
// because a small amount of memory is better taken from the heap.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>

#include "trace/support/block_store.h"

namespace tasklens {

// Threads: any; each stream one at a time.
class ScratchFile : public BlockStore {
 public:
  // The file will lie in `directory` or, if that does not exist, in its nearest existing parent.
  explicit ScratchFile(std::string directory, size_t heap_bytes = size_t{1} << 20)
      : BlockStore(heap_bytes), directory_(std::move(directory)) {}
  ~ScratchFile() override;

  // Drops all pages from this process's memory. Storing calls this every so often; code that reads
  // for a long time calls it itself.
  void Forget();

 private:
  static constexpr int kNotOpen = -1, kFailed = -2;

  std::byte* NewSegment(size_t n) override;
  void OnStore(size_t bytes) override;
  bool Write(std::byte* to, const void* data, size_t bytes) override;
  void ForgetAll();
  size_t Interval() const;

  const std::string directory_;
  int fd_ = kNotOpen;  // guarded by mutex_
  size_t stored_ = 0;  // since Forget(); guarded by mutex_
};

}  // namespace tasklens
