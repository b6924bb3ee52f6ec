// SPDX-License-Identifier: Apache-2.0
// Running the converter of traces: when the program's trace ends (STARPU_GENERATE_TRACE), and when
// the program asks for it.
//
// The converter is the program `tasklens` beside this library (../bin or, in the tree of sources,
// ../server/command_line), else in PATH.
#pragma once

#include <starpu_fxt.h>

#include <string>

namespace tasklens::runtime {

// Where STARPU_GENERATE_TRACE is set and not 0: runs our starpu_fxt_tool on `trace`, and waits for
// it. Its files go to the folder STARPU_FXT_PREFIX, or to the current one without it;
// STARPU_GENERATE_TRACE_OPTIONS are its flags, which it reads itself. What goes wrong is one line
// on standard error, and no more: the program has done its work. `id`: starpu_profiling_set_id();
// of several processes the files would replace each other, so from the second on there is a line
// only.
void GenerateTrace(const std::string& trace, int id);

// What starpu_fxt_tool does with these options; "", or what went wrong.
std::string ConvertTraces(const starpu_fxt_options& options);
// Writes the data trace of `trace` into the folder; "", or what went wrong.
std::string WriteDataTrace(const std::string& trace, const std::string& folder);

}  // namespace tasklens::runtime
