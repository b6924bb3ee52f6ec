// SPDX-License-Identifier: Apache-2.0
// How the state of a row is painted where stripes can be: in its colour, StateRgb(), and told apart
// from others of that colour as codelets are.
//
// Any thread.
#pragma once

#include "trace/colours/colours.h"

namespace tasklens {

// As few stripes as no state bears that comes before in the table and has this colour, or one that
// eyes do not tell from it. Tasks bear none: these are painted as their codelets.
Paint StatePaint(StateKind state);

}  // namespace tasklens
