// SPDX-License-Identifier: Apache-2.0
// Folders of a workspace that are skipped when looking for sources.
//
// Threads: a pure function.
#pragma once

#include <string_view>

namespace tasklens {

// Folders of tools: large, and without sources of the user.
inline bool IsFolderOfTools(std::string_view name) {
  return name.starts_with('.') || name.starts_with("bazel-") || name == "node_modules";
}

}  // namespace tasklens
