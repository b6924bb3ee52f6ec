// SPDX-License-Identifier: Apache-2.0
// Files that were generated from a trace, and the source lines that they mention:
//
//   *.rec           records: "File:" and "Line:"
//   *.dot           nodes: href="file#line"
//   paje.trace      events with a job: the line that submitted it
//   *.events, *.txt  what `tasklens print` writes: "submitted at file:line in", or "task 12"
//   *.pcf, *.prv    labels of events that name a line (see paraver.h); those of a .prv stand in the
//                   .pcf beside it
//
// Jobs are looked up in the open trace of the file's folder, else in the newest trace. A line in a
// generated file is a line of the text that was traced; the answer is its present line if one of
// these traces knows the source.
//
// If a file is larger than kMaxWholeBytes and not open in the client, finding a place in it reads
// the file up to that place; links, symbols and folds cover only its beginning.
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

// Returns the text of a generated file, or the beginning of a large one. kCancelled when stopped.
Result<std::shared_ptr<const Text>> BeginningOf(const Session& session, const std::string& path,
                                                Stop stop);

struct JobName {
  uint32_t rank = UINT32_MAX;  // as MPI numbers it; UINT32_MAX: unknown
  uint64_t id = 0;
};

// A mention of a source line, or of a job whose line the trace knows.
struct SourceMention {
  Range range;        // of the file's name or the job, in the generated file
  std::string file;   // as written; "" for a job
  uint32_t line = 0;  // from 1
  JobName job;
};

// Returns the mentions in the order of the file, at most `most`. `labels`: those of a .prv.
std::vector<SourceMention> FindMentions(const Text& text, GeneratedKind kind,
                                        PositionEncoding encoding, size_t most,
                                        const PrvLabels& labels);
// Returns the labels of the .pcf beside a .prv; none for other files.
PrvLabels LabelsOf(const Session& session, const std::string& path, Stop stop);

// The result of looking up a mention.
struct Named {
  Location source;
  std::shared_ptr<const OpenTrace> trace;  // the trace it was looked up in, or nullptr
  uint32_t task = kNone;                   // row in `trace`
  std::vector<uint32_t> sites;             // sites of the line in `trace`
  std::string_view remark;                 // see PresentLines
};
// Looks up the mentions of one generated file. Fails with kNotFound if the source is not inside the
// workspace or a source root, or if there is no such job.
class MentionLocator {
 public:
  MentionLocator(const Session& session, std::string generated);

  Result<Named> Locate(const SourceMention& mention);

 private:
  // Locates line `line` (from 1) of the source `path` as it was when the generated file was made.
  Named LocateLine(const std::string& path, uint32_t line);
  Result<Named> LocateJob(const JobName& job);
  Result<std::string> PathOf(const std::string& file);

  const Session& session_;
  const std::string generated_;
  const std::shared_ptr<const OpenTrace> trace_;  // of the file; nullptr: none is open
  std::map<const OpenTrace*, LinesOfTrace> lines_;
  std::map<std::string, Result<std::string>> paths_;  // by name
};

// Looks up the record, node or event on line `line` of a generated file.
Result<Named> SourceNamedAt(const Session& session, const std::string& path, uint32_t line,
                            Stop stop);

// Describes the record on line `line` of a .prv; see ParaverText().
std::string ParaverTextAt(const Session& session, const std::string& path, uint32_t line,
                          Stop stop);

// Returns the parts of a generated file: named ones (records, nodes, definitions, sections, the
// first events of workers and tasks), and consecutive events of one thread, which a client can
// fold. At most `most`. Lines count from 0; `last` is included.
struct GeneratedPart {
  std::string name, detail;
  uint32_t first = 0, last = 0;
  bool is_symbol = true;  // false: only a fold
};
std::vector<GeneratedPart> FindParts(const Text& text, GeneratedKind kind, size_t most);

}  // namespace tasklens
