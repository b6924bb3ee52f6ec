// SPDX-License-Identifier: Apache-2.0
// Files that were made from a trace, and the places of sources that they name:
//
//   *.rec           records: "File:" and "Line:"
//   *.dot           nodes: href="file#line"
//   paje.trace      events with a job: the line that submitted it
//   *.events, *.txt  what `tasklens print` writes: "submitted at file:line in", or "task 12"
//   *.pcf, *.prv    labels of events that name a line (see paraver.h); those of a .prv stand in the
//                   .pcf beside it
//
// Jobs are looked up in the open trace of the file's folder, else in the newest one.
//
// Of a file above kMaxWholeBytes that the client has not opened, a place anywhere in it is found by
// reading up to there; links, symbols and folds are those of its beginning.
//
// Threads: pure functions of a session. They read files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "server/handlers/handlers.h"
#include "server/session/session.h"

namespace tasklens {

enum class GeneratedKind { kNone, kRecords, kGraph, kPaje, kEvents, kParaver, kParaverLabels };

// By the file's name, and for *.txt by its first line.
GeneratedKind KindOf(const Session& session, const std::string& path);

// The text of a generated file, or of its beginning where it is large; kCancelled when stopped.
Result<std::shared_ptr<const Text>> BeginningOf(const Session& session, const std::string& path,
                                                Stop stop);

struct SourceMention {
  Range range;       // of the file's name, in the generated file
  std::string file;  // as written
  uint32_t line;     // from 1
};

// In the order of the file. At most `most` of them.
std::vector<SourceMention> FindMentions(const Text& text, GeneratedKind kind,
                                        PositionEncoding encoding, size_t most);

// Where a mention leads. kNotFound when there is no such file inside the workspace or a source
// root.
Result<Location> LocateMention(const Session& session, const std::string& generated,
                               const SourceMention& mention);

// What the record, node or event on line `line` of a generated file names.
struct Named {
  Location source;
  std::shared_ptr<const OpenTrace> trace;  // where it was looked up, or nullptr
  uint32_t task = kNone;                   // of it
};
Result<Named> SourceNamedAt(const Session& session, const std::string& path, uint32_t line,
                            Stop stop);

// The record on line `line` of a .prv in words; see ParaverText().
std::string ParaverTextAt(const Session& session, const std::string& path, uint32_t line,
                          Stop stop);

// The parts of a generated file that have a name: records, nodes, definitions and containers, at
// most `most`. Lines from 0, `last` included.
struct GeneratedPart {
  std::string name, detail;
  uint32_t first = 0, last = 0;
};
std::vector<GeneratedPart> FindParts(const Text& text, GeneratedKind kind, size_t most);

}  // namespace tasklens
