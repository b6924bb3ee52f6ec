// SPDX-License-Identifier: Apache-2.0
// Launch configurations: how a program is run, with a name, so that it is run the same way again.
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

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/fields.h"
#include "trace/support/status.h"

namespace tasklens {

struct LaunchConfiguration {
  static constexpr uint32_t kDefault = UINT32_MAX;  // of cpus and gpus: as the runtime chooses

  std::string name;
  std::string program;  // a path, relative to the working directory, or a name in PATH
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::string working_directory;  // a path or URI, relative to the workspace folder
  uint32_t cpus = kDefault, gpus = kDefault;
  std::string scheduler;
  bool calibrate = false;
  std::vector<std::string> build;     // run before it: a program and its arguments
  std::vector<std::string> launcher;  // put in front of it: "mpirun", "-n", "2"
  std::string runtime;                // "tasklens", "starpu", or "": what it is linked with
  std::string source;                 // where its main is: a path, relative to the workspace folder
  bool keep_running = false;          // when the client goes away

  void Visit(Fields& fields);
};

// A configuration as it was found.
struct NamedLaunch {
  LaunchConfiguration configuration;
  json raw;             // as written, but for paths of the workspace's second folder and later
  std::string origin;   // "settings", or the file's path
  std::string problem;  // not "": one line why it cannot be used
};

struct LaunchConfigurations {
  std::vector<NamedLaunch> found;     // those of the settings first
  std::vector<std::string> problems;  // one line each; of a file as a whole, and of each above
};

// Where the file of the workspace folder `folder` lies.
std::string LaunchFilePath(const std::string& folder);

// `folders`: of the workspace. Paths of the first one's file and of the settings are relative to
// it, as those of a run are; those of the others come out absolute.
LaunchConfigurations ReadLaunchConfigurations(const std::vector<std::string>& folders,
                                              const std::vector<json>& settings);

// The configuration `name`; for "" the only one there is. kNotFound names those there are.
Result<NamedLaunch> FindLaunch(const LaunchConfigurations& configurations, std::string_view name);

// `raw` as a configuration; `where` names it in messages. Members that there are not are refused.
Result<LaunchConfiguration> ParseLaunch(const json& raw, const std::string& where);

// What is not the default, as it would stand in the file.
json LaunchJson(const LaunchConfiguration& configuration);

// The variables that cpus, gpus, scheduler and calibrate stand for. They are StarPU's.
std::map<std::string, std::string> LaunchVariables(const LaunchConfiguration& configuration);

}  // namespace tasklens
