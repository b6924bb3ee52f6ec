// SPDX-License-Identifier: Apache-2.0
// starpu_fxt_*: converting traces from within a program.
#include <starpu.h>

#include <string>

#include "runtime/core/generate_trace.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_fxt_options_init(starpu_fxt_options* options) { *options = {}; }
void starpu_fxt_options_shutdown(starpu_fxt_options*) {}

void starpu_fxt_generate_trace(starpu_fxt_options* options) {
  const std::string error = ConvertTraces(*options);
  if (!error.empty()) Warn("starpu_fxt_generate_trace(): %s", error.c_str());
}

void starpu_fxt_write_data_trace(char* trace) {
  char here[] = ".";
  starpu_fxt_write_data_trace_in_dir(trace, here);
}
void starpu_fxt_write_data_trace_in_dir(char* trace, char* folder) {
  const std::string error = WriteDataTrace(trace, folder);
  if (!error.empty()) Warn("starpu_fxt_write_data_trace_in_dir(): %s", error.c_str());
}

}  // extern "C"
