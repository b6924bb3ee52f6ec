// SPDX-License-Identifier: Apache-2.0
// tasklens/openTrace: reads the files of one run (or their folder) and makes it the newest trace.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/uri.h"

namespace tasklens {
namespace {

struct Params {
  std::vector<std::string> uris;
  void Visit(Fields& fields) {
    fields.Required("uris", uris);
    if (uris.empty()) fields.Fail("uris", "names no file");
  }
};

void OpenTraceFiles(Host& host, const Params& params, const std::shared_ptr<Call>& call) {
  std::vector<std::string> paths;
  for (const std::string& uri : params.uris) {
    Result<std::string> path = PathOfUri(uri);
    if (!path.ok()) return call->Answer(path.status());
    paths.push_back(std::move(*path));
  }
  auto progress = host.Begin(call, "Reading " + paths[0], true);
  host.Load(call, std::move(progress), std::move(paths), "",
            [call](const Result<std::shared_ptr<const OpenTrace>>& trace) {
              if (!trace.ok()) return call->Answer(trace.status());
              call->Answer(TraceJson(**trace));
            });
}

}  // namespace

extern const ActionSpec kOpenTraceAction;
const ActionSpec kOpenTraceAction = Action<&OpenTraceFiles>("tasklens/openTrace");

}  // namespace tasklens
