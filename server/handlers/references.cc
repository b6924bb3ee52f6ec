// SPDX-License-Identifier: Apache-2.0
// textDocument/references: from a codelet (its variable, its name, a kernel, a line that submits
// it), or a macro or function that submits, to the lines that submitted its tasks and to those that
// would. textDocument/definition: from these lines to the codelet, its kernels, and the submitters
// between; in a generated file, to the line that a record mentions.
#include <algorithm>
#include <set>
#include <tuple>

#include "server/handlers/client_uri.h"
#include "server/handlers/document_params.h"
#include "server/handlers/generated_files.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

struct Params : AtPosition {
  bool declaration = false;
  void Visit(Fields& fields) {
    AtPosition::Visit(fields);
    fields.Optional("context.includeDeclaration", declaration);
  }
};

// Source lines without duplicates, in the order of insertion.
class Places {
 public:
  explicit Places(const Session& session) : session_(session) {}

  void Add(const Location& location) {
    const Range& range = location.range;
    if (seen_.emplace(location.uri, range.start.line, range.start.column).second)
      locations_.push_back(location.ToJson());
  }
  void Add(const std::string& path, const SourceWord& word) {
    const auto text = TextOf(session_, path);
    if (!text.ok()) return;
    const std::string_view line = (*text)->Line(word.line);
    const auto column = [&](size_t byte) {
      return ColumnsOf(line.substr(0, std::min(byte, line.size())), session_.encoding);
    };
    Add({ClientUri(session_, path),
         {{word.line, column(word.begin_byte)}, {word.line, column(word.end_byte)}}});
  }
  // Adds the place unless one of its lines is in the list already.
  void Add(const CodeView::CallPlace& place) {
    const std::string uri = ClientUri(session_, place.file->path);
    const SourceCall& call = *place.call;
    const auto it = seen_.lower_bound({uri, call.name.line, 0});
    if (it != seen_.end() && std::get<0>(*it) == uri && std::get<1>(*it) <= call.last_line) return;
    Add({uri, RangeOfLine(session_, place.file->path, call.name.line)});
  }
  json Take() { return std::move(locations_); }

 private:
  const Session& session_;
  std::set<std::tuple<std::string, uint32_t, uint32_t>> seen_;
  json locations_ = json::array();
};

// The subject at a position: that of its word, else the submissions of its line.
struct Subject {
  CodeAtWord code;
  std::set<std::string> names;  // of tasks
};

Subject SubjectAt(const Session& session, const CodeView& code, const std::string& path,
                  Position position) {
  const std::string word = WordOf(session, path, position);
  Subject subject{FindCodeAt(code, path, word), {}};
  for (const CodeView::CodeletPlace& codelet : subject.code.codelets)
    subject.names.merge(TaskNamesOf(session, code, codelet));
  if (!subject.code.codelets.empty()) return subject;
  const SitesAtLine at = FindSitesAt(session, path, position.line);
  for (const uint32_t site : at.sites)
    if (const uint32_t row = at.trace->cost_of[site]; row != kNone)
      for (const StringId name : at.trace->costs[row].names)
        subject.names.emplace(at.trace->model->str(name));
  subject.names.erase("");
  for (const std::string& name : subject.names)
    AddNew(code.CodeletsOfWord(path, name), subject.code.codelets);
  // The line was not traced, or its tasks have names of their own.
  if (subject.code.codelets.empty())
    subject.code.codelets = code.CodeletsSubmittedAt(path, position.line);
  return subject;
}

void AddDefinitions(const CodeView& code, const CodeAtWord& subject, Places& places) {
  const auto is_defined = [](const auto& place) { return place.codelet->is_defined; };
  const bool is_any = std::any_of(subject.codelets.begin(), subject.codelets.end(), is_defined);
  for (const CodeView::CodeletPlace& place : subject.codelets) {
    if (is_defined(place) || !is_any) places.Add(place.file->path, place.codelet->variable);
    for (const SourceWord& kernel : place.codelet->kernels)
      for (const auto& [file, function] : code.FindFunctions(place.file->path, kernel.text))
        places.Add(file->path, function->name);
  }
}

// Adds the lines that submitted tasks of these names, from the newest trace that has any.
void AddSites(const Session& session, const std::set<std::string>& names, Places& places) {
  bool is_found = false;
  for (auto it = session.traces.rbegin(); it != session.traces.rend() && !is_found; ++it) {
    const OpenTrace& trace = **it;
    for (const SiteCost& cost : trace.costs) {
      const bool is_theirs = std::any_of(cost.names.begin(), cost.names.end(), [&](StringId name) {
        return names.contains(std::string(trace.model->str(name)));
      });
      if (!is_theirs) continue;
      const Result<Location> location = LocateSite(session, trace, cost.site);
      if (!location.ok()) continue;
      places.Add(*location);
      is_found = true;
    }
  }
}

Result<json> References(const Session& session, const Params& params, const Call& call) {
  const std::string path = PathOfDocument(session, params.uri);
  const auto code = LookAtCode(session, /*fresh=*/true, call.stop());
  if (!code) return Cancelled();
  const Subject subject = SubjectAt(session, *code, path, params.position);
  Places places(session);
  if (subject.code.submitters.empty()) {
    AddSites(session, subject.names, places);
    for (const CodeView::CodeletPlace& codelet : subject.code.codelets)
      for (const CodeView::CallPlace& use : code->SubmissionsOf(codelet)) places.Add(use);
  } else {
    for (const CodeView::FunctionPlace& submitter : subject.code.submitters)
      for (const CodeView::CallPlace& use : code->SubmissionsIn(submitter)) places.Add(use);
    for (const CodeView::FunctionPlace& submitter : subject.code.submitters)
      for (const CodeView::CallPlace& use : code->UsesOf(submitter)) places.Add(use);
  }
  if (params.declaration) {
    for (const auto& [file, function] : subject.code.submitters)
      places.Add(file->path, function->name);
    AddDefinitions(*code, subject.code, places);
  }
  return places.Take();
}

Result<json> Definition(const Session& session, const Params& params, const Call& call) {
  const std::string path = PathOfDocument(session, params.uri);
  if (KindOf(session, path) != GeneratedKind::kNone) {
    const Result<Named> named = SourceNamedAt(session, path, params.position.line, call.stop());
    if (named.status().code() == ErrorCode::kCancelled) return named.status();
    return named.ok() ? named->source.ToJson() : json();
  }
  const auto code = LookAtCode(session, /*fresh=*/true, call.stop());
  if (!code) return Cancelled();
  const Subject subject = SubjectAt(session, *code, path, params.position);
  Places places(session);
  for (const auto& [file, function] : subject.code.submitters) {
    places.Add(file->path, function->name);
    for (const CodeView::CallPlace& use : code->SubmissionsIn({file, function})) places.Add(use);
  }
  AddDefinitions(*code, subject.code, places);
  return places.Take();
}

}  // namespace

extern const RequestSpec kReferencesRequest = Request<&References>("textDocument/references");
extern const RequestSpec kDefinitionRequest = Request<&Definition>("textDocument/definition");

}  // namespace tasklens
