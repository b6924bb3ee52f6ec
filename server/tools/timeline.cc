// SPDX-License-Identifier: Apache-2.0
// tasklens timeline: what every row did when, in as many columns as fit, or as a picture.
#include "analysis/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  std::string from, to;
  uint32_t pixels = 0;  // 0: 72 as text, 1000 as JSON or a picture
  std::string svg, colour = "codelet";
};

Result<Span> RangeOf(const TraceModel& model, const Options& options) {
  Span range{0, std::max<int64_t>(model.duration_ns, 1)};
  if (!options.from.empty()) {
    const Result<int64_t> from_ns = ParseTime(options.from);
    if (!from_ns.ok()) return from_ns.status();
    range.begin_ns = *from_ns;
  }
  if (!options.to.empty()) {
    const Result<int64_t> to_ns = ParseTime(options.to);
    if (!to_ns.ok()) return to_ns.status();
    range.end_ns = *to_ns;
  }
  if (range.begin_ns < 0 || range.begin_ns >= range.end_ns)
    return Status(ErrorCode::kInvalidArgument, "--from must be at least 0 and before --to");
  return range;
}

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
  PrintText("{} to {}, {} a column\n", DurationText(range.begin_ns), DurationText(range.end_ns),
            DurationText(range.length_ns() / pixels));
  for (const TimelineRow& row : rows.rows) {
    if (row.track == kNone) continue;
    std::string line(pixels, ' ');
    for (const TimelineSlice& slice :
         index.Slices(row.track, 0, range.begin_ns, range.end_ns, pixels)) {
      const StateKind kind = model.states.kind[slice.state];
      const auto column = [&](int64_t time_ns) {
        const double share =
            static_cast<double>(time_ns - range.begin_ns) / static_cast<double>(range.length_ns());
        return static_cast<size_t>(std::clamp(share, 0., 1.) * pixels);
      };
      const size_t first = std::min<size_t>(column(slice.start_ns), pixels - 1);
      const size_t last = std::clamp<size_t>(column(slice.end_ns), first + 1, pixels);
      std::fill(line.begin() + static_cast<std::ptrdiff_t>(first),
                line.begin() + static_cast<std::ptrdiff_t>(last), LetterOf(kind));
      std::string& states = legend[LetterOf(kind)];
      const std::string name(Decl(kind).name);
      if (kind != StateKind::kNone && states.find(name) == states.npos)
        states += (states.empty() ? "" : ", ") + name;
    }
    PrintText("{:<{}} |{}|\n", row.name.substr(0, 24), width, line);
  }
  for (const auto& [letter, states] : legend)
    if (letter != ' ') PrintText("{} {}  ", letter, states);
  PrintText("\n");
}

Status ShowTimeline(const TraceModel& model, const Options& options) {
  const Result<Span> range = RangeOf(model, options);
  if (!range.ok()) return range.status();
  const TimelineIndex index(model);
  const TimelineRows rows(model);
  const bool is_text = !options.trace.json && options.svg.empty();
  const uint32_t pixels = options.pixels > 0 ? options.pixels : is_text ? 72 : 1000;
  if (!options.svg.empty()) {
    const TaskColours colours(model, *ParseColourBy(options.colour));
    const Status written =
        WriteFile(options.svg,
                  TimelineSvg(model, rows, index, colours, range->begin_ns, range->end_ns, pixels));
    if (!written.ok()) return written;
    PrintText("{}: {} to {}\n", options.svg, DurationText(range->begin_ns),
              DurationText(range->end_ns));
  } else if (options.trace.json) {
    PrintLines(Dump(TimelineAnswer(model, rows, index, range->begin_ns, range->end_ns, pixels)));
  } else {
    Print(model, rows, index, *range, pixels);
  }
  return Status::Ok();
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(app, options->trace);
  app.add_option("--from", options->from, "begin: 1500 (ns), 1.5us, 2ms, 0.1s");
  app.add_option("--to", options->to, "end");
  app.add_option("--pixels", options->pixels, "columns; each shows its longest state")
      ->check(CLI::Range(1, 100000));
  app.add_option("--svg,-o", options->svg, "draw a picture into this file");
  app.add_option("--colour", options->colour,
                 "of tasks in the picture: codelet, worker, duration, waiting, slack, iteration")
      ->check(CLI::IsMember({"codelet", "worker", "duration", "waiting", "slack", "iteration"}))
      ->capture_default_str();
  return [options] {
    return WithTrace(options->trace, kPartStates | kPartDeps,
                     [&](const TraceModel& model) { return ShowTimeline(model, *options); });
  };
}

}  // namespace

extern const CommandSpec kTimelineCommand = {"timeline", "what each row did when", &Declare};

}  // namespace tasklens
