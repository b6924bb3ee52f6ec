// SPDX-License-Identifier: Apache-2.0
// Rules of advice that a project has silenced: the file `.tasklens/silenced-rules` in a folder of
// the workspace, one rule a line. The file belongs under version control. `#` begins a comment.
//
// Threads: pure functions; they read and write the file.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

using RuleSet = std::set<std::string, std::less<>>;

// The path of the file for the workspace folder `folder`.
std::string SilencedRulesFile(const std::string& folder);

// Returns the rules of all folders. A path that is not a file, or a file above 64 KiB, is ignored.
RuleSet ReadSilencedRules(const std::vector<std::string>& folders);

// Adds the rule to the file of `folder` and creates the file if necessary. Symbolic links are not
// followed: a folder from elsewhere could contain a link that leads outside.
Status SilenceRule(const std::string& folder, std::string_view rule);

}  // namespace tasklens
