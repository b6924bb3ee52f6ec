// SPDX-License-Identifier: Apache-2.0
// The runtime's environment variables, read with one line of complaint when they make no sense.
#pragma once

#include <optional>
#include <vector>

namespace tasklens::runtime {

// nullopt when unset. A value that is no number of at least `minimum` is reported and ignored.
std::optional<int> EnvironmentNumber(const char* name, int minimum = 0);
// `fallback` when unset. Aborts with a line when it is no number.
float EnvironmentFloat(const char* name, float fallback);
// "0 2 4-7" or "0,2,4-7"; "5-" goes on to `last`. nullopt when unset or nonsense (reported).
std::optional<std::vector<unsigned>> EnvironmentList(const char* name, unsigned last);

// One line that names those of StarPU's variables that are set and change nothing here.
void TellOfUnheededVariables();

}  // namespace tasklens::runtime
