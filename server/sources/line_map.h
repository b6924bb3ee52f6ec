// SPDX-License-Identifier: Apache-2.0
// Maps the lines of an older text to a newer one.
//
// Lines that differ only in blanks are equal, so a line that was only indented is unchanged. A line
// without an equal line in the newer text was rewritten; Near() says where it would be.
//
// Method: equal lines at both ends are paired. The part between is split at lines that are unique
// in both texts and in the same order (Bram Cohen's "patience" diff). Small remaining parts are
// paired by their longest common subsequence. Pairs never cross, so a line that was moved counts as
// rewritten at its old place. Time is linear in the number of lines, whatever the texts.
//
// If the editor reported each change, lines need not be guessed: the map follows the edits
// (Identity(), then Replace() for each), and the contents of lines are compared afterwards.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tasklens {

class LineMap {
 public:
  static constexpr uint32_t kRewritten = UINT32_MAX;

  // Lines end in LF, CR LF or CR, as in protocol/text.h.
  static LineMap Between(std::string_view before, std::string_view after);
  // The same, but `followed` overrides the comparison: only lines that it does not map are guessed.
  static LineMap Between(std::string_view before, std::string_view after, const LineMap& followed);
  static LineMap Identity(uint32_t lines);
  // Returns the map from the older text of this map to the newer text of `next`.
  LineMap Then(const LineMap& next) const;
  // Records that lines [begin, end) of the newer text were replaced by `count` new ones.
  void Replace(uint32_t begin, uint32_t end, uint32_t count);

  // The line in the newer text of line `line` (from 0) of the older one, or kRewritten.
  uint32_t After(uint32_t line) const { return Look(after_, line); }
  // The reverse; kRewritten for a new line.
  uint32_t Before(uint32_t line) const { return Look(before_, line); }
  // The place of a line that was rewritten in place, if edits recorded it; else kRewritten.
  uint32_t Told(uint32_t line) const { return Look(places_, line); }
  // The place of line `line` of the older text, or where its replacement begins.
  uint32_t Near(uint32_t line) const;
  // True if the texts have the same lines.
  bool is_identity() const { return is_identity_; }

 private:
  static uint32_t Look(const std::vector<uint32_t>& table, uint32_t line) {
    return line < table.size() ? table[line] : kRewritten;
  }

  // Fills before_ and is_identity_ from after_.
  void FindBefore(size_t new_lines);

  std::vector<uint32_t> after_;   // by line of the older text
  std::vector<uint32_t> before_;  // by line of the newer one
  std::vector<uint32_t> places_;  // by line of the older text: its place, kRewritten: unknown
  bool is_identity_ = true;
};

}  // namespace tasklens
