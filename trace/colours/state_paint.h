// SPDX-License-Identifier: Apache-2.0
// How the state of a row is painted where stripes are possible: in its colour, StateRgb(), with
// stripes that tell it from other states of that colour, as for codelets.
//
// Any thread.
#pragma once

#include "trace/colours/colours.h"

namespace tasklens {

// Returns the smallest number of stripes that is not taken by an earlier state of the table with
// the same colour, or with one that looks the same. Tasks have no stripes: they are painted as
// their codelets.
Paint StatePaint(StateKind state);

}  // namespace tasklens
