// SPDX-License-Identifier: Apache-2.0
// Runs the trace converter: when the program's trace ends (STARPU_GENERATE_TRACE), and on request
// of the program.
//
// The converter is the program `tasklens`, found relative to this library (../../bin or, in the
// source tree, ../server/command_line), else in PATH.
#pragma once

#include <starpu_fxt.h>

#include <string>

namespace tasklens::runtime {

// If STARPU_GENERATE_TRACE is set and not 0, runs starpu_fxt_tool on `trace` and waits for it. Its
// files go to the folder STARPU_FXT_PREFIX, or to the current one; it reads its flags from
// STARPU_GENERATE_TRACE_OPTIONS itself. An error is only reported as one line on standard error,
// since the program has done its work. `id`: starpu_profiling_set_id(). For an id above 0 there is
// only a warning: the files of several processes would replace each other.
void GenerateTrace(const std::string& trace, int id);

// Runs starpu_fxt_tool with these options. Returns "", or the error message.
std::string ConvertTraces(const starpu_fxt_options& options);
// Writes the data trace of `trace` into the folder. Returns "", or the error message.
std::string WriteDataTrace(const std::string& trace, const std::string& folder);

}  // namespace tasklens::runtime
