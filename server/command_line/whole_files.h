// SPDX-License-Identifier: Apache-2.0
// Writes files completely or not at all.
#pragma once

#include <map>
#include <string>

#include "trace/support/status.h"

namespace tasklens {

// `texts` are by path. Missing folders are created. Existing files are replaced, all files of a
// folder at once. kIo says which file could not be written and why.
Status WriteWholeFiles(const std::map<std::string, std::string>& texts);

}  // namespace tasklens
