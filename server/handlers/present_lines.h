// SPDX-License-Identifier: Apache-2.0
// Where the lines that a trace names are in a file as it is now, unsaved changes included.
//
// Threads: a value made from an immutable session.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/handlers/handlers.h"
#include "server/session/line_map.h"
#include "server/session/session.h"

namespace tasklens {

class PresentLines {
 public:
  enum class State {
    kExact,      // the line is where `line` says, and reads as it did when it was traced
    kUncertain,  // the same, if the program was made from the text that it seems to be made from
    kRewritten,  // it was rewritten or removed; `line` is its place
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
  std::optional<LineMap> map_;  // where both texts are known
  bool is_certain_ = true;      // then: whether the traced one is
  bool is_older_ = false;       // else: whether the file changed since
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
