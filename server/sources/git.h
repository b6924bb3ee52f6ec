// SPDX-License-Identifier: Apache-2.0
// Asks git about a repository that may be a stranger's.
//
// Its settings can make git run programs: hooks, monitors, checks of signatures, ways to fetch what
// is missing. None is run: what is missing in the repository is not fetched. What a program would
// change in what is shown is the caller's part: he asks for what no filter and no difference
// program has a part in.
//
// Threads: pure; runs a program, so it is slow.
#pragma once

#include <QStringList>
#include <optional>
#include <string>

namespace tasklens {

// The output of `git ARGUMENTS` in `folder`; nothing when it fails, is not there, or takes too
// long. Paths in the arguments are no patterns.
std::optional<std::string> Git(const std::string& folder, const QStringList& arguments,
                               const std::string& input = "");

}  // namespace tasklens
