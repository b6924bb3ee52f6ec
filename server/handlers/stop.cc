// SPDX-License-Identifier: Apache-2.0
// tasklens/stop: ends a run, or all of them; what they recorded is kept.
#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"
#include "server/session/guarded_process.h"

namespace tasklens {
namespace {

struct Params {
  std::string run, kept;
  void Visit(Fields& fields) {
    fields.Optional("run", run);
    fields.Optional("kept", kept);
    if (fields.status().ok() && !run.empty() && !kept.empty())
      fields.Fail("kept", "and params.run are two runs; name one");
  }
};

// The runs of ours, and those that go on though their server has gone.
json StopAll(Host& host) {
  json stopped = json::array();
  for (const std::string& id : host.runs().Ids())
    if (host.runs().Stop(id).ok()) stopped.push_back(id);
  for (const KeptRun& run : ReadKeptRuns(RunsFolder(host.session()->workspace_folder())))
    if (run.is_alone && EndPast(GuardReport(run.directory)).ok()) stopped.push_back(run.id);
  return stopped;
}

Status StopKept(const Session& session, const std::string& kept) {
  const Result<KeptRun> run = FindKeptRun(session, kept);
  return run.ok() ? EndPast(GuardReport(run->directory)) : run.status();
}

void StopRuns(Host& host, const Params& params, const std::shared_ptr<Call>& call) {
  if (params.run.empty() && params.kept.empty())
    return call->Answer(json{{"stopped", StopAll(host)}});
  const Status status =
      params.kept.empty() ? host.runs().Stop(params.run) : StopKept(*host.session(), params.kept);
  if (!status.ok()) return call->Answer(status);
  call->Answer(json{{"stopped", {params.kept.empty() ? params.run : params.kept}}});
}

}  // namespace

extern const ActionSpec kStopAction;
const ActionSpec kStopAction = Action<&StopRuns>("tasklens/stop");

}  // namespace tasklens
