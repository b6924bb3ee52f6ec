// SPDX-License-Identifier: Apache-2.0
// How fast other people's formats are written of a model in memory, and read into one.
// `bazel run //bench:formats_bench [-- TRACE TASKS]`; TRACE is a small FxT trace, which is repeated
// until there are TASKS tasks.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "bench/cost.h"
#include "bench/fxt_repeat.h"
#include "converters/formats.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// As users open it: a file, read on two threads.
TraceModel Read(const std::string& path) {
  Diagnostics diags;
  auto model = LoadPaths({&path, 1}, diags);
  if (!model.ok()) std::abort();
  return std::move(*model);
}

TraceModel ReadBytes(const std::string& name, std::string bytes) {
  const std::unique_ptr<Source> source[] = {MemorySource(name, std::move(bytes))};
  Diagnostics diags;
  auto model = Load(source, diags);
  if (!model.ok()) std::abort();
  return std::move(*model);
}

// Takes bytes as a disk would that costs nothing. (What a library writes goes to a real one.)
class Nowhere : public MemoryOutputs {
 public:
  Result<OutputFile*> Open(const std::string&) override { return &file_; }
  Result<std::string> OpenFolder(const std::string& name) override {
    auto folder = MemoryOutputs::OpenFolder(name);
    if (folder.ok()) folder_ = *folder;
    return folder;
  }
  Status Commit() override { return Status::Ok(); }
  double megabytes() const {
    auto bytes = static_cast<double>(file_.bytes);
    if (!folder_.empty())
      for (const auto& entry : fs::recursive_directory_iterator(folder_))
        if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
    return bytes / 1e6;
  }

 private:
  struct File : OutputFile {
    void Append(std::string_view text) override { bytes += text.size(); }
    Status Close() override { return Status::Ok(); }
    size_t bytes = 0;
  };
  File file_;
  std::string folder_;
};

struct Format {
  const char* name;
  const char* file;
  double write_ms, read_ms;  // what is wanted for a million tasks; 0: nothing is
  bool is_read;
};
constexpr Format kFormats[] = {
    {"paraver", "trace.prv", 1000, 2230, true},
    {"perfetto", "trace.pftrace", 1000, 0, false},
    {"otf2", "otf2/traces.otf2", 0, 0, false},
    {"paje", "paje.trace", 0, 0, true},
};

void Measure(const TraceModel& model, const Format& format, Table& table, int rounds) {
  const WriterSpec& writer = *FindWriter(format.name);
  double megabytes = 0;
  const Cost written = BestOf(rounds, [&] {
    Nowhere nowhere;
    if (!writer.write(model, {}, nowhere).ok()) std::abort();
    megabytes = nowhere.megabytes();
  });
  table.Row((std::string("write ") + format.name).c_str(), written, format.write_ms);
  std::printf("%-12s %-34s %10.0f MB, %.0f MB/s\n", "formats", "", megabytes,
              megabytes / written.wall_ms * 1e3);
  if (!format.is_read) return;
  const fs::path folder = fs::temp_directory_path() / ("formats_bench_" + std::to_string(getpid()));
  const auto outputs = DirectoryOutputs(folder);
  if (!writer.write(model, {}, *outputs).ok() || !outputs->Commit().ok()) std::abort();
  const std::string path = folder / format.file;
  const auto bytes = static_cast<double>(fs::file_size(path));
  const Cost read = BestOf(rounds, [&] { Read(path); });
  fs::remove_all(folder);
  table.Row((std::string("read ") + format.name).c_str(), read, format.read_ms);
  std::printf("%-12s %-34s %10.0f MB, %.0f MB/s\n", "formats", "", bytes / 1e6,
              bytes / 1e3 / read.wall_ms);
}

int Main(const std::string& path, size_t tasks) {
  const std::string small = ReadFile(path);
  const size_t once = ReadBytes(path, small).tasks.size();
  if (once == 0) {
    std::fprintf(stderr, "formats_bench: %s: no trace with tasks\n", path.c_str());
    return 1;
  }
  const TraceModel model = ReadBytes(path, RepeatFxt(small, std::max<size_t>(1, tasks / once)));
  std::printf("%-12s %zu tasks, %zu dependencies, %zu states\n", "formats", model.tasks.size(),
              model.predecessors.items.size(), model.states.size());
  Table table("formats", std::max(1., static_cast<double>(model.tasks.size()) / 1e6));
  constexpr int kRounds = 3;
  for (const Format& format : kFormats) Measure(model, format, table, kRounds);
  return 0;
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) {
  const long tasks = argc > 2 ? std::atol(argv[2]) : 1'000'000;
  if (argc < 2 || tasks < 1 || tasks > 100'000'000) {
    std::fprintf(stderr, "formats_bench: wants a small FxT trace, and a number of tasks to 1e8\n");
    return 2;
  }
  return tasklens::Main(argv[1], static_cast<size_t>(tasks));
}
