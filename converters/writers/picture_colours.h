// SPDX-License-Identifier: Apache-2.0
// The colours that our own pictures have, for files that carry colours. A test holds them equal to
// those of analysis/colours.h, which converters may not use.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// Of tasks by their name, where they are coloured by codelet: by StringId, 0xRRGGBB. The costliest
// names have colours of their own, or those that the program chose; all others share one.
std::vector<uint32_t> PictureRgbOfNames(const TraceModel& model);

// Of a state: paler where nothing is done.
uint32_t PictureRgbOfState(StateKind kind);

}  // namespace tasklens
