// SPDX-License-Identifier: Apache-2.0
// tasklens serve --http: serves the web app on the loopback interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasklens {

struct HttpOptions {
  std::vector<std::string> traces, source_roots;
  uint16_t port = 0;
  uint32_t memory_limit_mib = 0;  // for the server and its traces; 0: no limit
  uint32_t first_mib = 64;        // of a large trace, to be shown first; 0: all
};

// Prints the address of the page on standard output and serves until SIGINT or SIGTERM. Returns the
// exit status.
int ServeHttp(const HttpOptions& options);

}  // namespace tasklens
