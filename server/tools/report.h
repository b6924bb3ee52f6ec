// SPDX-License-Identifier: Apache-2.0
// A trace as a self-contained page; shared by commands.
#pragma once

#include <string>
#include <vector>

#include "server/session/session.h"

namespace tasklens {

// The folders as roots of sources; the current one when there are none.
SourceRoots RootsOf(const std::vector<std::string>& folders);

// Writes the page, whole or not at all, and its folder when that is missing.
Status WriteReport(const OpenTrace& trace, const std::string& path);

}  // namespace tasklens
