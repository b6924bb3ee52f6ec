// SPDX-License-Identifier: Apache-2.0
// tasklens/stop: ends a run, or all of them; what they recorded is kept.
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string run;
  void Visit(Fields& fields) { fields.Optional("run", run); }
};

void StopRuns(Host& host, const Params& params, const std::shared_ptr<Call>& call) {
  std::vector<std::string> ids = {params.run};
  if (params.run.empty()) ids = host.runs().Ids();
  for (const std::string& id : ids)
    if (Status s = host.runs().Stop(id); !s.ok()) return call->Answer(s);
  call->Answer(json{{"stopped", ids}});
}

}  // namespace

extern const ActionSpec kStopAction;
const ActionSpec kStopAction = Action<&StopRuns>("tasklens/stop");

}  // namespace tasklens
