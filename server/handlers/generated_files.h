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
// Jobs are looked up in the open trace of the file's folder, else in the newest one. A line that a
// file names is that of the text that was traced, so it is shown where it is now, as far as one of
// these traces knows the source.
//
// Of a file above kMaxWholeBytes that the client has not opened, a place anywhere in it is found by
// reading up to there; links, symbols and folds are those of its beginning.
//
// Threads: pure functions of a session. They read files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "server/handlers/handlers.h"
#include "server/handlers/paraver.h"
#include "server/handlers/present_lines.h"
#include "server/session/session.h"

namespace tasklens {

enum class GeneratedKind { kNone, kRecords, kGraph, kPaje, kEvents, kParaver, kParaverLabels };

// By the file's name, and for *.txt by its first line.
GeneratedKind KindOf(const Session& session, const std::string& path);

// The text of a generated file, or of its beginning where it is large; kCancelled when stopped.
Result<std::shared_ptr<const Text>> BeginningOf(const Session& session, const std::string& path,
                                                Stop stop);

struct JobName {
  uint32_t rank = UINT32_MAX;  // as MPI numbers it; UINT32_MAX: is not said
  uint64_t id = 0;
};

// A line of a source, or a job, whose line the trace knows.
struct SourceMention {
  Range range;        // of the file's name or the job, in the generated file
  std::string file;   // as written; "" for a job
  uint32_t line = 0;  // from 1
  JobName job;
};

// In the order of the file. At most `most` of them. `labels`: of a .prv.
std::vector<SourceMention> FindMentions(const Text& text, GeneratedKind kind,
                                        PositionEncoding encoding, size_t most,
                                        const PrvLabels& labels);
// Those of the .pcf beside a .prv; none for other files.
PrvLabels LabelsOf(const Session& session, const std::string& path, Stop stop);

// What a line of a generated file names.
struct Named {
  Location source;
  std::shared_ptr<const OpenTrace> trace;  // where it was looked up, or nullptr
  uint32_t task = kNone;                   // of it
  std::vector<uint32_t> sites;             // of it: those of the line
  std::string_view remark;                 // see PresentLines
};
// Finds where the mentions of one generated file lead. kNotFound when there is no such file inside
// the workspace or a source root, or no such job.
class MentionLocator {
 public:
  MentionLocator(const Session& session, std::string generated);

  Result<Named> Locate(const SourceMention& mention);

 private:
  // Line `line` (from 1) of the source `path` when the generated file was made.
  Named LocateLine(const std::string& path, uint32_t line);
  Result<Named> LocateJob(const JobName& job);
  Result<std::string> PathOf(const std::string& file);

  const Session& session_;
  const std::string generated_;
  const std::shared_ptr<const OpenTrace> trace_;  // that it is of, nullptr: none is open
  std::map<const OpenTrace*, LinesOfTrace> lines_;
  std::map<std::string, Result<std::string>> paths_;  // by name
};

// What the record, node or event on line `line` of a generated file names.
Result<Named> SourceNamedAt(const Session& session, const std::string& path, uint32_t line,
                            Stop stop);

// The record on line `line` of a .prv in words; see ParaverText().
std::string ParaverTextAt(const Session& session, const std::string& path, uint32_t line,
                          Stop stop);

// The parts of a generated file that have a name: records, nodes, definitions, sections, and of
// events where workers and tasks start; and events in a row of one thread, to be folded. At most
// `most`. Lines from 0, `last` included.
struct GeneratedPart {
  std::string name, detail;
  uint32_t first = 0, last = 0;
  bool is_symbol = true;  // false: only to be folded
};
std::vector<GeneratedPart> FindParts(const Text& text, GeneratedKind kind, size_t most);

}  // namespace tasklens
