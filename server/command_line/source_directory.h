// SPDX-License-Identifier: Apache-2.0
// Finds the sources of a traced program if the trace has relative paths.
#pragma once

#include <span>
#include <string>

#include "trace/model/trace_model.h"

namespace tasklens {

// Returns the absolute folder below which most of the relative source files of the model exist: one
// of the user's `roots`, of the folders of `traces`, or the current folder; on a tie the first in
// this order. If none of the files exists, returns the first of `roots`, or "". Without roots also
// returns "" if the trace records where the program ran.
std::string FindSourceDirectory(const TraceModel& model, std::span<const std::string> traces,
                                std::span<const std::string> roots = {});

}  // namespace tasklens
