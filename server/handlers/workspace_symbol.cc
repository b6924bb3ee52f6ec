// SPDX-License-Identifier: Apache-2.0
// workspace/symbol: the submission sites of the newest trace by the names of their tasks, and
// single tasks by "#JOB".
#include <algorithm>
#include <charconv>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

constexpr int kFunctionKind = 12, kEventKind = 24;  // the protocol's SymbolKind
constexpr size_t kMaxSymbols = 500;

struct Params {
  std::string query;
  void Visit(Fields& fields) { fields.Required("query", query); }
};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether the letters of `query` occur in `name` in their order, as clients filter.
bool Matches(std::string_view name, std::string_view query) {
  size_t next = 0;
  for (const char c : name)
    if (next < query.size() && Lower(c) == Lower(query[next])) ++next;
  return next == query.size();
}

void Add(const Session& session, const OpenTrace& trace, uint32_t site, std::string name, int kind,
         json& symbols) {
  const Result<Location> location = LocateSite(session, trace, site);
  if (!location.ok()) return;
  symbols.push_back({{"name", std::move(name)},
                     {"kind", kind},
                     {"containerName", trace.title},
                     {"location", location->ToJson()}});
}

Result<json> WorkspaceSymbol(const Session& session, const Params& params, const Call&) {
  json symbols = json::array();
  if (session.traces.empty()) return symbols;
  const OpenTrace& trace = *session.traces.back();
  const TraceModel& model = *trace.model;
  if (params.query.starts_with('#')) {
    uint64_t job = 0;
    const char *begin = params.query.data() + 1, *end = params.query.data() + params.query.size();
    if (std::from_chars(begin, end, job).ptr != end || begin == end) return symbols;
    for (uint32_t rank = 0; rank < model.ranks.size(); ++rank)
      if (const uint32_t task = model.FindTask(rank, job); task != kNone)
        Add(session, trace, model.tasks.site[task],
            "#" + std::to_string(job) + " " + std::string(model.TaskNameOf(task)), kEventKind,
            symbols);
    return symbols;
  }
  for (const SiteCost& cost : trace.costs) {
    for (const StringId id : cost.names) {
      if (symbols.size() >= kMaxSymbols) return symbols;
      const std::string_view name = model.str(id);
      if (Matches(name, params.query))
        Add(session, trace, cost.site, std::string(name), kFunctionKind, symbols);
    }
  }
  return symbols;
}

}  // namespace

extern const RequestSpec kWorkspaceSymbolRequest;
const RequestSpec kWorkspaceSymbolRequest = Request<&WorkspaceSymbol>("workspace/symbol");

}  // namespace tasklens
