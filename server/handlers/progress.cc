// SPDX-License-Identifier: Apache-2.0
// tasklens/progress: where a run in progress is now, in time that does not grow with the run.
#include <algorithm>
#include <map>
#include <tuple>

#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/session/live_progress.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  int64_t from_ns = 0;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("fromNs", from_ns);
  }
};

// The costs of the lines that the model knows as well, by row of its sites.
json LinesJson(const TraceModel& model, const RunProgress& progress) {
  std::map<std::tuple<std::string_view, uint32_t, std::string_view>, uint32_t> site_of;
  for (uint32_t site = 0; site < model.sites.size(); ++site)
    site_of.try_emplace({model.str(model.sites.file[site]), model.sites.line[site],
                         model.str(model.sites.function[site])},
                        site);
  json lines = json::array();
  for (const RunProgress::Line& line : progress.lines) {
    const auto site = site_of.find({line.file, line.line, line.function});
    if (site == site_of.end()) continue;
    lines.push_back({{"site", site->second}, {"tasks", line.tasks}, {"totalNs", line.total_ns}});
  }
  return lines;
}

json RowsJson(const TimelineRows& rows, const RunProgress& progress, int64_t from_ns) {
  json answer = json::array();
  for (const RunProgress::Worker& worker : progress.workers) {
    const uint32_t row = rows.of_worker[worker.worker];
    if (row == kNone) continue;
    json::array_t start, end, busy, name, count;
    for (const RunProgress::Stretch& stretch : worker.stretches) {
      const int64_t start_ns = std::max(stretch.start_ns, from_ns);
      start.emplace_back(start_ns - from_ns);
      end.emplace_back(stretch.end_ns - from_ns);
      // Of what is cut off no more than there is of the rest.
      busy.emplace_back(std::min(stretch.busy_ns, stretch.end_ns - start_ns));
      name.emplace_back(stretch.name);
      count.emplace_back(stretch.count);
    }
    answer.push_back({{"row", row},
                      {"start", std::move(start)},
                      {"end", std::move(end)},
                      {"busy", std::move(busy)},
                      {"name", std::move(name)},
                      {"count", std::move(count)}});
  }
  return answer;
}

Result<json> ShowProgress(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  if (params.from_ns < 0)
    return Status(ErrorCode::kInvalidArgument, "params.fromNs must be at least 0");
  const double read = trace.reading ? trace.reading->load() : trace.share;
  if (!trace.progress) return json{{"trace", trace.id}, {"read", read}, {"progress", nullptr}};
  const TraceModel& model = *trace.model;
  const auto rows = trace.views->Rows(call.stop());
  if (!rows) return Cancelled();
  const Result<RunProgress> progress = trace.progress->Look(model, params.from_ns);
  if (!progress.ok()) return progress.status();
  return json{{"trace", trace.id},
              {"read", read},
              {"progress",
               {{"isBehind", progress->is_behind},
                {"endNs", progress->end_ns},
                {"spanNs", progress->span_ns},
                {"tasks", progress->tasks},
                {"ran", progress->ran},
                {"busyNs", progress->busy_ns},
                {"sites", LinesJson(model, *progress)},
                {"fromNs", params.from_ns},
                {"rows", RowsJson(*rows, *progress, params.from_ns)},
                {"names", progress->names},
                {"rowsTotal", rows->rows.size()}}}};
}

}  // namespace

extern const RequestSpec kProgressRequest;
const RequestSpec kProgressRequest = Request<&ShowProgress>("tasklens/progress");

}  // namespace tasklens
