// SPDX-License-Identifier: Apache-2.0
// A named way to run a program, so that it can be repeated. ide-plugin/launch.md describes every
// member; launch_file.h reads the configurations of a workspace.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tasklens {

struct LaunchConfiguration {
  static constexpr uint32_t kDefault = UINT32_MAX;  // cpus and gpus: as the runtime chooses

  std::string name;
  std::string program;  // a path, relative to the working directory, or a name in PATH
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::string working_directory;  // a path or URI, relative to the workspace folder
  uint32_t cpus = kDefault, gpus = kDefault;
  std::string scheduler;
  bool calibrate = false;
  std::vector<std::string> build;     // run before the program: a program and its arguments
  std::vector<std::string> launcher;  // prefix of the command: "mpirun", "-n", "2"
  std::string runtime;                // "tasklens", "starpu", or "": as linked
  std::string source;                 // file with its main, relative to the workspace folder
  bool keep_running = false;          // when the client disconnects
};

// Returns the environment variables for cpus, gpus, scheduler and calibrate. They are StarPU's.
std::map<std::string, std::string> LaunchVariables(const LaunchConfiguration& configuration);

}  // namespace tasklens
