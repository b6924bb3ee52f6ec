// SPDX-License-Identifier: Apache-2.0
// tasklens run: runs a program and records its trace.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "analysis/advice.h"
#include "analysis/statistics.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/answers/printed.h"
#include "server/command_line/child.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/run_store.h"
#include "server/command_line/server_commands.h"
#include "server/command_line/summary.h"
#include "server/runs/kept_runs.h"
#include "server/runs/linked_starpu.h"
#include "server/runs/traced_run.h"
#include "server/session/session.h"
#include "server/traces/earlier_run.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string directory;
  std::vector<std::string> program;
  bool json = false;
  bool all = false;
};

// Redirects standard output to standard error during its lifetime, so that standard output contains
// only our answer.
class OutputToError {
 public:
  explicit OutputToError(bool is_wanted) : output_(is_wanted ? dup(STDOUT_FILENO) : -1) {
    if (output_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputToError() {
    if (output_ < 0) return;
    dup2(output_, STDOUT_FILENO);
    close(output_);
  }
  OutputToError(const OutputToError&) = delete;
  OutputToError& operator=(const OutputToError&) = delete;

 private:
  const int output_;
};

messages::PrintedRun RunAnswer(const OpenTrace& trace, const ChildEnd& end,
                               const std::vector<std::string>& traces) {
  messages::PrintedRun answer{SummaryMessage(*trace.model, trace.summary)};
  if (end.signal == 0)
    answer.exit_status = end.exit_status;
  else
    answer.signal = end.signal;
  answer.traces = traces;
  answer.complete = !trace.diagnostics.HasDataLoss();
  for (const SiteCost& cost : trace.costs)
    answer.costs.push_back(OverviewSiteMessage(*trace.model, cost, trace.summary.busy_ns));
  return answer;
}

Result<ChildEnd> RunTraced(const Options& options, const std::string& directory) {
  const OutputToError moved(options.json);
  return RunChild(options.program, TracedEnvironment(directory, options.all));
}

int64_t NowNs() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Returns the record of the run for the list of runs in editors.
KeptRun RecordOf(const Options& options, const std::string& directory) {
  KeptRun run;
  run.directory = directory;
  run.id = fs::path(directory).filename().string();
  run.started_ns = NowNs();
  std::error_code error;
  const fs::path program = fs::absolute(options.program[0], error);
  if (options.program[0].find('/') != std::string::npos && !error)
    run.program = program.lexically_normal().string();
  else
    run.program = options.program[0];
  run.configuration.program = run.program;
  run.configuration.arguments.assign(options.program.begin() + 1, options.program.end());
  run.configuration.working_directory = fs::current_path(error).string();
  return run;
}

// Returns "; did you mean ./NAME?" if the program was named without a slash and is a file in the
// current folder; else "".
std::string Suggestion(const Options& options) {
  const std::string& name = options.program[0];
  std::error_code error;
  if (name.find('/') != std::string::npos || !fs::is_regular_file(name, error)) return "";
  return "; did you mean ./" + name + "?";
}

// Prints the first finding and the next commands to use. `trace`: their operand, after a blank; ""
// for the newest run.
void PrintNext(const TraceModel& model, const std::string& trace) {
  const std::vector<Finding> findings = Advise(model);
  if (findings.empty()) {
    PrintText("no findings; next: tasklens report{}\n", trace);
    return;
  }
  const Finding& first = findings.front();
  const std::string place = first.site < model.sites.size()
                                ? StatisticsLabel(model, StatisticsBy::kSite, first.site)
                                : std::string("the whole run");
  PrintText("{}, the first: {}: {}{}\n", CountText(findings.size(), "finding"), place,
            first.message,
            first.cost_ns > 0 ? " (up to " + DurationText(first.cost_ns) + ")" : std::string());
  PrintText("next: tasklens advise{0}, tasklens report{0}\n", trace);
}

int Run(const Options& options) {
  // The folder of -o gets only the trace. Other runs are kept in the workspace, with a record for
  // editors.
  const bool is_kept = options.directory.empty();
  Result<std::string> directory = is_kept ? MakeRunDirectory(WorkspaceFolder(), options.program[0])
                                          : EmptyRunDirectory(options.directory);
  if (!directory.ok() && options.directory.empty())
    return Fail({directory.status().code(),
                 directory.status().message() + "; -o DIR puts the trace elsewhere"});
  if (!directory.ok()) return Fail(directory.status());
  KeptRun record = RecordOf(options, *directory);
  const Result<ChildEnd> end = RunTraced(options, *directory);
  if (!end.ok()) {
    RemoveIfEmpty(*directory);
    return Fail({end.status().code(), end.status().message() + Suggestion(options)});
  }
  const std::string trouble = Describe(*end);
  if (!trouble.empty())
    std::fprintf(stderr, "tasklens: %s %s\n", options.program[0].c_str(), trouble.c_str());

  Result<std::vector<std::string>> traces = FindTraces(*directory);
  if (!traces.ok()) {
    RemoveIfEmpty(*directory);
    return Fail(ExplainNoTrace(traces.status(), options.program, {}, ""));
  }
  const auto trace = LoadTrace(*traces, {.directory = std::filesystem::current_path().string()});
  if (!trace.ok()) return Fail(trace.status());
  ReportDiagnostics((*trace)->diagnostics, false);
  if (Status s = SaveTracedTexts(*(*trace)->texts, *directory); !s.ok()) return Fail(s);
  if (is_kept) {
    record.ended_ns = NowNs();
    record.exit_status = end->signal == 0 ? end->exit_status : -1;
    record.signal = end->signal;
    record.message = fs::path(options.program[0]).filename().string() + " " +
                     (trouble.empty() ? std::string("exited with status 0") : trouble);
    record.sites = SiteTotalsOf(**trace);
    if (Status s = WriteKeptRun(record); !s.ok()) return Fail(s);
  }
  if (options.json) {
    std::fputs(Dump(RunAnswer(**trace, *end, *traces)).c_str(), stdout);
  } else {
    fmt::print("{}", SummaryText(*(*trace)->model, 3));
    fmt::print("trace: {}\n", fmt::join(*traces, " "));
    PrintNext(*(*trace)->model, is_kept ? "" : " " + options.directory);
  }
  return trouble.empty() ? kExitDone : kExitFault;
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Example("tasklens run -- ./gemm 4096");
  cli.Add("-o,--output DIR", options->directory,
          "folder for the trace (default: a new one in .tasklens/runs, where editors find it)");
  cli.Flag("--json", options->json,
           "print a summary of the run as JSON; the output of the program goes to standard error");
  cli.Flag("--all", options->all,
           "record even where the program switches recording off (TaskLens' runtime only)");
  cli.Add("program", options->program, "the program and its arguments, best after --").Required();
  cli.Footer(
      "The program must use TaskLens' runtime or a StarPU with FxT; see `tasklens flags`.\n"
      "If the program fails, its exit status is reported and tasklens exits with status 1. The "
      "trace is kept.");
  return [options] { return Run(*options); };
}

}  // namespace

extern const CommandSpec kRunCommand = {kRunText.name, kRunText.summary, &Declare};

}  // namespace tasklens
