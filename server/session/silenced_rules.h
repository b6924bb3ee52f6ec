// SPDX-License-Identifier: Apache-2.0
// Rules of advice that a project does not want to hear of: `.tasklens/silenced-rules` in a folder
// of the workspace, a rule a line. It belongs under version control. `#` begins a comment.
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

// Where the file of the workspace folder `folder` lies.
std::string SilencedRulesFile(const std::string& folder);

// Those of all folders. What is no file there, or is longer than 64 KiB, silences nothing.
RuleSet ReadSilencedRules(const std::vector<std::string>& folders);

// Adds the rule to the file of `folder`, which is made where there is none. Links are not followed:
// a folder that came from elsewhere could lead out of itself.
Status SilenceRule(const std::string& folder, std::string_view rule);

}  // namespace tasklens
