// SPDX-License-Identifier: Apache-2.0
// `file:` URIs and paths.
#pragma once

#include <string>
#include <string_view>

#include "trace/support/status.h"

namespace tasklens {

// The path of a `file:` URI, or `uri` itself when it is an absolute path. Other schemes, hosts and
// relative paths are refused.
Result<std::string> PathOfUri(std::string_view uri);

// REQUIRES: `path` is absolute.
std::string UriOfPath(std::string_view path);

}  // namespace tasklens
