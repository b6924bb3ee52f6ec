// SPDX-License-Identifier: Apache-2.0
// What every TraceModel promises, checked: for fuzz tests and for tests on real traces.
#pragma once

#include <string>

#include "trace/model/trace_model.h"

namespace tasklens::testing {

// The first promise of trace_model.h that `model` breaks ("states: row 7 ends before it starts"),
// or "".
std::string BrokenPromise(const TraceModel& model);

}  // namespace tasklens::testing
