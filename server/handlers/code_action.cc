// SPDX-License-Identifier: Apache-2.0
// textDocument/codeAction: actions for the advice on the selected lines.
#include <algorithm>

#include "analysis/advice.h"
#include "server/handlers/advice_lines.h"
#include "server/handlers/document_params.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

constexpr std::string_view kKind = "quickfix";

struct Params : InRange {
  json only;  // null: all kinds
  void Visit(Fields& fields) {
    InRange::Visit(fields);
    fields.Optional("context.only", only);
  }
};

// A kind includes all kinds that extend it by ".more"; the empty kind includes all.
bool IsAskedFor(const json& only) {
  if (!only.is_array()) return true;
  return std::any_of(only.begin(), only.end(),
                     [](const json& kind) { return kind == "" || kind == kKind; });
}

json CommandAction(const std::string& title, const json& diagnostic, std::string_view command,
                   json argument) {
  return {
      {"title", title},
      {"kind", kKind},
      {"diagnostics", {diagnostic}},
      {"command", {{"title", title}, {"command", command}, {"arguments", {std::move(argument)}}}}};
}

// `line`: kNone for the whole file.
json SilenceAction(const Session& session, const std::string& title, const json& diagnostic,
                   const std::string& uri, const std::string& rule, uint32_t line) {
  json data = {{"rule", rule}, {"uri", uri}};
  if (line != kNone) data["line"] = line;
  return {{"title", title},
          {"kind", kKind},
          {"diagnostics", {diagnostic}},
          {"edit", SilencingEdit(session, uri, rule, line)},
          {"data", std::move(data)}};
}

Result<json> CodeAction(const Session& session, const Params& params, const Call&) {
  json actions = json::array();
  if (!IsAskedFor(params.only)) return actions;
  const std::string& uri = params.uri;
  const std::string path = PathOfDocument(session, uri);
  const FileAdvice advice = AdviceInFile(session, path);
  if (!advice.trace) return actions;
  for (const AdviceLine& line : advice.lines) {
    const uint32_t row = line.range.start.line;
    if (row < params.range.start.line || row > params.range.end.line) continue;
    const json diagnostic = DiagnosticJson(line, false);
    const std::string rule(line.finding->rule);
    actions.push_back(CommandAction("Show what this line cost", diagnostic, "tasklens.showSite",
                                    {{"trace", advice.trace->id}, {"site", line.finding->site}}));
    const std::string ignore = "Ignore " + rule;
    actions.push_back(SilenceAction(session, ignore + " here", diagnostic, uri, rule, row));
    actions.push_back(
        SilenceAction(session, ignore + " in this file", diagnostic, uri, rule, kNone));
    if (!session.workspace_folders.empty())
      actions.push_back(CommandAction(ignore + " in this project", diagnostic, "tasklens.silence",
                                      {{"rule", rule}}));
  }
  return actions;
}

}  // namespace

extern const RequestSpec kCodeActionRequest = Request<&CodeAction>("textDocument/codeAction");

}  // namespace tasklens
