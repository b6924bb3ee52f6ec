// SPDX-License-Identifier: Apache-2.0
// Replaces StarPU's starpu_fxt_tool, with the same options and files. Runs when tasklens is started
// through a link of that name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/formats.h"
#include "trace/support/status.h"

namespace tasklens {

// The parsed command line of starpu_fxt_tool.
struct FxtToolRequest {
  std::vector<std::string> inputs;
  std::string directory = ".";
  WriteOptions options;  // with the keys of the writers
  bool number_events = false;
  bool help = false, version = false;
};

// Parses the options of starpu_fxt_tool 1.4, and two of master. Differs from StarPU's on purpose: a
// word that begins with '-' and is not an option is an error, not the name of an input.
Result<FxtToolRequest> ParseFxtToolArguments(std::span<const std::string> arguments);

// The same for the words of STARPU_GENERATE_TRACE_OPTIONS, which may contain flags only.
Status ParseFxtToolFlags(std::string_view words, FxtToolRequest& request);

// Parses the arguments, reads the traces, and writes all files of StarPU's tool. Returns the exit
// status.
int StarpuFxtTool(std::span<const std::string> arguments);

}  // namespace tasklens
