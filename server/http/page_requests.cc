// SPDX-License-Identifier: Apache-2.0
// The requests of page_requests.h.
#include "server/http/page_requests.h"

#include <algorithm>

#include "analysis/search/search.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/report/overview.h"
#include "server/report/source_quote.h"

namespace tasklens {
namespace {

struct OverviewParams {
  std::string trace;
  uint32_t limit = 1000;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("limit", limit);
  }
};

Result<json> Overview(const Session& session, const OverviewParams& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  const auto idle = (*trace)->views->Idleness(call.stop());
  const auto findings = (*trace)->views->Findings(call.stop());
  if (!idle || !findings) return Cancelled();
  json answer = TraceJson(**trace);
  answer.update(OverviewAnswer(*(*trace)->model, *idle, params.limit));
  answer["findings"] = FindingsJson(*(*trace)->model, *findings);
  return answer;
}

struct SearchParams {
  std::string trace, text;
  uint32_t limit = 200;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("text", text);
    fields.Optional("limit", limit);
  }
};

Result<json> SearchTrace(const Session& session, const SearchParams& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  const SearchResult found = Search(*(*trace)->model, params.text, params.limit, call.stop());
  if (call.IsCancelled()) return Cancelled();
  json tasks = json::array(), sites = json::array();
  for (const uint32_t task : found.tasks) tasks.push_back(TaskJson(**trace, task));
  for (const uint32_t site : found.sites) sites.push_back(SiteJson(session, **trace, site));
  return json{{"trace", (*trace)->id},
              {"count", found.count},
              {"tasks", std::move(tasks)},
              {"sites", std::move(sites)}};
}

struct SiteParams {
  std::string trace;
  uint32_t site = 0;
  uint32_t limit = 10'000;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("site", site);
    fields.Optional("limit", limit);
  }
};

Result<json> Site(const Session& session, const SiteParams& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (Status s = CheckSite(**trace, params.site); !s.ok()) return s;
  const auto by_site = (*trace)->views->TasksBySite(call.stop());
  if (!by_site) return Cancelled();
  const TraceModel& model = *(*trace)->model;
  json source = SiteJson(session, **trace, params.site);
  const Result<std::string> path = (*trace)->sources->PathOf(model, params.site);
  if (path.ok()) {
    if (const auto text = TextOf(session, *path); text.ok()) {
      SourceQuote quote = QuoteLine(**text, model.sites.line[params.site]);
      source["path"] = *path;
      source["firstLine"] = quote.first_line;
      source["lines"] = std::move(quote.lines);
    }
  }
  const auto tasks = (*by_site)[params.site];
  return json{{"trace", (*trace)->id},
              {"source", std::move(source)},
              {"count", tasks.size()},
              {"tasks", tasks.first(std::min<size_t>(tasks.size(), params.limit))}};
}

}  // namespace

const std::vector<RequestSpec>& PageRequests() {
  static const std::vector<RequestSpec> kAll = {
      Request<&Overview>("tasklens/overview"),
      Request<&Site>("tasklens/site"),
      Request<&SearchTrace>("tasklens/search"),
  };
  return kAll;
}

}  // namespace tasklens
