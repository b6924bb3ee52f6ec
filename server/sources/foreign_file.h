// SPDX-License-Identifier: Apache-2.0
// Reads files that others wrote: sources, programs, what a repository brings. A path may lead to a
// pipe or a device, whose opening or reading may never end, and to more bytes than there is memory
// for. So only regular files are opened, and whole files are read up to a limit.
//
// Threads: any; one ForeignFile is used by one thread at a time.
// Errors: kNotFound (nothing is there), kUnsupported (no regular file, or too large), kIo,
// kCancelled; each with the path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/stop.h"
#include "trace/support/status.h"

namespace tasklens {

class ForeignFile {
 public:
  static Result<ForeignFile> Open(const std::string& path);
  ForeignFile(ForeignFile&& other) noexcept;
  ForeignFile& operator=(ForeignFile&&) = delete;
  ~ForeignFile();

  // When it was opened.
  uint64_t bytes() const { return bytes_; }

  // Fills `room` from byte `at` on and returns how many bytes there were: fewer only where the file
  // ends.
  Result<size_t> Read(uint64_t at, std::span<char> room) const;

  // A value that lies at byte `at`; false where the file ends before it does.
  template <class T>
  bool ReadValue(uint64_t at, T& value) const {
    const Result<size_t> got = Read(at, {reinterpret_cast<char*>(&value), sizeof value});
    return got.ok() && *got == sizeof value;
  }

  // The bytes from `at` on, `count` of them; "" where the file ends before.
  std::string ReadBytes(uint64_t at, uint64_t count) const;

 private:
  ForeignFile(std::string path, int fd, uint64_t bytes)
      : path_(std::move(path)), fd_(fd), bytes_(bytes) {}

  std::string path_;
  int fd_;
  uint64_t bytes_;
};

// The whole content of a file of at most `most_bytes` bytes.
Result<std::string> ReadForeignFile(const std::string& path, uint64_t most_bytes,
                                    Stop stop = nullptr);

}  // namespace tasklens
