// SPDX-License-Identifier: Apache-2.0
// The colours of codelets, states and groups, in our pictures and in files that carry colours.
//
// A colour that the program chose for a codelet wins. Otherwise a codelet's colour depends on its
// name alone, so it is the same in every run. Where two names of one run get the same colour, the
// second one has light stripes. The web app has the same function (ide-plugin/webview/colors.js),
// over this palette; a test holds its pictures, ours and Paraver's files equal.
//
// Files that imitate those of StarPU's tools (dag.dot, paje.trace) have the colours of these tools:
// converters/writers/.
//
// Threads: NameColours is const once built, the rest are pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// All colours are 0xRRGGBB.
std::span<const uint32_t> Palette();

// The colour of the i-th thing of an ordered set; the palette repeats.
uint32_t PaletteRgb(size_t i);

// Returns the colour of a codelet for which the program chose none. `name`: the name in pictures,
// "unknown" for a codelet without a name.
uint32_t NameRgb(std::string_view name);

// Returns the colour of a state. Idle states are paler, so that tasks and the runtime's work stand
// out.
uint32_t StateRgb(StateKind state);

// The colour of a group of tasks of several codelets.
inline constexpr uint32_t kMixedRgb = 0x6f7987;

struct Paint {
  uint32_t rgb = 0;
  uint32_t stripes = 0;  // at most kMostStripes
};
inline constexpr uint32_t kMostStripes = 3;

// The colours of the codelets of one run. Built in O(tasks) time.
class NameColours {
 public:
  // `model` must outlive this.
  explicit NameColours(const TraceModel& model);

  // Returns the colour that the program chose for the tasks of this name, if it chose exactly one;
  // otherwise NameRgb(). The number of stripes is the number of earlier names of this run with the
  // same colour.
  // REQUIRES: some task has the name.
  Paint OfName(StringId name) const { return paint_of_[name]; }
  // Returns the task's own colour if it has one, otherwise the colour of its name.
  Paint OfTask(uint32_t task) const;

  // Whether the program chose the colour of the name.
  bool IsOwn(StringId name) const { return own_of_[name] < kSeveral; }
  // Whether the program chose the colour of any task.
  bool has_own() const { return has_own_; }

 private:
  static constexpr uint32_t kSeveral = 0xFFFFFFFE;  // more than one colour; kNone: none was chosen

  const TraceModel& model_;
  std::vector<uint32_t> own_of_;  // by StringId of names
  std::vector<Paint> paint_of_;
  bool has_own_ = false;
};

}  // namespace tasklens
