// SPDX-License-Identifier: Apache-2.0
// Parses arguments, names and times of the command line.
#include "server/command_line/trace_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <optional>
#include <utility>

#include "analysis/statistics.h"
#include "converters/rank_word.h"
#include "converters/saved_trace.h"
#include "server/command_line/command.h"
#include "server/command_line/run_store.h"
#include "server/command_line/summary.h"
#include "server/traces/first_views.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

// Moves a number before `separator` from `name` to `rank`: "1:CPU0" becomes "CPU0" and "1".
void SplitRank(char separator, std::string_view& name, std::string_view& rank) {
  const size_t at = name.find(separator);
  uint32_t number = 0;
  if (at == name.npos || !ReadNumber(name.substr(0, at), number)) return;
  rank = name.substr(0, at);
  name.remove_prefix(at + 1);
}

// Returns the rows of `rank`, or all rows for "".
Result<std::vector<uint32_t>> RowsOfRank(const TraceModel& model, std::string_view rank) {
  uint32_t number = 0;
  const bool is_number = ReadNumber(rank, number);
  std::vector<uint32_t> rows;
  std::string known;
  for (uint32_t row = 0; row < model.ranks.size(); ++row) {
    if (rank.empty() || (is_number && model.ranks.rank[row] == number)) rows.push_back(row);
    if (row < 20) known += (row > 0 ? ", " : "") + std::to_string(model.ranks.rank[row]);
  }
  if (!rows.empty() || rank.empty()) return rows;
  return Status(ErrorCode::kNotFound,
                fmt::format("the trace has no {} '{}'; it has {}{}", RankWord(model), rank, known,
                            model.ranks.size() > 20 ? ", ..." : ""));
}

// Returns the only match. If several ranks have one, fails with their numbers. `found`: pairs of a
// row of ranks and a match; `what`: describes the match; `how`: an example of a unique name.
Result<uint32_t> TheOne(const TraceModel& model, std::string_view what,
                        const std::vector<std::pair<uint32_t, uint32_t>>& found,
                        std::string_view how) {
  if (found.size() == 1) return found.front().second;
  std::string ranks;
  for (size_t i = 0; i < std::min<size_t>(found.size(), 20); ++i)
    ranks += (i > 0 ? ", " : "") + std::to_string(model.ranks.rank[found[i].first]);
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("several ranks have a {}: {}{}; write {} for example", what, ranks,
                            found.size() > 20 ? ", ..." : "", how));
}

}  // namespace

void DeclareTraceArguments(OptionSet& cli, TraceArguments& arguments) {
  cli.Add("trace", arguments.traces,
          "trace files, one per rank, or the folder that holds them (default: the newest run)");
  cli.Flag("--json", arguments.json, "print JSON");
  cli.Flag("--strict", arguments.strict, "exit with status 1 if the trace is incomplete");
}

int WithTrace(const TraceArguments& arguments, uint32_t parts,
              const std::function<Status(const TraceModel&)>& run) {
  const Result<std::vector<std::string>> traces = TracesOrNewest(arguments.traces);
  if (!traces.ok()) return Fail(traces.status());
  Diagnostics diags;
  const SavedTrace saved(*traces, DefaultSavedTraceOptions());
  std::optional<SavedTrace::Kept> kept = saved.Load(diags);
  const bool is_kept = kept.has_value();
  const Result<TraceModel> model =
      is_kept ? std::move(kept->model) : LoadWithProgress(*traces, diags, parts);
  const int exit_status = ReportDiagnostics(diags, arguments.strict);
  if (!model.ok()) return Fail(model.status());
  std::future<Status> saving;
  if (!is_kept && parts == kAnalysisParts && saved.IsToKeep(diags))
    saving = std::async(std::launch::async, [&] {
      return saved.Store(*model, diags, [&](const auto& write) {
        FirstViews views = SummarizeForViews(*model);
        views.timeline = std::make_shared<const TimelineIndex>(*model);
        SaveViews(views, write);
      });
    });
  const Status status = run(*model);
  if (saving.valid())
    if (const Status s = saving.get(); !s.ok())
      std::fprintf(stderr, "tasklens: note: %s\n", s.message().c_str());
  return status.ok() ? exit_status : Fail(status);
}

Status WriteFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return Status::Ok();
  return Status(ErrorCode::kIo, path + ": cannot be written: " + std::strerror(errno));
}

std::string SiteText(const TraceModel& model, uint32_t site) {
  return StatisticsLabel(model, StatisticsBy::kSite, site);
}

std::string TaskText(const TraceModel& model, uint32_t task) {
  std::string rank;
  if (model.ranks.size() > 1)
    rank = fmt::format("{} {}, ", RankWord(model), model.ranks.rank[model.tasks.rank_index[task]]);
  return fmt::format("{} ({}job {})", model.TaskNameOf(task), rank, model.tasks.job[task]);
}

