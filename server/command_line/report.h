// SPDX-License-Identifier: Apache-2.0
// A trace as a self-contained page; shared by commands.
#pragma once

#include <string>
#include <vector>

#include "server/session/session.h"

namespace tasklens {

// The folders as roots of sources; the current one when there are none.
SourceRoots RootsOf(const std::vector<std::string>& folders);

// Writes the page, whole or not at all, into a folder that exists.
Status WriteReport(const OpenTrace& trace, const std::string& path);

}  // namespace tasklens
