// SPDX-License-Identifier: Apache-2.0
// tasklens/compare: what takes more time, in more tasks or in longer ones, beyond noise.
#include "analysis/compare.h"

#include <algorithm>
#include <span>

#include "server/answers/answers.h"
#include "server/handlers/columns.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::vector<std::string> traces;
  std::string by = "site";
  uint32_t limit = 1000;
  void Visit(Fields& fields) {
    fields.Required("traces", traces);
    fields.Optional("by", by);
    fields.Optional("limit", limit);
    if (fields.status().ok() && traces.size() < 2)
      fields.Fail("traces", "names fewer than two traces, the one to compare with first");
    if (!ParseStatisticsBy(by))
      fields.Fail("by", "is codelet, site, worker, kind, size or state, not '" + by + "'");
  }
};

Result<json> CompareRuns(const Session& session, const Params& params, const Call& call) {
  const StatisticsBy by = *ParseStatisticsBy(params.by);
  const auto before = session.FindWhole(params.traces.front());
  if (!before.ok()) return before.status();
  json comparisons = json::array();
  for (size_t i = 1; i < params.traces.size(); ++i) {
    const auto after = session.FindWhole(params.traces[i]);
    if (!after.ok()) return after.status();
    const std::vector<Change> changes =
        Compare(*(*before)->model, *(*after)->model, by, call.stop());
    if (call.IsCancelled()) return Cancelled();
    const auto shown = std::span(changes).first(std::min<size_t>(changes.size(), params.limit));
    comparisons.push_back({{"before", (*before)->id},
                           {"after", (*after)->id},
                           {"spanBeforeNs", (*before)->summary.span_ns},
                           {"spanAfterNs", (*after)->summary.span_ns},
                           {"by", params.by},
                           {"complete", !(*before)->diagnostics.HasDataLoss() &&
                                            !(*after)->diagnostics.HasDataLoss()},
                           {"total", CamelCase(TotalChangeAnswer(by, changes))},
                           {"count", changes.size()},
                           {"changes", CamelCase(ChangesAnswer(shown))}});
  }
  return json{{"comparisons", std::move(comparisons)}};
}

}  // namespace

extern const RequestSpec kCompareRequest;
const RequestSpec kCompareRequest = LongRequest<&CompareRuns>("tasklens/compare");

}  // namespace tasklens
