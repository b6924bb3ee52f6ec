// SPDX-License-Identifier: Apache-2.0
// tasklens/deleteRun: removes a kept run with its traces, and closes its trace.

#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

void DeleteRun(Host& host, const messages::DeleteRunParams& params,
               const std::shared_ptr<Call>& call) {
  const Result<KeptRun> run = FindKeptRun(*host.session(), params.kept);
  if (!run.ok()) return call->Answer(run.status());
  if (run->is_running)
    return call->Answer(
        Status(ErrorCode::kUnsupported, "the run " + run->id + " has not ended; stop it first"));
  DeleteRuns(host, {*run}, [&host, run = *run, call](const std::vector<std::string>& failures) {
    if (!failures.empty()) return call->Answer(Status(ErrorCode::kIo, failures[0]));
    CloseTracesOf(host, run);
    call->Answer(messages::DeleteRunAnswer());
  });
}

}  // namespace

extern const ActionSpec kDeleteRunAction = Action<&DeleteRun>("tasklens/deleteRun");

}  // namespace tasklens
