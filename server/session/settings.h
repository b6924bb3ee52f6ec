// SPDX-License-Identifier: Apache-2.0
// What a client sets: in `initializationOptions`, later in workspace/didChangeConfiguration.
//
// ide-plugin/protocol.md lists them. Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasklens {

class Fields;

struct Settings {
  std::vector<std::string> source_roots;    // besides the workspace
  std::vector<std::string> silenced_rules;  // of advice, in the whole project
  std::vector<std::string> configurations;  // of launches, each as JSON; see launch_configuration.h
  uint32_t keep_runs = 20;                  // without a name of the user's; 0: all
  uint32_t memory_limit_mib = 0;            // of the server with its traces; 0: none
  bool trusted = true;                      // whether programs of the workspace may be run

  uint64_t MemoryLimitBytes() const { return uint64_t{memory_limit_mib} << 20; }

  void Visit(Fields& fields);
};

}  // namespace tasklens
