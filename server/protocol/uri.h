// SPDX-License-Identifier: Apache-2.0
// Converts between `file:` URIs and paths.
#pragma once

#include <string>
#include <string_view>

#include "trace/support/status.h"

namespace tasklens {

// Returns the path of a `file:` URI, or `uri` itself if it is an absolute path. Fails for other
// schemes, hosts and relative paths.
Result<std::string> PathOfUri(std::string_view uri);

// REQUIRES: `path` is absolute.
std::string UriOfPath(std::string_view path);

}  // namespace tasklens
