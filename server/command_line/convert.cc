// SPDX-License-Identifier: Apache-2.0
// tasklens convert: converts traces to the files of other tools.
#include "server/command_line/convert.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/run_store.h"
#include "server/command_line/source_directory.h"
#include "server/command_line/summary.h"
#include "server/messages/messages.h"
#include "trace/support/nearest.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

// The formats that the first phase of StarVZ reads.
constexpr std::string_view kStarvzFormats = "paje,dot,tasks,data,comms,papi";
// Formats that `all` leaves out. `chrome-json` refuses large traces and has nothing that `perfetto`
// lacks. `data-trace` writes a file for each name of tasks: there may be thousands, and their names
// may be those of other files.
constexpr std::string_view kNotInAll[] = {"chrome-json", "data-trace"};

struct Options {
  std::vector<std::string> traces;
  std::string directory = ".";
  std::string formats;
  std::vector<std::string> settings;
  std::vector<std::string> source_roots;
  std::string paraver;
  bool starvz = false;
  bool list = false;
  bool strict = false;
  bool json = false;
};

// Returns the first format whose description says that its files end in ".ending", else "".
std::string_view FormatOfFiles(std::string_view ending) {
  const std::string end = fmt::format(".{},", ending);
  for (const WriterSpec* writer : Writers())
    if (writer->description.find(end) != writer->description.npos) return writer->name;
  return "";
}

Status UnknownFormat(std::string_view name) {
  std::vector<std::string_view> known{"all", "starpu"};
  for (const WriterSpec* writer : Writers()) known.push_back(writer->name);
  const auto is_called_so = [&](const ReaderSpec* reader) { return reader->name == name; };
  std::string what = fmt::format("no format is called '{}'{}", name, DidYouMean(name, known));
  if (const std::string_view format = FormatOfFiles(name); !format.empty())
    what = fmt::format("no format is called '{}' (did you mean '{}'?)", name, format);
  else if (std::ranges::any_of(Readers(), is_called_so))
    what = fmt::format("'{}' is recorded by a running program and cannot be written", name);
  return {
      ErrorCode::kInvalidArgument,
      fmt::format("{}; there are {}; see `tasklens convert --list`", what, fmt::join(known, ", "))};
}

void PrintFormatsAsJson() {
  messages::PrintedConvertList answer;
  for (const ReaderSpec* reader : Readers())
    answer.reads.push_back({std::string(reader->name), std::string(reader->description)});
  for (const WriterSpec* writer : Writers()) {
    messages::PrintedWriter& row = answer.writes.emplace_back();
    row.name = writer->name;
    row.description = writer->description;
    row.in_starpu_set = writer->in_starpu_set;
    row.read_by = writer->read_by;
    row.options.assign(writer->options.begin(), writer->options.end());
  }
  std::fputs(Dump(answer).c_str(), stdout);
}

void PrintFormats() {
  fmt::print("reads (recognised by the content):\n");
  for (const ReaderSpec* reader : Readers())
    fmt::print("  {:<12} {}\n", reader->name, reader->description);
  fmt::print("writes (* is in the set `starpu`):\n");
  for (const WriterSpec* writer : Writers()) {
    fmt::print("  {:<10}{} {}\n               read by {}\n", writer->name,
               writer->in_starpu_set ? " *" : "  ", writer->description, writer->read_by);
    if (!writer->options.empty())
      fmt::print("               options: {}\n", fmt::join(writer->options, ", "));
  }
}

Result<WriteOptions> ParseSettings(const std::vector<std::string>& settings,
                                   std::span<const WriterSpec* const> writers) {
  WriteOptions options;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const bool known = std::any_of(writers.begin(), writers.end(), [&](const WriterSpec* writer) {
      return std::find(writer->options.begin(), writer->options.end(), key) !=
             writer->options.end();
    });
    if (!known)
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("none of the chosen formats has an option '{}'", key));
    options.values[key] = equals == std::string::npos ? "1" : setting.substr(equals + 1);
  }
  return options;
}

