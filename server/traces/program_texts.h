// SPDX-License-Identifier: Apache-2.0
// The very same program was made from the same texts: those that were certain in one kept run of it
// are so in the others, however its sources were edited since.
//
// A program is the same as in another run when its file was not written since that run began. A
// library that it uses may have been built anew all the same; then its sites lie on other lines,
// unless its edits moved none of them.
//
// Threads: pure functions; they read the records of runs.
#pragma once

#include "server/runs/kept_runs.h"
#include "server/traces/open_trace.h"

namespace tasklens {

// Whether `trace` is of the same program as the other run.
bool IsOfSameProgram(const OpenTrace& trace, const KeptRun& other);
bool IsOfSameProgram(const OpenTrace& trace, const OpenTrace& other);

// Puts into `texts`, which are of the files of `trace`, those that were certain in another run of
// the same program, kept beside this one, with its sites on the same lines. They are kDisk: the
// file as it was then.
void KeepTextsOfProgram(const OpenTrace& trace, TracedTexts& texts);

}  // namespace tasklens
