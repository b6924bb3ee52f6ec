// SPDX-License-Identifier: Apache-2.0
// Which folders of a workspace are passed over when it is searched for sources.
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
