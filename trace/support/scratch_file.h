// SPDX-License-Identifier: Apache-2.0
// Memory whose contents lie in a temporary file: for what a conversion keeps to the end but touches
// seldom. Its pages belong to the kernel's cache of files, which gives them up when memory is
// short; Forget() takes them out of this process at once, and they come back when they are touched.
//
// The file has no name, so nothing of it stays behind, however the process ends. It is made when it
// is first needed: little memory is better taken elsewhere.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tasklens {

class ScratchFile;

// What is read together should be stored in one stream: its pieces lie side by side.
// Threads: one at a time.
class ScratchStream {
 public:
  // A copy of `data`, readable and writable as long as the file lives, 8 bytes more readable behind
  // it; nullptr: there is no room, keep it elsewhere. Every so often the file forgets.
  std::byte* Store(const void* data, size_t bytes);
  // Puts `data` in the place of what Store() gave, of the same size. False: the disk has failed.
  bool Replace(std::byte* stored, const void* data, size_t bytes);

 private:
  friend ScratchFile;
  explicit ScratchStream(ScratchFile& file) : file_(file) {}

  ScratchFile& file_;
  std::byte *next_ = nullptr, *end_ = nullptr;  // what is left of its latest extent
  size_t extent_bytes_ = 0;
};

// Threads: any; each stream one at a time.
class ScratchFile {
 public:
  // The file will lie in `directory` or, where there is no such folder, in the nearest above it.
  // The first `heap_bytes` are left to other memory.
  explicit ScratchFile(std::string directory, size_t heap_bytes = size_t{1} << 20)
      : directory_(std::move(directory)), heap_bytes_(heap_bytes) {}
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // A stream that lives as long as this.
  ScratchStream* NewStream();

  // Of all that was stored, roughly.
  size_t size_bytes() const;

  // Takes all pages out of this process's memory. Store() does so every so often; who reads for
  // long does it himself.
  void Forget();

 private:
  friend ScratchStream;
  static constexpr int kNotOpen = -1, kFailed = -2;

  bool Open();
  bool IsForHeap(size_t bytes);
  std::byte* TakeExtent(size_t bytes);
  bool Write(std::byte* to, const void* data, size_t bytes);
  void ForgetAll();
  size_t Interval() const;

  const std::string directory_;
  mutable std::mutex mutex_;  // guards what follows
  size_t heap_bytes_;         // still left to other memory
  int fd_ = kNotOpen;
  std::vector<std::byte*> segments_;  // of kSegmentBytes each; the last is being filled
  size_t used_ = 0;                   // of the last segment
  size_t stored_ = 0;                 // since Forget()
  std::vector<std::unique_ptr<ScratchStream>> streams_;
};

}  // namespace tasklens
