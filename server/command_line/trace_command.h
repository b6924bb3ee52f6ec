// SPDX-License-Identifier: Apache-2.0
// Shared by commands that analyse a trace: declares arguments, reads the trace, finds tasks and
// workers by name, and formats texts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_clock.h"
#include "analysis/task_times.h"
#include "server/command_line/options.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

struct TraceArguments {
  std::vector<std::string> traces;
  bool json = false;
  bool strict = false;
};
// Declares the operand TRACE... and the flags --json and --strict.
void DeclareTraceArguments(OptionSet& cli, TraceArguments& arguments);

// Reads the trace (`parts`: bits of ModelParts), reports its problems, and calls `run`, whose
// status ends the command. A trace is taken from the cache of saved traces if it is there; one that
// was read with kAnalysisParts is stored in it if it is large enough. Returns the exit status.
int WithTrace(const TraceArguments& arguments, uint32_t parts,
              const std::function<Status(const TraceModel&)>& run);

// Writes or replaces the file; kIo says which file and why.
Status WriteFile(const std::string& path, std::string_view text);

// "gemm (job 12)", with the rank if there are several; "chol.c:102" or "no line".
std::string TaskText(const TraceModel& model, uint32_t task);
std::string SiteText(const TraceModel& model, uint32_t site);

// Finds the row of the worker `name`: a name ("CPU0") or an id ("3"), preceded by the rank if there
// are several ("1:CPU0"), or with the rank in `rank` ("": any). kNotFound lists the workers;
// kInvalidArgument lists the ranks if several have such a worker.
Result<uint32_t> FindWorker(const TraceModel& model, std::string_view name,
                            std::string_view rank = "");
// Finds the row of the task JOB or RANK_JOB, and fails in the same ways.
Result<uint32_t> FindTaskByJob(const TraceModel& model, std::string_view name,
                               std::string_view rank = "");
// An interval of the run as the user types it, in times of RunClock.
struct StretchArguments {
  std::string from, to;
  bool IsGiven() const { return !from.empty() || !to.empty(); }
};
// Declares --from and --to.
void DeclareStretchArguments(OptionSet& cli, StretchArguments& arguments);
// A picture of the trace: its file ("": none), and what the colours of tasks tell.
struct PictureArguments {
  std::string svg, colour = "codelet";
};
// Declares --svg, which it returns, and --colour. REQUIRES: --json is declared.
Option DeclarePictureArguments(OptionSet& cli, PictureArguments& arguments);

// Converts the interval to model time. A limit that is not given is that of `all`. kInvalidArgument
// if the interval is empty or outside the trace.
Result<Span> StretchOf(const TraceModel& model, const RunClock& clock, Span all,
                       const StretchArguments& arguments);

}  // namespace tasklens
