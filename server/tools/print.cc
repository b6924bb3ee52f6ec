// SPDX-License-Identifier: Apache-2.0
// tasklens print: every event of a trace as a line of text, as it stands in the file.
#include <cstdio>

#include "converters/formats.h"
#include "server/tools/command.h"
#include "server/tools/summary.h"
#include "trace/events/text_dump.h"

namespace tasklens {
namespace {

struct Options {
  std::vector<std::string> traces;
  bool strict = false;
};

// Ends the reading when nobody takes the lines any more.
class UntilOutputFails : public Progress {
 public:
  bool Report(uint64_t, uint64_t) override { return std::ferror(stdout) == 0; }
};

// Reads one file, without a model: events come as the file has them, one file after the other.
Status PrintFile(const std::string& path, uint32_t order, Diagnostics& diags) {
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
  TextDump dump([](std::string_view line) { std::fwrite(line.data(), 1, line.size(), stdout); });
  return reader->read(**source, options, dump, diags);
}

int Print(const Options& options) {
  Diagnostics diags;
  Status failed;
  uint32_t order = 0;
  for (const std::string& path : options.traces)
    if (Status s = PrintFile(path, order++, diags); !s.ok() && failed.ok()) failed = s;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return Fail({ErrorCode::kIo, "standard output: cannot be written to"});
  const int status = ReportDiagnostics(diags, options.strict);
  return failed.ok() ? status : Fail(failed);
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("trace", options->traces, "trace files; - is standard input")->required();
  app.add_flag("--strict", options->strict, "exit 1 when something of the trace is missing");
  return [options] { return Print(*options); };
}

}  // namespace

extern const CommandSpec kPrintCommand = {"print", "the events of a trace, one a line", &Declare};

}  // namespace tasklens
