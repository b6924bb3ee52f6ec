// SPDX-License-Identifier: Apache-2.0
// The settings of a client: from `initializationOptions`, later from
// workspace/didChangeConfiguration.
//
// ide-plugin/protocol.md documents them. Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasklens {

class Fields;

struct Settings {
  std::vector<std::string> source_roots;    // in addition to the workspace
  std::vector<std::string> silenced_rules;  // of advice, for the whole project
  std::vector<std::string> configurations;  // of launches as JSON; launch_configuration.h
  uint32_t keep_runs = 20;                  // number of runs without a user's name to keep; 0: all
  uint32_t memory_limit_mib = 0;            // of the server with its traces; 0: no limit
  bool trusted = true;                      // whether programs of the workspace may be run

  uint64_t MemoryLimitBytes() const { return uint64_t{memory_limit_mib} << 20; }

  void Visit(Fields& fields);
};

}  // namespace tasklens
