// SPDX-License-Identifier: Apache-2.0
// tasklens/search: finds tasks and lines by a few letters or a number.
#include "analysis/search/search.h"

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::SearchAnswer, messages::SearchParams;

Result<SearchAnswer> SearchTrace(const Session& session, const SearchParams& params,
                                 const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  const SearchResult found = Search(*(*trace)->model, params.text, params.limit, call.stop());
  if (call.IsCancelled()) return Cancelled();
  SearchAnswer answer{.trace = (*trace)->id, .count = found.count};
  for (const uint32_t task : found.tasks) answer.tasks.push_back(TaskMessage(**trace, task));
  for (const uint32_t site : found.sites)
    answer.sites.push_back(*SiteMessage(session, **trace, site));
  return answer;
}

}  // namespace

extern const RequestSpec kSearchRequest = Request<&SearchTrace>("tasklens/search");

}  // namespace tasklens
