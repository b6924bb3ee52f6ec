// SPDX-License-Identifier: Apache-2.0
// Maps findings to lines of the present file.
#include "server/handlers/advice_lines.h"

#include <algorithm>
#include <cctype>

#include "analysis/text.h"
#include "server/handlers/present_lines.h"
#include "server/handlers/source_lookup.h"
#include "server/protocol/message.h"
#include "server/traces/insights.h"

namespace tasklens {
namespace {

// True if `text` contains a comment with `word` and `rule`.
bool Mentions(std::string_view text, std::string_view word, std::string_view rule) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    std::string_view rest = text.substr(at + word.size());
    if (!rest.starts_with(' ')) continue;
    rest.remove_prefix(1);
    if (!rest.starts_with(rule)) continue;
    rest.remove_prefix(rule.size());
    if (rest.empty() ||
        (!std::isalnum(static_cast<unsigned char>(rest[0])) && rest[0] != '-' && rest[0] != '_'))
      return true;
  }
  return false;
}

bool IsSilenced(const Text& text, uint32_t line, std::string_view rule) {
  if (Mentions(text.text(), "tasklens: ignore-file", rule)) return true;
  return Mentions(text.Line(line), "tasklens: ignore", rule) ||
         (line > 0 && Mentions(text.Line(line - 1), "tasklens: ignore", rule));
}

int SeverityNumber(AdviceSeverity severity) {
  switch (severity) {
    case AdviceSeverity::kError: return 1;
    case AdviceSeverity::kWarning: return 2;
    case AdviceSeverity::kInformation: return 3;
  }
  return 3;
}

constexpr size_t kMaxRelated = 3;  // in each direction

void AddRelated(LinesOfTrace& lines, uint32_t site,
                const std::vector<SiteReport::Neighbour>& neighbours, std::string_view how,
                AdviceLine& advice) {
  size_t count = 0;
  for (const SiteReport::Neighbour& neighbour : neighbours) {
    if (neighbour.site == site || count == kMaxRelated) continue;
    const Result<LinesOfTrace::Place> place = lines.Locate(neighbour.site);
    if (!place.ok()) continue;
    ++count;
    std::string message = CountText(neighbour.dependencies) +
                          (neighbour.dependencies == 1 ? " dependency" : " dependencies");
    message.append(how).append(PresentLines::Remark(place->state));
    advice.related.push_back({place->location, std::move(message)});
  }
}

}  // namespace

FileAdvice AdviceInFile(const Session& session, const std::string& path) {
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it) {
    const OpenTrace& trace = **it;
    const std::vector<uint32_t>& sites = trace.sources->SitesIn(path);
    if (sites.empty() || !trace.insights) continue;
    FileAdvice advice{*it, {}};
    const auto text = TextOf(session, path);
    if (!text.ok()) return advice;
    LinesOfTrace lines(session, trace);
    const PresentLines& present = lines.In(path);
    const RuleSet silenced = SilencedInProject(session);
    for (const Finding& finding : trace.insights->findings) {
      if (std::find(sites.begin(), sites.end(), finding.site) == sites.end()) continue;
      const uint32_t line = trace.model->sites.line[finding.site];
      if (line == 0) continue;
      const PresentLines::Line now = present.Of(line - 1);
      if (now.state != PresentLines::State::kExact && now.state != PresentLines::State::kUncertain)
        continue;
      if (now.line >= (*text)->line_count()) continue;
      if (silenced.contains(finding.rule) || IsSilenced(**text, now.line, finding.rule)) continue;
      advice.lines.push_back(
          {&finding, RangeOfLine(session, path, now.line), PresentLines::Remark(now.state), {}});
      const SiteReport& report = trace.insights->sites[finding.site];
      AdviceLine& line_of_it = advice.lines.back();
      AddRelated(lines, finding.site, report.feeds_it,
                 " of the advised line's tasks on those of this line", line_of_it);
      AddRelated(lines, finding.site, report.it_feeds,
                 " of this line's tasks on those of the advised line", line_of_it);
    }
    std::stable_sort(advice.lines.begin(), advice.lines.end(),
                     [](const AdviceLine& a, const AdviceLine& b) {
                       return a.range.start.line < b.range.start.line;
                     });
    return advice;
  }
  return {};
}

RuleSet SilencedInProject(const Session& session) {
  RuleSet rules = ReadSilencedRules(session.workspace_folders);
  for (const std::string& rule : session.settings->silenced_rules) rules.insert(rule);
  return rules;
}

std::vector<Finding> Unsilenced(const Session& session, const std::vector<Finding>& findings) {
  const RuleSet silenced = SilencedInProject(session);
  std::vector<Finding> heard;
  for (const Finding& finding : findings)
    if (!silenced.contains(finding.rule)) heard.push_back(finding);
  return heard;
}

std::string SilencingComment(const std::string& rule, uint32_t line) {
  return (line == kNone ? "/* tasklens: ignore-file " : "/* tasklens: ignore ") + rule + " */";
}

json SilencingEdit(const Session& session, const std::string& uri, const std::string& rule,
                   uint32_t line) {
  const bool is_file = line == kNone;
  const auto text = TextOf(session, PathOfDocument(session, uri));
  const bool is_there = !is_file && text.ok() && line < (*text)->line_count();
  const std::string_view content = is_there ? (*text)->Line(line) : "";
  const std::string indent(content.substr(0, content.find_first_not_of(" \t")));
  const Position where{is_file ? 0 : line, 0};
  const json insertion = {{"range", ToJson(Range{where, where})},
                          {"newText", indent + SilencingComment(rule, line) + "\n"}};
  return {{"changes", {{uri, {insertion}}}}};
}

json DiagnosticJson(const AdviceLine& advice, bool with_related) {
  const Finding& finding = *advice.finding;
  json diagnostic = {{"range", ToJson(advice.range)},
                     {"severity", SeverityNumber(finding.severity)},
                     {"code", finding.rule},
                     {"source", "tasklens"},
                     {"message", finding.message + std::string(advice.remark)}};
  json numbers = json::object();
  for (const Evidence& evidence : finding.evidence)
    std::visit([&](const auto& value) { numbers[evidence.name] = value; }, evidence.value);
  diagnostic["data"] = {{"evidence", std::move(numbers)}};
  if (!with_related || advice.related.empty()) return diagnostic;
  json related = json::array();
  for (const AdviceLine::Related& line : advice.related)
    related.push_back({{"location", line.location.ToJson()}, {"message", line.message}});
  diagnostic["relatedInformation"] = std::move(related);
  return diagnostic;
}

}  // namespace tasklens
