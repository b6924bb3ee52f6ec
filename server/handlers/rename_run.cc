// SPDX-License-Identifier: Apache-2.0
// tasklens/renameRun: gives a kept run a name; a run with a name is never deleted automatically.
#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

void RenameRun(Host& host, const messages::RenameRunParams& params,
               const std::shared_ptr<Call>& call) {
  Result<KeptRun> run = FindKeptRun(*host.session(), params.kept);
  if (!run.ok()) return call->Answer(run.status());
  run->name = params.name;
  if (Status s = WriteKeptRun(*run); !s.ok()) return call->Answer(s);
  RememberRun(host, *run);
  host.Update([&](Session& session) {
    for (auto& open : session.traces) {
      if (open->Folder() != run->directory) continue;
      auto renamed = std::make_shared<OpenTrace>(*open);
      renamed->title = run->Title();
      open = std::move(renamed);
    }
  });
  call->Answer(KeptRunMessage(*host.session(), *run));
}

}  // namespace

extern const ActionSpec kRenameRunAction = Action<&RenameRun>("tasklens/renameRun");

}  // namespace tasklens
