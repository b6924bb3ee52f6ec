// SPDX-License-Identifier: Apache-2.0
// How a program is run, with a name, so that it is run the same way again. ide-plugin/launch.md
// describes every member; launch_file.h reads those of a workspace.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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
};

// The variables that cpus, gpus, scheduler and calibrate stand for. They are StarPU's.
std::map<std::string, std::string> LaunchVariables(const LaunchConfiguration& configuration);

}  // namespace tasklens
