// SPDX-License-Identifier: Apache-2.0
// Reads environment variables; prints one warning for a value that makes no sense.
#pragma once

#include <optional>
#include <vector>

namespace tasklens::runtime {

// Returns nullopt if unset. A value that is not a number of at least `minimum` is reported and
// ignored.
std::optional<int> EnvironmentNumber(const char* name, int minimum = 0);
// Returns `fallback` if unset. Ends the program with a message if the value is not a number.
float EnvironmentFloat(const char* name, float fallback);
// Parses "0 2 4-7" or "0,2,4-7"; "5-" goes on to `last`. Returns nullopt if unset or invalid
// (reported).
std::optional<std::vector<unsigned>> EnvironmentList(const char* name, unsigned last);

// Prints one warning that names the StarPU variables that are set and have no effect here.
void TellOfUnheededVariables();

}  // namespace tasklens::runtime
