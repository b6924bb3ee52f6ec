// SPDX-License-Identifier: Apache-2.0
// tasklens critical-path: shows the tasks that determined the length of the run.
#include "analysis/critical_path.h"

#include <fmt/format.h>

#include "analysis/statistics.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  size_t most_steps = 50;
};

void Print(const TraceModel& model, const CriticalPath& path, size_t most_steps) {
  const int64_t span_ns = path.work_ns + path.wait_ns;
  PrintText("critical path of this run: {}, {}: {} of work, {} of waiting\n",
            CountText(path.steps.size(), "step"), DurationText(span_ns), DurationText(path.work_ns),
            DurationText(path.wait_ns));
  const size_t shown = std::min(most_steps, path.steps.size());
  for (const CriticalStep& step : std::span(path.steps).first(shown)) {
    const TaskTable& tasks = model.tasks;
    PrintText("{:>9} {:>9} after {:<10}  {}  {}  on {}\n", DurationText(tasks.RunNs(step.task)),
              "+" + DurationText(step.wait_ns), HoldName(step.hold),
              SiteText(model, tasks.site[step.task]), TaskText(model, step.task),
              StatisticsLabel(model, StatisticsBy::kWorker, tasks.worker[step.task]));
  }
  if (shown < path.steps.size())
    PrintText("and {} more; --most shows them\n", CountText(path.steps.size() - shown, "step"));
}

void PrintAsJson(const TraceModel& model, const CriticalPath& path) {
  DumpRows<messages::PathStep>(
      messages::CriticalPath{.work_ns = path.work_ns, .wait_ns = path.wait_ns}, "/steps",
      path.steps.size(), [&](size_t i) { return PathStepMessage(model, path.steps[i]); },
      &PrintLines);
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  cli.Example("tasklens critical-path --most 10");
  cli.Add("--most", options->most_steps, "how many steps to print as text").ShowDefault();
  return [options] {
    return WithTrace(options->trace, kPartPredecessors | kPartMessages,
                     [&](const TraceModel& model) {
                       const CriticalPath path = ObservedCriticalPath(model);
                       if (options->trace.json) {
                         PrintAsJson(model, path);
                       } else {
                         Print(model, path, options->most_steps);
                       }
                       return Status::Ok();
                     });
  };
}

}  // namespace

extern const CommandSpec kCriticalPathCommand = {
    "critical-path", "show the tasks that determined the length of the run", &Declare};

}  // namespace tasklens