int Convert(const Options& options) {
  if (options.list) {
    options.json ? PrintFormatsAsJson() : PrintFormats();
    return kExitDone;
  }
  const Result<std::vector<std::string>> traces = TracesOrNewest(options.traces);
  if (!traces.ok()) return Fail(traces.status());
  auto writers = ChooseWriters(!options.formats.empty()   ? std::string_view(options.formats)
                               : options.starvz           ? kStarvzFormats
                               : !options.paraver.empty() ? "paraver"
                                                          : "starpu");
  if (!writers.ok()) return Fail(writers.status());
  auto settings = ParseSettings(options.settings, *writers);
  if (!settings.ok()) return Fail(settings.status());
  if (options.starvz) settings->values["starvz"] = "1";
  if (!options.paraver.empty()) settings->values["paraver"] = options.paraver;

  return ConvertTraces({*traces, std::move(*writers), std::move(*settings), options.directory,
                        options.strict, options.source_roots,
                        options.json ? ConvertRequest::Says::kJson : ConvertRequest::Says::kText});
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Add("trace", options->traces,
          "trace files, one per rank, or the folder that holds them; - is standard input (default: "
          "the newest run)");
  cli.Add("-o,--output DIR", options->directory, "folder to write to").ShowDefault();
  cli.Add("--to FORMATS", options->formats,
          "formats, separated by commas; or a set of them: starpu (the default) or all");
  cli.Add("--set KEY[=VALUE]", options->settings, "set an option of a format: KEY or KEY=VALUE");
  cli.Add("--source-root DIR", options->source_roots,
          "folder of the sources, if they are neither beside the trace nor in the current folder");
  cli.Flag("--starvz", options->starvz,
           "write what the first phase of StarVZ reads, in the form it expects");
  cli.Add("--paraver", options->paraver,
          "write Paraver's files as its document of 2001 defines them, or as it writes them today")
      .OneOf({"2001", "today"});
  cli.Flag("--list", options->list, "list all formats and the tools that read them");
  cli.Flag("--json", options->json, "print the written files, or the --list, as JSON");
  cli.Flag("--strict", options->strict, "exit with status 1 if the trace is incomplete");
  cli.Example("tasklens convert --to paje,dot -o results trace_0.tlt");
  return [options] { return Convert(*options); };
}

// Shows on the terminal how many bytes were written. The total is not known in advance.
class ShownOutputs : public Outputs {
 public:
  // `path`: the name of one file that may contain folders, as the user gave it, or "".
  ShownOutputs(const std::string& directory, std::string_view path,
               TerminalProgress::Clock::time_point since)
      : outputs_(DirectoryOutputs(directory)),
        path_(path),
        at_path_(std::filesystem::path(directory) / path_),
        progress_("writing to " + directory, since) {}

  Result<OutputFile*> Open(const std::string& name) override {
    const bool elsewhere = name == path_ && name.find('/') != name.npos;
    if (elsewhere) elsewhere_ = DirectoryOutputs(at_path_.parent_path().string());
    auto file = elsewhere ? elsewhere_->Open(at_path_.filename().string()) : outputs_->Open(name);
    if (!file.ok()) return file;
    const std::lock_guard lock(mutex_);
    files_.push_back(std::make_unique<File>(name, **file, *this));
    return files_.back().get();
  }
  Result<std::string> OpenFolder(const std::string& name) override {
    auto path = outputs_->OpenFolder(name);
    if (!path.ok()) return path;
    const std::lock_guard lock(mutex_);
    folders_[name] = *path;
    return path;
  }
  // Returns the files sorted by name. REQUIRES: Commit() was called.
  std::vector<WrittenFile> Written() const {
    std::vector<WrittenFile> written = in_folders_;
    for (const auto& file : files_) written.push_back({file->name(), file->bytes()});
    std::sort(written.begin(), written.end(),
              [](const WrittenFile& a, const WrittenFile& b) { return a.name < b.name; });
    return written;
  }
  Status Commit() override {
    std::error_code error;
    for (const auto& [name, path] : folders_)
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error))
        if (entry.is_regular_file(error))
          in_folders_.push_back({name + "/" + entry.path().lexically_relative(path).string(),
                                 entry.file_size(error)});
    if (Status s = outputs_->Commit(); !s.ok() || !elsewhere_) return s;
    return elsewhere_->Commit();
  }

 private:
  class File : public OutputFile {
   public:
    File(std::string name, OutputFile& file, ShownOutputs& all)
        : name_(std::move(name)), file_(file), all_(all) {}
    const std::string& name() const { return name_; }
    uint64_t bytes() const { return bytes_; }
    void Append(std::string_view text) override {
      file_.Append(text);
      bytes_ += text.size();
      all_.Wrote(text.size());
    }
    Status Close() override { return file_.Close(); }

   private:
    const std::string name_;
    OutputFile& file_;
    ShownOutputs& all_;
    uint64_t bytes_ = 0;
  };

  void Wrote(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    progress_.Report(bytes_, 0);
  }

  const std::unique_ptr<Outputs> outputs_;
  const std::string path_;
  const std::filesystem::path at_path_;
  std::unique_ptr<Outputs> elsewhere_;  // for the file at that path; only one writer opens it
  std::mutex mutex_;                    // guards the following members
  std::vector<std::unique_ptr<File>> files_;
  std::map<std::string, std::string> folders_;  // their paths until Commit(), by name
  std::vector<WrittenFile> in_folders_;
  uint64_t bytes_ = 0;
  TerminalProgress progress_;
};

