// SPDX-License-Identifier: Apache-2.0
// tasklens report: writes a trace as one HTML page that opens in any browser.
#include "server/command_line/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/run_store.h"
#include "server/command_line/server_commands.h"
#include "server/command_line/summary.h"
#include "server/command_line/terminal_progress.h"
#include "server/report/report_data.h"
#include "server/report/report_page.h"
#include "trace/support/outputs.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 30'000'000;  // small enough for a mail, and to open at once

struct Options {
  std::vector<std::string> traces;
  std::vector<std::string> source_roots;
  std::string output = "report.html";
  bool strict = false;
};

int Report(const Options& options) {
  const Result<std::vector<std::string>> traces = TracesOrNewest(options.traces);
  if (!traces.ok()) return Fail(traces.status());
  TerminalProgress progress("reading " + traces->front());
  const auto trace =
      LoadTrace(*traces, {.roots = RootsOf(options.source_roots), .progress = &progress});
  if (!trace.ok()) return Fail(trace.status());
  const int exit_status = ReportDiagnostics((*trace)->diagnostics, options.strict);
  if (Status written = WriteReport(**trace, options.output); !written.ok()) return Fail(written);
  std::error_code error;
  PrintText("{} ({}), open: file://{}\n", options.output,
            BytesText(fs::file_size(options.output, error)),
            fs::absolute(options.output, error).lexically_normal().string());
  return exit_status;
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Example("tasklens report -o gemm.html");
  cli.Add("trace", options->traces,
          "trace files, one per rank, or the folder that holds them (default: the newest run)");
  cli.Add("-o,--output FILE", options->output, "the page to write").ShowDefault();
  cli.Add("--source-root DIR", options->source_roots,
          "folder whose sources may be quoted (default: the current folder)");
  cli.Flag("--strict", options->strict, "exit with status 1 if the trace is incomplete");
  return [options] { return Report(*options); };
}

}  // namespace

SourceRoots RootsOf(const std::vector<std::string>& folders) {
  SourceRoots roots;
  for (const std::string& folder : folders) roots.Add(folder);
  std::error_code error;
  if (folders.empty()) roots.Add(fs::current_path(error).string());
  return roots;
}

Status WriteReport(const OpenTrace& trace, const std::string& path) {
  const fs::path target(path);
  if (!target.has_filename())
    return Status(ErrorCode::kInvalidArgument, path + ": name the page to write, not a folder");
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Status(ErrorCode::kIo, path + ": cannot be written: there is no folder " + folder);
  auto outputs = DirectoryOutputs(folder);
  Result<OutputFile*> file = outputs->Open(target.filename().string());
  if (!file.ok()) return file.status();
  ReportLimits limits;
  std::string page = ReportPage(ReportData(trace, limits));
  while (page.size() > kMostBytes && limits.slices > 1000) {
    limits.slices /= 2;
    limits.tasks /= 2;
    limits.groups /= 2;
    page = ReportPage(ReportData(trace, limits));
  }
  (*file)->Append(page);
  if (Status closed = (*file)->Close(); !closed.ok()) return closed;
  return outputs->Commit();
}

extern const CommandSpec kReportCommand = {kReportText.name, kReportText.summary, &Declare};

}  // namespace tasklens
