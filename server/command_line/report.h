// SPDX-License-Identifier: Apache-2.0
// Writes a trace as a self-contained HTML page.
#pragma once

#include <string>
#include <vector>

#include "server/session/session.h"

namespace tasklens {

// Returns the folders as source roots; without folders, the current one.
SourceRoots RootsOf(const std::vector<std::string>& folders);

// Writes the page completely or not at all. REQUIRES: the folder exists.
Status WriteReport(const OpenTrace& trace, const std::string& path);

}  // namespace tasklens
