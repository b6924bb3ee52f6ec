// SPDX-License-Identifier: Apache-2.0
// tasklens timeline: shows what each row did over time, as text, JSON or a picture.
#include "analysis/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/task_estimates.h"
#include "analysis/text.h"
#include "server/answers/views.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/trace_command.h"
#include "server/pictures/svg.h"
#include "server/pictures/timeline_text.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  StretchArguments stretch;
  uint32_t pixels = 0;  // 0: 72 as text, 1000 as JSON or a picture
  PictureArguments picture;
  bool counters = true, flags = true, scheduler_flags = false, estimates = false;
  std::vector<std::string> arrows;
  std::string task;  // its dependencies are drawn

  bool IsText() const { return !trace.json && picture.svg.empty(); }
  bool AsksForMoreThanStates() const {
    return !counters || !flags || scheduler_flags || estimates || !arrows.empty() || !task.empty();
  }
  // Text needs only states; and messages, because they reveal clocks that cannot be right.
  uint32_t Parts() const {
    return IsText() ? kPartStates | kPartMessages : kAnalysisParts & ~kPartData;
  }
};

// Returns the dependencies of --task, then the arrows of --arrows in the order of ArrowKind.
Result<std::vector<TimelineScene::Arrows>> ArrowsOf(const TraceModel& model,
                                                    const TimelineRows& rows,
                                                    const Options& options, Span range,
                                                    uint32_t pixels) {
  std::vector<TimelineScene::Arrows> all;
  if (!options.task.empty()) {
    const Result<uint32_t> task = FindTaskByJob(model, options.task);
    if (!task.ok()) return task.status();
    ArrowView view;
    view.arrows = DependencyArrowsOf(model, rows, PlacedDependencies(model, rows), *task);
    view.in_view = view.arrows.size();
    all.push_back({ArrowKind::kDependency, std::move(view)});
  }
  for (const ArrowKind kind : kArrowKinds) {
    if (kind == ArrowKind::kDependency && !options.task.empty()) continue;
    if (std::find(options.arrows.begin(), options.arrows.end(), ArrowKindName(kind)) ==
        options.arrows.end())
      continue;
    all.push_back(
        {kind, TimelineArrows(model, rows, kind).View(range.begin_ns, range.end_ns, pixels)});
  }
  return all;
}

// Returns the time from the first submission to the last end of a task, or `trace` if nothing ran.
Span RunOr(const TraceModel& model, Span trace) {
  Span run{INT64_MAX, INT64_MIN};
  for (const Span& window : RunWindows(model)) {
    if (window.length_ns() <= 0) continue;
    run.begin_ns = std::min(run.begin_ns, window.begin_ns);
    run.end_ns = std::max(run.end_ns, window.end_ns);
  }
  return run.begin_ns < run.end_ns ? run : trace;
}

Status ShowTimeline(const TraceModel& model, const Options& options) {
  const RunClock clock(model);
  const Span trace{0, std::max<int64_t>(model.duration_ns, 1)};
  // Text has few columns: it leaves out the time before the first submission and after the last
  // task.
  const Result<Span> range =
      StretchOf(model, clock, options.IsText() ? RunOr(model, trace) : trace, options.stretch);
  if (!range.ok()) return range.status();
  const TimelineIndex index(model);
  const TimelineRows rows(model);
  TimelineScene scene{model, rows, index, range->begin_ns, range->end_ns, options.pixels};
  if (scene.pixels == 0) scene.pixels = options.IsText() ? 72 : 1000;
  if (options.IsText()) {
    PrintText("{} after {}, {} a column{}\n", clock.Text(*range), clock.ZeroText(),
              DurationText(range->length_ns() / scene.pixels),
              options.stretch.IsGiven() || range->length_ns() == trace.length_ns()
                  ? ""
                  : "; the trace is from " + clock.Text(trace));
    PrintLines(TimelineText(scene));
    return Status::Ok();
  }
  std::optional<TimelineCurves> curves;
  std::optional<TimelineFlags> flags;
  if (options.counters) scene.curves = &curves.emplace(model, rows);
  if (options.flags || options.scheduler_flags)
    scene.flags = &flags.emplace(model, rows, options.scheduler_flags);
  std::vector<double> estimates;
  if (options.estimates) scene.estimates = &(estimates = EstimatesOfTasks(model));
  const auto arrows = ArrowsOf(model, rows, options, *range, scene.pixels);
  if (!arrows.ok()) return arrows.status();
  scene.arrows = *arrows;
  if (options.picture.svg.empty()) {
    DumpTimeline(scene, &PrintLines);
    return Status::Ok();
  }
  const TaskColours colours(model, *ParseColourBy(options.picture.colour));
  if (Status s = WriteFile(options.picture.svg, TimelineSvg(scene, colours)); !s.ok()) return s;
  PrintText("{}: {}\n", options.picture.svg, clock.Text(*range));
  return Status::Ok();
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  cli.Example("tasklens timeline --from 0 --to 20ms");
  DeclareStretchArguments(cli, options->stretch);
  cli.Add("--pixels", options->pixels,
          "number of columns (default: 72 as text, else 1000). A column of text shows the share of "
          "its time that the row spent in tasks: '#' half or more, '+' a tenth or more, ':' less; "
          "without tasks, the letter of the state that took most of it")
      .Range(1, 100000);
  DeclarePictureArguments(cli, options->picture);
  cli.Flag("!--no-counters", options->counters,
           "leave out the counters under the rows (picture and JSON)");
  const Option no_flags =
      cli.Flag("!--no-flags", options->flags, "leave out events without a duration");
  cli.Flag("--scheduler-flags", options->scheduler_flags,
           "show as events when each task became ready and when a worker took it")
      .Excludes(no_flags);
  cli.Flag("--estimates", options->estimates,
           "draw the duration that performance models expected under each task");
  cli.Add("--arrows", options->arrows, "draw arrows: dependency, transfer, message, steal")
      .SplitAt(',')
      .OneOf({"dependency", "transfer", "message", "steal"});
  cli.Add("--task TASK", options->task,
          "draw the dependencies of this task as arrows: JOB or RANK_JOB");
  return [options] {
    if (options->IsText() && options->AsksForMoreThanStates())
      return Fail(Status(ErrorCode::kInvalidArgument,
                         "--arrows, --task, --estimates, --no-counters, --no-flags and "
                         "--scheduler-flags need -o PICTURE or --json"));
    return WithTrace(options->trace, options->Parts(),
                     [&](const TraceModel& model) { return ShowTimeline(model, *options); });
  };
}

}  // namespace

extern const CommandSpec kTimelineCommand = {
    "timeline", "show what each worker, thread and memory node did over time", &Declare};

}  // namespace tasklens
