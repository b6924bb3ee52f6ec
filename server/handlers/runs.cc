// SPDX-License-Identifier: Apache-2.0
// tasklens/runs: the kept runs, the newest first.
#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::RunsAnswer, messages::RunsParams;

Result<RunsAnswer> ListRuns(const Session& session, const RunsParams&, const Call&) {
  RunsAnswer answer{.directory = RunsFolder(session.workspace_folder())};
  // Read from the folder, where other servers and the command line keep their runs as well.
  for (const KeptRun& run : ReadKeptRuns(answer.directory))
    answer.runs.push_back(KeptRunMessage(session, run));
  return answer;
}

}  // namespace

extern const RequestSpec kRunsRequest = Request<&ListRuns>("tasklens/runs");

}  // namespace tasklens
