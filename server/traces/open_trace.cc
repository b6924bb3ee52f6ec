// SPDX-License-Identifier: Apache-2.0
// Reads a trace, or its beginning, and saves the model for the next time.
#include "server/traces/open_trace.h"

#include <cstdio>
#include <filesystem>
#include <future>
#include <optional>
#include <utility>

#include "analysis/timeline.h"
#include "converters/formats.h"
#include "converters/saved_trace.h"
#include "converters/trace_files.h"
#include "server/traces/background.h"
#include "server/traces/first_views.h"
#include "server/traces/live_progress.h"
#include "server/traces/make_trace.h"
#include "server/traces/program_texts.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// Unix time of the start of the run. If the trace does not record it, this is the time of its
// files. That is the end of the run, and not corrected by its length, because files are often
// copied later.
int64_t StartedNs(const OpenTrace& trace) {
  return trace.model->wall_clock_ns >= 0 ? trace.model->wall_clock_ns : trace.recorded_ns;
}

// If first_bytes is at most this share of the trace, loading even a saved model takes a second.
constexpr double kVastShare = 1. / 64;

// Returns the share of the files to read; see LoadOptions::first_bytes.
double ShareToRead(const std::vector<std::string>& paths, const LoadOptions& options) {
  constexpr double kStep = 8;
  const Result<std::vector<std::string>> files = TraceFiles(paths);
  if (options.first_bytes == 0 || !files.ok()) return 1;
  double bytes = 0;
  for (const std::string& file : *files) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (error) return 1;
    bytes += static_cast<double>(size);
  }
  double share = static_cast<double>(options.first_bytes) / bytes;
  while (share <= options.more_than) share *= kStep;
  return share <= 1 / kStep ? share : 1;
}

// Scales the progress of reading a beginning to the whole.
class ProgressOfShare : public Progress {
 public:
  ProgressOfShare(Progress* whole, double share) : whole_(whole), share_(share) {}
  bool Report(uint64_t done, uint64_t total) override {
    return whole_ == nullptr ||
           whole_->Report(done, static_cast<uint64_t>(static_cast<double>(total) / share_));
  }

 private:
  Progress* const whole_;
  const double share_;
};

// Reads the beginning of a trace; nullopt if the whole is to be read.
std::optional<TraceModel> ReadBeginning(const std::vector<std::string>& paths, double share,
                                        Progress* whole_progress) {
  if (share >= 1) return std::nullopt;
  ProgressOfShare progress(whole_progress, share);
  Diagnostics of_cut_files;
  Result<TraceModel> read = LoadBeginning(paths, share, of_cut_files, kAnalysisParts, &progress);
  if (read.ok()) return std::move(*read);
  return std::nullopt;  // reading the whole will report the error
}

// Saves the model and its first views while requests are already answered.
std::shared_future<void> Save(SavedTrace saved, const OpenTrace& trace) {
  FirstViews first{trace.summary, trace.costs, nullptr};
  return std::async(
      std::launch::async, [saved = std::move(saved), model = trace.model, views = trace.views,
                           first = std::move(first), diagnostics = trace.diagnostics]() mutable {
        // Viewers of the trace request the timeline, too, and must not wait for a background
        // thread.
        first.timeline = views->Timeline(nullptr);
        StayInBackground();
        const Status status =
            saved.Store(*model, diagnostics, [&](const auto& write) { SaveViews(first, write); });
        if (!status.ok()) std::fprintf(stderr, "tasklens: note: %s\n", status.message().c_str());
      });
}

}  // namespace

std::string OpenTrace::Folder() const {
  if (paths.empty()) return "";
  std::error_code error;
  const fs::path first = fs::absolute(paths[0], error);
  return fs::is_directory(first, error) ? first.string() : first.parent_path().string();
}

void OpenTrace::SetModel(TraceModel of_files) {
  model = std::make_shared<const TraceModel>(std::move(of_files));
  views = std::make_shared<TraceViews>(model);
}

void OpenTrace::FindSources(const SourceRoots& in_roots, bool may_run_git) {
  roots = in_roots;
  sources = std::make_shared<const SourceMap>(SourceMap::Make(*model, directory, roots));
  TracedTexts found = FindTracedTexts(sources->Paths(), RunFacts(may_run_git));
  KeepTextsOfProgram(*this, found);
  texts = std::make_shared<const TracedTexts>(std::move(found));
}

TracedRunFacts OpenTrace::RunFacts(bool may_run_git) const {
  return {Folder(), StartedNs(*this), built_ns, program_path, may_run_git};
}

Status CheckAreFiles(const std::vector<std::string>& paths) {
  const Result<std::vector<std::string>> files = TraceFiles(paths);
  if (!files.ok()) return files.status();
  for (const std::string& file : *files) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (fs::exists(status) && !fs::is_regular_file(status))
      return {ErrorCode::kUnsupported, file + ": a pipe or device, not a file with a trace"};
  }
  return Status::Ok();
}

Result<std::shared_ptr<OpenTrace>> LoadTrace(const std::vector<std::string>& paths,
                                             const LoadOptions& options) {
  const SavedTrace saved(paths, DefaultSavedTraceOptions());
  const double share = ShareToRead(paths, options);
  const bool is_vast = share <= kVastShare && options.more_than == 0;
  TraceParts parts{.paths = paths,
                   .roots = options.roots,
                   .directory = options.directory,
                   .may_run_git = options.may_run_git};
  std::optional<TraceModel> beginning;
  std::optional<SavedTrace::Kept> whole;
  bool is_to_save = false;
  if (is_vast) beginning = ReadBeginning(paths, share, options.progress);
  if (!beginning) whole = saved.Load(parts.diagnostics);
  if (!whole && !is_vast) beginning = ReadBeginning(paths, share, options.progress);
  if (beginning) {
    parts.model = std::move(*beginning);
  } else if (whole) {
    parts.model = std::move(whole->model);
    parts.saved_views = whole->beside;
  } else {
    Result<TraceModel> read = LoadPaths(paths, parts.diagnostics, kAnalysisParts, options.progress);
    if (!read.ok()) return read.status();
    parts.model = std::move(*read);
    is_to_save = saved.IsToKeep(parts.diagnostics);
  }
  const std::shared_ptr<OpenTrace> trace = MakeOpenTrace(std::move(parts));
  trace->first_bytes = options.first_bytes;
  if (beginning) {
    trace->share = share;
    trace->reading = std::make_shared<std::atomic<double>>(share);
  }
  if (is_to_save)
    trace->saving = std::make_shared<const std::shared_future<void>>(Save(saved, *trace));
  if (trace->diagnostics.Count("tlt_not_closed") > 0)
    trace->progress = std::make_shared<LiveProgress>(paths);
  return trace;
}

}  // namespace tasklens
