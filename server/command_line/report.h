// SPDX-License-Identifier: Apache-2.0
// Writes a trace as a self-contained page; shared by commands.
#pragma once

#include <string>
#include <vector>

#include "server/session/session.h"

namespace tasklens {

// Makes source roots of the folders; of the current one if there are none.
SourceRoots RootsOf(const std::vector<std::string>& folders);

// Writes the page completely or not at all. REQUIRES: the folder exists.
Status WriteReport(const OpenTrace& trace, const std::string& path);

}  // namespace tasklens
