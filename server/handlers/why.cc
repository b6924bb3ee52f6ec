// SPDX-License-Identifier: Apache-2.0
// tasklens/why: why a task started late, or why a worker was idle.
#include <algorithm>
#include <span>
#include <vector>

#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "server/answers/answers.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::WhyAnswer, messages::WhyParams;

std::span<const uint32_t> Limited(std::span<const uint32_t> chain, const WhyParams& params) {
  return chain.first(std::min<size_t>(chain.size(), std::max(params.limit, 1u)));
}

Result<WhyAnswer> WhyLate(const OpenTrace& trace, const WhyParams& params) {
  if (Status s = CheckTask(trace, *params.task); !s.ok()) return s;
  const TraceModel& model = *trace.model;
  const std::vector<uint32_t> chain = trace.views->WhyLate()->ChainOf(*params.task);
  return WhyAnswer(messages::WhyLate{{.task = TaskWithLineMessage(model, *params.task),
                                      .chain = ChainMessages(model, Limited(chain, params))},
                                     trace.id,
                                     chain.size()});
}

Result<WhyAnswer> WhyIdle(const OpenTrace& trace, const WhyParams& params, const Call& call) {
  const TraceModel& model = *trace.model;
  const uint32_t worker = *params.worker;
  const size_t workers = model.workers.size();
  if (worker >= workers)
    return Status(ErrorCode::kNotFound, "the trace " + trace.id + " has no worker " +
                                            std::to_string(worker) + "; it has " +
                                            std::to_string(workers) + ", counted from 0");
  const auto report = trace.views->Idleness(call.stop());
  if (!report) return Cancelled();
  messages::WhyIdle answer;
  answer.trace = trace.id;
  if (const IdlePause* pause = PauseAt(*report, worker, *params.at_ns)) {
    std::vector<uint32_t> chain;
    if (pause->next_task != kNone) chain = trace.views->WhyLate()->ChainOf(pause->next_task);
    answer.pause = PauseMessage(model, *pause, Limited(chain, params));
  } else {
    answer.instead =
        NotIdleMessage(model, worker, WhyNotIdle(model, *report, worker, *params.at_ns));
  }
  return WhyAnswer(std::move(answer));
}

Result<WhyAnswer> Why(const Session& session, const WhyParams& params, const Call& call) {
  if (params.task && (params.worker || params.at_ns))
    return Status(ErrorCode::kInvalidArgument,
                  "params.task cannot be used together with worker and atNs");
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (params.task) return WhyLate(**trace, params);
  if (!params.worker || !params.at_ns)
    return Status(ErrorCode::kInvalidArgument, "params needs task, or worker and atNs");
  return WhyIdle(**trace, params, call);
}

}  // namespace

extern const RequestSpec kWhyRequest = Request<&Why>("tasklens/why");

}  // namespace tasklens
