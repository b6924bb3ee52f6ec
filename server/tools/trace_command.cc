// SPDX-License-Identifier: Apache-2.0
// Arguments, names and times on the command line.
#include "server/tools/trace_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <optional>

#include "analysis/statistics.h"
#include "converters/saved_trace.h"
#include "server/tools/command.h"
#include "server/tools/summary.h"

namespace tasklens {
namespace {

template <class Number>
bool ParseNumber(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Splits "RANK<separator>REST"; the rank's row is 0 where there is no separator.
bool SplitRank(const TraceModel& model, char separator, std::string_view& name, uint32_t& row) {
  row = 0;
  const size_t at = name.find(separator);
  if (at == name.npos) return model.ranks.size() > 0;
  uint32_t rank = 0;
  if (!ParseNumber(name.substr(0, at), rank)) return false;
  name.remove_prefix(at + 1);
  for (; row < model.ranks.size(); ++row)
    if (model.ranks.rank[row] == rank) return true;
  return false;
}

}  // namespace

void DeclareTraceArguments(CLI::App& app, TraceArguments& arguments) {
  app.add_option("trace", arguments.traces, "trace files, one a rank, or their folder")->required();
  app.add_flag("--json", arguments.json, "print JSON");
  app.add_flag("--strict", arguments.strict, "exit 1 when something of the trace is missing");
}

int WithTrace(const TraceArguments& arguments, uint32_t parts,
              const std::function<Status(const TraceModel&)>& run) {
  Diagnostics diags;
  const SavedTrace saved(arguments.traces, DefaultSavedTraceOptions());
  std::optional<TraceModel> kept = saved.Load(diags);
  const bool is_kept = kept.has_value();
  const Result<TraceModel> model =
      is_kept ? std::move(*kept) : LoadWithProgress(arguments.traces, diags, parts);
  const int exit_status = ReportDiagnostics(diags, arguments.strict);
  if (!model.ok()) return Fail(model.status());
  std::future<Status> saving;
  if (!is_kept && parts == kAllParts)
    saving = std::async(std::launch::async, [&] { return saved.Store(*model, diags); });
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
    rank = fmt::format("rank {}, ", model.ranks.rank[model.tasks.rank_index[task]]);
  return fmt::format("{} ({}job {})", model.TaskNameOf(task), rank, model.tasks.job[task]);
}

Result<uint32_t> FindWorker(const TraceModel& model, std::string_view name) {
  std::string_view rest = name;
  uint32_t rank = 0, id = kNone;
  if (SplitRank(model, ':', rest, rank)) {
    ParseNumber(rest, id);
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
      if (model.workers.rank_index[worker] == rank &&
          (model.str(model.workers.name[worker]) == rest || model.workers.id[worker] == id))
        return worker;
  }
  std::string known;
  for (uint32_t worker = 0; worker < std::min<size_t>(model.workers.size(), 20); ++worker)
    known += (known.empty() ? "" : ", ") + StatisticsLabel(model, StatisticsBy::kWorker, worker);
  return Status(ErrorCode::kNotFound, fmt::format("no worker is called '{}'; there are {}", name,
                                                  known.empty() ? "none" : known));
}

Result<uint32_t> FindTaskByJob(const TraceModel& model, std::string_view name) {
  std::string_view rest = name;
  uint32_t rank = 0;
  uint64_t job = 0;
  if (SplitRank(model, '_', rest, rank) && ParseNumber(rest, job))
    if (const uint32_t task = model.FindTask(rank, job); task != kNone) return task;
  return Status(ErrorCode::kNotFound,
                fmt::format("no task '{}' in the trace; give a job id, or RANK_JOB as in "
                            "tasks.rec",
                            name));
}

Result<int64_t> ParseTime(std::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789.+-eE");
  std::string_view unit = digits == text.npos ? "" : text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double factor = unit.empty() || unit == "ns"   ? 1
                        : unit == "us" || unit == "µs" ? 1e3
                        : unit == "ms"                 ? 1e6
                        : unit == "s"                  ? 1e9
                                                       : 0;
  double value = 0;
  if (factor == 0 || !ParseNumber(text.substr(0, digits), value) ||
      !(std::fabs(value * factor) < 9e18))
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is no time; write 1500, 1.5us, 2ms or 0.1s", text));
  return static_cast<int64_t>(std::llround(value * factor));
}

}  // namespace tasklens
