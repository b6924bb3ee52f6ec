// SPDX-License-Identifier: Apache-2.0
// textDocument/hover: the submissions of a line, or the cost of a codelet, as a table; in generated
// files, the task of a line and its submission site.
#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/text.h"
#include "server/handlers/advice_lines.h"
#include "server/handlers/document_params.h"
#include "server/handlers/generated_files.h"
#include "server/handlers/handlers.h"
#include "server/handlers/markdown.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"
#include "server/protocol/uri.h"
#include "server/traces/earlier_run.h"
#include "server/traces/insights.h"

namespace tasklens {
namespace {

constexpr size_t kMaxRows = 8;

std::string SizeText(double bytes) {
  for (const char* unit : {"B", "KiB", "MiB", "GiB"}) {
    if (bytes < 1024 || unit == std::string_view("GiB")) {
      char text[32];
      std::snprintf(text, sizeof text,
                    bytes < 10 && unit != std::string_view("B") ? "%.1f %s" : "%.0f %s", bytes,
                    unit);
      return text;
    }
    bytes /= 1024;
  }
  return "";
}

// The lines below the table, the same for sites and codelets.
std::string Spread(const DurationSummary& durations, const EstimateSummary& estimates, double flops,
                   int64_t flops_ns) {
  std::string text;
  if (durations.count > 1) {
    text += "\n`" + Sparkline(durations.histogram) + "` " + DurationText(durations.min_ns) +
            " to " + DurationText(durations.max_ns) + " · median " +
            DurationText(durations.median_ns()) + " · 95 % below " +
            DurationText(durations.quantile_ns[4]) + "\n";
  }
  if (estimates.count > 0) {
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.2f", estimates.Bias());
    text += "\nmeasured / estimated: " + std::string(factor) + " · mean error " +
            ShareText(estimates.mean_error) + "\n";
  }
  if (flops_ns > 0) {
    char speed[32];
    std::snprintf(speed, sizeof speed, "%.3g", flops / static_cast<double>(flops_ns));
    text += "\n" + std::string(speed) + " GFlop/s\n";
  }
  return text;
}

std::string PartsTable(const TraceModel& model, const std::vector<SiteReport::Part>& parts) {
  std::string text =
      "| codelet | on | tasks | total | mean | min | max |\n"
      "|:--|:--|--:|--:|--:|--:|--:|\n";
  for (size_t i = 0; i < std::min(parts.size(), kMaxRows); ++i) {
    const SiteReport::Part& part = parts[i];
    const std::string_view name = model.str(part.name);
    text += "| " + Cell(name.empty() ? "unknown" : name) + " | " +
            std::string(WorkerArchName(part.arch)) + " | " + CountText(part.ran) + " | " +
            DurationText(part.total_ns) + " | " + DurationText(part.MeanNs()) + " | " +
            DurationText(part.min_ns) + " | " + DurationText(part.max_ns) + " |\n";
  }
  if (parts.size() > kMaxRows) text += "\nand " + CountText(parts.size() - kMaxRows) + " more\n";
  return text;
}

// The text below the title, the same for sites and codelets.
std::string ReportText(const TraceModel& model, const SiteReport& report) {
  std::string text;
  if (!report.parts.empty()) text += "\n" + PartsTable(model, report.parts);
  text += Spread(report.durations, report.estimates, report.flops, report.flops_ns);
  if (report.waited > 0)
    text += "\nwaited for a worker: " + DurationText(report.waiting_ns) + " · mean " +
            DurationText(report.waiting_ns / static_cast<int64_t>(report.waited)) + "\n";
  if (report.size_bytes > 0)
    text += "\ndata: " +
            SizeText(static_cast<double>(report.size_bytes) /
                     static_cast<double>(std::max<uint64_t>(report.tasks, 1))) +
            " a task\n";
  if (report.workers > 0)
    text += "\nran on " + CountText(report.workers) + " of " + CountText(model.workers.size()) +
            " workers\n";
  return text;
}

// Says if the trace lost events, so that counts and times are incomplete.
std::string LossText(const OpenTrace& trace) {
  std::string text;
  for (const auto& [name, counted] : trace.diagnostics.counts()) {
    const DiagnosticKind* kind = FindDiagnosticKind(name);
    if (kind && kind->severity == Severity::kDataLoss)
      text += "\nlost: " + CountText(counted.count) + " × " + Escaped(name) + ": " +
              Escaped(kind->text) + "\n";
  }
  return text;
}

// Says why the trace has not been analysed.
std::string NotAnalysed(const OpenTrace& trace) {
  if (!trace.no_insights.empty()) return "(" + Escaped(trace.no_insights) + ")\n";
  return "(more in a moment: the trace is being analysed)\n";
}

std::string SiteText(const Session& session, const OpenTrace& trace, uint32_t site,
                     std::string_view remark) {
  const TraceModel& model = *trace.model;
  const uint32_t row = trace.cost_of[site];
  const std::string title =
      row != kNone ? CostTitle(trace, trace.costs[row]) : WaitTitle(trace, site);
  if (title.empty()) return "";
  std::string text = "**" + title + "**" + std::string(remark) + "\n";
  const std::string change = row != kNone ? ChangeText(trace, trace.costs[row]) : "";
  if (!change.empty())
    text += "\n" + change +
            (trace.before->title == trace.title ? "" : " (" + Escaped(trace.before->title) + ")") +
            "\n";
  text += LossText(trace);
  const SourceMap::File* file = trace.sources->FileOf(model, site);
  if (file && file->found_by == SourceMap::FoundBy::kEnd)
    text += "\nthe trace says " + Escaped(file->name) + "; this file is assumed to be it\n";
  if (!trace.insights) return text + "\n" + NotAnalysed(trace);
  const SiteReport& report = trace.insights->sites[site];
  if (row != kNone) text += ReportText(model, report);
  const RuleSet silenced = SilencedInProject(session);
  for (const Finding& finding : trace.insights->findings)
    if (finding.site == site && !silenced.contains(finding.rule))
      text += "\n**" + std::string(finding.rule) + "**: " + Escaped(finding.message) + "\n";
  return text;
}

std::string CodeletText(const OpenTrace& trace, std::string_view name) {
  if (!trace.insights) {
    const auto is_named = [&](StringId id) { return trace.model->str(id) == name; };
    for (const SiteCost& cost : trace.costs)
      if (std::any_of(cost.names.begin(), cost.names.end(), is_named))
        return "**" + Escaped(name) + "**\n\n" + NotAnalysed(trace);
    return "";
  }
  for (const CodeletReport& codelet : trace.insights->codelets) {
    if (trace.model->str(codelet.name) != name) continue;
    const SiteReport& report = codelet.report;
    const auto busy_ns = static_cast<double>(trace.summary.busy_ns);
    std::string text = "**" + Escaped(name) + "**: " + CountText(report.tasks, "task") + " · " +
                       DurationText(report.durations.total_ns) + " total · mean " +
                       DurationText(static_cast<int64_t>(std::llround(report.durations.mean_ns)));
    if (busy_ns > 0)
      text += " · " + ShareText(static_cast<double>(report.durations.total_ns) / busy_ns);
    return text + "\n" + LossText(trace) + ReportText(*trace.model, report);
  }
  return "";
}

// The codelets of a word on line `line`. For a macro or function that submits: the codelets that
// this use submits; if these are unknown, those of all uses.
std::vector<CodeView::CodeletPlace> CodeletsAt(const CodeView& code, const std::string& path,
                                               const std::string& word, uint32_t line) {
  CodeAtWord found = FindCodeAt(code, path, word);
  if (found.submitters.empty()) return found.codelets;
  const auto used = code.CodeletsSubmittedAt(path, line, word);
  if (!used.empty()) return used;
  for (const CodeView::FunctionPlace& submitter : found.submitters)
    AddNew(code.CodeletsOf(submitter, /*given=*/true), found.codelets);
  return found.codelets;
}

// One part for each codelet of the word, from the newest trace that knows it.
std::string CodeText(const Session& session, const CodeView& code, const std::string& path,
                     const std::string& word, uint32_t line) {
  std::set<std::string> names;
  for (const CodeView::CodeletPlace& codelet : CodeletsAt(code, path, word, line))
    names.merge(TaskNamesOf(session, code, codelet));
  std::string text;
  size_t parts = 0;
  for (const std::string& name : names) {
    std::string part;
    for (auto it = session.traces.rbegin(); part.empty() && it != session.traces.rend(); ++it)
      part = CodeletText(**it, name);
    if (part.empty()) continue;
    if (parts++ == kMaxRows) return text + "\n---\nand more\n";
    text += (text.empty() ? "" : "\n---\n") + part;
  }
  return text;
}

// Describes the subject of a line in a generated file: the task, if it names one, and the line that
// submitted it.
std::string GeneratedText(const Session& session, const Named& named) {
  std::string text;
  if (named.task != kNone) {
    const TraceModel& model = *named.trace->model;
    const TaskTable& tasks = model.tasks;
    text = "**" + Escaped(model.TaskNameOf(named.task)) + "**: job " +
           std::to_string(tasks.job[named.task]);
    if (tasks.start_ns[named.task] != kNever && tasks.end_ns[named.task] != kNever)
      text += " · ran " + DurationText(tasks.RunNs(named.task));
    text += "\n\n";
  }
  for (size_t i = 0; i < named.sites.size(); ++i)
    text +=
        (i == 0 ? "" : "\n---\n") + SiteText(session, *named.trace, named.sites[i], named.remark);
  return text;
}

Result<json> Hover(const Session& session, const AtPosition& params, const Call& call) {
  const std::string path = PathOfDocument(session, params.uri);
  const uint32_t line = params.position.line;
  std::string text;
  if (const GeneratedKind kind = KindOf(session, path); kind != GeneratedKind::kNone) {
    if (kind == GeneratedKind::kParaver) text = ParaverTextAt(session, path, line, call.stop());
    if (const Result<Named> named = SourceNamedAt(session, path, line, call.stop()); named.ok())
      text += (text.empty() ? "" : "\n---\n") + GeneratedText(session, *named);
    if (text.empty()) return json();
    return json{{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}}};
  }
  const SitesAtLine at = FindSitesAt(session, path, line);
  for (const uint32_t site : at.sites)
    text += (text.empty() ? "" : "\n---\n") + SiteText(session, *at.trace, site, at.remark);
  if (text.empty()) {
    const std::string word = WordOf(session, path, params.position);
    if (word.empty()) return json();
    const auto code = LookAtCode(session, /*fresh=*/false, call.stop());
    if (!code) return Cancelled();
    text = CodeText(session, *code, path, word, line);
  }
  if (text.empty()) return json();
  return json{{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}}};
}

}  // namespace

extern const RequestSpec kHoverRequest = Request<&Hover>("textDocument/hover");

}  // namespace tasklens
