// SPDX-License-Identifier: Apache-2.0
// tasklens why: why a task started so late, why a worker was idle.
#include <fmt/format.h>

#include <optional>

#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/tools/command.h"
#include "server/tools/print_text.h"
#include "server/tools/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  std::string task, worker, at, rank;
  size_t most_steps = 50;
};

// From the task back to what it waited for, each with the time until the one above it began.
void PrintChain(const TraceModel& model, const std::vector<uint32_t>& chain, size_t most_steps) {
  const TaskTable& tasks = model.tasks;
  for (size_t i = 0; i < std::min(chain.size(), most_steps); ++i) {
    const uint32_t task = chain[i];
    std::string when = "never ran";
    if (tasks.start_ns[task] != kNever)
      when =
          fmt::format("{} to {}", MomentText(tasks.start_ns[task]), MomentText(tasks.end_ns[task]));
    std::string after;
    if (i > 0) {
      const int64_t started_ns = tasks.start_ns[chain[i - 1]];
      const bool is_known = started_ns != kNever && tasks.end_ns[task] != kNever;
      after = fmt::format("{:>9} after ",
                          is_known ? DurationText(started_ns - tasks.end_ns[task]) : "");
    }
    PrintText("  {}{}  {}  {}\n", after, TaskText(model, task), SiteText(model, tasks.site[task]),
              when);
  }
  if (chain.size() > most_steps)
    PrintText("  and {} more; --most shows them\n", CountText(chain.size() - most_steps));
}

// `answer`, with the whole chain in its empty array `list`.
void PrintChainAsJson(const TraceModel& model, const nlohmann::ordered_json& answer,
                      const std::string& list, const std::vector<uint32_t>& chain) {
  DumpRows(
      answer, list, chain.size(), [&](size_t i) { return ChainLinkAnswer(model, chain, i); },
      &PrintLines);
}

Status WhyTask(const TraceModel& model, const Options& options) {
  const Result<uint32_t> task = FindTaskByJob(model, options.task, options.rank);
  if (!task.ok()) return task.status();
  const std::vector<uint32_t> chain = LastDependencies(model).ChainOf(*task);
  if (options.trace.json) {
    PrintChainAsJson(
        model, {{"task", TaskAnswer(model, *task)}, {"chain", nlohmann::ordered_json::array()}},
        "/chain", chain);
    return Status::Ok();
  }
  PrintText("the last dependency of each task, backwards:\n");
  PrintChain(model, chain, options.most_steps);
  return Status::Ok();
}

std::string InsteadText(const TraceModel& model, const NotIdle& instead) {
  const Span& measured = instead.measured;
  switch (instead.what) {
    case NotIdle::What::kBefore:
      return fmt::format("the run begins for it at {}", MomentText(measured.begin_ns));
    case NotIdle::What::kAfter:
      return fmt::format("the run was over for it at {}", MomentText(measured.end_ns));
    case NotIdle::What::kBusy: break;
  }
  if (instead.task == kNone) return "it ran a task";
  const TaskTable& tasks = model.tasks;
  return fmt::format("it ran {}, {}, from {} to {}", TaskText(model, instead.task),
                     SiteText(model, tasks.site[instead.task]),
                     MomentText(tasks.start_ns[instead.task]),
                     MomentText(tasks.end_ns[instead.task]));
}

Status WhyIdle(const TraceModel& model, const Options& options) {
  const Result<uint32_t> worker = FindWorker(model, options.worker, options.rank);
  if (!worker.ok()) return worker.status();
  const Result<int64_t> at_ns = ParseTime(options.at);
  if (!at_ns.ok()) return at_ns.status();
  const IdleReport report = ExplainIdleness(model);
  const IdlePause* pause = PauseAt(report, *worker, *at_ns);
  std::optional<NotIdle> instead;
  if (!pause) instead = WhyNotIdle(model, report, *worker, *at_ns);
  std::vector<uint32_t> chain;
  if (pause && pause->next_task != kNone) chain = LastDependencies(model).ChainOf(pause->next_task);
  if (options.trace.json) {
    const nlohmann::ordered_json none;
    PrintChainAsJson(model,
                     {{"pause", pause ? PauseAnswer(model, *pause, {}) : none},
                      {"instead", instead ? NotIdleAnswer(model, *worker, *instead) : none}},
                     "/pause/chain", chain);
    return Status::Ok();
  }
  const std::string name = StatisticsLabel(model, StatisticsBy::kWorker, *worker);
  if (instead) {
    PrintText("{} was not idle at {}: {}\n", name, MomentText(*at_ns),
              InsteadText(model, *instead));
    return Status::Ok();
  }
  const int64_t length_ns = pause->end_ns - pause->start_ns;
  PrintText("{} was idle from {} to {}, {}:\n", name, MomentText(pause->start_ns),
            MomentText(pause->end_ns), DurationText(length_ns));
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    if (pause->cause_ns[cause] > 0)
      PrintText(
          "  {:>6}  {:>9}  {}\n",
          ShareText(static_cast<double>(pause->cause_ns[cause]) / static_cast<double>(length_ns)),
          DurationText(pause->cause_ns[cause]), IdleCauseName(static_cast<IdleCause>(cause)));
  if (pause->next_task == kNone) {
    PrintText("it ran nothing afterwards\n");
    return Status::Ok();
  }
  PrintText("what it ran next, and what that waited for:\n");
  PrintChain(model, chain, options.most_steps);
  return Status::Ok();
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  const Option task =
      cli.Add("--task", options->task, "why this task started so late: JOB or RANK_JOB");
  const Option worker =
      cli.Add("--worker", options->worker,
              "why this worker was idle: its name or id, RANK:NAME with several ranks");
  cli.Add("--rank", options->rank, "of which rank, where several have such a one");
  cli.Add("--at", options->at, "when: 1500 (ns), 1.5us, 2ms, 0.1s").Needs(worker);
  cli.Add("--most", options->most_steps, "how many tasks of a chain to print as text")
      .Range(0, int64_t{1} << 32)
      .ShowDefault();
  task.Excludes(worker);
  return [options] {
    if (options->task.empty() && (options->worker.empty() || options->at.empty()))
      return Fail({ErrorCode::kInvalidArgument,
                   "why: ask with --task JOB, or with --worker NAME --at TIME"});
    return WithTrace(options->trace, kAnalysisParts, [&](const TraceModel& model) {
      return options->task.empty() ? WhyIdle(model, *options) : WhyTask(model, *options);
    });
  };
}

}  // namespace

extern const CommandSpec kWhyCommand = {"why", "why a task started so late, why a worker was idle",
                                        &Declare};

}  // namespace tasklens
