// SPDX-License-Identifier: Apache-2.0
// tasklens why: explains why a task started late or a worker was idle.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "analysis/call_sites.h"
#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
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
  std::string task, worker, at, rank;
  size_t most_steps = 50;
};

// Returns when a task ran. REQUIRES: it started.
std::string TimesText(const TaskTable& tasks, uint32_t task, const RunClock& clock) {
  const int64_t start_ns = tasks.start_ns[task], end_ns = tasks.end_ns[task];
  return end_ns == kNever ? clock.Text(start_ns) + ", without an end"
                          : clock.Text(Span{start_ns, end_ns});
}

// Prints a task and the tasks that it waited for, backwards; each with the time from its end to the
// start of the task above it.
void PrintChain(const TraceModel& model, const std::vector<uint32_t>& chain, size_t most_steps) {
  const TaskTable& tasks = model.tasks;
  const RunClock clock(model);
  for (size_t i = 0; i < std::min(chain.size(), most_steps); ++i) {
    const uint32_t task = chain[i];
    std::string when = "never ran";
    if (tasks.start_ns[task] != kNever) when = TimesText(tasks, task, clock);
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

// Prints `answer` with the chain in its array `list`, which must be empty.
template <class Message>
void PrintChainAsJson(const TraceModel& model, const Message& answer, const std::string& list,
                      const std::vector<uint32_t>& chain) {
  DumpRows<messages::ChainLink>(
      answer, list, chain.size(), [&](size_t i) { return ChainLinkMessage(model, chain, i); },
      &PrintLines);
}

Status WhyTask(const TraceModel& model, const Options& options) {
  const Result<uint32_t> task = FindTaskByJob(model, options.task, options.rank);
  if (!task.ok()) return task.status();
  const std::vector<uint32_t> chain = LastDependencies(model).ChainOf(*task);
  if (options.trace.json) {
    PrintChainAsJson(model, messages::LateTask{.task = TaskWithLineMessage(model, *task)}, "/chain",
                     chain);
    return Status::Ok();
  }
  PrintText("the last dependency of each task, backwards:\n");
  PrintChain(model, chain, options.most_steps);
  return Status::Ok();
}

std::string InsteadText(const TraceModel& model, const RunClock& clock, const NotIdle& instead) {
  const Span& measured = instead.measured;
  switch (instead.what) {
    case NotIdle::What::kBefore: return "it existed only from " + clock.Text(measured);
    case NotIdle::What::kAfter: return "it existed only from " + clock.Text(measured);
    case NotIdle::What::kBusy: break;
  }
  if (instead.task == kNone) return "it ran a task";
  const TaskTable& tasks = model.tasks;
  return fmt::format("it ran {}, {}, from {}", TaskText(model, instead.task),
                     SiteText(model, tasks.site[instead.task]),
                     TimesText(tasks, instead.task, clock));
}

// Returns where the program waited while nothing was submitted; "" if that is not the cause or not
// known.
std::string WaitedText(const TraceModel& model, const IdlePause& pause) {
  if (pause.cause_ns[static_cast<size_t>(IdleCause::kNothingSubmitted)] == 0) return "";
  const WaitCost wait = LongestWaitWithin(model, model.workers.rank_index[pause.worker],
                                          {pause.start_ns, pause.end_ns});
  if (wait.site == kNone) return "";
  return fmt::format(", while the program waited at {}, {} of it", SiteText(model, wait.site),
                     DurationText(wait.total_ns));
}

Status WhyIdle(const TraceModel& model, const Options& options) {
  const Result<uint32_t> worker = FindWorker(model, options.worker, options.rank);
  if (!worker.ok()) return worker.status();
  const RunClock clock(model);
  const Result<int64_t> at_ns = clock.Parse(options.at);
  if (!at_ns.ok()) return at_ns.status().WithPrefix("--at");
  const IdleReport report = ExplainIdleness(model);
  const IdlePause* pause = PauseAt(report, *worker, *at_ns);
  std::optional<NotIdle> instead;
  if (!pause) instead = WhyNotIdle(model, report, *worker, *at_ns);
  std::vector<uint32_t> chain;
  if (pause && pause->next_task != kNone) chain = LastDependencies(model).ChainOf(pause->next_task);
  if (options.trace.json) {
    messages::IdleWorker answer;
    if (pause) answer.pause = PauseMessage(model, *pause, {});
    if (instead) answer.instead = NotIdleMessage(model, *worker, *instead);
    PrintChainAsJson(model, answer, "/pause/chain", chain);
    return Status::Ok();
  }
  const std::string name = StatisticsLabel(model, StatisticsBy::kWorker, *worker);
  if (instead) {
    PrintText("{} was not idle at {}: {}\n", name, clock.Text(*at_ns),
              InsteadText(model, clock, *instead));
    return Status::Ok();
  }
  const int64_t length_ns = pause->end_ns - pause->start_ns;
  PrintText("{} was idle from {}, {}:\n", name, clock.Text(Span{pause->start_ns, pause->end_ns}),
            DurationText(length_ns));
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    if (pause->cause_ns[cause] > 0)
      PrintText(
          "  {:>6}  {:>9}  {}{}\n",
          ShareText(static_cast<double>(pause->cause_ns[cause]) / static_cast<double>(length_ns)),
          DurationText(pause->cause_ns[cause]), IdleCauseName(static_cast<IdleCause>(cause)),
          static_cast<IdleCause>(cause) == IdleCause::kNothingSubmitted ? WaitedText(model, *pause)
                                                                        : "");
  if (pause->next_task == kNone) {
    PrintText("it ran nothing afterwards\n");
    return Status::Ok();
  }
  PrintText("the next task it ran, and the chain of tasks that this task waited for:\n");
  PrintChain(model, chain, options.most_steps);
  return Status::Ok();
}

// Prints the worst pauses of all workers, or of one worker.
Status WhyWorst(const TraceModel& model, const Options& options) {
  uint32_t only = kNone;
  if (!options.worker.empty()) {
    const Result<uint32_t> worker = FindWorker(model, options.worker, options.rank);
    if (!worker.ok()) return worker.status();
    only = *worker;
  }
  const RunClock clock(model);
  const IdleReport report = ExplainIdleness(model);
  const std::vector<const IdlePause*> pauses = WorstPauses(report, only);
  constexpr size_t kWorst = 5;
  const size_t shown = std::min(kWorst, pauses.size());
  if (options.trace.json) {
    messages::PrintedWhy answer;
    for (const IdlePause* pause : std::span(pauses).first(shown))
      answer.pauses.push_back(PauseMessage(model, *pause, {}));
    PrintLines(Dump(answer));
    return Status::Ok();
  }
  if (shown == 0) PrintText("no worker was idle\n");
  for (const IdlePause* pause : std::span(pauses).first(shown)) {
    const std::string name = StatisticsLabel(model, StatisticsBy::kWorker, pause->worker);
    const int64_t length_ns = pause->end_ns - pause->start_ns;
    const IdleCause cause = pause->main_cause();
    PrintText("{} was idle from {}, {}: {} {}{}\n", name,
              clock.Text(Span{pause->start_ns, pause->end_ns}), DurationText(length_ns),
              ShareText(static_cast<double>(pause->cause_ns[static_cast<size_t>(cause)]) /
                        static_cast<double>(length_ns)),
              IdleCauseName(cause),
              cause == IdleCause::kNothingSubmitted ? WaitedText(model, *pause) : "");
  }
  if (shown == 0) return Status::Ok();
  const IdlePause& worst = *pauses.front();
  std::string at = clock.Text(Span{worst.start_ns, worst.end_ns});
  at = at.substr(0, at.find(" to "));
  std::erase(at, ' ');
  PrintText("why: tasklens why --worker '{}' --at {}\n",
            StatisticsLabel(model, StatisticsBy::kWorker, worst.worker), at);
  return Status::Ok();
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  cli.Example("tasklens why --worker CPU0 --at 12.5ms");
  const Option task = cli.Add("--task TASK", options->task,
                              "explain why this task started so late: JOB or RANK_JOB");
  const Option worker =
      cli.Add("--worker WORKER", options->worker,
              "explain why this worker was idle: its name or id, or RANK:NAME with several ranks");
  cli.Add("--rank RANK", options->rank,
          "the rank of the task or worker, where several ranks have one of that name");
  cli.Add("--at TIME", options->at,
          "the time to explain, after the first submission: 250ns, 1.5us, 2ms, 0.1s")
      .Needs(worker);
  cli.Add("--most", options->most_steps, "how many tasks of a chain to print as text")
      .ShowDefault();
  task.Excludes(worker);
  return [options] {
    return WithTrace(options->trace, kAnalysisParts, [&](const TraceModel& model) {
      if (options->task.empty() && options->at.empty()) return WhyWorst(model, *options);
      return options->task.empty() ? WhyIdle(model, *options) : WhyTask(model, *options);
    });
  };
}

}  // namespace

extern const CommandSpec kWhyCommand = {
    "why", "explain why a task started so late or a worker was idle", &Declare};

}  // namespace tasklens
