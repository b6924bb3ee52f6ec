// SPDX-License-Identifier: Apache-2.0
// Files under the names that the client has for them. We resolve links; a client that opened its
// workspace through one would otherwise be led to a second copy of a document that it has open.
//
// Threads: a pure function of a session.
#pragma once

#include <string>

#include "server/session/session.h"

namespace tasklens {

// The URI of the file `path` (links resolved): that of the open document, else a path below the
// folder through which another document was opened, else one below the URI of its workspace folder
// where the client named that through a link, else the path itself.
std::string ClientUri(const Session& session, const std::string& path);

}  // namespace tasklens
