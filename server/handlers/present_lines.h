// SPDX-License-Identifier: Apache-2.0
// Maps the lines of a trace to the present text of a file, including unsaved changes.
//
// If a line opens parentheses, the text up to their end belongs to it, at most kMaxCallLines lines.
// Words and punctuation of these lines are compared; blanks, comments and line ends are not.
//
// Threads: a value made from an immutable session.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/handlers/handlers.h"
#include "server/session/session.h"
#include "server/sources/line_map.h"
#include "server/sources/rewritten_lines.h"

namespace tasklens {

class PresentLines {
 public:
  static constexpr uint32_t kMaxCallLines = 64;

  enum class State {
    kExact,      // the line is at `line` and reads as it did when it was traced
    kUncertain,  // the same, provided that the traced text was guessed correctly
    kRewritten,  // the line, or its call, was rewritten; `line` is its place
    kGone,       // the line was removed; `line` is where it was
    kUnknown,    // the file changed and the traced text is unknown; `line` is the trace's
  };
  struct Line {
    uint32_t line;  // from 0
    State state;
  };

  // Maps lines of the file `path` of `trace`.
  PresentLines(const Session& session, const OpenTrace& trace, const std::string& path);

  // Maps line `traced` (from 0) of the traced text.
  Line Of(uint32_t traced) const;
  // The traced line that is now at line `present`; nullopt for a new line.
  std::optional<uint32_t> TracedAt(uint32_t present) const;

  // A remark to append to a sentence about the line: "", or " · ..." saying why it may be wrong.
  static std::string_view Remark(State state);

 private:
  // True if the call that begins on line `traced` reads the same on line `present`.
  bool IsSameCall(uint32_t traced, uint32_t present) const;

  std::optional<LineMap> map_;        // if both texts are known
  std::shared_ptr<const Text> text_;  // if map_ is set: the present text
  std::shared_ptr<const Text> traced_;
  std::optional<RewrittenLines> rewritten_;
  bool is_certain_ = true;  // if map_ is set: the traced text is certain
  bool is_older_ = false;   // if map_ is not set: the file changed since
};

// The same for all files of a trace; compares each text once.
class LinesOfTrace {
 public:
  struct Place {
    Location location;
    PresentLines::State state;
  };
  LinesOfTrace(const Session& session, const OpenTrace& trace) : session_(session), trace_(trace) {}

  const PresentLines& In(const std::string& path);
  // As LocateSite().
  Result<Place> Locate(uint32_t site);

 private:
  const Session& session_;
  const OpenTrace& trace_;
  std::map<std::string, PresentLines> files_;
};

}  // namespace tasklens
