// SPDX-License-Identifier: Apache-2.0
// The launch configurations that a workspace has.
//
// They come from `.tasklens/launch.json` of each folder of the workspace and from the client's
// setting `configurations`; one of the settings hides those of the files with the same name. A name
// that an earlier folder has already is followed by its own folder's: "small (stencil)". The file:
//
//   {"version": 1, "configurations": [{"name": "small", "program": "./cholesky"}]}
//
// Comments are allowed. ide-plugin/launch.md describes every member; a member that it does not have
// is an error here, because it is most likely misspelt.
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

// A configuration as it was found.
struct NamedLaunch {
  LaunchConfiguration configuration;
  std::string text;     // as written, but for paths of the workspace's second folder and later
  std::string origin;   // "settings", or the file's path
  std::string problem;  // not "": one line why it cannot be used
};

struct LaunchConfigurations {
  std::vector<NamedLaunch> found;     // those of the settings first
  std::vector<std::string> problems;  // one line each; of a file as a whole, and of each above
};

// Where the file of the workspace folder `folder` lies.
std::string LaunchFilePath(const std::string& folder);

// `folders`: of the workspace; `settings`: each a configuration as JSON. Paths of the first
// folder's file and of the settings are relative to that folder, as those of a run are; those of
// the others come out absolute.
LaunchConfigurations ReadLaunchConfigurations(const std::vector<std::string>& folders,
                                              const std::vector<std::string>& settings);

// The configuration `name`; for "" the only one there is. kNotFound names those there are.
Result<NamedLaunch> FindLaunch(const LaunchConfigurations& configurations, std::string_view name);

// Sets what is given of a configuration.
void SetGiven(const messages::LaunchConfiguration& given, LaunchConfiguration& configuration);

// What is not the default, as it would stand in the file.
nlohmann::json LaunchJson(const LaunchConfiguration& configuration);
messages::LaunchConfiguration LaunchMessage(const LaunchConfiguration& configuration);

}  // namespace tasklens
