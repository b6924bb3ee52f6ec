// SPDX-License-Identifier: Apache-2.0
// Runs git on a repository that may be untrusted.
//
// The settings of a repository can make git run programs: hooks, monitors, signature checks,
// fetches of missing objects. All of these are disabled, so missing objects are not fetched.
// Filters and external diff programs are not disabled: the caller must use only commands that do
// not involve them.
//
// Threads: a pure function; slow, because it runs a program.
#pragma once

#include <QStringList>
#include <optional>
#include <string>

namespace tasklens {

// Returns the output of `git ARGUMENTS` in `folder`; nullopt if git fails, is not installed, or
// takes too long. Paths in the arguments are literal, not patterns.
std::optional<std::string> Git(const std::string& folder, const QStringList& arguments,
                               const std::string& input = "");

}  // namespace tasklens