// The bytes of mapped files that are in memory: the third number in /proc/self/statm.
class MappedBytes {
 public:
  MappedBytes() : fd_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}
  ~MappedBytes() {
    if (fd_ >= 0) close(fd_);
  }
  // Returns 0 if they are not known.
  size_t Now() const {
    char text[128];
    const ssize_t size = pread(fd_, text, sizeof text - 1, 0);
    if (size <= 0) return 0;
    text[size] = '\0';
    size_t resident = 0, mapped = 0;
    if (std::sscanf(text, "%*u %zu %zu", &resident, &mapped) != 2) return 0;
    return mapped * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  }

 private:
  const int fd_;
};

// The part of the scratch file that may be in memory at once: a small part of the 200 to 300 bytes
// that it has for each task. With less, pages would be dropped and read again too often.
constexpr size_t kReadBytesOfTask = 32;
constexpr size_t kLeastRead = size_t{2} << 20;

// Drops the pages of a scratch file from memory, during its lifetime, as soon as more than
// `most_bytes` of them were read. A thread checks every millisecond.
class Forgetting {
 public:
  Forgetting(ScratchFile& scratch, size_t most_bytes)
      : thread_([&scratch, most_bytes](const std::stop_token& stop) {
          Run(scratch, most_bytes, stop);
        }) {}

 private:
  static void Run(ScratchFile& scratch, size_t most_bytes, const std::stop_token& stop) {
    const MappedBytes mapped;
    scratch.Forget();
    const size_t most = mapped.Now() + most_bytes;
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!never.wait_for(lock, stop, std::chrono::milliseconds(1),
                           [&] { return stop.stop_requested(); }))
      if (mapped.Now() > most) scratch.Forget();
  }

  std::jthread thread_;
};

// Returns how many bytes of a model stay on the heap before the scratch file takes the rest. A
// small trace stays there as a whole: the file would add a sixth to the time of its conversion, and
// at 14 MB its pages in memory are larger than the columns. (StarPU's tool takes 4 MB and 0.6 bytes
// for each byte of a trace, such a model 0.4 bytes.)
size_t HeapBytesFor(std::span<const std::string> traces) {
  constexpr uintmax_t kSmallBytes = uintmax_t{64} << 20;
  uintmax_t bytes = 0;
  for (const std::string& trace : traces) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(trace, error);
    if (error) return size_t{1} << 20;  // a pipe, or a folder
    bytes += size;
  }
  return bytes <= kSmallBytes ? size_t{32} << 20 : size_t{1} << 20;
}

// Lets large blocks return to the system when they are freed. A conversion allocates them one after
// the other, so its peak is then that of its largest step. Smaller blocks are excluded: mapping
// them anew each time costs too many page faults.
void ReturnFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  mallopt(M_TRIM_THRESHOLD, 512 * 1024);
}

}  // namespace

