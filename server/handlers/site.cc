// SPDX-License-Identifier: Apache-2.0
// tasklens/site: a submission site with the lines around it, and its tasks by number.
#include <algorithm>

#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/report/source_quote.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  uint32_t site = 0;
  uint32_t first = 0, limit = 10'000;
  bool marks = false;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("site", site);
    fields.Optional("first", first);
    fields.Optional("limit", limit);
    fields.Optional("marks", marks);
  }
};

Result<json> Site(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (Status s = CheckSite(**trace, params.site); !s.ok()) return s;
  const auto by_site = (*trace)->views->TasksBySite(call.stop());
  if (!by_site) return Cancelled();
  const TraceModel& model = *(*trace)->model;
  json source = SiteJson(session, **trace, params.site);
  if ((*trace)->insights)
    for (const WaitCost& wait : (*trace)->insights->waits)
      if (wait.site == params.site)
        source["waits"] = {{"calls", wait.calls}, {"totalNs", wait.total_ns}};
  const Result<std::string> path = (*trace)->sources->PathOf(model, params.site);
  if (path.ok()) {
    if (const auto text = ReadTracedSource(**trace, *path); text.ok()) {
      SourceQuote quote = QuoteLine(text->text, model.sites.line[params.site]);
      source["path"] = *path;
      if (!text->note.empty()) source["note"] = text->note;
      source["firstLine"] = quote.first_line;
      source["lines"] = std::move(quote.lines);
    }
  }
  const auto all = (*by_site)[params.site];
  const auto tasks = all.subspan(std::min<size_t>(params.first, all.size()));
  json answer = {{"trace", (*trace)->id},
                 {"source", std::move(source)},
                 {"count", all.size()},
                 {"tasks", tasks.first(std::min<size_t>(tasks.size(), params.limit))}};
  if (params.marks) {
    TaskMarks marks(model);
    for (const uint32_t task : all) marks.Add(task);
    answer["marks"] = marks.Take();
  }
  return answer;
}

}  // namespace

extern const RequestSpec kSiteRequest;
const RequestSpec kSiteRequest = Request<&Site>("tasklens/site");

}  // namespace tasklens
