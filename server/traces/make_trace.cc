// SPDX-License-Identifier: Apache-2.0
// Completes a model with names, times, costs and sources.
#include "server/traces/make_trace.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "server/runs/kept_runs.h"
#include "server/traces/first_views.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

std::string_view InfoOf(const TraceModel& model, std::string_view key) {
  for (const auto& [k, value] : model.info)
    if (model.str(k) == key) return model.str(value);
  return "";
}

// The program's name, else that of the first file, else of its folder.
std::string TitleOf(const std::string& program, const std::vector<std::string>& paths) {
  if (!program.empty()) return program;
  const fs::path first = paths.empty() ? fs::path("trace") : fs::path(paths[0]);
  return first.has_filename() ? first.filename().string() : first.parent_path().string();
}

// Unix time of the end: from the model, else the time of the newest file.
int64_t RecordedNs(const TraceModel& model, const std::vector<std::string>& paths) {
  if (model.wall_clock_ns >= 0) return model.wall_clock_ns + model.duration_ns;
  int64_t newest_ns = -1;
  for (const std::string& path : paths) newest_ns = std::max(newest_ns, ModifiedNs(path));
  return newest_ns;
}

}  // namespace

std::shared_ptr<OpenTrace> MakeOpenTrace(TraceParts parts) {
  auto trace = std::make_shared<OpenTrace>();
  trace->SetModel(std::move(parts.model));
  const TraceModel& model = *trace->model;
  trace->paths = std::move(parts.paths);
  trace->diagnostics = std::move(parts.diagnostics);
  // For a kept run, its record knows more than the trace.
  const KeptRun run = trace->paths.empty() ? KeptRun() : ReadKeptRun(trace->Folder());
  const std::string_view named = InfoOf(model, "program");
  trace->program_path = named.empty() ? run.program : std::string(named);
  trace->program = fs::path(trace->program_path).filename().string();
  trace->built_ns = run.built_ns;
  trace->title = !run.name.empty() ? run.name : TitleOf(trace->program, trace->paths);
  Result<FirstViews> saved = LoadViews(model, parts.saved_views);
  FirstViews first = saved.ok() ? std::move(*saved) : SummarizeForViews(model);
  trace->summary = first.summary;
  trace->costs = std::move(first.costs);
  if (first.timeline) trace->views->UseTimeline(std::move(first.timeline));
  trace->cost_of.assign(model.sites.size(), kNone);
  for (uint32_t row = 0; row < trace->costs.size(); ++row)
    trace->cost_of[trace->costs[row].site] = row;
  trace->recorded_ns = RecordedNs(model, trace->paths);
  trace->directory =
      parts.directory.empty() ? std::string(InfoOf(model, "directory")) : parts.directory;
  trace->FindSources(parts.roots, parts.may_run_git);
  return trace;
}

}  // namespace tasklens
