// SPDX-License-Identifier: Apache-2.0
// The texts about a whole run that StarPU's handbook shows.
#pragma once

namespace tasklens::runtime {

class Runtime;

// What the environment asks for at the end of a run: all tasks have ended, the workers are there.
void PrintSummaries(Runtime& runtime);

}  // namespace tasklens::runtime
