// SPDX-License-Identifier: Apache-2.0
// Where the sources of a traced program are, for traces that name them by relative paths.
#pragma once

#include <span>
#include <string>

#include "trace/model/trace_model.h"

namespace tasklens {

// The folder below which most of the model's relative source files exist: one of the folders of the
// `traces`, or the current one, whichever comes first of those with equally many. "" when none
// exists in any, and when the trace itself says in which folder the program ran.
std::string FindSourceDirectory(const TraceModel& model, std::span<const std::string> traces);

}  // namespace tasklens
