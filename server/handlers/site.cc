// SPDX-License-Identifier: Apache-2.0
// tasklens/site: a submission site with the lines around it, and its tasks by number.
#include <algorithm>

#include "analysis/call_sites.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/task_marks.h"
#include "server/report/source_quote.h"
#include "server/traces/insights.h"

namespace tasklens {
namespace {

using messages::SiteAnswer, messages::SiteParams, messages::SiteSource;

Result<SiteAnswer> Site(const Session& session, const SiteParams& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (Status s = CheckSite(**trace, params.site); !s.ok()) return s;
  const auto by_site = (*trace)->views->TasksBySite(call.stop());
  if (!by_site) return Cancelled();
  const TraceModel& model = *(*trace)->model;
  SiteSource source{*SiteMessage(session, **trace, params.site)};
  if ((*trace)->insights)
    for (const WaitCost& wait : (*trace)->insights->waits)
      if (wait.site == params.site) source.waits = {.calls = wait.calls, .total_ns = wait.total_ns};
  const Result<std::string> path = (*trace)->sources->PathOf(model, params.site);
  if (path.ok()) {
    if (const auto text = ReadTracedSource(**trace, *path); text.ok()) {
      SourceQuote quote = QuoteLine(text->text, model.sites.line[params.site]);
      source.path = *path;
      source.note = KnownText(text->note);
      source.first_line = quote.first_line;
      source.lines = std::move(quote.lines);
    }
  }
  const auto all = (*by_site)[params.site];
  const auto behind = all.subspan(std::min<size_t>(params.first, all.size()));
  const auto shown = behind.first(std::min<size_t>(behind.size(), params.limit));
  SiteAnswer answer{.trace = (*trace)->id,
                    .source = std::move(source),
                    .count = all.size(),
                    .tasks = {shown.begin(), shown.end()}};
  if (params.marks) answer.marks = TaskMarks::Of(model, all);
  return answer;
}

}  // namespace

extern const RequestSpec kSiteRequest = Request<&Site>("tasklens/site");

}  // namespace tasklens
