// SPDX-License-Identifier: Apache-2.0
// tasklens/why: why a task started so late, why a worker was idle.
#include <algorithm>
#include <span>
#include <vector>

#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "server/answers/answers.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  uint32_t task = kNone, worker = kNone;
  int64_t at_ns = kNever;
  uint32_t limit = 1000;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("task", task);
    fields.Optional("worker", worker);
    fields.Optional("atNs", at_ns);
    fields.Optional("limit", limit);
    if (task != kNone && (worker != kNone || at_ns != kNever))
      fields.Fail("task", "cannot stand together with worker and atNs: ask for one of them");
  }
};

std::span<const uint32_t> Limited(std::span<const uint32_t> chain, const Params& params) {
  return chain.first(std::min<size_t>(chain.size(), std::max(params.limit, 1u)));
}

Result<json> WhyLate(const OpenTrace& trace, const Params& params) {
  if (Status s = CheckTask(trace, params.task); !s.ok()) return s;
  const std::vector<uint32_t> chain = trace.views->WhyLate()->ChainOf(params.task);
  json answer = CamelCase(LastDependencyAnswer(*trace.model, Limited(chain, params)));
  answer["trace"] = trace.id;
  answer["count"] = chain.size();
  return answer;
}

Result<json> WhyIdle(const OpenTrace& trace, const Params& params, const Call& call) {
  const size_t workers = trace.model->workers.size();
  if (params.worker >= workers)
    return Status(ErrorCode::kNotFound, "the trace " + trace.id + " has no worker " +
                                            std::to_string(params.worker) + "; it has " +
                                            std::to_string(workers) + ", counted from 0");
  const auto report = trace.views->Idleness(call.stop());
  if (!report) return Cancelled();
  const IdlePause* pause = PauseAt(*report, params.worker, params.at_ns);
  if (pause) {
    std::vector<uint32_t> chain;
    if (pause->next_task != kNone) chain = trace.views->WhyLate()->ChainOf(pause->next_task);
    return json{{"trace", trace.id},
                {"pause", CamelCase(PauseAnswer(*trace.model, *pause, Limited(chain, params)))},
                {"instead", json()}};
  }
  const NotIdle instead = WhyNotIdle(*trace.model, *report, params.worker, params.at_ns);
  return json{{"trace", trace.id},
              {"pause", json()},
              {"instead", CamelCase(NotIdleAnswer(*trace.model, params.worker, instead))}};
}

Result<json> Why(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (params.task != kNone) return WhyLate(**trace, params);
  if (params.worker == kNone || params.at_ns == kNever)
    return Status(ErrorCode::kInvalidArgument, "params needs task, or worker and atNs");
  return WhyIdle(**trace, params, call);
}

}  // namespace

extern const RequestSpec kWhyRequest;
const RequestSpec kWhyRequest = Request<&Why>("tasklens/why");

}  // namespace tasklens
