// SPDX-License-Identifier: Apache-2.0
// textDocument/codeAction: what can be done about advice on the selected lines.
#include <algorithm>

#include "server/handlers/advice_lines.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

constexpr std::string_view kKind = "quickfix";

struct Context {
  json only;  // null: all kinds
  void Visit(Fields& fields) { fields.Optional("only", only); }
};

struct Params {
  TextDocumentParams document;
  RangeParams range;
  Context context;
  void Visit(Fields& fields) {
    fields.Required("textDocument", document);
    fields.Required("range", range);
    fields.Optional("context", context);
  }
};

// Kinds contain those that are longer by ".more"; the empty one contains all.
bool IsAskedFor(const Context& context) {
  if (!context.only.is_array()) return true;
  return std::any_of(context.only.begin(), context.only.end(),
                     [](const json& kind) { return kind == "" || kind == kKind; });
}

json InsertAction(std::string title, const json& diagnostic, const std::string& uri, Position where,
                  std::string text) {
  const json edit = {{"range", ToJson(Range{where, where})}, {"newText", std::move(text)}};
  return {{"title", std::move(title)},
          {"kind", kKind},
          {"diagnostics", {diagnostic}},
          {"edit", {{"changes", {{uri, {edit}}}}}}};
}

Result<json> CodeAction(const Session& session, const Params& params, const Call&) {
  json actions = json::array();
  if (!IsAskedFor(params.context)) return actions;
  const std::string& uri = params.document.uri;
  const std::string path = PathOfDocument(session, uri);
  const FileAdvice advice = AdviceInFile(session, path);
  if (!advice.trace) return actions;
  const auto text = TextOf(session, path);
  for (const AdviceLine& line : advice.lines) {
    const uint32_t row = line.range.start.line;
    if (row < params.range.start.position.line || row > params.range.end.position.line) continue;
    const json diagnostic = DiagnosticJson(line, false);
    const std::string rule(line.finding->rule);
    const std::string_view content = text.ok() ? (*text)->Line(row) : "";
    const std::string indent(content.substr(0, content.find_first_not_of(" \t")));
    actions.push_back(
        {{"title", "Show what this line cost"},
         {"kind", kKind},
         {"diagnostics", {diagnostic}},
         {"command",
          {{"title", "Show what this line cost"},
           {"command", "tasklens.showSite"},
           {"arguments", {{{"trace", advice.trace->id}, {"site", line.finding->site}}}}}}});
    actions.push_back(InsertAction("Ignore " + rule + " here", diagnostic, uri, {row, 0},
                                   indent + "/* tasklens: ignore " + rule + " */\n"));
    actions.push_back(InsertAction("Ignore " + rule + " in this file", diagnostic, uri, {0, 0},
                                   "/* tasklens: ignore-file " + rule + " */\n"));
  }
  return actions;
}

}  // namespace

extern const RequestSpec kCodeActionRequest;
const RequestSpec kCodeActionRequest = Request<&CodeAction>("textDocument/codeAction");

}  // namespace tasklens
