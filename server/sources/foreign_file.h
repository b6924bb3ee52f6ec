// SPDX-License-Identifier: Apache-2.0
// Reads untrusted files: sources, programs, the contents of a repository. A path may name a pipe or
// a device, whose opening or reading may block forever, or a file larger than the memory. So only
// regular files are opened, and reading a whole file has a size limit.
//
// Threads: any; one ForeignFile is used by one thread at a time.
// Errors: kNotFound (the file does not exist), kUnsupported (not a regular file, or too large),
// kIo, kCancelled; each with the path.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/stop.h"
#include "trace/support/status.h"

namespace tasklens {

class ForeignFile {
 public:
  static Result<ForeignFile> Open(const std::string& path);
  ForeignFile(ForeignFile&& other) noexcept;
  ForeignFile& operator=(ForeignFile&&) = delete;
  ~ForeignFile();

  // The size when the file was opened.
  uint64_t bytes() const { return bytes_; }

  // Reads from offset `at` into `room` and returns the number of bytes read, which is less than
  // requested only at the end of the file.
  Result<size_t> Read(uint64_t at, std::span<char> room) const;

  // Reads a value at offset `at`; returns false if the file ends before its last byte.
  template <class T>
  bool ReadValue(uint64_t at, T& value) const {
    const Result<size_t> got = Read(at, {reinterpret_cast<char*>(&value), sizeof value});
    return got.ok() && *got == sizeof value;
  }

  // Returns `count` bytes from offset `at`; "" if the file ends before.
  std::string ReadBytes(uint64_t at, uint64_t count) const;

 private:
  ForeignFile(std::string path, int fd, uint64_t bytes)
      : path_(std::move(path)), fd_(fd), bytes_(bytes) {}

  std::string path_;
  int fd_;
  uint64_t bytes_;
};

// Reads a whole file of at most `most_bytes` bytes.
Result<std::string> ReadForeignFile(const std::string& path, uint64_t most_bytes,
                                    Stop stop = nullptr);

}  // namespace tasklens
