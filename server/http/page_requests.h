// SPDX-License-Identifier: Apache-2.0
// Requests that the web app has beyond those of ide-plugin/protocol.md;
// ide-plugin/webview/README.md describes them.
#pragma once

#include <vector>

#include "server/handlers/request.h"

namespace tasklens {

const std::vector<RequestSpec>& PageRequests();

}  // namespace tasklens
