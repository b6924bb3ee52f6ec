// SPDX-License-Identifier: Apache-2.0
// Where the lines that a trace names are in a file as it is now, unsaved changes included.
//
// Where a line opens parentheses, what follows up to their end is part of it, kMaxCallLines at
// most: words and marks of these lines count, blanks, comments and line ends do not.
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
    kExact,      // the line is where `line` says, and reads as it did when it was traced
    kUncertain,  // the same, if the program was made from the text that it seems to be made from
    kRewritten,  // it, or what it calls, was rewritten; `line` is its place
    kGone,       // it was removed; `line` is where it was
    kUnknown,    // the file changed and its traced text is not known; `line` is the trace's
  };
  struct Line {
    uint32_t line;  // from 0
    State state;
  };

  // For the file `path` of `trace`.
  PresentLines(const Session& session, const OpenTrace& trace, const std::string& path);

  // Of line `traced` (from 0) of the traced text.
  Line Of(uint32_t traced) const;
  // The traced line that is now line `present`; nothing for a line that is new.
  std::optional<uint32_t> TracedAt(uint32_t present) const;

  // What to add to a sentence about the line: "", or " · ..." saying why it may be wrong.
  static std::string_view Remark(State state);

 private:
  // Whether the call that begins on line `traced` reads on line `present` as it did.
  bool IsSameCall(uint32_t traced, uint32_t present) const;

  std::optional<LineMap> map_;        // where both texts are known
  std::shared_ptr<const Text> text_;  // then: what the file is now
  std::shared_ptr<const Text> traced_;
  std::optional<RewrittenLines> rewritten_;
  bool is_certain_ = true;  // then: whether the traced one is
  bool is_older_ = false;   // else: whether the file changed since
};

// The same for all files of a trace; each text is compared once.
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
