// SPDX-License-Identifier: Apache-2.0
// An input as bytes: a file mapped into memory, standard input, or a test's string.
//
// A trace may still be growing: bytes() has the size that the file had when it was opened. If
// another program truncates a mapped file afterwards, touching bytes() raises SIGBUS (Read()
// returns less). OpenSource() therefore maps only large files (from 1 MiB), and no file that
// another process has locked (flock): a recorder locks its file while it records, and trims it at
// the end. All other files are read into memory.
//
// Threads: immutable, readable from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "trace/support/status.h"

namespace tasklens {

class Source {
 public:
  virtual ~Source() = default;
  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // Returns bytes() from `begin` on, as many as fit into `room`, at most to the end: in place, or
  // copied into `room`. For code that reads all of a large file: copying from the kernel's cache
  // costs less than a fault for every few pages that are touched once. Fails with kIo. Returns less
  // if the file was cut in the meantime. REQUIRES: begin <= bytes().size().
  virtual Result<std::span<const std::byte>> Read(size_t begin, std::span<std::byte> room) const;

  // Tells that bytes [begin, end) will not be read again soon, so that their memory may be reused.
  // They stay valid. Keeps the memory of a reader of a large file small.
  virtual void Forget(size_t /*begin*/, size_t /*end*/) const {}

 protected:
  std::string path_;  // for messages
  std::span<const std::byte> bytes_;
};

// "-" is standard input. Fails with kNotFound or kIo; the message begins with the path. A
// directory, a device or an unreadable file is an error, an empty file is not.
Result<std::unique_ptr<Source>> OpenSource(const std::string& path);

// Owns `bytes`; `path` is only its name in messages.
std::unique_ptr<Source> MemorySource(std::string path, std::string bytes);

}  // namespace tasklens
