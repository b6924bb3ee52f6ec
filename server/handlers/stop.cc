// SPDX-License-Identifier: Apache-2.0
// tasklens/stop: ends a run, or all of them; what they recorded is kept.
#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"
#include "server/runs/guarded_process.h"

namespace tasklens {
namespace {

// Stops the runs of this server, and those that continue though their server has gone.
std::vector<std::string> StopAll(Host& host) {
  std::vector<std::string> stopped;
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

void StopRuns(Host& host, const messages::StopParams& params, const std::shared_ptr<Call>& call) {
  if (!params.run.empty() && !params.kept.empty())
    return call->Answer(
        Status(ErrorCode::kInvalidArgument, "params.kept and params.run cannot be used together"));
  if (params.run.empty() && params.kept.empty())
    return call->Answer(messages::StopAnswer{.stopped = StopAll(host)});
  const Status status =
      params.kept.empty() ? host.runs().Stop(params.run) : StopKept(*host.session(), params.kept);
  if (!status.ok()) return call->Answer(status);
  call->Answer(messages::StopAnswer{{params.kept.empty() ? params.run : params.kept}});
}

}  // namespace

extern const ActionSpec kStopAction = Action<&StopRuns>("tasklens/stop");

}  // namespace tasklens
