// SPDX-License-Identifier: Apache-2.0
// Where the sources of a traced program are, for traces that name them by relative paths.
#pragma once

#include <span>
#include <string>

#include "trace/model/trace_model.h"

namespace tasklens {

// The absolute folder below which most of the model's relative source files exist: one of `roots`,
// which somebody named, of the folders of the `traces`, or the current one, whichever comes first
// of those with equally many. Where none exists in any: the first of `roots`, or "". Without roots
// "" also when the trace itself says in which folder the program ran.
std::string FindSourceDirectory(const TraceModel& model, std::span<const std::string> traces,
                                std::span<const std::string> roots = {});

}  // namespace tasklens
