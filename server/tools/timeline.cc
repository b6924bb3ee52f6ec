// SPDX-License-Identifier: Apache-2.0
// tasklens timeline: what every row did when, in as many columns as fit, or as a picture.
#include "analysis/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/task_estimates.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/pictures/svg.h"
#include "server/tools/command.h"
#include "server/tools/print_text.h"
#include "server/tools/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  StretchArguments stretch;
  uint32_t pixels = 0;  // 0: 72 as text, 1000 as JSON or a picture
  std::string svg, colour = "codelet";
  bool counters = true, flags = true, scheduler_flags = false, estimates = false;
  std::vector<std::string> arrows;
  std::string task;  // whose dependencies are drawn

  bool IsText() const { return !trace.json && svg.empty(); }
  bool AsksForMoreThanStates() const {
    return !counters || !flags || scheduler_flags || estimates || !arrows.empty() || !task.empty();
  }
  uint32_t Parts() const { return IsText() ? kPartStates : kAnalysisParts & ~kPartData; }
};

// The letter of a state: # for tasks, else one that tells the kinds apart.
char LetterOf(StateKind kind) {
  switch (kind) {
    case StateKind::kTask:
    case StateKind::kExecuting: return '#';
    case StateKind::kNone: return ' ';
    case StateKind::kIdle:
    case StateKind::kSleeping: return '.';
    case StateKind::kScheduling: return 's';
    case StateKind::kFetchingInput: return 'f';
    case StateKind::kPushingOutput: return 'p';
    case StateKind::kOverhead: return 'o';
    case StateKind::kWaitingTask:
    case StateKind::kWaitingAllTasks: return 'w';
    case StateKind::kSubmittingTask: return 'S';
    default: return static_cast<char>(Decl(kind).name.front() | 0x20);
  }
}

void Print(const TraceModel& model, const TimelineRows& rows, const TimelineIndex& index,
           Span range, uint32_t pixels) {
  std::map<char, std::string> legend;
  size_t width = 0;
  for (const TimelineRow& row : rows.rows)
    width = std::max(width, std::min<size_t>(row.name.size(), 24));
  PrintText("{} to {}, {} a column\n", MomentText(range.begin_ns), MomentText(range.end_ns),
            DurationText(range.length_ns() / pixels));
  for (const TimelineRow& row : rows.rows) {
    if (row.track == kNone) continue;
    std::string line(pixels, ' ');
    std::vector<TimelineSlice> slices;
    for (uint32_t depth = 0; depth < index.Depths(row.track); ++depth) {
      const auto layer = index.Slices(row.track, depth, range.begin_ns, range.end_ns, pixels);
      slices.insert(slices.end(), layer.begin(), layer.end());
    }
    for (const TimelineSlice& slice : slices) {
      const StateKind kind = model.states.kind[slice.state];
      if (kind == StateKind::kNone) continue;
      const auto column = [&](int64_t time_ns) {
        const double share =
            static_cast<double>(time_ns - range.begin_ns) / static_cast<double>(range.length_ns());
        return static_cast<size_t>(std::clamp(share, 0., 1.) * pixels);
      };
      const size_t first = std::min<size_t>(column(slice.start_ns), pixels - 1);
      const size_t last = std::clamp<size_t>(column(slice.end_ns), first + 1, pixels);
      // A deeper state shows where there is nothing around it: it is not to hide a task.
      std::replace(line.begin() + static_cast<std::ptrdiff_t>(first),
                   line.begin() + static_cast<std::ptrdiff_t>(last), ' ', LetterOf(kind));
      std::string& states = legend[LetterOf(kind)];
      const std::string name(model.StateNameOf(slice.state));
      if (states.find(name) == states.npos) states += (states.empty() ? "" : ", ") + name;
    }
    PrintText("{:<{}} |{}|\n", row.name.substr(0, 24), width, line);
  }
  for (const auto& [letter, states] : legend)
    if (letter != ' ') PrintText("{} {}  ", letter, states);
  PrintText("\n");
}

// Those that were asked for, in the order of ArrowKind; the dependencies of --task before all
// others.
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

Status ShowTimeline(const TraceModel& model, const Options& options) {
  const Result<Span> range = StretchOf(model, options.stretch);
  if (!range.ok()) return range.status();
  const TimelineIndex index(model);
  const TimelineRows rows(model);
  if (options.IsText()) {
    Print(model, rows, index, *range, options.pixels > 0 ? options.pixels : 72);
    return Status::Ok();
  }
  TimelineScene scene{model,           rows,          index,
                      range->begin_ns, range->end_ns, options.pixels > 0 ? options.pixels : 1000};
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
  if (options.svg.empty()) {
    PrintLines(Dump(TimelineAnswer(scene)));
    return Status::Ok();
  }
  const TaskColours colours(model, *ParseColourBy(options.colour));
  if (Status s = WriteFile(options.svg, TimelineSvg(scene, colours)); !s.ok()) return s;
  PrintText("{}: {} to {}\n", options.svg, MomentText(range->begin_ns), MomentText(range->end_ns));
  return Status::Ok();
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  DeclareStretchArguments(cli, options->stretch);
  cli.Add("--pixels", options->pixels, "columns; each shows its longest state").Range(1, 100000);
  const Option svg = cli.Add("--svg,-o", options->svg, "draw a picture into this file")
                         .Excludes(cli.Find("--json"));
  cli.Add("--colour", options->colour,
          "of tasks in the picture: codelet, worker, duration, waiting, slack, iteration")
      .OneOf({"codelet", "worker", "duration", "waiting", "slack", "iteration"})
      .Needs(svg)
      .ShowDefault();
  cli.Flag("!--no-counters", options->counters,
           "without the counters under the rows of a picture or of JSON");
  const Option no_flags = cli.Flag("!--no-flags", options->flags, "without the events at a moment");
  cli.Flag("--scheduler-flags", options->scheduler_flags,
           "with each task that became ready or was taken as an event")
      .Excludes(no_flags);
  cli.Flag("--estimates", options->estimates,
           "with how long perfmodels expected each task to take: a line beneath it");
  cli.Add("--arrows", options->arrows, "with arrows: dependency, transfer, message, steal")
      .SplitAt(',')
      .OneOf({"dependency", "transfer", "message", "steal"});
  cli.Add("--task", options->task, "with the dependencies of this task as arrows: JOB or RANK_JOB");
  return [options] {
    if (options->IsText() && options->AsksForMoreThanStates())
      return Fail(Status(ErrorCode::kInvalidArgument,
                         "text shows what rows did and no more: --arrows, --task, --estimates, "
                         "--no-counters, --no-flags and --scheduler-flags are for -o PICTURE and "
                         "--json"));
    return WithTrace(options->trace, options->Parts(),
                     [&](const TraceModel& model) { return ShowTimeline(model, *options); });
  };
}

}  // namespace

extern const CommandSpec kTimelineCommand = {"timeline", "what each row did when", &Declare};

}  // namespace tasklens
