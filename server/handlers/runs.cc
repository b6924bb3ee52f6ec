// SPDX-License-Identifier: Apache-2.0
// tasklens/runs: the runs that are kept, the newest first.
#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  void Visit(Fields&) {}
};

Result<json> ListRuns(const Session& session, const Params&, const Call&) {
  const std::string folder = RunsFolder(session.workspace_folder());
  json rows = json::array();
  // From the folder, where other servers and the command line leave theirs as well.
  for (const KeptRun& run : ReadKeptRuns(folder)) rows.push_back(KeptRunJson(session, run));
  return json{{"directory", folder}, {"runs", std::move(rows)}};
}

}  // namespace

extern const RequestSpec kRunsRequest;
const RequestSpec kRunsRequest = Request<&ListRuns>("tasklens/runs");

}  // namespace tasklens