Result<uint32_t> FindWorker(const TraceModel& model, std::string_view name, std::string_view rank) {
  std::string_view rest = name;
  SplitRank(':', rest, rank);
  const Result<std::vector<uint32_t>> rows = RowsOfRank(model, rank);
  if (!rows.ok()) return rows.status();
  uint32_t id = kNone;
  if (!ReadNumber(rest, id)) id = kNone;
  std::vector<std::pair<uint32_t, uint32_t>> found;
  for (const uint32_t row : *rows)
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
      if (model.workers.rank_index[worker] != row) continue;
      if (model.str(model.workers.name[worker]) != rest && model.workers.id[worker] != id) continue;
      found.push_back({row, worker});
      break;
    }
  if (!found.empty())
    return TheOne(model, fmt::format("worker '{}'", rest), found,
                  fmt::format("{}:{}", model.ranks.rank[found.front().first], rest));
  std::string known;
  for (uint32_t worker = 0; worker < std::min<size_t>(model.workers.size(), 20); ++worker)
    known += (known.empty() ? "" : ", ") + StatisticsLabel(model, StatisticsBy::kWorker, worker);
  if (model.workers.size() > 20) known += ", ...";
  return Status(ErrorCode::kNotFound, fmt::format("no worker is called '{}'; there are {}", name,
                                                  known.empty() ? "none" : known));
}

Result<uint32_t> FindTaskByJob(const TraceModel& model, std::string_view name,
                               std::string_view rank) {
  std::string_view rest = name;
  SplitRank('_', rest, rank);
  const Result<std::vector<uint32_t>> rows = RowsOfRank(model, rank);
  if (!rows.ok()) return rows.status();
  uint64_t job = 0;
  std::vector<std::pair<uint32_t, uint32_t>> found;
  if (ReadNumber(rest, job))
    for (const uint32_t row : *rows)
      if (const uint32_t task = model.FindTask(row, job); task != kNone)
        found.push_back({row, task});
  if (!found.empty())
    return TheOne(model, fmt::format("task '{}'", rest), found,
                  fmt::format("{}_{}", model.ranks.rank[found.front().first], rest));
  return Status(ErrorCode::kNotFound,
                fmt::format("no task '{}' in the trace; give a job id, or RANK_JOB as in "
                            "tasks.rec",
                            name));
}

void DeclareStretchArguments(OptionSet& cli, StretchArguments& arguments) {
  cli.Add("--from TIME", arguments.from,
          "start of the interval, as time after the first submission: 250ns, 1.5us, 2ms, 0.1s");
  cli.Add("--to TIME", arguments.to, "end of the interval");
}

Option DeclarePictureArguments(OptionSet& cli, PictureArguments& arguments) {
  const Option svg = cli.Add("--svg,-o FILE", arguments.svg, "draw an SVG picture into this file")
                         .Excludes(cli.Find("--json"));
  cli.Add("--colour", arguments.colour,
          "colour the tasks of the picture by codelet, worker, duration, waiting, slack or "
          "iteration")
      .OneOf({"codelet", "worker", "duration", "waiting", "slack", "iteration"})
      .Needs(svg)
      .ShowDefault();
  return svg;
}

Result<Span> StretchOf(const TraceModel& model, const RunClock& clock, Span all,
                       const StretchArguments& arguments) {
  Span stretch = all;
  const auto parse = [&](const char* option, const std::string& text, int64_t& at_ns) {
    if (text.empty()) return Status::Ok();
    const Result<int64_t> given = clock.Parse(text);
    if (!given.ok()) return given.status().WithPrefix(option);
    at_ns = *given;
    return Status::Ok();
  };
  if (Status s = parse("--from", arguments.from, stretch.begin_ns); !s.ok()) return s;
  if (Status s = parse("--to", arguments.to, stretch.end_ns); !s.ok()) return s;
  const Span run{0, std::max<int64_t>(model.duration_ns, 1)};
  if (stretch.begin_ns >= stretch.end_ns && !arguments.from.empty() && !arguments.to.empty())
    return Status(ErrorCode::kInvalidArgument, "--from must be before --to");
  if (stretch.begin_ns >= run.end_ns || stretch.end_ns <= run.begin_ns)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("the interval lies outside the trace, which goes from {} after {}",
                              clock.Text(run), clock.ZeroText()));
  // Nothing is recorded before 0. A later end is kept as given.
  stretch.begin_ns = std::max(stretch.begin_ns, run.begin_ns);
  if (stretch.begin_ns >= stretch.end_ns)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("the interval would end before it begins, at {}",
                              clock.Text(stretch.begin_ns)));
  return stretch;
}

}  // namespace tasklens
