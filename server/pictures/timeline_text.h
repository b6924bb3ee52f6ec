// SPDX-License-Identifier: Apache-2.0
// The timeline as text: an axis, a row a line, a legend.
//
// A column shows what its stretch of time is for the most part, and that there are tasks in it:
//   #  in tasks for half of it or more       +  for a tenth of it or more
//   :  for less, but there are tasks         .  no task: idle, asleep
// else the letter of the state that takes most of it. Behind a row stands how much of all the time
// shown it is in tasks.
//
// Pure function; any thread.
#pragma once

#include <string>

#include "analysis/timeline_scene.h"

namespace tasklens {

// `scene.pixels` are the columns. Only the states of the scene are shown.
std::string TimelineText(const TimelineScene& scene);

}  // namespace tasklens
