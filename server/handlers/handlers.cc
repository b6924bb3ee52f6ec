// SPDX-License-Identifier: Apache-2.0
// Converts rows of a model to JSON.
#include "server/handlers/handlers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/student.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/handlers/present_lines.h"
#include "server/protocol/message.h"
#include "server/protocol/uri.h"
#include "server/sources/foreign_file.h"
#include "server/traces/earlier_run.h"
#include "server/traces/insights.h"

namespace tasklens {
namespace {

constexpr uintmax_t kMaxSourceBytes = uintmax_t{16} << 20;

// The cost of the site in the run before, or nullptr.
const SiteTotals* TotalsBefore(const OpenTrace& trace, uint32_t site) {
  if (!trace.before || site >= trace.before->sites.size()) return nullptr;
  const auto& totals = trace.before->sites[site];
  return totals ? &*totals : nullptr;
}

}  // namespace

json ToJson(const Range& range) {
  return {{"start", {{"line", range.start.line}, {"character", range.start.column}}},
          {"end", {{"line", range.end.line}, {"character", range.end.column}}}};
}

messages::Location Location::Message() const {
  return {.uri = uri,
          .range = {.start = {.line = range.start.line, .character = range.start.column},
                    .end = {.line = range.end.line, .character = range.end.column}}};
}

json Location::ToJson() const { return {{"uri", uri}, {"range", tasklens::ToJson(range)}}; }

Result<std::shared_ptr<const Text>> TextOf(const Session& session, const std::string& path) {
  if (const auto document = session.FindDocument(path))
    return std::shared_ptr<const Text>(document, &document->text);
  Result<std::string> content = ReadForeignFile(path, kMaxSourceBytes);
  if (!content.ok()) return content.status();
  return std::make_shared<const Text>(*std::move(content));
}

Range RangeOfLine(const Session& session, const std::string& path, uint32_t line) {
  const auto text = TextOf(session, path);
  if (!text.ok()) return {{line, 0}, {line, 0}};
  // The empty line after the last line end does not count as a line of the file.
  uint32_t last = (*text)->line_count() - 1;
  if (last > 0 && (*text)->Line(last).empty()) --last;
  line = std::min(line, last);
  const std::string_view content = (*text)->Line(line);
  const size_t start = std::min(content.find_first_not_of(" \t"), content.size());
  const size_t end = content.find_last_not_of(" \t") + 1;
  if (end <= start) return {{line, 0}, {line, 0}};
  return {{line, ColumnsOf(content.substr(0, start), session.encoding)},
          {line, ColumnsOf(content.substr(0, end), session.encoding)}};
}

Result<Location> LocateSite(const Session& session, const OpenTrace& trace, uint32_t site) {
  Result<LinesOfTrace::Place> place = LinesOfTrace(session, trace).Locate(site);
  if (!place.ok()) return place.status();
  return std::move(place->location);
}

std::string CostTitle(const OpenTrace& trace, const SiteCost& cost) {
  std::string title = CountText(cost.tasks) + (cost.tasks == 1 ? " task" : " tasks");
  if (cost.ran == 0) {
    title += " · none ran";
  } else {
    if (cost.runs > cost.ran) title += " · " + CountText(cost.runs) + " runs";
    title += " · " + DurationText(cost.total_ns) + " total";
    if (cost.runs > 1) title += " · mean " + DurationText(cost.MeanNs());
    const auto busy_ns = static_cast<double>(trace.summary.busy_ns);
    if (busy_ns > 0) title += " · " + ShareText(static_cast<double>(cost.total_ns) / busy_ns);
  }
  if (trace.diagnostics.HasDataLoss()) title += " · the trace lost data";
  if (!trace.IsWhole()) title += " · of the first " + ShareText(trace.share) + " of the trace";
  return title;
}

std::string WaitTitle(const OpenTrace& trace, uint32_t site) {
  if (!trace.insights) return "";
  for (const WaitCost& wait : trace.insights->waits) {
    if (wait.site != site) continue;
    std::string title =
        "waited " + CountText(wait.calls, "time") + " · " + DurationText(wait.total_ns) + " total";
    if (wait.calls > 1)
      title += " · mean " + DurationText(wait.total_ns / static_cast<int64_t>(wait.calls));
    return title;
  }
  return "";
}

// The standard deviation of the durations of a line's tasks. Until it has been computed, the upper
// bound that the mean and the extremes permit.
double SpreadNs(const OpenTrace& trace, const SiteCost& cost) {
  if (trace.insights) return trace.insights->sites[cost.site].durations.stddev_ns;
  const auto mean_ns = static_cast<double>(cost.total_ns) / static_cast<double>(cost.runs);
  return std::sqrt(std::max(0., (static_cast<double>(cost.max_ns) - mean_ns) *
                                    (mean_ns - static_cast<double>(cost.min_ns))));
}

// The difference between the means of both runs that chance exceeds only once in a hundred times.
// nullopt if a run has a single task. Only the mean of the run before is known; its tasks are
// assumed to vary as much as those of this run.
std::optional<double> NoiseOfMeans(const OpenTrace& trace, const SiteTotals& before,
                                   const SiteCost& cost) {
  if (before.ran < 2 || cost.runs < 2 || cost.total_ns <= 0) return std::nullopt;
  const double spread_ns = SpreadNs(trace, cost);
  const auto mean_before = static_cast<double>(before.total_ns) / static_cast<double>(before.ran);
  const auto mean = static_cast<double>(cost.total_ns) / static_cast<double>(cost.runs);
  const double error =
      std::hypot(spread_ns / std::sqrt(static_cast<double>(cost.runs)),
                 spread_ns / mean * mean_before / std::sqrt(static_cast<double>(before.ran)));
  return error * StudentQuantile(0.01, static_cast<double>(std::min(before.ran, cost.runs) - 1));
}

std::string ChangeText(const OpenTrace& trace, const SiteCost& cost) {
  const SiteTotals* before = TotalsBefore(trace, cost.site);
  if (!before) return "";
  std::string text;
  if (before->ran > 0 && cost.ran > 0 && before->MeanNs() > 0) {
    const auto mean_before =
        static_cast<double>(before->total_ns) / static_cast<double>(before->ran);
    const auto mean = static_cast<double>(cost.total_ns) / static_cast<double>(cost.runs);
    const long percent = std::lround(100 * (mean / mean_before - 1));
    const std::optional<double> noise_ns = NoiseOfMeans(trace, *before, cost);
    if (percent != 0 && std::fabs(mean - mean_before) > noise_ns.value_or(0))
      text = "mean " + std::string(percent > 0 ? "+" : "−") + CountText(std::labs(percent)) +
             (noise_ns ? " %" : " % (noise not known)");
  }
  if (before->tasks != cost.tasks)
    text += (text.empty() ? "" : ", ") + std::string("tasks ") + CountText(before->tasks) + " → " +
            CountText(cost.tasks);
  return text.empty() ? "as before" : text + " since the run before";
}

std::optional<messages::Site> SiteMessage(const Session& session, const OpenTrace& trace,
                                          uint32_t site) {
  const TraceModel& model = *trace.model;
  if (site >= model.sites.size()) return std::nullopt;
  messages::Site message{.site = site,
                         .file = std::string(model.str(model.sites.file[site])),
                         .line = model.sites.line[site],
                         .function = std::string(model.str(model.sites.function[site]))};
  const Result<Location> location = LocateSite(session, trace, site);
  if (location.ok()) {
    message.location = location->Message();
  } else {
    message.problem = location.status().message();
  }
  return message;
}

messages::Task TaskMessage(const OpenTrace& trace, uint32_t task) {
  const TraceModel& model = *trace.model;
  const uint32_t worker = model.tasks.worker[task];
  messages::Task message = TaskMessage(model, task);
  if (worker < model.workers.size()) message.worker = model.str(model.workers.name[worker]);
  return message;
}

messages::Cost CostMessage(const Session& session, const OpenTrace& trace, const SiteCost& cost) {
  const auto busy_ns = static_cast<double>(trace.summary.busy_ns);
  messages::Cost message{.tasks = cost.tasks,
                         .ran = cost.ran,
                         .runs = cost.runs,
                         .total_ns = cost.total_ns,
                         .mean_ns = cost.MeanNs(),
                         .min_ns = cost.min_ns,
                         .max_ns = cost.max_ns,
                         .share = busy_ns > 0 ? static_cast<double>(cost.total_ns) / busy_ns : 0,
                         .title = CostTitle(trace, cost),
                         .change = ChangeText(trace, cost)};
  if (const auto site = SiteMessage(session, trace, cost.site)) {
    message.site = site->site;
    message.file = site->file;
    message.line = site->line;
    message.function = site->function;
    message.location = site->location;
    message.problem = site->problem;
  }
  for (const StringId name : cost.names) message.names.emplace_back(trace.model->str(name));
  if (const SiteTotals* before = TotalsBefore(trace, cost.site))
    message.before = {.tasks = before->tasks,
                      .ran = before->ran,
                      .total_ns = before->total_ns,
                      .mean_ns = before->MeanNs()};
  return message;
}

Status CheckTask(const OpenTrace& trace, uint32_t task) {
  if (task < trace.model->tasks.size()) return Status::Ok();
  return Status(ErrorCode::kNotFound,
                "the trace " + trace.id + " has no task " + std::to_string(task) + "; it has " +
                    std::to_string(trace.model->tasks.size()) + ", counted from 0");
}

Status CheckSite(const OpenTrace& trace, uint32_t site) {
  if (site < trace.model->sites.size()) return Status::Ok();
  return Status(ErrorCode::kNotFound,
                "the trace " + trace.id + " has no submission site " + std::to_string(site) +
                    "; it has " + std::to_string(trace.model->sites.size()) + ", counted from 0");
}

}  // namespace tasklens
