// SPDX-License-Identifier: Apache-2.0
// Texts as the protocol counts them: lines from 0, columns in UTF-8, UTF-16 or UTF-32 units.
//
// Texts are UTF-8 internally. Lines end in LF, CR LF or CR. A client's position may be out of
// range: a column behind the end of a line means the end of the line, a line behind the last means
// the end of the text, and a column within a character means its first byte.
//
// Threads: pure functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

enum class PositionEncoding { kUtf8, kUtf16, kUtf32 };
std::string_view NameOf(PositionEncoding encoding);  // "utf-16"

struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const Position&) const = default;
};
struct Range {
  Position start, end;
  bool operator==(const Range&) const = default;
};

// The number of columns of the UTF-8 text `text`.
uint32_t ColumnsOf(std::string_view text, PositionEncoding encoding);
// The offset in bytes of `column` in `line`.
size_t ByteOfColumn(std::string_view line, uint32_t column, PositionEncoding encoding);

// A text with an index of its lines.
class Text {
 public:
  explicit Text(std::string text = "");

  const std::string& text() const { return text_; }
  uint32_t line_count() const { return static_cast<uint32_t>(starts_.size()); }
  // The line without its line end; "" behind the last line.
  std::string_view Line(uint32_t line) const;
  size_t ByteOf(Position position, PositionEncoding encoding) const;
  // Replaces `range`. Fails when its end lies before its start.
  Status Replace(Range range, std::string_view with, PositionEncoding encoding);
  // Computes which whole lines Replace() would replace: [begin, end) by `count` new lines. A line
  // that keeps a non-blank part counts as unchanged. Returns an empty result where Replace() would
  // fail.
  struct ReplacedLines {
    uint32_t begin = 0, end = 0, count = 0;
  };
  ReplacedLines LinesReplacedBy(Range range, std::string_view with,
                                PositionEncoding encoding) const;

 private:
  void FindLines();
  // The line that contains the byte `byte`.
  uint32_t LineOfByte(size_t byte) const;

  std::string text_;
  std::vector<size_t> starts_;  // offset of each line; never empty
};

// Removes the complete characters from `bytes` and returns them, with each invalid sequence
// replaced by U+FFFD. Bytes at the end that may begin a character stay in `bytes`, unless `at_end`.
std::string TakeUtf8(std::string& bytes, bool at_end);

}  // namespace tasklens
