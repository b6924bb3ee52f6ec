// SPDX-License-Identifier: Apache-2.0
// What analyses need of a trace, and what takes them long to make of it, kept in the user's cache
// so that the trace opens at once the next time.
//
// A file of the folder of saved traces belongs to the paths of a trace. It is used while every file
// of the trace has the size, the time of change and the first and last 64 KiB that it had, and this
// program is the build that wrote it; else the trace is read as if there were none. It is never
// needed, and never trusted: its bytes carry a checksum, and what they say is checked besides.
//
// Not kept: small traces (least_bytes), those from pipes, and those of programs that still run or
// were killed, as such files may change without a trace of it. When all saved traces together
// exceed most_bytes, those not used for longest go, and with them what a process that was ended
// while it saved has left behind.
//
// Threads: const functions from any. Several processes may use one folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"
#include "trace/support/status.h"

namespace tasklens {

struct SavedTraceOptions {
  std::string directory;  // made when missing, for this user alone; "": nothing is kept
  uint64_t least_bytes = uint64_t{8} << 20;
  uint64_t most_bytes = uint64_t{8} << 30;
};

// The folder is $TASKLENS_SAVED_TRACES ("" or "off" for none), else tasklens/traces in
// $XDG_CACHE_HOME, else in ~/.cache.
SavedTraceOptions DefaultSavedTraceOptions();

class SavedTrace {
 public:
  using Write = std::function<void(std::string_view)>;
  struct Kept {
    TraceModel model;  // with kAnalysisParts
    // What was written beside it; stays as long as the model. Its maker checks it, as nothing here
    // says what it means.
    std::span<const std::byte> beside;
  };

  // Of the trace that LoadPaths(paths) reads, as its files are now.
  SavedTrace(std::span<const std::string> paths, SavedTraceOptions options);

  // What was kept, and what was said about the trace added to `diags`; nothing where there is none
  // that can be used.
  std::optional<Kept> Load(Diagnostics& diags) const;

  // Whether Store() keeps a trace of which `diags` was said, as far as that is known before.
  bool IsToKeep(const Diagnostics& diags) const;

  // Keeps `model`, which holds these parts, and `diags` for the next time, and beside them what
  // `beside` gives, unless it is not to be kept or the files have changed since this was made. An
  // error says why it could not.
  Status Store(const TraceModel& model, const Diagnostics& diags,
               const std::function<void(const Write&)>& beside = nullptr) const;

  // Where it is kept; "" where it never is.
  const std::string& path() const { return path_; }

 private:
  void RemoveOldest() const;

  SavedTraceOptions options_;
  std::vector<std::string> files_;  // of the trace
  uint64_t bytes_ = 0;              // of these
  std::string path_;
  uint64_t state_ = 0;  // of the files when this was made
};

}  // namespace tasklens
