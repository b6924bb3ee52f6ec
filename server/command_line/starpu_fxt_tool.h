// SPDX-License-Identifier: Apache-2.0
// The twin of StarPU's starpu_fxt_tool: its options, its files. Reached through a link of that
// name to the program tasklens.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/formats.h"
#include "trace/support/status.h"

namespace tasklens {

// What a command line of starpu_fxt_tool asks for.
struct FxtToolRequest {
  std::vector<std::string> inputs;
  std::string directory = ".";
  WriteOptions options;  // keys as the writers know them
  bool number_events = false;
  bool help = false, version = false;
};

// Parses the options of starpu_fxt_tool 1.4 (and master's two). Differs from StarPU's on purpose: a
// word that begins with '-' and is no option is an error, not the name of an input.
Result<FxtToolRequest> ParseFxtToolArguments(std::span<const std::string> arguments);

// The same for the words of STARPU_GENERATE_TRACE_OPTIONS, which may hold flags only.
Status ParseFxtToolFlags(std::string_view words, FxtToolRequest& request);

// Parses, reads, writes everything that StarPU's tool writes. Returns the exit status.
int StarpuFxtTool(std::span<const std::string> arguments);

}  // namespace tasklens
