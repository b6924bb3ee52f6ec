// SPDX-License-Identifier: Apache-2.0
// Where the lines of an older text are in a newer one.
//
// Two lines are the same when they differ in blanks at most, so that a line that was only indented
// is still itself. A line that is not in the newer text was rewritten; Near() says where it would
// be.
//
// Method: equal lines at both ends are paired; what is between is split at lines that are unique in
// both texts and in the same order (Bram Cohen's "patience" comparison), and where it is small the
// longest common subsequence pairs the rest. Lines are never paired crosswise, so what was moved is
// rewritten at its old place. Time is bounded by a constant times the number of lines, whatever the
// texts are.
//
// Where an editor told each of its changes, equal lines are not guessed at: a map follows the edits
// (Identity(), then Replace() for each), and what lines have become is compared afterwards.
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
  // The same, where `followed` tells what became of lines, be they rewritten or not. Only what it
  // does not tell is guessed.
  static LineMap Between(std::string_view before, std::string_view after, const LineMap& followed);
  static LineMap Identity(uint32_t lines);
  // From the older text of this map to the newer one of `next`.
  LineMap Then(const LineMap& next) const;
  // Lines [begin, end) of the newer text were replaced by `count` new ones.
  void Replace(uint32_t begin, uint32_t end, uint32_t count);

  // Line `line` (from 0) of the older text in the newer one, or kRewritten.
  uint32_t After(uint32_t line) const { return Look(after_, line); }
  // The other way round: kRewritten for a line that is new.
  uint32_t Before(uint32_t line) const { return Look(before_, line); }
  // The same of a line that was rewritten in place, where edits told so.
  uint32_t Told(uint32_t line) const { return Look(places_, line); }
  // Line `line` of the older text, or where what replaced it begins.
  uint32_t Near(uint32_t line) const;
  // Whether each line of both texts is the same as before.
  bool is_identity() const { return is_identity_; }

 private:
  static uint32_t Look(const std::vector<uint32_t>& table, uint32_t line) {
    return line < table.size() ? table[line] : kRewritten;
  }

  // Fills before_ and is_identity_ from after_.
  void FindBefore(size_t new_lines);

  std::vector<uint32_t> after_;   // by line of the older text
  std::vector<uint32_t> before_;  // by line of the newer one
  std::vector<uint32_t> places_;  // by line of the older text: its exact place, kRewritten unknown
  bool is_identity_ = true;
};

}  // namespace tasklens
