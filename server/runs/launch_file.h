// SPDX-License-Identifier: Apache-2.0
// The launch configurations of a workspace.
//
// They come from `.tasklens/launch.json` in each folder of the workspace and from the client's
// setting `configurations`. A configuration in the settings hides those in files with the same
// name. If an earlier folder already has a name, the name of the folder is appended: "small
// (stencil)". The file:
//
//   {"version": 1, "configurations": [{"name": "small", "program": "./cholesky"}]}
//
// Comments are allowed. ide-plugin/launch.md describes every member. An unknown member is an error,
// because it is most likely misspelt.
//
// Threads: pure functions; ReadLaunchConfigurations() reads the files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/messages/messages.h"
#include "server/runs/launch_configuration.h"
#include "trace/support/status.h"

namespace tasklens {

// A configuration as read.
struct NamedLaunch {
  LaunchConfiguration configuration;
  std::string text;     // as written; paths of the second and later folders are made absolute
  std::string origin;   // "settings", or the file's path
  std::string problem;  // if not "": the reason, in one line, why it cannot be used
};

struct LaunchConfigurations {
  std::vector<NamedLaunch> found;     // those of the settings first
  std::vector<std::string> problems;  // one line each, of files and of entries in `found`
};

// The path of the file for the workspace folder `folder`.
std::string LaunchFilePath(const std::string& folder);

// `folders` are those of the workspace; each of `settings` is a configuration as JSON. Paths in the
// settings and in the file of the first folder stay relative to that folder; those in other files
// become absolute.
LaunchConfigurations ReadLaunchConfigurations(const std::vector<std::string>& folders,
                                              const std::vector<std::string>& settings);

// Returns the configuration `name`; for "" the only one. kNotFound lists the existing names.
Result<NamedLaunch> FindLaunch(const LaunchConfigurations& configurations, std::string_view name);

// Copies the members that are set in `given` to `configuration`.
void SetGiven(const messages::LaunchConfiguration& given, LaunchConfiguration& configuration);

// Returns the members that differ from the defaults, as in the file.
nlohmann::json LaunchJson(const LaunchConfiguration& configuration);
messages::LaunchConfiguration LaunchMessage(const LaunchConfiguration& configuration);

}  // namespace tasklens
