// SPDX-License-Identifier: Apache-2.0
// Call hierarchy of submission sites. Incoming: the sites whose tasks the tasks of this site wait
// for. Outgoing: the sites whose tasks wait for them. Both with the number of dependencies.
#include "analysis/text.h"
#include "server/handlers/document_params.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"
#include "server/traces/insights.h"

namespace tasklens {
namespace {

constexpr int kFunctionKind = 12;  // the protocol's SymbolKind

// An item. From its data, the next request finds the site again.
struct ItemParams {
  std::string trace;
  uint32_t site = kNone;
  void Visit(Fields& fields) {
    fields.Required("item.data.trace", trace);
    fields.Required("item.data.site", site);
  }
};

std::string NamesOf(const OpenTrace& trace, uint32_t site) {
  std::string names;
  const uint32_t row = trace.cost_of[site];
  if (row == kNone) return "no task";
  for (const StringId id : trace.costs[row].names) {
    const std::string_view name = trace.model->str(id);
    if (!names.empty()) names += ", ";
    if (names.size() > 60) return names + "…";
    names += name.empty() ? "unknown" : name;
  }
  return names.empty() ? "unknown" : names;
}

// Returns null for a site without a source file: clients would try to open it.
json ItemJson(const Session& session, const OpenTrace& trace, uint32_t site,
              const std::string& detail) {
  const Result<Location> location = LocateSite(session, trace, site);
  if (!location.ok()) return json();
  return {{"name", NamesOf(trace, site)},
          {"kind", kFunctionKind},
          {"detail", detail},
          {"uri", location->uri},
          {"range", ToJson(location->range)},
          {"selectionRange", ToJson(location->range)},
          {"data", {{"trace", trace.id}, {"site", site}}}};
}

std::string CostOf(const OpenTrace& trace, uint32_t site) {
  const uint32_t row = trace.cost_of[site];
  return row == kNone ? "" : CostTitle(trace, trace.costs[row]);
}

Result<json> Prepare(const Session& session, const AtPosition& params, const Call&) {
  const std::string path = PathOfDocument(session, params.uri);
  const SitesAtLine at = FindSitesAt(session, path, params.position.line);
  json items = json::array();
  for (const uint32_t site : at.sites) {
    json item = ItemJson(session, *at.trace, site, CostOf(*at.trace, site));
    if (!item.is_null()) items.push_back(std::move(item));
  }
  return items.empty() ? json() : items;
}

// `end`: the protocol's name of the other item, "from" or "to".
Result<json> Calls(const Session& session, const ItemParams& item, const char* end,
                   std::vector<SiteReport::Neighbour> SiteReport::*neighbours) {
  const auto found = session.Find(item.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  if (Status s = CheckSite(trace, item.site); !s.ok()) return s;
  if (!trace.insights)
    return Status(ErrorCode::kNotFound, "the trace is still being analysed; ask again in a moment");
  const Result<Location> own = LocateSite(session, trace, item.site);
  json calls = json::array();
  for (const SiteReport::Neighbour& other : trace.insights->sites[item.site].*neighbours) {
    json site = ItemJson(session, trace, other.site,
                         CountText(other.dependencies) +
                             (other.dependencies == 1 ? " dependency · " : " dependencies · ") +
                             CostOf(trace, other.site));
    if (site.is_null()) continue;
    // Ranges are in the caller, which for outgoing calls is this item.
    const json range = end == std::string_view("from") ? site["range"]
                       : own.ok()                      ? ToJson(own->range)
                                                       : site["range"];
    calls.push_back({{end, std::move(site)}, {"fromRanges", {range}}});
  }
  return calls;
}

Result<json> Incoming(const Session& session, const ItemParams& params, const Call&) {
  return Calls(session, params, "from", &SiteReport::feeds_it);
}
Result<json> Outgoing(const Session& session, const ItemParams& params, const Call&) {
  return Calls(session, params, "to", &SiteReport::it_feeds);
}

}  // namespace

extern const RequestSpec kPrepareCallHierarchyRequest =
    Request<&Prepare>("textDocument/prepareCallHierarchy");
extern const RequestSpec kIncomingCallsRequest = Request<&Incoming>("callHierarchy/incomingCalls");
extern const RequestSpec kOutgoingCallsRequest = Request<&Outgoing>("callHierarchy/outgoingCalls");

}  // namespace tasklens
