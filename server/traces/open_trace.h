// SPDX-License-Identifier: Apache-2.0
// An open trace: its model and the data that requests look up in it. It is const once made, like
// everything in a Session.
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
  std::string program;             // file name of the program: "cholesky"; "" unknown
  std::string program_path;        // "" unknown
  int64_t built_ns = -1;           // see TracedRunFacts
  std::vector<std::string> paths;  // what was loaded
  std::shared_ptr<const TraceModel> model;
  Diagnostics diagnostics;
  RunSummary summary;
  std::vector<SiteCost> costs;    // the costliest first
  std::vector<uint32_t> cost_of;  // by site: its row in `costs`, or kNone
  int64_t recorded_ns = -1;       // Unix time of the end of the run; -1 unknown
  std::string directory;          // where the program ran, "" unknown
  SourceRoots roots;              // where `sources` were looked for
  std::shared_ptr<const SourceMap> sources;
  std::shared_ptr<TraceViews> views;
  std::shared_ptr<const TracedTexts> texts;  // texts of the files in `sources`
  std::shared_ptr<const Insights> insights;  // nullptr until they are computed
  std::string no_insights;                   // why there will be no insights; "": there may be
  std::shared_ptr<const EarlierRun> before;  // nullptr: no earlier run is known
  std::shared_ptr<LiveProgress> progress;    // nullptr: the trace is complete
  double share = 1;          // of the files that was read, from their beginnings; below 1 while
                             // the rest of a large trace is being read
  uint64_t first_bytes = 0;  // as in LoadOptions
  std::string not_read;      // why the rest will never be read; "": it may be
  // The share of the files that the current reading has read so far; nullptr: no reading is under
  // way.
  std::shared_ptr<std::atomic<double>> reading;
  // Saves the model for the next time (converters/saved_trace.h). Its destructor waits until it is
  // saved.
  std::shared_ptr<const void> saving;

  // Sets `model` and makes `views` for it.
  void SetModel(TraceModel of_files);
  // Looks for the sources below `in_roots`; sets `roots`, `sources` and `texts`. Slow.
  void FindSources(const SourceRoots& in_roots, bool may_run_git = true);
  // The facts about the run that FindTracedTexts() needs.
  TracedRunFacts RunFacts(bool may_run_git) const;
  // The folder that holds the trace.
  std::string Folder() const;
  // The recorder did not close the trace: the program still runs, or was killed.
  bool IsUnfinished() const { return progress != nullptr; }
  // True if the files have been read to their ends.
  bool IsWhole() const { return share >= 1; }
  // True if more of the trace may be read later.
  bool IsGrowing() const { return IsUnfinished() || (!IsWhole() && not_read.empty()); }
};

// Fails if one of the paths exists but is neither a file nor a folder: a pipe may have no end, or
// may be the one that the client writes to.
Status CheckAreFiles(const std::vector<std::string>& paths);

struct LoadOptions {
  SourceRoots roots = {};
  std::string directory = {};    // where the program ran; "": as the trace says
  Progress* progress = nullptr;  // may stop the reading
  bool may_run_git = true;
  // If not 0, only the beginning of a large trace is read, so that there is soon something to look
  // at. Its length is the smallest of 1, 8, 64, ... times first_bytes that is more than `more_than`
  // of the whole. A beginning is at most an eighth of the whole, so that all beginnings together
  // cost little. If a saved copy of the whole can be loaded as fast, that is loaded instead.
  uint64_t first_bytes = 0;
  double more_than = 0;
};

// Enough to look at; read in one or two tenths of a second.
inline constexpr uint64_t kFirstBytes = uint64_t{64} << 20;

// Reads the files and prepares what requests need. Slow; may be called on any thread. Returns
// kCancelled if `progress` stops the reading.
Result<std::shared_ptr<OpenTrace>> LoadTrace(const std::vector<std::string>& paths,
                                             const LoadOptions& options);

}  // namespace tasklens
