// SPDX-License-Identifier: Apache-2.0
// tasklens/page: the web app, for an editor with an embedded browser.
#include "server/handlers/request.h"
#include "server/messages/messages.h"
#include "server/report/report_page.h"

namespace tasklens {
namespace {

Result<messages::PageAnswer> Page(const Session&, const messages::PageParams& params, const Call&) {
  return messages::PageAnswer{.html = EditorPage(params.view)};
}

}  // namespace

extern const RequestSpec kPageRequest = Request<&Page>("tasklens/page");

}  // namespace tasklens
