// SPDX-License-Identifier: Apache-2.0
// Texts as the protocol counts them: lines from 0, columns in UTF-8, UTF-16 or UTF-32 units.
//
// Texts are UTF-8 inside. Lines end in LF, CR LF or CR. Positions of clients may lie anywhere: a
// column behind the end of a line means its end, a line behind the last means the end of the text,
// and a column within a character means its beginning.
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

// The number of columns that the UTF-8 text `text` takes.
uint32_t ColumnsOf(std::string_view text, PositionEncoding encoding);
// The byte of `line` at which `column` begins.
size_t ByteOfColumn(std::string_view line, uint32_t column, PositionEncoding encoding);

// A text with its lines found.
class Text {
 public:
  explicit Text(std::string text = "");

  const std::string& text() const { return text_; }
  uint32_t line_count() const { return static_cast<uint32_t>(starts_.size()); }
  // Without its line end; "" behind the last line.
  std::string_view Line(uint32_t line) const;
  size_t ByteOf(Position position, PositionEncoding encoding) const;
  // Replaces `range`. Fails when its end lies before its start.
  Status Replace(Range range, std::string_view with, PositionEncoding encoding);
  // Which whole lines that replaces by new ones, before it is done: [begin, end) by `count`. A line
  // of which a part that is not blank stays is itself still. Nothing where Replace() would fail.
  struct ReplacedLines {
    uint32_t begin = 0, end = 0, count = 0;
  };
  ReplacedLines LinesReplacedBy(Range range, std::string_view with,
                                PositionEncoding encoding) const;

 private:
  void FindLines();
  // The line that holds byte `byte`.
  uint32_t LineOfByte(size_t byte) const;

  std::string text_;
  std::vector<size_t> starts_;  // of each line; never empty
};

// What is left of `bytes` when all that is no UTF-8 has become U+FFFD. Bytes at the end that may
// be the beginning of a character stay in `bytes`, unless `at_end`; the rest is removed from it.
std::string TakeUtf8(std::string& bytes, bool at_end);

}  // namespace tasklens
