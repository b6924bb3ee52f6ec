// SPDX-License-Identifier: Apache-2.0
// How long a user waits from opening a trace to its first timeline, of the beginning of a large one
// and of all of it: the first time, and once the trace is saved. `bazel run //bench:open_bench [--
// TRACE [TASKS]]`; TRACE is a small FxT trace, which is repeated until there are TASKS tasks, or,
// where TASKS is 0, a trace that is opened as it is.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "analysis/timeline.h"
#include "analysis/timeline_curves.h"
#include "bench/cost.h"
#include "bench/fxt_repeat.h"
#include "bench/model_memory.h"
#include "converters/formats.h"
#include "converters/saved_trace.h"
#include "server/session/session.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

void FirstTimeline(const TraceModel& model) {
  const TimelineIndex index(model);
  for (uint32_t track = 0; track < model.tracks.size(); ++track)
    for (uint32_t depth = 0; depth < index.Depths(track); ++depth)
      index.Slices(track, depth, 0, std::max<int64_t>(1, model.duration_ns), 1920);
}

void Counters(const TraceModel& model) { TimelineCurves(model, TimelineRows(model)); }

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The small trace, repeated until there are `tasks` tasks; empty where it has none.
std::string Repeated(const std::string& small, size_t tasks) {
  Diagnostics diags;
  const Result<TraceModel> once = LoadPaths({&small, 1}, diags);
  if (!once.ok() || once->tasks.size() == 0) return {};
  return RepeatFxt(ReadFile(small), std::max<size_t>(1, tasks / once->tasks.size()));
}

int Main(const std::string& trace, size_t tasks) {
  const fs::path folder = fs::temp_directory_path() / ("open_bench_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::string path = trace;
  if (tasks > 0) {
    path = folder / "prof_file_0";
    const std::string repeated = Repeated(trace, tasks);
    if (repeated.empty()) {
      std::fprintf(stderr, "open_bench: %s: no trace with tasks\n", trace.c_str());
      return 1;
    }
    std::ofstream(path, std::ios::binary) << repeated;
  }

  // As the server does it.
  setenv("TASKLENS_SAVED_TRACES", "off", 1);
  double share = 0;
  const Cost first = CostOf([&] {
    const auto beginning = LoadTrace({path}, {.first_bytes = kFirstBytes});
    if (!beginning.ok()) {
      std::fprintf(stderr, "open_bench: %s\n", beginning.status().message().c_str());
      std::exit(1);
    }
    share = (*beginning)->share;
    FirstTimeline(*(*beginning)->model);
  });
  std::printf("%-12s the first timeline is of %.1f %% of the file\n", "open", 100 * share);
  // However large the trace is.
  if (share < 1) Table("open", 1).Row("cold, with the first timeline", first, 1000);

  Diagnostics diags;
  SavedTraceOptions options;
  options.directory = folder / "saved";
  std::optional<TraceModel> model;
  const Cost cold = CostOf([&] {
    const SavedTrace saved({&path, 1}, options);
    if (saved.Load(diags)) std::abort();
    Result<TraceModel> loaded = LoadPaths({&path, 1}, diags, kAnalysisParts);
    if (!loaded.ok()) {
      std::fprintf(stderr, "open_bench: %s\n", loaded.status().message().c_str());
      std::exit(1);
    }
    model = std::move(*loaded);
    FirstTimeline(*model);
  });
  std::printf("%-12s %zu tasks, %zu dependencies, %zu states, %.0f MB\n", "open",
              model->tasks.size(), model->predecessors.items.size(), model->states.size(),
              static_cast<double>(fs::file_size(path)) / 1e6);
  PrintMemory("open", *model);
  Table table("open", std::max(1., static_cast<double>(model->tasks.size()) / 1e6));
  table.Row("cold, with the whole timeline", cold, 1000);
  const SavedTrace saved({&path, 1}, options);
  table.Row("its counters", CostOf([&] { Counters(*model); }), 0);
  table.Row("saving it, beside", CostOf([&] {
              if (!saved.Store(*model, diags).ok()) std::abort();
            }),
            0);
  if (!fs::exists(saved.path())) {
    std::fprintf(stderr, "open_bench: the trace is not one to keep: %s\n", diags.Summary().c_str());
    return 1;
  }
  std::printf("%-12s %.0f MB are kept\n", "open",
              static_cast<double>(fs::file_size(saved.path())) / 1e6);
  model.reset();
  table.Row("warm, with the whole timeline",
            BestOf(5,
                   [&] {
                     const SavedTrace again({&path, 1}, options);
                     const std::optional<TraceModel> loaded = again.Load(diags);
                     if (!loaded) std::abort();
                     FirstTimeline(*loaded);
                   }),
            150);
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) {
  const long tasks = argc > 2 ? std::atol(argv[2]) : 1'000'000;
  if (argc < 2 || tasks < 0 || tasks > 100'000'000) {
    std::fprintf(stderr, "open_bench: wants a trace, and a number of tasks up to 1e8\n");
    return 2;
  }
  return tasklens::Main(argv[1], static_cast<size_t>(tasks));
}
