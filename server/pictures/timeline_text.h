// SPDX-License-Identifier: Apache-2.0
// The timeline as text: an axis, one line for each row, a legend.
//
// A column shows the dominant state of its interval, and whether it contains tasks:
//   #  in tasks for half of it or more       +  for a tenth of it or more
//   :  for less, but there are tasks         .  no task: idle, asleep
// Otherwise it is the letter of the state with the most time. After each row comes the share of the
// time shown that it is in tasks.
//
// Threads: a pure function.
#pragma once

#include <string>

#include "analysis/timeline_scene.h"

namespace tasklens {

// `scene.pixels` is the number of columns. Only the states of the scene are drawn.
std::string TimelineText(const TimelineScene& scene);

}  // namespace tasklens
