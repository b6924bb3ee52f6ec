// SPDX-License-Identifier: Apache-2.0
// A trace that is open: its model, and what requests look up in it. Const once it is made, as all
// that a Session has.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/sites.h"
#include "server/sources/source_map.h"
#include "server/sources/traced_text.h"
#include "server/traces/trace_views.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"
#include "trace/support/progress.h"
#include "trace/support/status.h"

namespace tasklens {

class LiveProgress;
struct EarlierRun;
struct Insights;

struct OpenTrace {
  std::string id;                  // "t1"
  std::string title;               // for people: the run's name, else the program's
  std::string program;             // its file's name: "cholesky", "" unknown
  std::string program_path;        // "" unknown
  int64_t built_ns = -1;           // see TracedRunFacts
  std::vector<std::string> paths;  // what was loaded
  std::shared_ptr<const TraceModel> model;
  Diagnostics diagnostics;
  RunSummary summary;
  std::vector<SiteCost> costs;    // the costliest first
  std::vector<uint32_t> cost_of;  // by site: the row of costs, or kNone
  int64_t recorded_ns = -1;       // Unix time of its end; -1 unknown
  std::string directory;          // where the program ran, "" unknown
  SourceRoots roots;              // in which `sources` were looked for
  std::shared_ptr<const SourceMap> sources;
  std::shared_ptr<TraceViews> views;
  std::shared_ptr<const TracedTexts> texts;  // of the files of `sources`
  std::shared_ptr<const Insights> insights;  // nullptr until they are worked out
  std::string no_insights;                   // why they never will be; "" they may
  std::shared_ptr<const EarlierRun> before;  // nullptr: none is known
  std::shared_ptr<LiveProgress> progress;    // nullptr: the trace is complete
  double share = 1;          // of its files that was read, from their beginnings: less than 1 of a
                             // large trace whose rest is still being read
  uint64_t first_bytes = 0;  // as in LoadOptions
  std::string not_read;      // why the rest never will be; "" it may
  // How much of its files the reading has read that is under way; nullptr: none is.
  std::shared_ptr<std::atomic<double>> reading;
  // Of the model, for the next time (converters/saved_trace.h): waits for it when it goes.
  std::shared_ptr<const void> saving;

  // Sets `model`, and `views` of it.
  void SetModel(TraceModel of_files);
  // Looks for the sources below `roots`: sets them, `sources` and `texts`. Slow.
  void FindSources(const SourceRoots& in_roots, bool may_run_git = true);
  // What is known of the run, for FindTracedTexts().
  TracedRunFacts RunFacts(bool may_run_git) const;
  // The folder that holds the trace.
  std::string Folder() const;
  // Its recorder did not close it: the program still runs, or was killed.
  bool IsUnfinished() const { return progress != nullptr; }
  // All that was in its files has been read.
  bool IsWhole() const { return share >= 1; }
  // More of it may come.
  bool IsGrowing() const { return IsUnfinished() || (!IsWhole() && not_read.empty()); }
};

// Fails when one of them, where it is there, is neither a file nor a folder: a pipe may have no
// end, or be the one that the client writes to.
Status CheckAreFiles(const std::vector<std::string>& paths);

struct LoadOptions {
  SourceRoots roots = {};
  std::string directory = {};    // where the program ran; "" as the trace says
  Progress* progress = nullptr;  // may stop the reading
  bool may_run_git = true;
  // Not 0: of a trace that is large only a beginning is read, so that something can be looked at
  // soon: the smallest of 1, 8, 64, ... times so many bytes that is more than `more_than` of the
  // whole. A beginning is an eighth of the whole at most: all together cost little beside it. What
  // is saved from an earlier time comes instead, where that can be loaded as soon.
  uint64_t first_bytes = 0;
  double more_than = 0;
};

// Enough to look at, read within a tenth of a second or two.
inline constexpr uint64_t kFirstBytes = uint64_t{64} << 20;

// Reads the files and prepares what requests need. Slow; any thread. kCancelled when the progress
// says so.
Result<std::shared_ptr<OpenTrace>> LoadTrace(const std::vector<std::string>& paths,
                                             const LoadOptions& options);

}  // namespace tasklens
