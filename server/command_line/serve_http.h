// SPDX-License-Identifier: Apache-2.0
// tasklens serve --http: the web app on a loopback page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasklens {

struct HttpOptions {
  std::vector<std::string> traces, source_roots;
  uint16_t port = 0;
  uint32_t memory_limit_mib = 0;  // of the server with its traces; 0: none
  uint32_t first_mib = 64;        // of a large trace, to show first; 0: all
};

// Prints the page's address on standard output and serves until SIGINT or SIGTERM; returns the exit
// status.
int ServeHttp(const HttpOptions& options);

}  // namespace tasklens
