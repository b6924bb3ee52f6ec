// SPDX-License-Identifier: Apache-2.0
// URIs of files as the client knows them. The server resolves links. A client that opened its
// workspace through a link would otherwise be sent to a second copy of a document that it has open.
//
// Threads: a pure function of a session.
#pragma once

#include <string>

#include "server/session/session.h"

namespace tasklens {

// Returns the URI of the file `path` (links resolved): the URI of the open document; else a path
// below the folder through which another document was opened; else a path below the URI of the
// workspace folder, if the client named that folder through a link; else the path itself.
std::string ClientUri(const Session& session, const std::string& path);

}  // namespace tasklens
