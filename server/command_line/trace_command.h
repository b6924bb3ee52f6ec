// SPDX-License-Identifier: Apache-2.0
// What commands that analyse a trace share: their arguments, reading it, and texts about it.
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
// The arguments TRACE... and the flags --json and --strict.
void DeclareTraceArguments(OptionSet& cli, TraceArguments& arguments);

// Reads the trace (`parts`: bits of ModelParts), says what was wrong with it, and calls `run`,
// whose status ends the command. Returns the exit status.
int WithTrace(const TraceArguments& arguments, uint32_t parts,
              const std::function<Status(const TraceModel&)>& run);

// Writes or replaces the file; kIo says which and why.
Status WriteFile(const std::string& path, std::string_view text);

// "gemm (job 12)", with the rank where there are several; "chol.c:102" or "no line".
std::string TaskText(const TraceModel& model, uint32_t task);
std::string SiteText(const TraceModel& model, uint32_t site);

// The row of the worker that `name` means: its name ("CPU0"), its id ("3"), each with the rank
// before it where there are several ("1:CPU0"), or with `rank` ("": any). kNotFound names those
// there are, kInvalidArgument the ranks where several have one of that name.
Result<uint32_t> FindWorker(const TraceModel& model, std::string_view name,
                            std::string_view rank = "");
// The row of task JOB or RANK_JOB; fails in the same ways.
Result<uint32_t> FindTaskByJob(const TraceModel& model, std::string_view name,
                               std::string_view rank = "");
// A stretch of the run, as people write it: times of RunClock.
struct StretchArguments {
  std::string from, to;
  bool IsGiven() const { return !from.empty() || !to.empty(); }
};
// The options --from and --to.
void DeclareStretchArguments(OptionSet& cli, StretchArguments& arguments);
// In the model's time; `all` where neither is given, its end where one is not.
Result<Span> StretchOf(const TraceModel& model, const RunClock& clock, Span all,
                       const StretchArguments& arguments);

}  // namespace tasklens
