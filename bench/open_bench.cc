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
#include <memory>
#include <sstream>
#include <string>

#include "analysis/timeline.h"
#include "analysis/timeline_curves.h"
#include "bench/cost.h"
#include "bench/fxt_repeat.h"
#include "bench/model_memory.h"
#include "converters/formats.h"
#include "server/session/session.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// A trace after its first timeline, and what it took to see it.
struct Opening {
  std::shared_ptr<OpenTrace> trace;
  Cost cost;
};
Opening Opened(const std::string& path, const LoadOptions& options) {
  Opening opening;
  opening.cost = CostOf([&] {
    auto loaded = LoadTrace({path}, options);
    if (!loaded.ok()) {
      std::fprintf(stderr, "open_bench: %s\n", loaded.status().message().c_str());
      std::exit(1);
    }
    opening.trace = std::move(*loaded);
    const TraceModel& model = *opening.trace->model;
    const auto index = opening.trace->views->Timeline(nullptr);
    for (uint32_t track = 0; track < model.tracks.size(); ++track)
      for (uint32_t depth = 0; depth < index->Depths(track); ++depth)
        index->Slices(track, depth, 0, std::max<int64_t>(1, model.duration_ns), 1920);
  });
  return opening;
}

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
  const fs::path saved_traces = folder / "saved";
  setenv("TASKLENS_SAVED_TRACES", "off", 1);
  const auto beginning = Opened(path, {.first_bytes = kFirstBytes});
  std::printf("%-12s the first timeline is of %.1f %% of the file\n", "open",
              100 * beginning.trace->share);
  // However large the trace is.
  if (!beginning.trace->IsWhole())
    Table("open", 1).Row("cold, with the first timeline", beginning.cost, 1000);

  setenv("TASKLENS_SAVED_TRACES", saved_traces.c_str(), 1);
  auto cold = Opened(path, {});
  const TraceModel& model = *cold.trace->model;
  std::printf("%-12s %zu tasks, %zu dependencies, %zu states, %.0f MB\n", "open",
              model.tasks.size(), model.predecessors.items.size(), model.states.size(),
              static_cast<double>(fs::file_size(path)) / 1e6);
  PrintMemory("open", model);
  Table table("open", std::max(1., static_cast<double>(model.tasks.size()) / 1e6));
  table.Row("cold, with the whole timeline", cold.cost, 1000);
  table.Row("its counters", CostOf([&] { TimelineCurves(model, TimelineRows(model)); }), 0);
  table.Row("saving it, beside: what is left of that", CostOf([&] { cold.trace->saving.reset(); }),
            0);
  uint64_t saved_bytes = 0;
  std::error_code none_was_saved;
  for (const fs::directory_entry& file : fs::directory_iterator(saved_traces, none_was_saved))
    saved_bytes += file.file_size();
  if (saved_bytes == 0) {
    std::fprintf(stderr, "open_bench: the trace is not one to keep: %s\n",
                 cold.trace->diagnostics.Summary().c_str());
    return 1;
  }
  std::printf("%-12s %.0f MB are kept\n", "open", static_cast<double>(saved_bytes) / 1e6);
  cold.trace.reset();
  Cost warm = Opened(path, {}).cost;
  for (int run = 1; run < 5; ++run) {
    const Cost cost = Opened(path, {}).cost;
    if (cost.wall_ms < warm.wall_ms) warm = cost;
  }
  table.Row("warm, with the whole timeline", warm, 150);
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
