// SPDX-License-Identifier: Apache-2.0
// tasklens print: prints every event of a trace as a line of text, in the order of the file.
#include <cstdio>
#include <optional>

#include "converters/formats.h"
#include "converters/trace_files.h"
#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/run_store.h"
#include "server/command_line/summary.h"
#include "server/messages/messages.h"
#include "trace/events/text_dump.h"

namespace tasklens {
namespace {

struct Options {
  std::vector<std::string> traces;
  bool strict = false;
  bool json = false;
};

void Write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Prints each event as a JSON object on one line.
class JsonLines : public EventSink {
 public:
  StringId Intern(std::string_view text) override { return strings_.Intern(text); }

  void OnEvent(const Event& event) override {
    if (!first_ns_) first_ns_ = event.time_ns;
    const EventDecl& decl = Decl(event.kind);
    // Unsigned arithmetic, because the difference of any two times may overflow.
    const auto since_ns = static_cast<int64_t>(static_cast<uint64_t>(event.time_ns) -
                                               static_cast<uint64_t>(*first_ns_));
    messages::PrintedPrint line{.time_ns = since_ns,
                                .rank = event.rank,
                                .thread = event.tid,
                                .event = std::string(decl.name)};
    for (size_t i = 0; i < decl.arg_count; ++i) {
      messages::EventArgument& argument = line.arguments[std::string(decl.arg_names[i])];
      if (decl.repeats_last && i + 1 == decl.arg_count) {
        auto& values = argument.emplace<std::vector<messages::EventValue>>();
        for (size_t at = i; at < event.args.size(); ++at)
          values.push_back(Value(decl.arg_types[i], event.args[at]));
      } else {
        argument = Value(decl.arg_types[i], event.args[i]);
      }
    }
    Write(DumpLine(line));
  }

 private:
  messages::EventValue Value(ArgType type, uint64_t value) const {
    switch (type) {
      case ArgType::kI64:
      case ArgType::kI32: return static_cast<int64_t>(value);
      case ArgType::kF64: return AsDouble(value);
      case ArgType::kStr: return std::string(strings_.Get(static_cast<StringId>(value)));
      case ArgType::kU64:
      case ArgType::kU32:
      case ArgType::kHex: break;
    }
    return value;
  }

  StringPool strings_;
  std::optional<int64_t> first_ns_;
};

// Stops reading when standard output fails, for example because its reader has gone.
class UntilOutputFails : public Progress {
 public:
  bool Report(uint64_t, uint64_t) override { return std::ferror(stdout) == 0; }
};

// Prints the events of one file as they are read, without building a model. `order`: the rank of
// the file if it gives none.
Status PrintFile(const std::string& path, uint32_t order, bool as_json, Diagnostics& diags) {
  auto source = OpenSource(path);
  if (!source.ok()) return source.status();
  const ReaderSpec* reader = GuessReader((*source)->bytes());
  if (reader == nullptr)
    return {ErrorCode::kUnsupported, path + ": not a trace (see `tasklens convert --list`)"};
  const int64_t rank = reader->rank(**source);
  UntilOutputFails until;
  ReadOptions options;
  options.rank = rank >= 0 ? static_cast<uint32_t>(rank) : order;
  options.progress = &until;
  if (as_json) {
    JsonLines lines;
    return reader->read(**source, options, lines, diags);
  }
  TextDump dump(&Write);
  return reader->read(**source, options, dump, diags);
}

int Print(const Options& options) {
  const Result<std::vector<std::string>> traces = TracesOrNewest(options.traces);
  if (!traces.ok()) return Fail(traces.status());
  const Result<std::vector<std::string>> files = TraceFiles(*traces);
  if (!files.ok()) return Fail(files.status());
  Diagnostics diags;
  Status failed;
  uint32_t order = 0;
  if (options.json) Write(VersionLine());
  for (const std::string& path : *files)
    if (Status s = PrintFile(path, order++, options.json, diags); !s.ok() && failed.ok())
      failed = s;
  const int status = ReportDiagnostics(diags, options.strict);
  return failed.ok() ? status : Fail(failed);
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Example("tasklens print trace_0.tlt | grep task_submit");
  cli.Add(
      "trace", options->traces,
      "trace files, or the folder that holds them; - is standard input (default: the newest run)");
  cli.Flag("--json", options->json, "print one JSON object per line");
  cli.Flag("--strict", options->strict, "exit with status 1 if the trace is incomplete");
  return [options] { return Print(*options); };
}

}  // namespace

extern const CommandSpec kPrintCommand = {
    "print", "print the events of a trace, one per line, in seconds since the first event",
    &Declare};

}  // namespace tasklens
