// SPDX-License-Identifier: Apache-2.0
// workspace/symbol: the submission sites of all open traces by the names of their tasks, and single
// tasks by "#JOB" or "#TAG". Symbols on lines that were rewritten since are tagged as deprecated.
#include <set>
#include <tuple>

#include "server/handlers/handlers.h"
#include "server/handlers/present_lines.h"
#include "server/handlers/request.h"
#include "server/protocol/fields.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

constexpr int kFunctionKind = 12, kEventKind = 24;  // the protocol's SymbolKind
constexpr int kDeprecatedTag = 1;                   // its SymbolTag
constexpr size_t kMaxSymbols = 500;

struct Params {
  std::string query;
  void Visit(Fields& fields) { fields.Required("query", query); }
};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// True if the letters of `query` occur in `name` in that order, as clients filter.
bool Matches(std::string_view name, std::string_view query) {
  size_t next = 0;
  for (const char c : name)
    if (next < query.size() && Lower(c) == Lower(query[next])) ++next;
  return next == query.size();
}

class Finder {
 public:
  Finder(const Session& session, std::string_view query, Stop stop)
      : session_(session), query_(query), stop_(stop) {}

  // The newest trace comes first; an older trace's entry for the same line is left out.
  json Find() {
    for (auto it = session_.traces.rbegin(); it != session_.traces.rend(); ++it) {
      LinesOfTrace lines(session_, **it);
      query_.starts_with('#') ? AddTasks(**it, lines) : AddSites(**it, lines);
    }
    return std::move(symbols_);
  }

 private:
  bool IsFull() const { return symbols_.size() >= kMaxSymbols || Stopped(stop_); }

  // Adds the task of job 12 for "#12", or "#0xc", and the tasks with tag 12.
  void AddTasks(const OpenTrace& trace, LinesOfTrace& lines) {
    uint64_t number = 0;
    if (!ReadNumberOrHex(query_.substr(1), number)) return;
    const TraceModel& model = *trace.model;
    for (uint32_t rank = 0; rank < model.ranks.size(); ++rank)
      if (const uint32_t task = model.FindTask(rank, number); task != kNone)
        Add(trace, lines, model.tasks.site[task],
            "#" + std::to_string(number) + " " + std::string(model.TaskNameOf(task)), kEventKind);
    for (uint32_t task = 0; task < model.tasks.size() && !IsFull(); ++task)
      if (model.tasks.has_tag[task] && model.tasks.tag[task] == number)
        Add(trace, lines, model.tasks.site[task],
            "#" + std::to_string(model.tasks.job[task]) + " " +
                std::string(model.TaskNameOf(task)) + " (tag " + std::to_string(number) + ")",
            kEventKind);
  }

  void AddSites(const OpenTrace& trace, LinesOfTrace& lines) {
    for (const SiteCost& cost : trace.costs)
      for (const StringId id : cost.names) {
        if (IsFull()) return;
        const std::string_view name = trace.model->str(id);
        if (Matches(name, query_)) Add(trace, lines, cost.site, std::string(name), kFunctionKind);
      }
  }

  void Add(const OpenTrace& trace, LinesOfTrace& lines, uint32_t site, std::string name, int kind) {
    const Result<LinesOfTrace::Place> place = lines.Locate(site);
    if (!place.ok()) return;
    const Location& location = place->location;
    if (!seen_.emplace(name, location.uri, location.range.start.line).second) return;
    json symbol = {{"name", std::move(name)},
                   {"kind", kind},
                   {"containerName", trace.title},
                   {"location", location.ToJson()}};
    const bool is_past = place->state == PresentLines::State::kRewritten ||
                         place->state == PresentLines::State::kGone;
    if (is_past && session_.has_symbol_tags) symbol["tags"] = {kDeprecatedTag};
    symbols_.push_back(std::move(symbol));
  }

  const Session& session_;
  const std::string_view query_;
  const Stop stop_;
  std::set<std::tuple<std::string, std::string, uint32_t>> seen_;  // name, URI, line
  json symbols_ = json::array();
};

Result<json> WorkspaceSymbol(const Session& session, const Params& params, const Call& call) {
  json symbols = Finder(session, params.query, call.stop()).Find();
  if (call.IsCancelled()) return Cancelled();
  return symbols;
}

}  // namespace

extern const RequestSpec kWorkspaceSymbolRequest = Request<&WorkspaceSymbol>("workspace/symbol");

}  // namespace tasklens
