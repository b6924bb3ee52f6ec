// SPDX-License-Identifier: Apache-2.0
// LSP's base protocol: splits bytes into messages and back. A message is `Content-Length: N`, an
// empty line, N bytes.
//
// The reader is strict but recovers. Garbage before a header is reported, and the message that
// follows is read. A header that contradicts itself, or a message above the limit, is reported and
// its bytes are skipped.
//
// Memory: at most one message and kMaxHeaderBytes. Threads: one.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

inline constexpr size_t kMaxHeaderBytes = 8192;
inline constexpr size_t kMaxMessageBytes = size_t{64} << 20;

class FrameReader {
 public:
  explicit FrameReader(size_t max_message_bytes = kMaxMessageBytes)
      : max_message_bytes_(max_message_bytes) {}

  // Appends `bytes` and returns the messages that are complete now, in order. An element that is
  // not ok() is a framing error, to be reported to the sender.
  std::vector<Result<std::string>> Feed(std::string_view bytes);

  // True when the input ended within a message.
  bool HasPartialMessage() const { return !buffer_.empty() || in_body_ || skip_bytes_ > 0; }

  // True if the reader cannot recover any more (an endless header or message).
  bool IsLost() const { return lost_; }

 private:
  bool Step(std::vector<Result<std::string>>& out);
  void ReadHeader(std::string_view block, std::vector<Result<std::string>>& out);

  size_t max_message_bytes_;
  std::string buffer_;  // unread bytes start at start_
  size_t start_ = 0;
  bool in_body_ = false;  // the next body_bytes_ bytes are a body
  size_t body_bytes_ = 0;
  size_t skip_bytes_ = 0;  // bytes to skip of a message that was refused
  bool lost_ = false;
};

// Returns `message` with its header, ready to be written.
std::string Frame(std::string_view message);
// The same for a message in parts.
std::string Frame(std::initializer_list<std::string_view> parts);

}  // namespace tasklens
