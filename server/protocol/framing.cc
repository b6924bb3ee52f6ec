// SPDX-License-Identifier: Apache-2.0
// Parses the header of a message, and keeps the state between two reads.
#include "server/protocol/framing.h"

#include <algorithm>
#include <optional>

#include "trace/support/read_number.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

// Makes untrusted bytes printable in a one-line message.
std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text.substr(0, 40)) quoted += c >= 0x20 && c < 0x7f ? c : '?';
  return quoted + (text.size() > 40 ? "...\"" : "\"");
}

struct Header {
  std::optional<size_t> content_length;
  std::string garbage;  // a line that is not a header; a message may follow
  std::string error;    // why the message cannot be read
};

// Parses a line "Name: value", without its line end.
void ReadLine(std::string_view line, Header& header) {
  auto fail = [&](std::string text) { header.error = std::move(text); };
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      line.substr(0, colon).find_first_of(" \t{}[]\"") != std::string_view::npos) {
    header.garbage = "expected \"Name: value\" in a message header, got " + Quote(line);
    return;
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (Lower(name) == "content-length") {
    size_t length = 0;
    if (!ReadNumber(value, length))
      return fail("Content-Length must be a number of bytes, got " + Quote(value));
    if (header.content_length && *header.content_length != length)
      fail("two different Content-Length in one message header");
    header.content_length = length;
  } else if (Lower(name) == "content-type") {
    const size_t at = value.find("charset=");
    if (at == std::string_view::npos) return;
    std::string_view charset = Trimmed(value.substr(at + 8));
    charset = charset.substr(0, charset.find(';'));
    if (Lower(charset) != "utf-8" && Lower(charset) != "utf8")
      fail("messages must be UTF-8, not " + Quote(charset));
  }
}

}  // namespace

void FrameReader::ReadHeader(std::string_view block, std::vector<Result<std::string>>& out) {
  Header header;
  while (!block.empty()) {
    // Lines end in CR LF. A lone LF is garbage, and a header may begin after it.
    const size_t end = block.find('\n');
    std::string_view line = block.substr(0, end);
    block.remove_prefix(end == std::string_view::npos ? block.size() : end + 1);
    const bool has_return = line.ends_with('\r');
    if (has_return) line.remove_suffix(1);
    if (!has_return && end != std::string_view::npos) {
      header.garbage = "a header line must end in CR LF: " + Quote(line);
    } else {
      ReadLine(line, header);
    }
  }
  const size_t length = header.content_length.value_or(0);
  if (header.error.empty() && header.garbage.empty() && !header.content_length)
    header.error = "a message header without Content-Length";
  if (header.error.empty() && length > max_message_bytes_)
    header.error = "a message of " + std::to_string(length) + " bytes is above the limit of " +
                   std::to_string(max_message_bytes_);
  if (!header.garbage.empty()) out.push_back(Status(ErrorCode::kInvalidArgument, header.garbage));
  if (!header.error.empty()) out.push_back(Status(ErrorCode::kInvalidArgument, header.error));
  if (!header.error.empty()) {
    // No client sends this much: the number itself is garbage.
    lost_ = length / 16 > max_message_bytes_;
    skip_bytes_ = length;
  } else if (header.content_length) {
    in_body_ = true;
    body_bytes_ = length;
  }
}

bool FrameReader::Step(std::vector<Result<std::string>>& out) {
  const std::string_view unread = std::string_view(buffer_).substr(start_);
  if (skip_bytes_ > 0) {
    const size_t skipped = std::min(skip_bytes_, unread.size());
    skip_bytes_ -= skipped;
    start_ += skipped;
    return skipped > 0;
  }
  if (in_body_) {
    if (unread.size() < body_bytes_) return false;
    out.push_back(std::string(unread.substr(0, body_bytes_)));
    start_ += body_bytes_;
    in_body_ = false;
    return true;
  }
  const size_t end = unread.substr(0, kMaxHeaderBytes).find("\r\n\r\n");
  if (end != std::string_view::npos) {
    start_ += end + 4;
    ReadHeader(unread.substr(0, end), out);
    return true;
  }
  if (unread.size() >= kMaxHeaderBytes) {
    lost_ = true;
    out.push_back(Status(ErrorCode::kInvalidArgument,
                         "no end of the message header within " + std::to_string(kMaxHeaderBytes) +
                             " bytes; this is not the language server protocol"));
  }
  return false;
}

std::vector<Result<std::string>> FrameReader::Feed(std::string_view bytes) {
  std::vector<Result<std::string>> out;
  if (lost_) return out;
  buffer_.append(bytes);
  while (!lost_ && Step(out)) {
  }
  buffer_.erase(0, start_);
  start_ = 0;
  if (lost_) buffer_.clear();
  return out;
}

std::string Frame(std::string_view message) { return Frame({message}); }

std::string Frame(std::initializer_list<std::string_view> parts) {
  size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  std::string framed = "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
  framed.reserve(framed.size() + bytes);
  for (const std::string_view part : parts) framed.append(part);
  return framed;
}

}  // namespace tasklens
