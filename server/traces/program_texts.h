// SPDX-License-Identifier: Apache-2.0
// Source texts shared between runs of the same program. The same executable was built from the same
// texts, so texts that are certain for one kept run are certain for the others too, even if the
// sources have been edited since.
//
// Two runs are of the same program if its file has not been written since the earlier run began. A
// library that the program uses may still have been rebuilt. Then the sites lie on other lines,
// unless the edits moved none of them.
//
// Threads: pure functions; they read the records of kept runs.
#pragma once

#include "server/runs/kept_runs.h"
#include "server/traces/open_trace.h"

namespace tasklens {

// True if `trace` is of the same program as the other run.
bool IsOfSameProgram(const OpenTrace& trace, const KeptRun& other);
bool IsOfSameProgram(const OpenTrace& trace, const OpenTrace& other);

// Adds to `texts`, the texts of the files of `trace`, those that are certain in another kept run of
// the same program whose sites are on the same lines. The added texts are kDisk: the file as it was
// then.
void KeepTextsOfProgram(const OpenTrace& trace, TracedTexts& texts);

}  // namespace tasklens
