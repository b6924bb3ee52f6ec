// SPDX-License-Identifier: Apache-2.0
// Converts models to the data of the pictures.
#include "server/pictures/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/efficiency.h"
#include "analysis/idle.h"
#include "analysis/message_matrix.h"
#include "analysis/message_use.h"
#include "analysis/run_clock.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/text.h"
#include "server/pictures/plot_pictures.h"
#include "trace/support/printable.h"

namespace tasklens {

struct PlotRun::Kept {
  std::optional<TaskSamples> samples;
  std::optional<Activity> activity;
  std::map<StatisticsBy, std::vector<StatisticsRow>> statistics;
};

namespace {

using Sheets = Result<std::vector<PlotCanvas>>;

Status Nothing(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }

std::string NameOf(std::span<const PlotRun> runs, size_t i) {
  return runs.size() > 1 ? runs[i].name : "";
}

// The meaning of zero on time axes; if it differs between runs, all meanings.
std::string AfterText(std::span<const PlotRun> runs) {
  std::set<std::string_view> zeros;
  for (const PlotRun& run : runs) zeros.insert(RunClock(run.model()).ZeroText());
  return fmt::format(", after {}", fmt::join(zeros, " or "));
}

Result<std::vector<SamplesOfRun>> SamplesOfRuns(std::span<const PlotRun> runs,
                                                const PlotOptions& options) {
  if (Status s = CheckCodelets(runs, options.codelets); !s.ok()) return s;
  std::vector<SamplesOfRun> result;
  bool is_empty = true;
  for (size_t i = 0; i < runs.size(); ++i) {
    const TaskSamples& all = runs[i].samples();
    result.push_back(
        {NameOf(runs, i), options.codelets.empty() ? all : SamplesOfNames(all, options.codelets)});
    is_empty &= result.back().samples.samples.empty();
  }
  if (is_empty) return Nothing("no task ran to its end, so there is nothing to draw");
  return result;
}

// --- durations ---

struct Group {
  std::string label;
  Paint paint;
  double total_ns = 0;
  std::vector<std::vector<double>> durations_ns;  // for each run
};

std::vector<Group> GroupsOf(const std::vector<SamplesOfRun>& runs, std::string_view by) {
  std::map<std::string, Group> groups;
  for (size_t run = 0; run < runs.size(); ++run) {
    const TaskSamples& samples = runs[run].samples;
    for (const TaskSample& sample : samples.samples) {
      const std::string label =
          by == "worker" ? samples.workers[sample.worker]
          : by == "size"
              ? SizeLabel(samples.names[sample.name], sample.size_bytes,
                          sample.footprint == 0 ? std::nullopt : std::optional(sample.footprint))
              : samples.names[sample.name];
      Group& group = groups[label];
      if (group.durations_ns.empty()) {
        group.label = label;
        group.paint =
            by == "worker" ? Paint{PaletteRgb(sample.worker)} : samples.paints[sample.name];
        group.durations_ns.resize(runs.size());
      }
      group.durations_ns[run].push_back(static_cast<double>(sample.length_ns));
      group.total_ns += static_cast<double>(sample.length_ns);
    }
  }
  std::vector<Group> result;
  for (auto& [label, group] : groups) result.push_back(std::move(group));
  std::stable_sort(result.begin(), result.end(),
                   [](const Group& a, const Group& b) { return a.total_ns > b.total_ns; });
  return result;
}

// The end of the last bar: the longest duration, unless at most a tenth of the durations are so
// long that all others would be in the first bars. REQUIRES: sorted, not empty.
double LongestBar(std::span<const double> sorted_ns) {
  const double most_ns = QuantileBetween(sorted_ns, 0.9);
  const double limit_ns = most_ns + 3 * (most_ns - sorted_ns.front());
  return sorted_ns.back() > limit_ns ? most_ns + (most_ns - sorted_ns.front()) / 2
                                     : sorted_ns.back();
}

// Arranges at most `most` groups in rows: two side by side for one run, else one column per run.
PlotCanvas HistogramSheet(const std::vector<SamplesOfRun>& runs, std::string_view by, size_t most,
                          const PlotTheme& theme) {
  const std::vector<Group> groups = GroupsOf(runs, by);
  std::vector<std::vector<DurationPanel>> rows;
  for (size_t g = 0; g < std::min(most, groups.size()); ++g) {
    const Group& group = groups[g];
    std::vector<double> all_ns;
    for (const std::vector<double>& of_run : group.durations_ns)
      all_ns.insert(all_ns.end(), of_run.begin(), of_run.end());
    std::ranges::sort(all_ns);
    const std::vector<double> borders = RoundBorders(all_ns.front(), LongestBar(all_ns), 40);
    if (runs.size() > 1 || rows.empty() || rows.back().size() == 2) rows.emplace_back();
    for (size_t run = 0; run < runs.size(); ++run) {
      double total_ns = 0, longest_ns = 0;
      uint64_t longer = 0;
      for (const double ns : group.durations_ns[run]) {
        total_ns += ns;
        longest_ns = std::max(longest_ns, ns);
        longer += ns > borders.back();
      }
      rows.back().push_back({runs.size() > 1 ? group.label + ", " + runs[run].run : group.label,
                             group.paint, CountBetween(group.durations_ns[run], borders), total_ns,
                             longer, longest_ns});
    }
  }
  return DrawHistograms(rows, theme, fmt::format("Durations of tasks by {}", by), runs.size() > 1,
                        groups.size() - std::min(most, groups.size()));
}

Sheets Durations(std::span<const PlotRun> runs, const PlotOptions& options) {
  const auto samples = SamplesOfRuns(runs, options);
  if (!samples.ok()) return samples.status();
  constexpr size_t kMost = 24;
  return std::vector{HistogramSheet(*samples, options.by, kMost, options.theme)};
}

Sheets Sizes(std::span<const PlotRun> runs, const PlotOptions& options) {
  const auto samples = SamplesOfRuns(runs, options);
  if (!samples.ok()) return samples.status();
  return std::vector{DrawLengthOverSize(*samples, options.theme, options.by == "worker",
                                        "Duration of tasks by the size of their data")};
}

Sheets OverTime(std::span<const PlotRun> runs, const PlotOptions& options) {
  const auto samples = SamplesOfRuns(runs, options);
  if (!samples.ok()) return samples.status();
  return std::vector{DrawLengthOverTime(*samples, options.theme, AfterText(runs))};
}

// --- workers ---

constexpr uint32_t kActivityPieces = 400;

void MoveBack(Activity& activity, int64_t by_ns) {
  activity.begin_ns -= by_ns;
  activity.end_ns -= by_ns;
  for (WorkerActivity& worker : activity.workers)
    for (ActivityPiece& piece : worker.pieces) {
      piece.begin_ns -= by_ns;
      piece.end_ns -= by_ns;
    }
  for (StepCurve* curve : {&activity.submitted, &activity.ready})
    for (int64_t& ns : curve->time_ns) ns -= by_ns;
}

Sheets Activities(std::span<const PlotRun> runs, const PlotOptions& options) {
  std::vector<ActivityOfRun> activities;
  bool is_empty = true;
  for (size_t i = 0; i < runs.size(); ++i) {
    activities.push_back({NameOf(runs, i), runs[i].activity()});
    // Without this check, all time outside of tasks would count as overhead, even in a trace with
    // neither.
    is_empty &= activities.back().activity.workers.empty() || runs[i].model().tasks.size() == 0;
  }
  if (is_empty)
    return Nothing("the trace has no tasks on workers, so there is no activity to draw");
  return std::vector{DrawActivity(activities, options.theme, AfterText(runs))};
}

// --- messages ---

Sheets Messages(std::span<const PlotRun> runs, const PlotOptions& options) {
  std::vector<Matrix> matrices;
  for (size_t i = 0; i < runs.size(); ++i) {
    const MessageMatrix matrix = MessagesBetween(runs[i].model());
    if (matrix.messages() == 0) continue;
    Matrix count, bytes;
    const std::string behind = runs.size() > 1 ? ", " + runs[i].name : "";
    count.heading = "messages" + behind;
    bytes.heading = "bytes" + behind;
    bytes.quantity = PlotQuantity::kBytes;
    for (const uint32_t rank : matrix.ranks) count.names.push_back(fmt::format("{}", rank));
    bytes.names = count.names;
    for (const uint64_t value : matrix.count) count.values.push_back(static_cast<double>(value));
    for (const uint64_t value : matrix.bytes) bytes.values.push_back(static_cast<double>(value));
    matrices.push_back(std::move(count));
    matrices.push_back(std::move(bytes));
  }
  if (matrices.empty())
    return Nothing("the trace has no messages between ranks (give the files of all ranks)");
  return std::vector{DrawMatrices(matrices, options.theme, "Messages between ranks")};
}

Sheets MessageUse(std::span<const PlotRun> runs, const PlotOptions& options) {
  std::vector<WaitsOfRun> received, sent;
  bool is_empty = true, has_messages = false;
  for (size_t i = 0; i < runs.size(); ++i) {
    const TraceModel& model = runs[i].model();
    const MessageUses uses = UsesOfMessages(model);
    const int64_t zero_ns = RunClock(model).zero_ns();
    has_messages |= uses.messages > 0;
    for (const bool is_sent : {false, true}) {
      WaitsOfRun& run = (is_sent ? sent : received).emplace_back();
      run.run = NameOf(runs, i);
      for (const tasklens::MessageUse& use : is_sent ? uses.sent : uses.received) {
        const uint32_t worker = model.tasks.LastWorker(use.task);
        run.waits.push_back(
            {worker == kNone ? "no worker" : StatisticsLabel(model, StatisticsBy::kWorker, worker),
             use.time_ns - zero_ns, use.until_ns - zero_ns});
        is_empty = false;
      }
    }
  }
  if (!has_messages)
    return Nothing("the trace has no messages between ranks (give the files of all ranks)");
  if (is_empty) return Nothing("no task uses data that a message brought or took");
  return std::vector{
      DrawWaits(received, options.theme, "From the reception of data to its use by a task",
                "from reception to use", AfterText(runs)),
      DrawWaits(sent, options.theme, "From the sending of data to its next use by a task",
                "from sending to use", AfterText(runs))};
}

// --- speed ---

Result<std::vector<SpeedsOfRun>> SpeedsOf(std::span<const PlotRun> runs,
                                          const PlotOptions& options) {
  if (Status s = CheckCodelets(runs, options.codelets); !s.ok()) return s;
  std::vector<SpeedsOfRun> speeds;
  for (size_t i = 0; i < runs.size(); ++i) {
    const TraceModel& model = runs[i].model();
    const NameColours colours(model);
    SpeedsOfRun& run = speeds.emplace_back();
    run.run = NameOf(runs, i);
    for (const StatisticsRow& row : runs[i].statistics(StatisticsBy::kCodelet)) {
      const std::string label = StatisticsLabel(model, StatisticsBy::kCodelet, row.key);
      if (!options.codelets.empty() && std::find(options.codelets.begin(), options.codelets.end(),
                                                 label) == options.codelets.end())
        continue;
      const auto count = static_cast<double>(std::max<uint64_t>(row.estimates.count, 1));
      run.bars.push_back({label, colours.OfName(row.key), row.GFlops(),
                          row.estimates.measured_ns / count, row.estimates.estimated_ns / count});
    }
  }
  return speeds;
}

Sheets Speed(std::span<const PlotRun> runs, const PlotOptions& options) {
  const auto speeds = SpeedsOf(runs, options);
  if (!speeds.ok()) return speeds.status();
  const bool is_told = std::any_of(speeds->begin(), speeds->end(), [](const SpeedsOfRun& run) {
    return std::any_of(run.bars.begin(), run.bars.end(),
                       [](const SpeedBar& bar) { return bar.gflops > 0 || bar.expected_ns > 0; });
  });
  if (!is_told)
    return Nothing(
        "the trace has neither flop of tasks nor estimates of perfmodels, so no speed is known");
  return std::vector{DrawSpeeds(*speeds, options.theme)};
}

// --- all in short ---

PlotCanvas SummarySheet(const PlotRun& run, const PlotTheme& theme) {
  const TraceModel& model = run.model();
  PlotCanvas canvas(kPlotWidth, 0, theme, "Summary of " + run.name);
  canvas.Text(18, 28, 16, PlotTextThatFits("Summary of " + run.name, kPlotWidth - 36, 16),
              theme.ink, TextAnchor::kStart, true);
  const RunSummary summary = Summarize(model);
  const EfficiencyReport efficiency = SplitEfficiency(model, ExplainIdleness(model));
  const Efficiency& e = efficiency.whole;
  canvas.Text(
      18, 48, 11,
      fmt::format("{} of {} tasks ran on {} workers of {} in {}", summary.ran, summary.tasks,
                  summary.workers, CountText(summary.ranks, "rank"), DurationText(summary.span_ns)),
      theme.ink);
  canvas.Text(18, 64, 11,
              fmt::format("efficiency {:.1f} % = locality {:.1f} % \xC3\x97 scheduling {:.1f} % "
                          "\xC3\x97 runtime {:.1f} % \xC3\x97 parallelism {:.1f} %",
                          100 * e.Total(), 100 * e.Locality(), 100 * e.Scheduling(),
                          100 * e.Runtime(), 100 * e.Parallelism()),
              theme.ink);
  // The columns of the table of states and codelets.
  constexpr double kColumns[] = {380, 460, 545, 630, 715, 800, 880};
  constexpr std::string_view kHeads[] = {"count",  "total",    "mean",   "median",
                                         "stddev", "shortest", "longest"};
  double y = 90;
  const auto table = [&](StatisticsBy by, std::string_view head) {
    canvas.Text(18, y, 10, std::string(head), theme.ink, TextAnchor::kStart, true);
    for (size_t i = 0; i < std::size(kColumns); ++i)
      canvas.Text(kColumns[i], y, 10, std::string(kHeads[i]), theme.muted, TextAnchor::kEnd);
    y += 6;
    canvas.Line({{18, y}, {kPlotWidth - 18, y}}, theme.grid, 0.8);
    y += 12;
    const std::vector<StatisticsRow>& rows = run.statistics(by);
    constexpr size_t kMost = 14;
    for (size_t r = 0; r < std::min(kMost, rows.size()); ++r) {
      const DurationSummary& d = rows[r].durations;
      canvas.Text(18, y, 10, PlotTextThatFits(StatisticsLabel(model, by, rows[r].key), 290, 10),
                  theme.ink);
      const auto text = [](double ns) { return PlotValueText(ns, PlotQuantity::kTimeNs); };
      const std::string values[] = {fmt::format("{}", d.count),
                                    text(static_cast<double>(rows[r].total_ns)),
                                    text(d.mean_ns),
                                    text(static_cast<double>(d.median_ns())),
                                    text(d.stddev_ns),
                                    text(static_cast<double>(d.min_ns)),
                                    text(static_cast<double>(d.max_ns))};
      for (size_t i = 0; i < std::size(values); ++i)
        canvas.Text(kColumns[i], y, 10, values[i], theme.ink, TextAnchor::kEnd);
      y += 15;
    }
    if (rows.size() > kMost) {
      canvas.Text(18, y, 10, fmt::format("and {} more", rows.size() - kMost), theme.muted);
      y += 15;
    }
    y += 14;
  };
  table(StatisticsBy::kCodelet, "codelets");
  table(StatisticsBy::kState, "states of workers and others");
  canvas.set_height(y);
  return canvas;
}

// Combines the sheets into one sheet, and thus one page.
PlotCanvas OnOneSheet(std::span<const PlotCanvas> sheets) {
  double width = 0, height = 0;
  for (const PlotCanvas& sheet : sheets) {
    width = std::max(width, sheet.width());
    height += sheet.height();
  }
  PlotCanvas page(width, height, sheets.front().theme(), sheets.front().title());
  double down = 0;
  for (const PlotCanvas& sheet : sheets) {
    for (PlotShape shape : sheet.shapes()) {
      for (PlotPoint& point : shape.points) point.y += down;
      page.Add(std::move(shape));
    }
    down += sheet.height();
  }
  return page;
}

Sheets Summary(std::span<const PlotRun> runs, const PlotOptions& options) {
  std::vector<PlotCanvas> sheets;
  for (const PlotRun& run : runs) sheets.push_back(SummarySheet(run, options.theme));
  // Draws the parts that have data; a summary without a part is still a summary.
  for (const auto draw : {&Activities, &OverTime, &Durations, &Sizes, &Messages}) {
    Sheets more = draw(runs, options);
    if (more.ok())
      for (PlotCanvas& sheet : *more) sheets.push_back(std::move(sheet));
    else if (more.status().code() != ErrorCode::kNotFound)
      return more.status();
  }
  return std::vector{OnOneSheet(sheets)};
}

constexpr std::string_view kGroups[] = {"codelet", "size", "worker"};
constexpr std::string_view kColours[] = {"codelet", "worker"};

constexpr PlotKind kKinds[] = {
    {"durations", "histograms of the durations of tasks, by codelet, size or worker", 0, kGroups,
     true, &Durations},
    {"sizes", "durations of tasks over the size of their data", 0, kColours, true, &Sizes},
    {"over-time", "durations of tasks over the time when they started", 0, {}, true, &OverTime},
    {"activity",
     "workers in tasks, in the runtime and asleep; submitted and ready tasks",
     kPartStates | kPartCounters,
     {},
     false,
     &Activities},
    {"messages",
     "matrix of messages between ranks: number and bytes",
     kPartMessages,
     {},
     false,
     &Messages},
    {"message-use",
     "time from reception, and from sending, of data to its use by a task",
     kPartMessages | kPartData,
     {},
     false,
     &MessageUse},
    {"speed",
     "GFlop/s of codelets; their durations beside what their perfmodels expected",
     kPartTaskExtras,
     {},
     true,
     &Speed},
    {"summary",
     "summary of a run, or of several side by side",
     kAnalysisParts,
     {},
     false,
     &Summary},
};

}  // namespace

PlotRun::PlotRun(std::string name, const TraceModel* model)
    : name(std::move(name)), model_(model), kept_(std::make_shared<Kept>()) {}

const TaskSamples& PlotRun::samples() const {
  if (!kept_->samples) {
    kept_->samples = SamplesOf(*model_);
    const int64_t zero_ns = RunClock(*model_).zero_ns();
    for (TaskSample& sample : kept_->samples->samples) sample.start_ns -= zero_ns;
  }
  return *kept_->samples;
}

const Activity& PlotRun::activity() const {
  if (!kept_->activity) {
    kept_->activity = ActivityOf(*model_, kActivityPieces);
    MoveBack(*kept_->activity, RunClock(*model_).zero_ns());
  }
  return *kept_->activity;
}

const std::vector<StatisticsRow>& PlotRun::statistics(StatisticsBy by) const {
  const auto [found, is_new] = kept_->statistics.try_emplace(by);
  if (is_new) found->second = Statistics(*model_, by);
  return found->second;
}

std::span<const PlotKind> PlotKinds() { return kKinds; }

Result<const PlotKind*> FindPlotKind(std::string_view name) {
  std::string known;
  for (const PlotKind& kind : kKinds) {
    if (kind.name == name) return &kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("no plot is called '{}'; there are {}", Printable(name), known));
}

Status CheckPlotOptions(const PlotKind& kind, const PlotOptions& options) {
  const auto refused = [&](const std::string& why) {
    return Status(ErrorCode::kInvalidArgument, fmt::format("the plot {} {}", kind.name, why));
  };
  // Skips the default, which every kind accepts.
  if (options.by != PlotOptions{}.by && std::ranges::find(kind.by, options.by) == kind.by.end())
    return refused(kind.by.empty()
                       ? "has no groups, so there is no choice of 'by'"
                       : fmt::format("is by {}, not by '{}'", fmt::join(kind.by, " or "),
                                     Printable(options.by)));
  if (!options.codelets.empty() && !kind.has_codelets)
    return refused("is of the whole run, not of a codelet");
  return Status::Ok();
}

Status CheckCodelets(std::span<const PlotRun> runs, const std::vector<std::string>& codelets) {
  if (codelets.empty()) return Status::Ok();
  std::set<std::string> known;
  for (const PlotRun& run : runs) {
    const TraceModel& model = run.model();
    std::vector<bool> is_known(model.strings.size());
    for (uint32_t task = 0; task < model.tasks.size(); ++task) {
      if (is_known[model.tasks.name[task]]) continue;
      is_known[model.tasks.name[task]] = true;
      known.emplace(model.TaskNameOf(task));
    }
  }
  for (const std::string& codelet : codelets) {
    if (known.contains(codelet)) continue;
    std::string some;
    size_t count = 0;
    for (const std::string& name : known)
      if (++count <= 10) some += (some.empty() ? "" : ", ") + Printable(name);
    return Nothing(fmt::format("no task has the codelet '{}'; there are {}{}", Printable(codelet),
                               known.empty() ? "none" : some, count > 10 ? ", ..." : ""));
  }
  return Status::Ok();
}

}  // namespace tasklens