Result<std::vector<const WriterSpec*>> ChooseWriters(std::string_view list) {
  std::vector<const WriterSpec*> chosen;
  const auto is_in_all = [](const WriterSpec* writer) {
    return std::ranges::find(kNotInAll, writer->name) == std::end(kNotInAll);
  };
  const auto choose = [&](const WriterSpec* writer) {
    if (std::find(chosen.begin(), chosen.end(), writer) == chosen.end()) chosen.push_back(writer);
  };
  while (!list.empty()) {
    const std::string_view name = TakeUpTo(',', list);
    if (name == "all" || name == "starpu") {
      for (const WriterSpec* writer : Writers())
        if (writer->in_starpu_set || (name == "all" && is_in_all(writer))) choose(writer);
    } else if (const WriterSpec* writer = FindWriter(name)) {
      choose(writer);
    } else {
      return UnknownFormat(name);
    }
  }
  if (chosen.empty()) return Status(ErrorCode::kInvalidArgument, "--to names no format");
  return chosen;
}

uint32_t PartsFor(std::span<const WriterSpec* const> writers, const WriteOptions& options) {
  uint32_t parts = 0;
  for (const WriterSpec* writer : writers) {
    parts |= writer->parts;
    for (const PartsOfOption& more : writer->parts_of_options)
      if (options.Has(more.option)) parts |= more.parts;
  }
  return parts;
}

Result<std::vector<WrittenFile>> WriteFormats(const TraceModel& model,
                                              std::span<const WriterSpec* const> writers,
                                              const WriteOptions& options,
                                              const std::string& directory, ScratchFile* scratch,
                                              TerminalProgress::Clock::time_point since) {
  ShownOutputs outputs(directory, options.Get("paje-file", ""), since);
  std::vector<Status> results(writers.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < writers.size(); i = next++)
      results[i] = writers[i]->write(model, options, outputs).WithPrefix(writers[i]->name);
  };
  {
    std::optional<Forgetting> forgetting;
    if (scratch != nullptr && scratch->size_bytes() > 0)
      forgetting.emplace(*scratch, std::max(kLeastRead, model.tasks.size() * kReadBytesOfTask));
    std::vector<std::jthread> helpers;
    const size_t threads = std::min<size_t>(writers.size(), std::thread::hardware_concurrency());
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  for (const Status& result : results)
    if (!result.ok()) return result;
  if (Status s = outputs.Commit(); !s.ok()) return s;
  return outputs.Written();
}

int ConvertTraces(ConvertRequest request) {
  const auto since = TerminalProgress::Clock::now();
  ReturnFreedMemory();
  Diagnostics diags;
  const auto scratch =
      std::make_shared<ScratchFile>(request.directory, HeapBytesFor(request.traces));
  Result<TraceModel> model =
      LoadWithProgress(request.traces, diags, PartsFor(request.writers, request.options), scratch);
  const int status = ReportDiagnostics(diags, request.strict);
  if (!model.ok()) return Fail(model.status());
  if (!request.options.Has("directory"))
    request.options.values["directory"] =
        FindSourceDirectory(*model, request.traces, request.source_roots);
  const auto written = WriteFormats(*model, request.writers, request.options, request.directory,
                                    scratch.get(), since);
  if (!written.ok()) return Fail(written.status());
  if (request.says == ConvertRequest::Says::kJson) {
    messages::PrintedConvert answer{.directory = request.directory,
                                    .complete = !diags.HasDataLoss()};
    for (const WrittenFile& file : *written)
      answer.files.push_back({.name = file.name, .bytes = file.bytes});
    std::fputs(Dump(answer).c_str(), stdout);
  } else if (request.says == ConvertRequest::Says::kText) {
    for (const WrittenFile& file : *written)
      PrintText("{} ({})\n", (std::filesystem::path(request.directory) / file.name).string(),
                BytesText(file.bytes));
  }
  return status;
}

extern const CommandSpec kConvertCommand = {
    "convert", "convert a trace to the formats of other tools", &Declare};

}  // namespace tasklens
