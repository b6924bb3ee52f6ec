// SPDX-License-Identifier: Apache-2.0
// tasklens/progress: the state of a running program, in time that does not grow with the run.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/timeline_rows.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/traces/live_progress.h"

namespace tasklens {
namespace {

using messages::ProgressAnswer, messages::ProgressParams;

// The costs of the lines that the model knows, by row of its sites.
std::vector<messages::ProgressSite> Lines(const TraceModel& model, const RunProgress& progress) {
  std::map<std::tuple<std::string_view, uint32_t, std::string_view>, uint32_t> site_of;
  for (uint32_t site = 0; site < model.sites.size(); ++site)
    site_of.try_emplace({model.str(model.sites.file[site]), model.sites.line[site],
                         model.str(model.sites.function[site])},
                        site);
  std::vector<messages::ProgressSite> lines;
  for (const RunProgress::Line& line : progress.lines) {
    const auto site = site_of.find({line.file, line.line, line.function});
    if (site == site_of.end()) continue;
    lines.push_back({.site = site->second, .tasks = line.tasks, .total_ns = line.total_ns});
  }
  return lines;
}

std::vector<messages::ProgressRow> Rows(const TimelineRows& rows, const RunProgress& progress,
                                        int64_t from_ns) {
  std::vector<messages::ProgressRow> answer;
  for (const RunProgress::Worker& worker : progress.workers) {
    const uint32_t row = rows.of_worker[worker.worker];
    if (row == kNone) continue;
    messages::ProgressRow columns{.row = row};
    for (const RunProgress::Stretch& stretch : worker.stretches) {
      const int64_t start_ns = std::max(stretch.start_ns, from_ns);
      columns.start.push_back(start_ns - from_ns);
      columns.end.push_back(stretch.end_ns - from_ns);
      // A stretch that is cut has at most as much busy time as its remainder is long.
      columns.busy.push_back(std::min(stretch.busy_ns, stretch.end_ns - start_ns));
      columns.name.push_back(stretch.name);
      columns.count.push_back(static_cast<int64_t>(stretch.count));
    }
    answer.push_back(std::move(columns));
  }
  return answer;
}

Result<ProgressAnswer> ShowProgress(const Session& session, const ProgressParams& params,
                                    const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  if (params.from_ns < 0)
    return Status(ErrorCode::kInvalidArgument, "params.fromNs must be at least 0");
  ProgressAnswer answer{.trace = trace.id,
                        .read = trace.reading ? trace.reading->load() : trace.share};
  if (!trace.progress) return answer;
  const TraceModel& model = *trace.model;
  const auto rows = trace.views->Rows(call.stop());
  if (!rows) return Cancelled();
  const Result<RunProgress> progress = trace.progress->Look(model, params.from_ns);
  if (!progress.ok()) return progress.status();
  answer.progress = {.is_behind = progress->is_behind,
                     .end_ns = progress->end_ns,
                     .span_ns = progress->span_ns,
                     .tasks = progress->tasks,
                     .ran = progress->ran,
                     .busy_ns = progress->busy_ns,
                     .sites = Lines(model, *progress),
                     .from_ns = params.from_ns,
                     .rows = Rows(*rows, *progress, params.from_ns),
                     .names = progress->names,
                     .rows_total = rows->rows.size()};
  return answer;
}

}  // namespace

extern const RequestSpec kProgressRequest = Request<&ShowProgress>("tasklens/progress");

}  // namespace tasklens
