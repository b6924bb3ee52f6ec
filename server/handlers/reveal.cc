// SPDX-License-Identifier: Apache-2.0
// tasklens/reveal: from a task (or a site) to the line that submitted it, in the editor.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/message.h"

namespace tasklens {
namespace {

using messages::RevealAnswer, messages::RevealParams;

Result<uint32_t> SiteOf(const OpenTrace& trace, const RevealParams& params) {
  if (params.task) {
    if (Status s = CheckTask(trace, *params.task); !s.ok()) return s;
    return trace.model->tasks.site[*params.task];
  }
  if (!params.site) return Status(ErrorCode::kInvalidArgument, "params needs task or site");
  if (Status s = CheckSite(trace, *params.site); !s.ok()) return s;
  return *params.site;
}

void Reveal(Host& host, const RevealParams& params, const std::shared_ptr<Call>& call) {
  const auto trace = host.session()->Find(params.trace);
  if (!trace.ok()) return call->Answer(trace.status());
  const Result<uint32_t> site = SiteOf(**trace, params);
  if (!site.ok()) return call->Answer(site.status());
  const Result<Location> location = LocateSite(*host.session(), **trace, *site);
  if (!location.ok()) return call->Answer(location.status());
  RevealAnswer answer{.location = location->Message()};
  if (!host.client().show_document) return call->Answer(answer);
  host.Ask("window/showDocument",
           {{"uri", location->uri},
            {"takeFocus", params.take_focus},
            {"selection", ToJson(location->range)}},
           [call, answer](const Result<json>& shown) mutable {
             answer.shown = shown.ok() && shown->is_object() && shown->contains("success") &&
                            (*shown)["success"] == true;
             call->Answer(answer);
           });
}

}  // namespace

extern const ActionSpec kRevealAction = Action<&Reveal>("tasklens/reveal");

}  // namespace tasklens
