// SPDX-License-Identifier: Apache-2.0
// Saves the data of a trace that analyses need, and results that take long to compute, in the
// user's cache, so that the trace opens at once the next time.
//
// A file in the folder of saved traces belongs to the paths of a trace. It is used only if every
// file of the trace has the same size, modification time, first and last 64 KiB as before, and this
// build of the program wrote it; otherwise the trace is read again. A saved file is never needed,
// and never trusted: it has a checksum, and its contents are checked as well.
//
// Not saved: small traces (least_bytes), traces from pipes, and traces of programs that still run
// or were killed, because such files may change without notice. When all saved traces together
// exceed most_bytes, the least recently used are removed, and so are the leftovers of a process
// that ended while it saved.
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
  std::string directory;  // created if missing, accessible only to this user; "": nothing is saved
  uint64_t least_bytes = uint64_t{8} << 20;
  uint64_t most_bytes = uint64_t{8} << 30;
};

// The folder is $TASKLENS_SAVED_TRACES (if "" or "off": none), else tasklens/traces in
// $XDG_CACHE_HOME, else in ~/.cache.
SavedTraceOptions DefaultSavedTraceOptions();

class SavedTrace {
 public:
  using Write = std::function<void(std::string_view)>;
  struct Kept {
    TraceModel model;  // with kAnalysisParts
    // The bytes of Store()'s `beside`, valid as long as the model. They are not checked here: the
    // code that wrote them must check them.
    std::span<const std::byte> beside;
  };

  // For the trace that LoadPaths(paths) reads, in the present state of its files.
  SavedTrace(std::span<const std::string> paths, SavedTraceOptions options);

  // Returns the saved trace and adds its diagnostics to `diags`; nothing if there is no usable one.
  std::optional<Kept> Load(Diagnostics& diags) const;

  // Whether Store() will save a trace with these diagnostics, as far as that is known beforehand.
  bool IsToKeep(const Diagnostics& diags) const;

  // Saves `model`, which must have these parts, `diags`, and the bytes that `beside` writes; does
  // nothing if the trace is not to be saved or its files have changed since the constructor. An
  // error says why saving failed.
  Status Store(const TraceModel& model, const Diagnostics& diags,
               const std::function<void(const Write&)>& beside = nullptr) const;

  // The path of the saved file; "" if the trace is never saved.
  const std::string& path() const { return path_; }

 private:
  void RemoveOldest() const;

  SavedTraceOptions options_;
  std::vector<std::string> files_;  // of the trace
  uint64_t bytes_ = 0;              // of these
  std::string path_;
  uint64_t state_ = 0;  // state of the files at construction
};

}  // namespace tasklens
