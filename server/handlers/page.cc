// SPDX-License-Identifier: Apache-2.0
// tasklens/page: the web app, for an editor that has a browser to show it in.
#include "server/handlers/request.h"
#include "server/report/report_page.h"

namespace tasklens {
namespace {

struct Params {
  std::string view = "all";
  void Visit(Fields& fields) {
    fields.Optional("view", view);
    if (view != "all" && view != "graph" && view != "timeline")
      fields.Fail("view", "is all, graph or timeline, not '" + view + "'");
  }
};

Result<json> Page(const Session&, const Params& params, const Call&) {
  return json{{"html", EditorPage(params.view)}};
}

}  // namespace

extern const RequestSpec kPageRequest;
const RequestSpec kPageRequest = Request<&Page>("tasklens/page");

}  // namespace tasklens
