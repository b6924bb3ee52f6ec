// SPDX-License-Identifier: Apache-2.0
// Memory backed by a temporary file, for data that a conversion keeps to the end but touches
// seldom. Its pages belong to the kernel's cache of files, which gives them up when memory is
// short; Forget() takes them out of this process at once, and they come back when they are touched.
//
// The file has no name, so nothing of it stays behind, however the process ends. It is made when it
// is first needed: little memory is better taken elsewhere.
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
  // The file will lie in `directory` or, where there is no such folder, in the nearest above it.
  explicit ScratchFile(std::string directory, size_t heap_bytes = size_t{1} << 20)
      : BlockStore(heap_bytes), directory_(std::move(directory)) {}
  ~ScratchFile() override;

  // Takes all pages out of this process's memory. Storing does so every so often; who reads for
  // long does it himself.
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
