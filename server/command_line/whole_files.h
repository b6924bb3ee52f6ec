// SPDX-License-Identifier: Apache-2.0
// Files that a command writes all of, or none.
#pragma once

#include <map>
#include <string>

#include "trace/support/status.h"

namespace tasklens {

// Texts by path; folders of paths are made when missing. What was there before is replaced, all at
// once within a folder. kIo says which could not be written, and why.
Status WriteWholeFiles(const std::map<std::string, std::string>& texts);

}  // namespace tasklens
