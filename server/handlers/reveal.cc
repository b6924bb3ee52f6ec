// SPDX-License-Identifier: Apache-2.0
// tasklens/reveal: from a task (or a site) to the line that submitted it, in the editor.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  uint32_t task = kNone, site = kNone;
  bool take_focus = true;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("task", task);
    fields.Optional("site", site);
    fields.Optional("takeFocus", take_focus);
  }
};

Result<uint32_t> SiteOf(const OpenTrace& trace, const Params& params) {
  if (params.task == kNone && params.site == kNone)
    return Status(ErrorCode::kInvalidArgument, "params needs task or site");
  if (params.task == kNone) {
    if (Status s = CheckSite(trace, params.site); !s.ok()) return s;
    return params.site;
  }
  if (Status s = CheckTask(trace, params.task); !s.ok()) return s;
  return trace.model->tasks.site[params.task];
}

void Reveal(Host& host, const Params& params, const std::shared_ptr<Call>& call) {
  const auto trace = host.session()->Find(params.trace);
  if (!trace.ok()) return call->Answer(trace.status());
  const Result<uint32_t> site = SiteOf(**trace, params);
  if (!site.ok()) return call->Answer(site.status());
  const Result<Location> location = LocateSite(*host.session(), **trace, *site);
  if (!location.ok()) return call->Answer(location.status());
  json reply = {{"location", location->ToJson()}, {"shown", false}};
  if (!host.client().show_document) return call->Answer(std::move(reply));
  host.Ask("window/showDocument",
           {{"uri", location->uri},
            {"takeFocus", params.take_focus},
            {"selection", ToJson(location->range)}},
           [call, reply](const Result<json>& shown) mutable {
             reply["shown"] = shown.ok() && shown->is_object() && shown->contains("success") &&
                              (*shown)["success"] == true;
             call->Answer(std::move(reply));
           });
}

}  // namespace

extern const ActionSpec kRevealAction;
const ActionSpec kRevealAction = Action<&Reveal>("tasklens/reveal");

}  // namespace tasklens
