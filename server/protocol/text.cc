// SPDX-License-Identifier: Apache-2.0
// Decodes UTF-8, and converts between columns and bytes.
#include "server/protocol/text.h"

#include <algorithm>

namespace tasklens {
namespace {

// Returns the length of the character at the start of `text`; 0 if it is incomplete, -1 if it is
// invalid.
int CharacterBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const int length = lead >= 0xc2 && lead < 0xe0   ? 2
                     : lead >= 0xe0 && lead < 0xf0 ? 3
                     : lead >= 0xf0 && lead < 0xf5 ? 4
                                                   : -1;
  if (length < 0) return -1;
  for (int i = 1; i < length; ++i) {
    if (static_cast<size_t>(i) >= text.size()) return 0;
    if ((byte(i) & 0xc0) != 0x80) return -1;
    // An overlong form, a surrogate, or above U+10FFFF.
    if (i == 1 && ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ||
                   (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90)))
      return -1;
  }
  return length;
}

// The same for a complete text: an invalid byte counts as one character.
size_t StepBytes(std::string_view text) { return std::max(1, CharacterBytes(text)); }

uint32_t Units(size_t bytes, PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::kUtf8: return static_cast<uint32_t>(bytes);
    case PositionEncoding::kUtf16: return bytes == 4 ? 2 : 1;
    case PositionEncoding::kUtf32: return 1;
  }
  return 1;
}

}  // namespace

std::string_view NameOf(PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::kUtf8: return "utf-8";
    case PositionEncoding::kUtf16: return "utf-16";
    case PositionEncoding::kUtf32: return "utf-32";
  }
  return "";
}

uint32_t ColumnsOf(std::string_view text, PositionEncoding encoding) {
  uint32_t columns = 0;
  while (!text.empty()) {
    const size_t bytes = StepBytes(text);
    columns += Units(bytes, encoding);
    text.remove_prefix(bytes);
  }
  return columns;
}

size_t ByteOfColumn(std::string_view line, uint32_t column, PositionEncoding encoding) {
  size_t at = 0;
  while (at < line.size()) {
    const size_t bytes = StepBytes(line.substr(at));
    const uint32_t units = Units(bytes, encoding);
    if (units > column) break;
    column -= units;
    at += bytes;
  }
  return at;
}

Text::Text(std::string text) : text_(std::move(text)) { FindLines(); }

void Text::FindLines() {
  starts_.assign(1, 0);
  for (size_t i = 0; i < text_.size(); ++i) {
    const bool crlf = text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n';
    if ((text_[i] == '\n' || text_[i] == '\r') && !crlf) starts_.push_back(i + 1);
  }
}

std::string_view Text::Line(uint32_t line) const {
  if (line >= starts_.size()) return "";
  const size_t end = line + 1 < starts_.size() ? starts_[line + 1] : text_.size();
  std::string_view content = std::string_view(text_).substr(starts_[line], end - starts_[line]);
  if (content.ends_with('\n')) content.remove_suffix(1);
  if (content.ends_with('\r')) content.remove_suffix(1);
  return content;
}

size_t Text::ByteOf(Position position, PositionEncoding encoding) const {
  if (position.line >= starts_.size()) return text_.size();
  return starts_[position.line] + ByteOfColumn(Line(position.line), position.column, encoding);
}

Status Text::Replace(Range range, std::string_view with, PositionEncoding encoding) {
  const size_t start = ByteOf(range.start, encoding), end = ByteOf(range.end, encoding);
  if (end < start)
    return Status(ErrorCode::kInvalidArgument, "the range of a change ends before it starts");
  text_.replace(start, end - start, with);
  FindLines();
  return Status::Ok();
}

uint32_t Text::LineOfByte(size_t byte) const {
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), byte);
  return static_cast<uint32_t>(behind - starts_.begin()) - 1;
}

Text::ReplacedLines Text::LinesReplacedBy(Range range, std::string_view with,
                                          PositionEncoding encoding) const {
  const size_t start = ByteOf(range.start, encoding), end = ByteOf(range.end, encoding);
  if (end < start) return {};
  const uint32_t first = LineOfByte(start), last = LineOfByte(end);
  const uint32_t breaks = Text(std::string(with)).line_count() - 1;
  const std::string_view prefix = Line(first).substr(0, start - starts_[first]);
  const std::string_view suffix =
      Line(last).substr(std::min(end - starts_[last], Line(last).size()));
  const auto is_blank = [](std::string_view part) {
    return part.find_first_not_of(" \t") == part.npos;
  };
  if (first == last) {
    // If the line was broken in its indentation, it moves down; elsewhere it stays and a new line
    // follows.
    const uint32_t at = is_blank(prefix) && !is_blank(suffix) ? first : first + 1;
    return {at, at, breaks};
  }
  bool keeps_first = !is_blank(prefix) || prefix.size() == Line(first).size();
  bool keeps_last = !is_blank(suffix) || suffix.size() == Line(last).size();
  if (breaks == 0 && keeps_first && keeps_last)  // joined: the line is one of the two
    (is_blank(prefix) ? keeps_first : keeps_last) = false;
  return {first + keeps_first, last + 1 - keeps_last, breaks + 1 - keeps_first - keeps_last};
}

std::string TakeUtf8(std::string& bytes, bool at_end) {
  std::string out;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const int length = CharacterBytes(rest);
    if (length == 0 && !at_end) break;
    if (length > 0) {
      out.append(rest.substr(0, length));
    } else {
      out.append("\xef\xbf\xbd");
    }
    rest.remove_prefix(std::max(1, length));
  }
  bytes.erase(0, bytes.size() - rest.size());
  return out;
}

}  // namespace tasklens
